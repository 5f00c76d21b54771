"""Wide Parquet files are read range by range of rows, and some columns at a time."""

import numpy as np
import polars as pl
import pytest

from discreet.data import code_batches
from discreet.data import source as source_module
from discreet.errors import DataError, DomainError
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
NODES = [f"node_{number}" for number in range(7)]
NETWORK = Network([Variable(node, ["low", "high", "unknown"]) for node in NODES])


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch):
    """Ranges of 40 rows, and two variables at a time: a column of codes and one of gaps each."""
    monkeypatch.setattr(source_module, "WIDE_ROW", 1)
    monkeypatch.setattr(source_module, "RANGE_ROWS", 40)
    monkeypatch.setattr(source_module, "BLOCK_CELLS", 160)


def drawn(rows):
    generator = np.random.default_rng(rows)
    return pl.DataFrame({node: generator.choice(["low", "high"], rows) for node in NODES})


def encoded(data, **options):
    batches = list(code_batches(data, NETWORK, **options))
    return [len(batch[NODES[0]]) for batch in batches], {
        node: np.concatenate([batch[node] for batch in batches]).tolist() for node in NODES
    }


@pytest.mark.parametrize("rows", [1, 39, 40, 41, 80, 115])
def test_every_row_of_every_column_is_read_once_and_in_order(tmp_path, rows):
    frame = drawn(rows)
    frame.write_parquet(tmp_path / "wide.parquet", row_group_size=30)
    sizes, codes = encoded(tmp_path / "wide.parquet")
    assert sizes == [40] * (rows // 40) + [rows % 40] * (rows % 40 > 0)
    assert codes == encoded(frame)[1]


def test_ranges_run_on_from_file_to_file(tmp_path):
    frame = drawn(115)
    for number, start in enumerate(range(0, 115, 23)):
        frame[start : start + 23].write_parquet(tmp_path / f"{number}.parquet")
    assert encoded(tmp_path / "*.parquet")[1] == encoded(frame)[1]


def test_a_narrow_file_is_streamed(tmp_path, monkeypatch):
    drawn(115).write_parquet(tmp_path / "narrow.parquet")
    monkeypatch.setattr(source_module, "WIDE_ROW", 16 * len(NODES) + 1)
    assert encoded(tmp_path / "narrow.parquet")[0] == [115]


def test_what_fits_a_byte_takes_half_of_what_other_numbers_take(tmp_path, monkeypatch):
    frame = pl.DataFrame({node: np.arange(115) % 2 for node in NODES})
    network = Network([Variable(node, ["0", "1"]) for node in NODES])
    monkeypatch.setattr(source_module, "WIDE_ROW", 4 * len(NODES) + 1)
    sizes = {}
    for dtype in (pl.UInt8, pl.Boolean, pl.Int16):
        frame.cast(dtype).write_parquet(tmp_path / "table.parquet")
        sizes[dtype] = [len(batch[NODES[0]]) for batch in code_batches(tmp_path / "table.parquet", network)]
    assert sizes == {pl.UInt8: [115], pl.Boolean: [115], pl.Int16: [40, 40, 35]}


def test_gaps_become_the_declared_level(tmp_path):
    frame = drawn(50).with_columns(pl.when(pl.int_range(pl.len()) != 45).then(pl.col(NODES[3])).alias(NODES[3]))
    frame.write_parquet(tmp_path / "wide.parquet")
    assert encoded(tmp_path / "wide.parquet", missing="unknown")[1][NODES[3]][45] == 2
    with pytest.raises(DomainError, match="missing values"):
        encoded(tmp_path / "wide.parquet")


def test_a_value_that_is_not_declared_is_found_in_the_last_range_and_not_shown(tmp_path):
    frame = drawn(115).with_columns(
        pl.when(pl.int_range(pl.len()) == 114).then(pl.lit(SECRET)).otherwise(pl.col(NODES[6])).alias(NODES[6])
    )
    frame.write_parquet(tmp_path / "wide.parquet")
    with pytest.raises(DomainError, match="not declared") as caught:
        encoded(tmp_path / "wide.parquet")
    assert SECRET not in str(caught.value)


def test_a_table_without_records_is_an_error(tmp_path):
    drawn(5).clear().write_parquet(tmp_path / "wide.parquet")
    with pytest.raises(DataError, match="no records"):
        encoded(tmp_path / "wide.parquet")


def test_a_file_that_changes_between_two_ranges_is_refused(tmp_path):
    drawn(115).write_parquet(tmp_path / "wide.parquet")
    batches = code_batches(tmp_path / "wide.parquet", NETWORK)
    next(batches)
    drawn(115).reverse().write_parquet(tmp_path / "another.parquet")
    (tmp_path / "another.parquet").replace(tmp_path / "wide.parquet")
    with pytest.raises(DataError, match="changed while it was being read"):
        next(batches)
