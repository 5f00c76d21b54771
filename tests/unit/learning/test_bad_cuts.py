"""What is refused before anything is charged for cuts, and what the refusal says."""

from fractions import Fraction
from itertools import combinations

import polars as pl
import pytest
from support.bits import FailingBits

import discreet as dc
from discreet.learning.cuts import prepare_cuts

COLUMNS = [
    dc.SchemaColumn("age", "integer", minimum="17", maximum="90"),
    dc.SchemaColumn("few", "integer", minimum="0", maximum="3"),
    dc.SchemaColumn("name"),
    dc.SchemaColumn("unbounded", "number"),
    dc.SchemaColumn("cut", "integer", cuts=["5"]),
    dc.SchemaColumn("odd", "integer", minimum="0", maximum="9", other="[3, 6)"),
    dc.SchemaColumn("edge", "integer", minimum="0", maximum="9", other="<=4"),
]
SCHEMA = dc.Schema(COLUMNS)
TABLE = pl.DataFrame({column.name: [20, 30, 40] if column.name == "age" else [1, 2, 3] for column in COLUMNS})
GAPS, STRANGE = TABLE.with_columns(age=None), TABLE.with_columns(age=pl.Series([20, 30, 4711]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"column": "name"}, "'name' is a string; only numbers"),
        ({"column": "unbounded"}, "'unbounded' has no bounds: add constraints"),
        ({"column": "cut"}, "'cut' has levels already"),
        ({"column": "agee"}, "no column 'agee'. Did you mean 'age'"),
        ({"column": None}, "no column 'None'"),
        ({"parts": 1}, "parts must be a whole number of at least 2"),
        ({"parts": 2.5}, "parts must be a whole number"),
        ({"parts": "5"}, "parts must be a whole number"),
        ({"parts": 101, "grid": "0.5"}, "can be cut into 2 to 100 parts"),
        ({"column": "few", "parts": 4}, "can be cut into 2 to 3 parts: its grid has 2 candidates"),
        ({"grid": "80"}, "can be cut into 2 to 2 parts: its grid has 1 candidates"),
        ({"grid": ["30", "20", "40"]}, "out of order"),
        ({"grid": ["20", "30", "90"]}, "does not lie between its minimum and its maximum"),
        ({"grid": ["20", "thirty", "40"]}, "is no number"),
        ({"grid": ["20", "30.00000000000000000001", "40"]}, "too many digits"),
        ({"column": "odd"}, "is called like a part; give it another name"),
        ({"column": "edge"}, "is called like a part; give it another name"),
        ({"epsilon": "0"}, "greater than zero"),
        ({"epsilon": "-1"}, "positive number"),
        ({"epsilon": "little"}, "positive number"),
        ({"epsilon": "2"}, "cap"),
        ({"epsilon": Fraction(1, 10**800)}, "Give a short epsilon"),
        ({"table": GAPS}, "missing"),
        ({"table": STRANGE}, "age"),
        ({"table": TABLE.head(0)}, "no records"),
        ({"table": TABLE.drop("age")}, "age"),
        ({"rows": 4}, "declared number of records"),
        ({"rows": 0}, "rows must be"),
        ({"progress": 3}, "progress is a function"),
        ({"person": "age"}, "cannot be a column of the model as well"),
        ({"rows_per_person": "one"}, "Say whose a record is"),
        ({"schema": TABLE, "table": SCHEMA}, "in each other's place"),
        ({"schema": "people.csv"}, "in each other's place"),
        ({"schema": None}, "no schema. Write cuts"),
        ({"schema": "none.schema.json"}, "none.schema.json"),
        ({"ledger": "none.ledger"}, "There is no ledger"),
    ],
)
def test_what_is_refused_costs_nothing(tmp_path, monkeypatch, given, said):
    monkeypatch.chdir(tmp_path)
    ledger = dc.Ledger("ledger", cap="1")
    words = {"table": TABLE, "schema": SCHEMA, "column": "age", "parts": 3, "epsilon": "0.5", "ledger": ledger} | given
    with pytest.raises(dc.DiscreetError, match=said) as caught:
        dc.cuts(words.pop("table"), words.pop("schema"), words.pop("column"), **words, _bits=FailingBits())
    assert "4711" not in str(caught.value)
    assert ledger.history() == []


def test_a_level_that_only_looks_like_a_part_is_allowed():
    for other in ("(other)", "[?]", "5", "<unknown>", "(3, many)"):
        column = dc.SchemaColumn("x", "integer", minimum="0", maximum="9", other=other)
        table = pl.DataFrame({"x": [1, 2, 3, 77]})
        made = dc.cuts(table, dc.Schema([column]), "x", parts=3, epsilon="1", ledger=dc.Ledger.unlimited())
        assert made.column("x").levels[3:] == (other,)


def test_no_choice_of_cuts_can_fail_after_the_charge():
    """Every set of cuts of a small grid, as the kernel might draw it: the schema can be made of each, with long names, too."""
    column = dc.SchemaColumn("x", "number", minimum="0", maximum="1e-9", other="(" + "o" * 900 + ")", missing="[0, 1)")
    table, ledger = pl.DataFrame({"x": [0.0, 1e-9, 5.0]}), dc.Ledger.unlimited().for_unit(dc.Unit.rows_at_most(1000))
    prepared = prepare_cuts(table, dc.Schema([column]), "x", parts=3, epsilon="1", ledger=ledger, grid="2e-10")
    for places in combinations(range(1, 5), 2):
        made = prepared._wrap(places, ledger.check(prepared.guarantee)).column("x")
        assert made.cuts == tuple(f"0.000000000{2 * place}" for place in places)
        assert len(made.levels) == 5


def test_nothing_private_is_shown_of_prepared_cuts():
    table = pl.DataFrame({"age": [20] * 4711 + [50]})
    prepared = prepare_cuts(table, SCHEMA, "age", parts=2, epsilon="1", ledger=dc.Ledger.unlimited())
    assert "4711" not in repr(prepared)
    assert 4711 in prepared.table
