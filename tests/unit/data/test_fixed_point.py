"""Numeric records on the declared grid, whatever holds them; what is no number is refused without being shown."""

import math
import traceback
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet import DataError, DomainError, FormatError, LinearModel
from discreet.counts.moments import moments
from discreet.data.fixed_point import fixed_point_batches
from discreet.model.variable import Column

MODEL = LinearModel({"age": (16, 90), "rate": (-0.1, 0.3)}, ("income", (0, 150_000)))
AGE, RATE, INCOME = MODEL.columns
AWKWARD = Column("x", (0, 567.771))
"""Its half width has a reciprocal that no double is close to."""


def read(data, columns=MODEL.columns, resolution=16, **options):
    return np.concatenate(list(fixed_point_batches(data, columns, resolution, **options)))


def frame(**changes):
    return pl.DataFrame(
        {"age": [16, 53, 90, 17], "rate": [-0.1, 0.1, 0.3, 0.25], "income": [0.0, 75e3, 150e3, 1.0]} | changes, strict=False
    )


def test_bounds_become_plus_and_minus_one_and_their_middle_zero():
    steps = read(frame())
    np.testing.assert_array_equal(steps[:3], np.array([[-1, -1, -1], [0, 0, 0], [1, 1, 1]]) * 2**16)
    assert steps[3, 0] == math.floor(-36 / 37 * 2**16 + 0.5)


def test_values_outside_are_clipped_to_the_nearer_bound():
    steps = read(frame(age=[-(10**18), 91, 1000, 0], income=[-1e308, 1e308, 150_000.01, -0.0]))
    np.testing.assert_array_equal(steps[:, 0] / 2**16, [-1, 1, 1, -1])
    np.testing.assert_array_equal(steps[:, 2] / 2**16, [-1, 1, 1, -1])


@pytest.mark.parametrize("resolution", [4, 16, 20])
def test_every_step_is_a_whole_number_inside_the_range(resolution):
    values = np.random.default_rng(2).normal(50, 60, 5000)
    steps = read(pl.DataFrame({"age": values}), [AGE], resolution)[:, 0]
    assert (steps == np.floor(steps)).all()
    assert abs(steps).max() <= 2**resolution
    exact = (np.clip(values, 16, 90) - 53) / 37
    assert abs(steps / 2**resolution - exact).max() <= 0.5001 * 2.0**-resolution


def on_the_edges(column, resolution, count=2000):
    """Values about halfway between two steps, where the last bit of a quotient decides."""
    steps = np.random.default_rng(3).integers(-(2**resolution), 2**resolution, count)
    return column.centre + column.half_width * (steps + 0.5) / 2**resolution


def test_a_record_becomes_the_same_alone_and_among_others():
    """Polars divides a column of one value in another way than a longer one."""
    values = on_the_edges(AWKWARD, 17)
    together = read(pl.DataFrame({"x": values}), [AWKWARD], 17)
    alone = [read(pl.DataFrame({"x": [value]}), [AWKWARD], 17) for value in values[:300]]
    np.testing.assert_array_equal(together[:300], np.concatenate(alone))
    exact = [math.floor((value - AWKWARD.centre) / AWKWARD.half_width * 2**17 + 0.5) for value in values.tolist()]
    np.testing.assert_array_equal(together[:, 0], exact)


def test_the_length_of_one_records_text_changes_no_other_record(tmp_path):
    """A CSV file is parsed in parts of so many bytes; the last one may then hold a single record."""
    values = on_the_edges(AWKWARD, 17)
    reciprocal = np.floor((values - AWKWARD.centre) * (1 / AWKWARD.half_width) * 2**17 + 0.5)
    (value, *_) = values[reciprocal != np.floor((values - AWKWARD.centre) / AWKWARD.half_width * 2**17 + 0.5)].tolist()
    line = f"{value!r}\n"
    others = line * (2**16 // len(line))
    for rest in range(1, len(line), 4):  # so many bytes after the last whole 2^16
        path = tmp_path / f"{rest}.csv"
        zeros = (rest - len("x\n5\n") - len(others)) % 2**16
        path.write_text("x\n" + "0" * zeros + "5\n" + others)
        assert len(np.unique(read(path, [AWKWARD], 17)[1:])) == 1


def test_the_table_itself_stays_as_it_is():
    table = pl.DataFrame({"age": [1.5, 200.0, 17.0]})
    array = table["age"].to_numpy()
    read(table, [AGE])
    assert array.tolist() == table["age"].to_list() == [1.5, 200.0, 17.0]
    owned = pd.DataFrame({"age": np.array([1.5, 200.0])})
    read(owned, [AGE])
    assert owned["age"].tolist() == [1.5, 200.0]


HOLDERS = {
    "polars": lambda table: table,
    "lazy": lambda table: table.lazy(),
    "pandas": lambda table: pd.DataFrame(table.to_dict(as_series=False)),
    "pyarrow": lambda table: table.to_arrow(),
}


@pytest.mark.parametrize("holder", [*HOLDERS, "csv", "csv.gz", "ndjson", "parquet"])
def test_every_kind_of_table_gives_the_same_numbers(holder, tmp_path):
    generator = np.random.default_rng(3)
    table = pl.DataFrame(
        {
            "other": ["text"] * 500,
            "income": generator.lognormal(10, 1, 500).round(2),
            "age": generator.integers(0, 120, 500),
            "rate": generator.normal(0.1, 0.2, 500),
        }
    )
    expected = read(table)
    if holder in HOLDERS:
        np.testing.assert_array_equal(read(HOLDERS[holder](table)), expected)
        return
    path = tmp_path / f"records.{holder}"
    if holder == "csv.gz":
        import gzip

        path.write_bytes(gzip.compress(table.write_csv().encode()))
    else:
        {"csv": table.write_csv, "ndjson": table.write_ndjson, "parquet": table.write_parquet}[holder](path)
    np.testing.assert_array_equal(read(path), expected)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float32, pl.Float64, pl.Decimal(20, 3), pl.Int128])
