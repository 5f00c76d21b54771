"""The networks that are measured: ALARM, diabetes and munin, which pgmpy ships, and records drawn from them."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np

import discreet as dc

__all__ = ["bif", "drawn", "numbered", "point", "public_data", "sampled"]

_PIECE = 1_000_000
"""Records drawn at a time."""


def public_data() -> Path:
    """The folder of public data sets: data in the project, or shared/data beside it."""
    project = Path(__file__).parents[1]
    beside = project.parent / "shared" / "data"
    return beside if beside.exists() else project / "data"


def bif(name: str, folder: Path) -> Path:
    """Unpack a network's BIF file from the pgmpy package."""
    packed = next(path for path in Path(str(files("pgmpy"))).rglob(f"{name}.bif.gz"))
    text = folder / f"{name}.bif"
    text.write_bytes(gzip.decompress(packed.read_bytes()))
    return text


@lru_cache(maxsize=4)
def point(name: str) -> dc.PointPosterior:
    """A network with the probabilities of its file."""
    with tempfile.TemporaryDirectory() as folder:
        return dc.PointPosterior(*dc.read_tables(bif(name, Path(folder))))


def numbered(network: dc.Network) -> dc.Network:
    """The same network with levels "0", "1", ..."""
    variables = [dc.Variable(one.name, [str(number) for number in range(one.size)]) for one in network.variables]
    return dc.Network(variables, network.parents)


def drawn(name: str, rows: int) -> Iterator:
    """Data frames of records drawn from a network, with a fixed seed."""
    generator = np.random.default_rng(3)
    for start in range(0, rows, _PIECE):
        yield point(name).sample(min(_PIECE, rows - start), generator)


def sampled(name: str, rows: int) -> dict[str, np.ndarray]:
    """Level numbers of records drawn from a network, one byte each."""
    import polars as pl

    codes = {node: np.empty(rows, dtype=np.uint8) for node in point(name).network.nodes}
    start = 0
    for frame in drawn(name, rows):
        for node, column in codes.items():
            column[start : start + frame.height] = frame[node].to_physical().cast(pl.UInt8).to_numpy()
        start += frame.height
    return codes
