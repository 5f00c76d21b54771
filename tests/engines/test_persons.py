"""Persons in every engine: the same averages as in memory, and one record of each person that is really theirs."""

import gc

import polars as pl
import pytest
from support.bits import SeededBits

from discreet import (
    DataError,
    DomainError,
    Ledger,
    LinearModel,
    Network,
    RegressionMoments,
    Schema,
    SchemaColumn,
    Unit,
    Variable,
    release,
)
from discreet.counts.persons import person_family_counts, person_moments

NETWORK = Network([Variable("smoke", ["no", "yes"]), Variable("visits", ["0", "1", "2"])], {"visits": ["smoke"]})
MODEL = LinearModel({"age": (0, 100)}, ("pressure", (50, 250)))
SECRET = "Sapphire-4711"
RECORDS = pl.DataFrame(
    {
        "patient id": [SECRET, "b", SECRET, "c", "c", "c", "d"],
        "smoke": ["no", "yes", "yes", "no", "no", "yes", "yes"],
        "visits": [0, 1, 2, 2, 1, 1, 0],
        "age": [20.0, 30.5, 21.0, 60.0, 61.0, 62.0, 150.0],
        "pressure": [120.0, 130.0, 125.0, 140.0, 141.0, 142.5, 110.0],
    }
)
AVERAGE = Unit.person("patient id", "average", 4)


def read(count):
    return SeededBits(5).read(count)


def test_averages_equal_those_in_memory(engine):
    mine = person_family_counts(RECORDS, NETWORK, AVERAGE, read)
    theirs = person_family_counts(engine.hold(RECORDS), NETWORK, AVERAGE, read)
    assert {node: table.tolist() for node, table in mine.items()} == {node: table.tolist() for node, table in theirs.items()}


def test_moments_of_averages_equal_those_in_memory(engine):
    mine = person_moments(RECORDS, MODEL, AVERAGE, read)
    theirs = person_moments(engine.hold(RECORDS), MODEL, AVERAGE, read)
    assert (mine.rows, mine.sums.tolist(), mine.products.tolist()) == (
        theirs.rows,
        theirs.sums.tolist(),
        theirs.products.tolist(),
    )


@pytest.mark.parametrize("batch", [2, 2**16])
@pytest.mark.parametrize("identities", [[7, 1, 7, 2, 2, 2, 3], [0.5, 1.0, 0.5, 2.0, 2.0, 2.0, 3.0]], ids=["whole", "float"])
def test_raw_values_of_persons_are_read_as_in_memory(engine, identities, batch, monkeypatch):
    schema = Schema(
        [
            SchemaColumn(
                "years", "integer", cuts=["25", "61"], column="age at visit", minimum="0", maximum="99", other="(other)"
            ),
            SchemaColumn("smoke", categories=["no", "yes"], fold=True, missing="unknown"),
            SchemaColumn("visits", "integer", categories=["0", "1", "2"]),
        ]
    )
    texts = pl.Series("smoke", ["NO ", "yes", None, "no", "no", "Yes", "yes"])
    numbers = pl.Series("patient id", identities)
    records = RECORDS.with_columns(numbers, texts).rename({"age": "age at visit"})
    network = Network(schema, {"visits": ["years", "smoke"]})
    mine = person_family_counts(records, network, AVERAGE, read)
    monkeypatch.setattr("discreet.data.engines._BATCH_ROWS", batch)
    theirs = person_family_counts(engine.hold(records), network, AVERAGE, read)
    assert {node: table.tolist() for node, table in mine.items()} == {node: table.tolist() for node, table in theirs.items()}


def test_one_record_of_each_person_counts(engine):
    network = Network([Variable("visits", ["0", "1", "2"])])
    held = engine.hold(RECORDS)
    theirs = {
        tuple(person_family_counts(held, network, Unit.person("patient id"), SeededBits(s).read)["visits"][0].tolist())
        for s in range(8)
    }
    # b has 1 and d has 0; the first has 0 or 2, c has 1 or 2.
    assert theirs <= {(2, 2, 0), (2, 1, 1), (1, 2, 1), (1, 1, 2)}
    assert len(theirs) > 1


def test_a_record_of_nobody_is_refused_without_a_word_about_the_others(engine, tmp_path):
    gaps = RECORDS.with_columns(pl.Series("patient id", [SECRET, None, *RECORDS["patient id"].to_list()[2:]]))
    ledger = Ledger(tmp_path / "ledger", "1")
    with pytest.raises(DataError, match="does not say whose it is") as refused:
        release(engine.hold(gaps), MODEL, RegressionMoments("1"), ledger=ledger, person="patient id")
    assert SECRET not in str(refused.value)
    assert ledger.history() == []


@pytest.mark.parametrize("wrong", ["patient id", "visits"])
def test_what_is_refused_midway_leaves_nothing_open(engine, wrong, monkeypatch):
    """Records are fetched batch by batch; what is left of them is given back before the error is told."""
    monkeypatch.setattr("discreet.data.engines._BATCH_ROWS", 2)
    held = engine.hold(pl.concat([RECORDS] * 3).with_columns(odd_one_out(wrong)))
    with pytest.raises((DataError, DomainError), match=f"'{wrong}'") as refused:
        person_family_counts(held, NETWORK, AVERAGE, read)
    if "postgresql" in engine.name:
        left = held.get_backend().con.execute("SELECT count(*) FROM pg_cursors WHERE name LIKE 'ibis%'")
        assert left.fetchone() == (0,)
    del refused
    gc.collect()
    mine = person_family_counts(RECORDS, NETWORK, AVERAGE, read)
    theirs = person_family_counts(engine.hold(RECORDS), NETWORK, AVERAGE, read)
    assert {node: table.tolist() for node, table in mine.items()} == {node: table.tolist() for node, table in theirs.items()}


def odd_one_out(column):
    """A record in the middle that says nobody, or a level that is not declared."""
    here = pl.int_range(pl.len()) == 8
    return pl.when(here).then(None if column == "patient id" else pl.lit(9)).otherwise(pl.col(column)).alias(column)