def test_a_number_is_the_same_number_in_every_type(dtype):
    whole = pl.DataFrame({"age": pl.Series([0, 16, 17, 89, 90, 120], dtype=pl.Int64)})
    np.testing.assert_array_equal(read(whole.cast({"age": dtype}), [AGE]), read(whole, [AGE]))


def test_the_scale_of_decimals_changes_nothing():
    """A single record can change the scale of the whole column; the others must stay what they were."""
    values = [Decimal(number).scaleb(-3) for number in range(-120, 320)]
    short = pl.DataFrame({"rate": pl.Series(values, dtype=pl.Decimal(30, 3))})
    long = pl.DataFrame({"rate": pl.Series([*values, Decimal("0.1234567890123456789")], dtype=pl.Decimal(30, 19))})
    np.testing.assert_array_equal(read(long, [RATE])[:-1], read(short, [RATE]))


def test_booleans_are_zero_and_one():
    np.testing.assert_array_equal(
        read(pl.DataFrame({"age": [True, False]}), [AGE]), read(pl.DataFrame({"age": [1, 0]}), [AGE])
    )


def shown(error):
    return "".join(traceback.format_exception(error)) + repr(error.__context__) + repr(error.__cause__)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused_and_do_not_pass_the_clip(value):
    for bad in (frame(income=[1.0, value, 2.0, 3.0]), frame(income=[1.0, value, 2.0, 3.0]).lazy()):
        with pytest.raises(DomainError, match="'income' holds NaN or infinity"):
            read(bad)


def test_nan_and_infinity_in_a_text_file_are_refused(tmp_path):
    for word in ("NaN", "nan", "inf", "-Infinity", "", "null", "unknown", "1,5", "0x10"):
        path = tmp_path / "records.csv"
        path.write_text(f'age,rate,income\n20,0.1,5\n30,0.2,"{word}"\n')
        with pytest.raises(DomainError, match="'income'"):
            read(path)


@pytest.mark.parametrize("holder", [*HOLDERS])
def test_missing_values_are_refused(holder):
    with pytest.raises(DomainError, match=r"'age' (has missing values|holds NaN)") as caught:
        read(HOLDERS[holder](frame(age=[20, None, 30, 40])))
    assert "Do not drop" in str(caught.value) or "NaN" in str(caught.value)


@pytest.mark.parametrize(
    "values", [["Sapphire"] * 4, ["1", "2", "3", "4"], [[1], [2], [3], [4]], [pd.Timestamp("2020-01-01")] * 4]
)
def test_columns_that_are_not_numeric_are_refused_by_name_and_not_shown(values):
    with pytest.raises(DataError, match="'income' is not numeric") as caught:
        read(frame(income=values))
    assert "Sapphire" not in shown(caught.value)


def test_a_pandas_column_of_mixed_types_is_refused():
    table = pd.DataFrame({"age": [1, 2], "rate": [0.1, 0.2], "income": [1.0, "Sapphire"]})
    with pytest.raises(DataError, match="'income' is not numeric") as caught:
        read(table)
    assert "Sapphire" not in shown(caught.value)


def test_text_that_is_no_number_is_refused_and_not_shown(tmp_path):
    path = tmp_path / "records.csv"
    path.write_text("age,rate,income\n20,0.1,5\nSapphire,0.2,7\n")
    with pytest.raises(DomainError, match="'age' has a missing value or something that is not a number") as caught:
        read(path)
    assert "Sapphire" not in shown(caught.value)


def test_a_column_that_is_not_there_is_named_and_the_others_are_not():
    with pytest.raises(DataError, match="no column 'income'") as caught:
        read(frame().drop("income").rename({"rate": "Sapphire"}).with_columns(rate=1))
    assert "Sapphire" not in str(caught.value)


def test_a_table_without_records_is_refused(tmp_path):
    path = tmp_path / "records.csv"
    path.write_text("age,rate,income\n")
    for empty in (frame().head(0), frame().head(0).to_arrow(), path):
        with pytest.raises(DataError, match="no records"):
            read(empty)
    with pytest.raises(FormatError, match="no file"):
        read(tmp_path / "nowhere.csv")


def test_arrow_streams_are_read():
    np.testing.assert_array_equal(read(pa.table(frame().to_dict(as_series=False))), read(frame()))


def test_long_tables_come_in_batches_and_progress_is_told():
    told = []
    table = pl.DataFrame({"age": np.arange(300_000) % 100})
    parts = list(fixed_point_batches(table, [AGE], 16, progress=told.append))
    assert len(parts) > 2
    assert max(len(part) for part in parts) <= 2**17
    assert told[-1] == 300_000 == sum(len(part) for part in parts)
    assert told == sorted(told)


def test_another_number_of_records_than_declared_is_refused():
    assert moments(frame(), MODEL, rows=4).rows == 4
    with pytest.raises(DataError, match="declared number of records"):
        moments(frame(), MODEL, rows=5)
