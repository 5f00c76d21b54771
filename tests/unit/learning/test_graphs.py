"""Learning a graph: charged once and first, the same for every source of records, found where it is planted."""

import json

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import BudgetError, FormatError
from discreet.learning.graphs import learning_budget, prepare_graph
from tests.support.bits import FailingBits, SeededBits, WatchingBits
from tests.support.graphs import binary, chain_records, edges_of, open_ledger

CHAIN = {frozenset((f"x{number}", f"x{number + 1}")) for number in range(4)}


@pytest.mark.parametrize("form", ["tree", "forest"])
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_a_planted_chain_is_found(tmp_path, form, delta):
    learned = dc.learn(
        chain_records(5, 5000), binary(5), epsilon="2", ledger=open_ledger(tmp_path, delta="1e-6"), form=form, delta=delta,
        _bits=SeededBits(1),
    )  # fmt: skip
    assert edges_of(learned.network) == CHAIN
    assert learned.network.learned


def test_a_planted_chain_is_within_a_directed_graph(tmp_path):
    learned = dc.learn(chain_records(5, 5000), binary(5), epsilon="2", ledger=open_ledger(tmp_path), _bits=SeededBits(1))
    assert edges_of(learned.network) >= CHAIN
    truth = 0.9
    mean = learned.posterior.query("x1", {"x0": "1"}, interval=None)["1"]
    assert mean == pytest.approx(truth, abs=0.03)


def test_a_forest_of_independent_columns_has_no_edges(tmp_path):
    generator = np.random.default_rng(3)
    records = pl.DataFrame({f"x{number}": generator.integers(0, 2, 3000).astype(str) for number in range(5)})
    learned = dc.learn(records, binary(5), epsilon="1", ledger=open_ledger(tmp_path), form="forest", _bits=SeededBits(1))
    assert not edges_of(learned.network)


def test_tan_has_the_target_above_all_others(tmp_path):
    learned = dc.learn(
        chain_records(5, 5000), binary(5), epsilon="2", ledger=open_ledger(tmp_path), form="tan", target="x2",
        _bits=SeededBits(1),
    )  # fmt: skip
    assert learned.learning.form == "tan"
    assert all("x2" in parents for node, parents in learned.network.parents.items() if node != "x2")
    assert {frozenset(("x0", "x1")), frozenset(("x3", "x4"))} <= edges_of(learned.network)


@pytest.mark.parametrize("form", ["tree", "dag"])
def test_a_graph_is_charged_once_and_before_anything_is_drawn(tmp_path, form):
    ledger = open_ledger(tmp_path)
    bits = WatchingBits(ledger.path)
    learned = dc.learn(chain_records(4, 300), binary(4), epsilon="0.5", ledger=ledger, form=form, _bits=bits)
    assert bits.seen
    assert set(bits.seen) == {1}
    [charge] = ledger.history()
    assert charge.guarantee == dc.PureDP("0.5") == learned.guarantee == learned.learning.cost
    assert learned.receipts[0].number == 1
    assert form in charge.purpose


def test_what_was_charged_is_what_all_stages_and_choices_cost(tmp_path):
    for form, delta in [("tree", None), ("forest", "1e-6"), ("dag", "1e-6")]:
        ledger = dc.Ledger(tmp_path / f"{form}.ledger", cap="5", delta="1e-6")
        learned = dc.learn(chain_records(4, 300), binary(4), epsilon="0.5", ledger=ledger, form=form, delta=delta)
        assert learned.learning.cost == learned.guarantee


def test_a_delta_makes_the_budget_zero_concentrated():
    assert learning_budget("0.5", None) == dc.PureDP("0.5")
    assert isinstance(learning_budget("0.5", "1e-6"), dc.ZCDP)


def test_a_graph_that_overspends_is_refused_before_anything_is_read(tmp_path):
    ledger = open_ledger(tmp_path, cap="0.3")
    with pytest.raises(BudgetError):
        dc.learn("no such file.csv", binary(3), epsilon="0.5", ledger=ledger)
    assert ledger.history() == []


def test_a_rehearsal_does_not_look_at_the_records(tmp_path):
    ledger = open_ledger(tmp_path)
    one, two = (
        prepare_graph(
            chain_records(4, 200, seed=seed), binary(4), epsilon="1", ledger=ledger, form="tree", _bits=FailingBits()
        )
        for seed in (1, 2)
    )
    first, second = one.rehearse(), two.rehearse()
    assert first.network == second.network
    for before, after in zip(first.learning.measurements, second.learning.measurements, strict=True):
        np.testing.assert_array_equal(before.numbers, after.numbers)
    assert ledger.history() == []


