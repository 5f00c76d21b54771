"""Counting the families of ALARM from files, against the fastest way to decode the file and do nothing with it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import discreet as dc
from discreet.counts import family_counts

from .networks import drawn, numbered, point
from .results import OURS, Goal, Kind, Row
from .timing import measured, separately

BATCH_ROWS = 2**17
_DECODE_GOAL, _MEMORY_GOAL = Goal(Kind.SLOWER, 1.6), Goal(Kind.MEGABYTES, 400)


def run() -> list[Row]:
    """Integer codes and texts in Parquet, and CSV."""
    network = point("alarm").network
    numbers = numbered(network)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dc.write_network(network, folder / "texts.json")
        dc.write_network(numbers, folder / "numbers.json")
        for size in (1_000_000, 10_000_000):
            file = codes_file(size, folder)
            rows += _case(f"Parquet of integer codes, {size:,} rows", file, numbers, folder / "numbers.json")
            file.unlink()
        for case, file in (("Parquet of texts", texts_file(1_000_000, folder)), ("CSV", csv_file(1_000_000, folder))):
            rows += _case(f"{case}, 1,000,000 rows", file, network, folder / "texts.json")
    return rows


def codes_file(rows: int, folder: Path) -> Path:
    """One byte per value, in Parquet; written piece by piece, so that memory stays small."""
    import polars as pl

    pieces = []
    for number, frame in enumerate(drawn("alarm", rows)):
        pieces.append(folder / f"piece_{number}.parquet")
        frame.select(pl.all().to_physical().cast(pl.UInt8)).write_parquet(pieces[-1])
    pl.scan_parquet(pieces).sink_parquet(folder / f"codes_{rows}.parquet")
    for piece in pieces:
        piece.unlink()
    return folder / f"codes_{rows}.parquet"


def texts_file(rows: int, folder: Path, name: str = "alarm") -> Path:
    """Names of levels, in Parquet. At most a million rows."""
    import polars as pl

    (frame,) = drawn(name, rows)
    frame.with_columns(pl.all().cast(pl.String)).write_parquet(folder / f"{name}_texts.parquet")
    return folder / f"{name}_texts.parquet"


def csv_file(rows: int, folder: Path) -> Path:
    """Names of levels, in CSV. At most a million rows."""
    (frame,) = drawn("alarm", rows)
    frame.write_csv(folder / "records.csv")
    return folder / "records.csv"


def _case(case: str, file: Path, network: dc.Network, network_file: Path) -> list[Row]:
    contenders = {
        OURS: lambda: partial(family_counts, file, network),
        "Polars, whole table": lambda: partial(_decode_whole, file),
        "Polars, streaming": lambda: partial(_decode_streaming, file),
        "Polars, batches let go": lambda: partial(_decode_batches, file),
    }
    ours, *decodes = measured("files", case, contenders, {})
    hardest = max(decodes, key=lambda row: row.ratio(ours) or 0)  # by medians or by fastest turns: the worst for us
    _, megabytes = separately("count", file, network_file)
    goals = [replace(row, goal=_DECODE_GOAL if row is hardest else None) for row in decodes]
    return [replace(ours, megabytes=megabytes, goal=_MEMORY_GOAL), *goals]


def _decode_whole(file: Path) -> Any:
    import polars as pl

    return pl.read_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.read_parquet(file)


def _decode_streaming(file: Path) -> Any:
    return _scan(file).collect(engine="streaming")


def _decode_batches(file: Path) -> int:
    return sum(batch.height for batch in _scan(file).collect_batches(chunk_size=BATCH_ROWS))


def _scan(file: Path) -> Any:
    import polars as pl

    return pl.scan_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.scan_parquet(file)
