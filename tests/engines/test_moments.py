"""Moments in every engine that holds records: the same integers as in memory, the same errors, the same silence."""

import math
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from discreet import DataError, DomainError, LinearModel
from discreet.counts.moments import moments
from discreet.counts.moments_push_down import can_push_down
from discreet.data.engines import engine_frame
from discreet.posterior.linear_draws import RegressionDraws

MODEL = LinearModel({"age": (16, 90), "two words": (-0.5, 0.25), "owns": (0, 1)}, ("income", (0, 150_000)), 1)
LONG = LinearModel({"age": (16, 90), "two words": (-0.1, 1 / 3), "owns": (0, 1)}, ("income", (0, 150_000)), 1)


def records(rows=3000, seed=5):
    """Values inside, outside and exactly on the bounds, and on the boundaries where rounding decides."""
    generator = np.random.default_rng(seed)
    halves = -0.125 + 0.375 * (2 * generator.integers(-(2**16), 2**16, rows) + 1) / 2**17
    return pl.DataFrame(
        {
            "age": generator.integers(0, 120, rows),
            "two words": np.where(generator.random(rows) < 0.5, halves, generator.normal(-0.1, 0.5, rows)),
            "owns": generator.random(rows) < 0.5,
            "income": generator.lognormal(10, 1, rows).round(2),
        }
    )


def assert_same(found, expected):
    assert found.rows == expected.rows
    np.testing.assert_array_equal(found.sums, expected.sums)
    np.testing.assert_array_equal(found.products, expected.products)


@pytest.mark.parametrize("model", [MODEL, LONG], ids=["added up in the engine", "fetched"])
def test_moments_equal_those_in_memory(engine, model):
    frame = records()
    assert_same(moments(engine.hold(frame), model), moments(frame, model))


def test_bounds_of_many_digits_are_not_sent_to_an_engine(duckdb_engine):
    held = engine_frame(duckdb_engine.hold(records(5)))
    assert can_push_down(held, MODEL)
    assert not can_push_down(held, LONG)


def test_values_of_sqlite_are_fetched_since_each_has_a_type_of_its_own(sqlite_engine):
    assert not can_push_down(engine_frame(sqlite_engine.hold(records(5).cast(pl.Float64))), MODEL)


@pytest.mark.fast("ibis*-None", "duckdb*", "sqlite*", "postgres*")
@pytest.mark.parametrize("bad", [None, math.nan])
def test_what_is_no_number_is_refused_in_every_engine(engine, bad):
    frame = records(40)
    broken = engine.hold(frame.with_columns(pl.Series("income", [bad, *frame["income"][1:]], dtype=pl.Float64)))
    missing = bad is None or (math.isnan(bad) and engine.name == "ibis on sqlite")  # which keeps NaN as null
    with pytest.raises(DomainError, match="'income' has missing" if missing else "'income' holds NaN or infinity"):
        moments(broken, MODEL)


def test_infinity_is_refused_by_an_engine(duckdb_engine):
    frame = records(40)
    with pytest.raises(DomainError, match="'income' holds NaN or infinity"):
        moments(duckdb_engine.hold(frame.with_columns(income=pl.lit(-math.inf))), MODEL)


def test_a_column_of_text_is_refused_in_every_engine(engine):
    frame = records(10).with_columns(pl.lit("Sapphire-4711").alias("income"))
    with pytest.raises(DataError, match="'income' is not numeric") as caught:
        moments(engine.hold(frame), MODEL)
    assert "Sapphire" not in str(caught.value)


def test_a_column_that_is_not_there_is_named(engine):
    with pytest.raises(DataError, match="no column 'income'"):
        moments(engine.hold(records(10).drop("income")), MODEL)


def test_an_empty_table_is_refused(duckdb_engine):
    with pytest.raises(DataError, match="no records"):
        moments(duckdb_engine.hold(records(5).head(0)), MODEL)


@pytest.mark.parametrize("digits", [17, 25])
@pytest.mark.parametrize("name", ["duckdb_engine", "ibis_duckdb_engine"])
def test_decimals_are_read_as_their_text(request, name, digits):
    """Values where rounding decides, so that a decimal that is read a little wrong becomes another step."""
    engine = request.getfixturevalue(name)
    model = LinearModel({"x": (-1, 1)}, ("y", (-1, 1)))
    values = [Decimal(2 * number + 1) / 2**17 for number in range(-(2**16), 2**16, 97)]
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Decimal(38, digits)), "y": [0.5] * len(values)})
    plain = frame.with_columns(pl.Series("x", [float(value) for value in values]))
    assert_same(moments(engine.hold(frame), model), moments(plain, model))
    assert_same(moments(frame, model), moments(plain, model))


def test_records_of_ones_own_may_be_held_by_an_engine(duckdb_engine):
    draws = RegressionDraws(MODEL, ((2**30, 2**29, -(2**30), 5),), 1, 10)
    frame = records(50)
    np.testing.assert_array_equal(draws.predict(duckdb_engine.hold(frame)).mean, draws.predict(frame).mean)
