"""A Parquet file gives the same codes under every type that its columns may have, however its rows are grouped."""

import numpy as np
import polars as pl
import pytest
from support.optional import need

from discreet.data import code_batches
from discreet.data import source as source_module
from discreet.errors import DomainError
from discreet.model.network import Network
from discreet.model.variable import Variable

ROWS = 115
GROUP = 20
LEVELS = {"texts": ["low", "high", "a level of many letters"], "numbers": ["0", "1", "2"], "truths": ["true", "false"]}
TEXTS = [pl.String, pl.Categorical, pl.Enum(["high", "a level of many letters", "low"])]
NUMBERS = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32, pl.Float64, pl.String]


@pytest.fixture(autouse=True, params=["streamed", "in ranges"])
def small_batches(request, monkeypatch):
    """Batches of 30 rows, which are no multiple of a row group."""
    monkeypatch.setattr(source_module, "WIDE_ROW", 1 if request.param == "in ranges" else 10**6)
    monkeypatch.setattr(source_module, "RANGE_ROWS", 30)
    monkeypatch.setattr(source_module, "BLOCK_CELLS", 30)
    monkeypatch.setattr(source_module, "BATCH_ROWS", 30)


def network(name):
    return Network([Variable("x", [*LEVELS[name], "gap"])])


def drawn(name):
    """Levels of which the first rows show one, the next another and the last all: no two dictionaries are alike."""
    codes = np.concatenate([np.full(40, 1), np.zeros(40, dtype=int), np.arange(ROWS - 80) % len(LEVELS[name])])
    return codes, [LEVELS[name][code] for code in codes]


def encode(path, name):
    batches = list(code_batches(path, network(name), missing="gap"))
    assert max(len(batch["x"]) for batch in batches) <= 30
    return np.concatenate([batch["x"] for batch in batches]).tolist()


def check(frame, path, name, codes):
    """The file, the file with gaps in its last rows, and the file with a value in them that nobody declared."""
    frame.write_parquet(path, row_group_size=GROUP)
    assert encode(path, name) == codes.tolist()
    gaps = frame.with_columns(pl.when(pl.int_range(pl.len()) < ROWS - 5).then("x").alias("x"))
    gaps.write_parquet(path, row_group_size=GROUP)
    assert encode(path, name) == [*codes[:-5].tolist(), *[len(LEVELS[name])] * 5]


@pytest.mark.parametrize("dtype", TEXTS, ids=str)
def test_texts_of_every_type(tmp_path, dtype):
    codes, values = drawn("texts")
    check(pl.DataFrame({"x": pl.Series(values, dtype=dtype)}), tmp_path / "x.parquet", "texts", codes)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_numbers_of_every_type(tmp_path, dtype):
    codes, _ = drawn("numbers")
    check(pl.DataFrame({"x": pl.Series(codes).cast(dtype)}), tmp_path / "x.parquet", "numbers", codes)


def test_truth_values(tmp_path):
    codes, _ = drawn("truths")
    check(pl.DataFrame({"x": codes == 0}), tmp_path / "x.parquet", "truths", codes)


@pytest.mark.parametrize("name", ["string", "large_string", "string_view", "dictionary"])
def test_texts_as_arrow_writes_them(tmp_path, name):
    arrow = need("pyarrow")
    parquet = need("pyarrow.parquet")
    codes, values = drawn("texts")
    types = {"dictionary": lambda: arrow.dictionary(arrow.int8(), arrow.string())}
    column = arrow.array(values).cast(types.get(name, getattr(arrow, name))())
    parquet.write_table(arrow.table({"x": column}), tmp_path / "x.parquet", row_group_size=GROUP)
    assert encode(tmp_path / "x.parquet", "texts") == codes.tolist()


@pytest.mark.parametrize(
    ("name", "dtype", "strange"), [("texts", pl.String, "hig"), ("numbers", pl.Int64, 4), ("numbers", pl.UInt8, 255)]
)
def test_a_value_of_the_last_row_that_is_not_declared_is_refused_and_not_shown(tmp_path, name, dtype, strange):
    codes, values = drawn(name)
    held = values if dtype == pl.String else codes.tolist()
    pl.DataFrame({"x": pl.Series([*held, strange], dtype=dtype)}).write_parquet(tmp_path / "x.parquet", row_group_size=GROUP)
    with pytest.raises(DomainError, match="'x' holds a value that is not declared") as refused:
        encode(tmp_path / "x.parquet", name)
    assert f"{strange!r}" not in str(refused.value)
