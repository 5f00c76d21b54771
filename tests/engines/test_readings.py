"""Raw values become levels where they are, and every engine reads each of them alike."""

import traceback

import polars as pl
import pytest
from support.optional import need
from support.readings import AGE, HIGH, LOW, MIDDLE, MISSING, NUMBERS, TEXTS, VISIT, cut, world

from discreet.counts import family_counts
from discreet.data import code_batches
from discreet.errors import DomainError
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"


@pytest.mark.fast("ibis*", "sqlite*", "postgres*", "duckdb*")
def test_every_engine_reads_every_value_alike(engine):
    """Counted together with the number of its row, each value shows its own code."""
    network, frame, codes = world({**TEXTS, **NUMBERS})
    tables = family_counts(engine.hold(frame), network)
    for name, expected in codes.items():
        assert tables[name].argmax(axis=1).tolist() == expected, name
        assert tables[name].sum() == len(expected)


@pytest.mark.fast("sqlite*", "postgres*", "duckdb*")
def test_a_third_partys_table_in_an_engine_is_read_alike(engine):
    network, frame, codes = world({**TEXTS, **NUMBERS})
    (found,) = code_batches(engine.hold(frame), network, partial=True)
    assert {name: found[name].tolist() for name in codes} == codes


def test_a_misfit_in_an_engine_names_the_column_and_never_the_value(engine):
    strict = cut("age", "25", "35")
    with pytest.raises(DomainError, match=r"'age'.*no number") as caught:
        family_counts(engine.hold(pl.DataFrame({"age": ["30", SECRET, "40"]})), Network([strict]))
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_column_may_have_another_name_in_the_table(engine):
    variable = cut("age", "25", column="Alter in Jahren")
    frame = pl.DataFrame({"Alter in Jahren": [20, 30, 40], "age": ["not", "looked", "at"]})
    assert family_counts(engine.hold(frame), Network([variable]))["age"].tolist() == [[1, 2]]


def test_dates_and_short_floats_are_read_by_their_types():
    """DuckDB has types for both; a float of 32 bits that is written 0.7 means seven tenths."""
    connection = need("duckdb").connect()
    relation = connection.sql(
        "SELECT * FROM (VALUES (DATE '2020-02-29', TIMESTAMP '2024-02-29 13:00:00', 0.7::FLOAT, 24.99::DECIMAL(6, 2)), "
        "(NULL, NULL, NULL, NULL)) AS held(day, moment, short, exact)"
    )
    network = Network(
        [
            Variable("day", VISIT.levels, VISIT.reading),
            Variable("moment", VISIT.levels, VISIT.reading),
            cut("short", "0.7", "0.8", missing="gap", further=["gap"]),
            Variable("exact", AGE.levels, AGE.reading),
        ]
    )
    (found,) = code_batches(relation, network)
    assert {name: codes.tolist() for name, codes in found.items()} == {
        "day": [LOW, MISSING], "moment": [HIGH, MISSING], "short": [MIDDLE, 3], "exact": [LOW, MISSING],
    }  # fmt: skip
