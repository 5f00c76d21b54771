"""Persons in every engine: the same averages as in memory, and one record of each person that is really theirs."""

import polars as pl
import pytest
from support.bits import SeededBits

from discreet import DataError, Ledger, LinearModel, Network, RegressionMoments, Unit, Variable, release
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