def test_a_graph_that_cannot_be_written_costs_nothing(tmp_path):
    ledger = open_ledger(tmp_path)
    taken = tmp_path / "taken.json"
    taken.write_text("mine")
    for path in (taken, tmp_path / "no folder" / "graph.json"):
        with pytest.raises(FormatError):
            dc.learn(chain_records(3, 50), binary(3), epsilon="1", ledger=ledger, form="tree", save=path)
    assert ledger.history() == []
    assert taken.read_text() == "mine"


@pytest.mark.parametrize("form", ["tree", "forest", "dag"])
def test_a_graph_comes_back_from_its_file(tmp_path, form):
    path = tmp_path / "graph.json"
    learned = dc.learn(chain_records(4, 500), binary(4), epsilon="1", ledger=open_ledger(tmp_path), form=form, save=path)
    read = dc.read_learned(path)
    assert (read.network, read.guarantee, read.receipts) == (learned.network, learned.guarantee, learned.receipts)
    assert read.learning.cost == learned.learning.cost
    assert repr(read) == repr(learned)
    if form == "dag":
        np.testing.assert_allclose(read.posterior.mean("x1"), learned.posterior.mean("x1"))


@pytest.mark.parametrize("form", ["tree", "dag"])
def test_a_file_that_claims_less_than_was_paid_is_refused(tmp_path, form):
    from discreet.release_file.document import digest

    path = tmp_path / "graph.json"
    dc.learn(chain_records(4, 500), binary(4), epsilon="1", ledger=open_ledger(tmp_path), form=form, save=path)
    content = json.loads(path.read_text())
    content["receipts"][0]["guarantee"]["epsilon"] = content["guarantee"]["epsilon"] = "1/2"
    content["digest"] = digest(content)
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError, match="does not fit"):
        dc.read_learned(path)


def test_every_source_gives_the_same_tables(tmp_path):
    frame, variables = chain_records(4, 400), binary(4)
    frame.write_csv(tmp_path / "records.csv")
    frame.write_parquet(tmp_path / "records.parquet")
    sources = [frame, frame.lazy(), str(tmp_path / "records.csv"), str(tmp_path / "records.parquet"), frame.to_pandas()]
    found = [prepare_graph(each, variables, epsilon="1", ledger=dc.Ledger.unlimited(), form="dag") for each in sources]
    for each in found[1:]:
        for name, table in each.counts.items():
            np.testing.assert_array_equal(table, found[0].counts[name])


@pytest.mark.parametrize("form", ["tree", "tan", "dag"])
@pytest.mark.parametrize("rows_per_person", ["one", "average"])
def test_whole_persons_are_protected(tmp_path, form, rows_per_person):
    frame = chain_records(4, 3000).with_columns(person=pl.Series([str(number // 3) for number in range(3000)]))
    learned = dc.learn(
        frame, binary(4), epsilon="1", ledger=open_ledger(tmp_path), form=form, target="x0" if form == "tan" else None,
        person="person", rows_per_person=rows_per_person,
    )  # fmt: skip
    assert learned.rows == 1000
    assert learned.unit.noun == "person"
    assert any(caveat.name == "random-record" for caveat in learned.caveats)


def test_somebody_with_several_rows_is_charged_for(tmp_path):
    ledger = open_ledger(tmp_path)
    learned = dc.learn(chain_records(3, 300), binary(3), epsilon="0.5", ledger=ledger, form="tree", rows_at_most=3)
    assert learned.guarantee == dc.PureDP("1.5")
    assert learned.learning.cost == dc.PureDP("0.5")


def test_a_graph_shows_what_must_be_known(tmp_path):
    learned = dc.learn(chain_records(4, 500), binary(4), epsilon="1", ledger=open_ledger(tmp_path), form="tree")
    said = " ".join(repr(learned).split())
    assert "Learned graph of 4 nodes, 3 edges" in said
    assert "conditional on the graph" in said
    assert "charge 1 of data set" in said
    assert "x1" in learned._repr_html_()


def test_scripted_bits_and_unlimited_ledgers_are_told(tmp_path):
    learned = dc.learn(chain_records(3, 50), binary(3), epsilon="1", ledger=dc.Ledger.unlimited(), _bits=SeededBits(1))
    assert {"scripted-bits", "unlimited-ledger", "learned-graph"} <= {caveat.name for caveat in learned.caveats}
