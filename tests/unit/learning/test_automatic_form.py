"""Which form ``auto`` takes: by public facts alone, and naive Bayes or no edges where learning does not pay."""

import pytest

import discreet as dc
from discreet.learning.together import prepare_whole
from discreet.learning.wanted import Form, read_options
from tests.support.graphs import binary, chain_records, open_ledger


def automatic(variables, **given):
    asked = {"form": "auto", "target": None, "parents": 3, "required": (), "forbidden": (), **given}
    return [each.form for each in read_options(tuple(variables), *asked.values())]


def test_forms_that_cannot_be_are_not_offered():
    assert automatic(binary(4)) == [Form.DAG, Form.TREE, Form.FOREST, Form.EMPTY]
    assert automatic(binary(4), target="x1") == [Form.DAG, Form.TAN, Form.NAIVE_BAYES]
    assert automatic(binary(4), required=[("x0", "x2"), ("x1", "x2")]) == [Form.DAG]
    wide = [dc.Variable(f"x{number}", [str(level) for level in range(400)]) for number in range(2)]
    assert automatic(wide) == [Form.TREE, Form.FOREST, Form.EMPTY]  # a dag is for at most 600 levels
    with pytest.raises(dc.ModelError, match="x0"):
        automatic(binary(2), required=[("x0", "x1"), ("x1", "x0")])


def test_the_form_does_not_depend_on_the_records(tmp_path):
    forms = set()
    for strength in (0.5, 0.99):
        ledger = dc.Ledger(tmp_path / f"{strength}.ledger", cap="1")
        learned = dc.learn(chain_records(5, 2000, strength), binary(5), epsilon="0.5", ledger=ledger)
        forms.add(learned.learning.form)
        (said,) = [caveat for caveat in learned.caveats if caveat.name == "automatic-graph"]
        assert said.label == "note"
        assert "2,000 records, 5 columns" in said.text
    assert forms == {"dag"}


def test_who_asks_for_a_form_is_told_of_no_choice(tmp_path):
    learned = dc.learn(chain_records(3, 500), binary(3), epsilon="1", ledger=open_ledger(tmp_path), form="forest")
    assert "automatic-graph" not in [caveat.name for caveat in learned.caveats]


@pytest.mark.parametrize("target", [None, "x1"])
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_where_learning_does_not_pay_the_whole_budget_goes_to_the_tables(tmp_path, target, delta):
    ledger = open_ledger(tmp_path, delta="1e-6")
    records = chain_records(12, 100)
    prepared = prepare_whole(records, binary(12), epsilon="0.05", ledger=ledger, target=target, delta=delta)
    release = prepared.publish()
    assert len(release.receipts) == 1
    assert release.value.network.edges == (0 if target is None else 11)
    assert not release.value.network.learned
    names = [caveat.name for caveat in release.caveats]
    assert "automatic-graph" in names
    assert ("assumed-graph" in names) == (target is not None)
    if delta is None:
        assert release.guarantee == dc.PureDP("0.05")


@pytest.mark.parametrize(("form", "target", "edges"), [("empty", None, 0), ("naive_bayes", "x0", 3)])
def test_a_graph_that_is_known_is_measured_with_all_that_is_paid(tmp_path, form, target, edges):
    ledger = open_ledger(tmp_path)
    learned = dc.learn(chain_records(4, 500), binary(4), epsilon="1", ledger=ledger, form=form, target=target)
    assert learned.network.edges == edges
    assert learned.learning.choices is None
    assert learned.learning.cost == dc.PureDP("1")
