"""One budget pays for a graph and its release."""

import pytest

import discreet as dc
from discreet.errors import BudgetError
from discreet.learning.together import prepare_whole
from tests.support.graphs import binary, chain_records, open_ledger


@pytest.mark.parametrize("form", ["tree", "tan", "dag"])
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_one_budget_pays_for_graph_and_release(tmp_path, form, delta):
    ledger = open_ledger(tmp_path, delta="1e-6")
    given = {"target": "x0"} if form == "tan" else {}
    prepared = prepare_whole(chain_records(4, 1000), binary(4), epsilon="1", form=form, ledger=ledger, delta=delta, **given)
    assert ledger.history() == []
    release = prepared.save(tmp_path / "release.json")
    assert len(ledger.history()) == (1 if form == "dag" else 2)
    loaded = dc.load(tmp_path / "release.json")
    assert loaded.guarantee == release.guarantee
    assert loaded.receipts == release.receipts
    assert ledger.spent <= 1
    if delta is None:
        assert release.guarantee == dc.PureDP("1")


def test_what_cannot_be_paid_whole_is_refused_before_any_of_it(tmp_path):
    ledger = open_ledger(tmp_path, cap="0.8")
    with pytest.raises(BudgetError):
        prepare_whole(chain_records(4, 100), binary(4), epsilon="1", form="tree", ledger=ledger)
    assert ledger.history() == []


@pytest.mark.parametrize("form", ["tree", "dag"])
def test_a_path_that_cannot_be_written_costs_nothing(tmp_path, form):
    ledger = open_ledger(tmp_path)
    prepared = prepare_whole(chain_records(4, 100), binary(4), epsilon="1", form=form, ledger=ledger)
    (tmp_path / "there.json").write_text("something else")
    for path in (
        tmp_path / "there.json",
        ledger.path.with_name(ledger.path.name + "-journal"),
        tmp_path / "no" / "folder.json",
    ):
        with pytest.raises(dc.FormatError):
            prepared.save(path)
    assert ledger.history() == []
    assert (tmp_path / "there.json").read_text() == "something else"


@pytest.mark.parametrize("to_file", [True, False])
def test_a_release_that_fails_after_its_graph_names_both(tmp_path, to_file):
    """Somebody else spends between the two charges: the refusal of the second says that the first was made."""
    ledger = open_ledger(tmp_path, cap="1")
    prepared = prepare_whole(chain_records(4, 1000), binary(4), epsilon="1", form="tree", ledger=ledger)
    honest = prepared.graph.publish

    def publish():
        learned = honest()
        ledger.charge(dc.PureDP("0.1"), "somebody else")
        return learned

    object.__setattr__(prepared.graph, "publish", publish)
    with pytest.raises(BudgetError) as refused:
        prepared.save(tmp_path / "release.json") if to_file else prepared.publish()
    notes = " ".join(refused.value.__notes__)
    assert "Budget was spent" in notes
    assert "The graph is not lost: " in notes
    assert len(ledger.history()) == 2
    assert not (tmp_path / "release.json").exists()
