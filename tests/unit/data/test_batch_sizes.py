"""Batches of a file are of a good size, and are not copied to be so."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from discreet.data import source as source_module
from discreet.data.source import _even, batches, open_table


def frames(heights):
    starts = np.cumsum([0, *heights])
    return [pl.DataFrame({"row": np.arange(start, stop, dtype=np.uint8)}) for start, stop in pairwise(starts)]


def place(frame):
    """Where the values are in memory."""
    return frame["row"].to_numpy(allow_copy=False).__array_interface__["data"][0]


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ([], []),
        ([0], [0]),
        ([10], [10]),
        ([10, 10, 4], [10, 10, 4]),
        ([8, 8, 3], [8, 8, 3]),
        ([1] * 23, [10, 10, 3]),
        ([4, 4, 4, 10, 1], [8, 4, 10, 1]),
        ([11], [6, 5]),
        ([2, 25, 3], [2, 9, 9, 7, 3]),
    ],
)
def test_small_frames_are_put_together_and_large_ones_cut_evenly(heights, expected):
    found = list(_even(frames(heights), 10))
    assert [frame.height for frame in found] == expected
    assert [row for frame in found for row in frame["row"]] == list(range(sum(heights)))


def test_a_frame_of_a_good_size_and_the_parts_of_a_large_one_are_not_copied():
    given = frames([7, 8, 25])
    found = list(_even(given, 10))
    first, second, large = map(place, given)
    assert [place(frame) for frame in found] == [first, second, large, large + 9, large + 18]


def test_batches_of_a_parquet_file_are_its_row_groups_each_in_one_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "BATCH_ROWS", 3000)
    rows = np.arange(50_000) % 251
    pl.DataFrame({"row": rows.astype(np.uint8)}).write_parquet(tmp_path / "rows.parquet", row_group_size=2500)
    columns = [pl.col("row"), pl.col("row").is_null().alias("gap")]
    found = list(batches(open_table(tmp_path / "rows.parquet", ["row"]), columns))
    whole = found[:10]  # Polars divides the last row groups between its threads
    assert {batch.height for batch in whole} == {2500}
    assert {batch["row"].n_chunks() for batch in whole} == {1}
    assert np.concatenate([batch["row"] for batch in found]).tolist() == rows.tolist()


def test_a_row_group_of_more_rows_than_a_batch_is_read_in_several(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "BATCH_ROWS", 3000)
    rows = np.arange(10_000) % 251
    pl.DataFrame({"row": rows.astype(np.uint8)}).write_parquet(tmp_path / "rows.parquet", row_group_size=10_000)
    found = list(batches(open_table(tmp_path / "rows.parquet", ["row"]), [pl.col("row")]))
    assert max(batch.height for batch in found) <= 3000
    assert np.concatenate([batch["row"] for batch in found]).tolist() == rows.tolist()
