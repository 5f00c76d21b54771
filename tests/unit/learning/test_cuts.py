"""Cuts that are chosen from records: what comes out, what is charged, and what is said about it afterwards."""

import json

import polars as pl
import pytest
from support.bits import FailingBits, WatchingBits

import discreet as dc
from discreet.guarantee import PureDP
from discreet.learning.cuts import PreparedCuts, prepare_cuts
from discreet.model.files.schema_file import parse_schema, schema_text
from discreet.output_file import OutputFile

AGE = dc.SchemaColumn("age", "integer", minimum="17", maximum="90", missing="unknown", title="Age in years")
SCHEMA = dc.Schema([AGE, dc.SchemaColumn("income", categories=["low", "high"]), dc.SchemaColumn("open")], title="people")
ROWS = 4000
TABLE = pl.DataFrame({"age": [17 + place % 74 for place in range(ROWS)], "income": ["low", "high"] * (ROWS // 2)})


def choose(table=TABLE, schema=SCHEMA, column="age", parts=4, epsilon="1", ledger=None, **more):
    return dc.cuts(table, schema, column, parts=parts, epsilon=epsilon, ledger=ledger or dc.Ledger.unlimited(), **more)


def test_parts_of_even_records_are_about_equal():
    """Ages are uniform on 74 years, so quarters are 18.5 years each; a year is 54 records, and the noise some tens."""
    found = [int(cut) for cut in choose().column("age").cuts]
    assert all(abs(cut - right) <= 2 for cut, right in zip(found, (35.5, 54, 72.5), strict=True))


def test_parts_are_equal_among_the_records_that_are_in_one():
    """Half of the ages are missing: against shares of all records every part would be too small, and cuts anywhere."""
    gaps = TABLE.with_columns(age=pl.when(pl.int_range(ROWS) % 2 == 0).then("age"))
    found = [int(cut) for cut in choose(gaps, epsilon="5").column("age").cuts]
    assert all(abs(cut - right) <= 3 for cut, right in zip(found, (35.5, 54, 72.5), strict=True))


def test_all_else_stays_as_it_was_declared(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1")
    made = choose(ledger=ledger)
    (charge,) = ledger.history()
    age = made.column("age")
    assert age.receipt == f"charge 1 of data set 'default' at {charge.at}: epsilon 1"
    assert (age.title, age.minimum, age.maximum, age.missing) == ("Age in years", "17", "90", "unknown")
    assert age.levels[-1] == "unknown"
    assert len(age.levels) == 5
    assert made.columns[1:] == SCHEMA.columns[1:]  # also one that is unfinished
    assert (made.title, charge.purpose, charge.guarantee) == ("people", "cuts of age", PureDP("1"))


def test_cuts_are_charged_once_and_before_anything_is_drawn(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1")
    bits = WatchingBits(tmp_path / "ledger")
    made = choose(ledger=ledger, epsilon="0.25", _bits=bits)
    assert set(bits.seen) == {1}
    assert len(bits.seen) >= 3
    assert ledger.spent == PureDP("0.25").epsilon
    assert "scripted random bits, which protect nobody" in made.column("age").receipt


def test_what_would_overspend_draws_nothing(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="0.1")
    with pytest.raises(dc.BudgetError):
        choose(ledger=ledger, epsilon="0.2", _bits=FailingBits())
    assert ledger.spent == 0


def test_a_ledger_with_a_delta_and_one_without_a_cap_pay_too(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    assert choose(ledger=ledger, epsilon="0.05").column("age").receipt.endswith("epsilon 0.05")
    assert "without a cap, as for experiments on public data" in choose().column("age").receipt


def test_the_charge_is_written_in_the_schema_file_and_read_back(tmp_path):
    made = choose()
    dc.write_schema(made, tmp_path / "people.schema.json")
    again = dc.read_schema(tmp_path / "people.schema.json")
    assert again == made
    assert again.column("age").receipt == made.column("age").receipt
    (field, *_) = json.loads(schema_text(made))["fields"]
    assert field["receipt"].startswith("charge 1 of data set 'unlimited'")


@pytest.mark.parametrize("mechanism", [dc.Auto("1"), dc.Laplace("1"), dc.Sampler("1")], ids=repr)
def test_a_release_says_once_that_its_cuts_were_chosen_and_which_charge_paid(tmp_path, mechanism):
    made = choose().select(["age", "income"])
    release = dc.release(
        TABLE, dc.naive_bayes(made, "income"), mechanism, ledger=dc.Ledger.unlimited(), save=tmp_path / "release.json"
    )
    for each in (release, dc.load(tmp_path / "release.json")):
        (said,) = [caveat.text for caveat in each.caveats if caveat.name == "chosen-cuts"]
        assert "The cuts of 'age' were chosen privately from records" in said
        assert made.column("age").receipt in said
        assert each.value.network.variable("age").reading.receipt == made.column("age").receipt
    declared = dc.Schema([dc.SchemaColumn("age", "integer", cuts=["40"], missing="unknown"), SCHEMA.columns[1]])
    plain = dc.release(TABLE, dc.naive_bayes(declared, "income"), mechanism, ledger=dc.Ledger.unlimited())
    assert "chosen-cuts" not in [caveat.name for caveat in plain.caveats]


def test_a_network_file_keeps_the_receipt(tmp_path):
    network = dc.naive_bayes(choose().select(["age", "income"]), "income")
    dc.write_network(network, tmp_path / "net.json")
    assert dc.read_network(tmp_path / "net.json") == network


@pytest.mark.parametrize("receipt", ["", 7, "a" * 1001])
def test_a_receipt_is_a_short_text(receipt):
    fields = [{"name": "age", "type": "integer", "cuts": ["5"], "receipt": receipt}]
    with pytest.raises(dc.FormatError, match="'receipt' of 'age' is a text"):
        parse_schema(json.dumps({"fields": fields}))


def test_a_receipt_without_cuts_is_refused():
    with pytest.raises(dc.ModelError, match="no cuts that it could have paid for"):
        dc.SchemaColumn("age", "integer", minimum="0", maximum="9", receipt="charge 1")
    with pytest.raises(dc.ModelError, match="no cuts that it could have paid for"):
        dc.Variable("a", ["0", "1"], dc.Reading(receipt="charge 1"))


def test_persons_are_protected_and_named():
    persons = TABLE.with_columns(id=pl.int_range(ROWS) // 4)
    one = choose(persons, person="id").column("age")
    average = choose(persons, person="id", rows_per_person="average").column("age")
    assert "protects one person, represented by one record" in one.receipt
    assert "represented by the average of at most 12 records" in average.receipt
    for found in (one, average):
        assert abs(int(found.cuts[1]) - 54) <= 8
    with pytest.raises(dc.DataError, match="number of persons"):
        choose(persons, person="id", rows=ROWS)


def test_a_group_of_records_is_charged_as_a_group(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1")
    made = choose(ledger=ledger, epsilon="0.1", rows_at_most=4)
    assert ledger.spent == PureDP("0.4").epsilon
    assert made.column("age").receipt.endswith("epsilon 0.4, protects somebody with at most 4 records")


def test_dates_are_cut_at_listed_days():
    days = [f"2020-{month:02}-15" for month in range(1, 13)] * 100
    schema = dc.Schema([dc.SchemaColumn("day", "date")])
    grid = [f"2020-{month:02}-01" for month in range(2, 13)]
    made = choose(pl.DataFrame({"day": days}), schema, "day", parts=2, epsilon="5", grid=grid)
    assert made.column("day").cuts == ("2020-07-01",)


def test_the_upper_end_belongs_to_a_part_where_the_schema_says_so():
    """All records are 30: with [.., 30] the cut is at 30 or above, since a cut below has all of them on its right, too."""
    column = dc.SchemaColumn("age", "integer", minimum="0", maximum="90", includes="upper")
    table = pl.DataFrame({"age": [30] * 500 + [31] * 500})
    assert choose(table, dc.Schema([column]), parts=2, epsilon="5").column("age").cuts == ("30",)
    lower = dc.SchemaColumn("age", "integer", minimum="0", maximum="90")
    assert choose(table, dc.Schema([lower]), parts=2, epsilon="5").column("age").cuts == ("31",)


def test_an_engine_counts_where_the_records_are():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT 17 + range % 74 AS age FROM range(4000)")
    found = choose(connection.table("people")).column("age").cuts
    assert abs(int(found[1]) - 54) <= 2


def test_cuts_that_cannot_be_written_are_told_or_cost_nothing(tmp_path, monkeypatch):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1")
    prepared = prepare_cuts(TABLE, SCHEMA, "age", parts=3, epsilon="0.5", ledger=ledger)
    (tmp_path / "there.schema.json").touch()
    for name in ("there.schema.json", "schema.txt", "no folder/new.schema.json"):
        with pytest.raises(dc.FormatError):
            prepared.save(tmp_path / name)
    assert ledger.spent == 0

    def fail(_file, _content):
        raise dc.FormatError("the disk is gone")

    monkeypatch.setattr(OutputFile, "write", fail)
    with pytest.raises(dc.FormatError, match="the disk is gone") as caught:
        prepared.save(tmp_path / "new.schema.json")
    (words,) = caught.value.__notes__
    assert "epsilon 0.5" in words
    assert "The cuts are not lost: write " in words
    assert not (tmp_path / "new.schema.json").exists()


@pytest.mark.parametrize(("fails", "charges"), [(1, 0), (2, 1)], ids=["before", "after"])
def test_a_schema_that_cannot_be_made_costs_nothing_or_names_the_charge(tmp_path, monkeypatch, fails, charges):
    """It is made once of a stand-in, before the charge, and once of what was drawn."""
    ledger, made = dc.Ledger(tmp_path / "ledger", cap="1"), []

    def fail(_prepared, _places, _receipt):
        made.append(1)
        if len(made) == fails:
            raise dc.ModelError("no such schema")

    monkeypatch.setattr(PreparedCuts, "_wrap", fail)
    with pytest.raises(dc.ModelError, match="no such schema") as caught:
        choose(ledger=ledger, epsilon="0.5")
    assert len(ledger.history()) == charges
    assert ["epsilon 0.5" in words for words in getattr(caught.value, "__notes__", [])] == [True] * charges


@pytest.mark.parametrize("form", ["tree", "dag"])
def test_a_graph_that_is_learned_on_chosen_cuts_names_their_charge(form):
    made = choose().select(["age", "income"])
    learned = dc.learn(TABLE, made, epsilon="1", ledger=dc.Ledger.unlimited(), form=form)
    (said,) = [caveat.text for caveat in learned.caveats if caveat.name == "chosen-cuts"]
    assert made.column("age").receipt in said
    assert ("fitted-pairs" in [caveat.name for caveat in learned.caveats]) == (form == "dag")
