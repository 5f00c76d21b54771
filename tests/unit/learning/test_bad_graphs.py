"""What cannot be learned is told plainly, and costs nothing."""

import polars as pl
import pytest

import discreet as dc
from discreet.errors import BudgetError, DataError, DomainError, ModelError
from tests.support.graphs import binary, chain_records, edges_of, open_ledger

BAD = {
    "a cycle of required edges": ({"required": [("x0", "x1"), ("x1", "x0")]}, "cycle"),
    "a target that is not there": ({"target": "x9"}, "no column 'x9'"),
    "an unknown form": ({"form": "ring"}, "no form 'ring'"),
    "tan without a target": ({"form": "tan"}, "say whose"),
    "a target of a tree": ({"form": "tree", "target": "x0"}, "has no target"),
    "required and forbidden": ({"required": [("x0", "x1")], "forbidden": [("x1", "x0")]}, "required and forbidden"),
    "a forbidden edge of the target": ({"form": "tan", "target": "x0", "forbidden": [("x0", "x1")]}, "required and forbidden"),
    "two required parents in a tree": ({"form": "tree", "required": [("x0", "x2"), ("x1", "x2")]}, "2 required parents"),
    "a ring": ({"form": "tree", "required": [("x0", "x1"), ("x0", "x2"), ("x1", "x3"), ("x2", "x3")]}, "required parents"),
    "an unknown edge": ({"required": [("x0", "y")]}, "no column"),
    "an edge to itself": ({"forbidden": [("x0", "x0")]}, "to itself"),
    "edges that are no pairs": ({"required": ["x0"]}, "pairs"),
    "one text for edges": ({"forbidden": "x0"}, "pairs"),
    "no parents": ({"parents": 0}, "parents"),
    "too many parents": ({"parents": 9}, "at most 6"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused_costs_nothing(tmp_path, name):
    given, said = BAD[name]
    ledger = open_ledger(tmp_path)
    with pytest.raises(ModelError, match=said):
        dc.learn(chain_records(4, 50), binary(4), epsilon="1", ledger=ledger, **given)
    assert ledger.history() == []


def test_two_thousand_columns_are_too_many(tmp_path):
    ledger = open_ledger(tmp_path)
    with pytest.raises(ModelError, match="2,000 columns"):
        dc.learn("no such file.csv", binary(2000), epsilon="1", ledger=ledger)
    assert ledger.history() == []


@pytest.mark.parametrize("form", ["tree", "forest", "dag"])
def test_one_column_has_no_edges(tmp_path, form):
    learned = dc.learn(chain_records(1, 500), binary(1), epsilon="1", ledger=open_ledger(tmp_path), form=form)
    assert learned.network.edges == 0
    assert learned.learning.cost == dc.PureDP("1")


@pytest.mark.fast("forest")
@pytest.mark.parametrize("form", ["forest", "tree"])
def test_a_column_of_ten_thousand_levels_gets_no_edge(tmp_path, form):
    wide = dc.Variable("code", [str(number) for number in range(10_000)])
    records = chain_records(2, 400).with_columns(code=pl.Series([str(number % 10_000) for number in range(400)]))
    learned = dc.learn(records, [*binary(2), wide], epsilon="1", ledger=open_ledger(tmp_path), form=form)
    assert not any("code" in edge for edge in edges_of(learned.network))


def test_a_directed_graph_refuses_a_column_that_is_too_wide(tmp_path):
    wide = dc.Variable("code", [str(number) for number in range(10_000)])
    ledger = open_ledger(tmp_path)
    with pytest.raises(ModelError, match="levels"):
        dc.learn("no such file.csv", [*binary(2), wide], epsilon="1", ledger=ledger, form="dag")
    assert ledger.history() == []


def test_a_budget_that_is_too_small_for_any_edge_gives_no_edges(tmp_path):
    learned = dc.learn(chain_records(4, 60), binary(4), epsilon="0.001", ledger=open_ledger(tmp_path), form="forest")
    assert learned.network.edges == 0


def test_noise_that_no_integer_holds_is_refused_before_the_charge(tmp_path):
    ledger = open_ledger(tmp_path)
    for form in ("tree", "dag"):
        with pytest.raises(BudgetError, match="too large"):
            dc.learn(chain_records(3, 60), binary(3), epsilon="1e-17", ledger=ledger, form=form)
    assert ledger.history() == []


def test_records_and_schema_in_each_others_place_are_told_so(tmp_path):
    ledger = open_ledger(tmp_path)
    schema = dc.Schema([dc.SchemaColumn("a", "string", categories=["0", "1"])])
    for data, declared in [(schema, chain_records(2, 5)), (schema, schema), ("a.csv", "b.csv")]:
        with pytest.raises(ModelError, match="each other's place"):
            dc.learn(data, declared, epsilon="1", ledger=ledger)
    with pytest.raises(ModelError, match="graph already"):
        dc.learn(chain_records(2, 5), dc.Network(binary(2)), epsilon="1", ledger=ledger)
    with pytest.raises(ModelError, match="no schema"):
        dc.learn(chain_records(2, 5), 7, epsilon="1", ledger=ledger)


def test_records_outside_the_declaration_cost_nothing_and_are_not_shown(tmp_path):
    ledger = open_ledger(tmp_path)
    records = chain_records(3, 50).with_columns(x1=pl.lit("secret"))
    with pytest.raises(DomainError) as error:
        dc.learn(records, binary(3), epsilon="1", ledger=ledger)
    assert "secret" not in str(error.value)
    with pytest.raises(DataError):
        dc.learn(chain_records(3, 50), binary(3), epsilon="1", ledger=ledger, rows=51)
    assert ledger.history() == []


@pytest.mark.parametrize("form", ["tree", "forest", "dag"])
def test_required_arrows_are_there_and_forbidden_edges_are_not(tmp_path, form):
    learned = dc.learn(
        chain_records(5, 3000), binary(5), epsilon="2", ledger=open_ledger(tmp_path), form=form,
        required=[("x4", "x0")], forbidden=[("x1", "x2")],
    )  # fmt: skip
    assert "x4" in learned.network.parents["x0"]
    assert frozenset(("x1", "x2")) not in edges_of(learned.network)
