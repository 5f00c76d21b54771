"""Synthetic records: draws from the network at its mean parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.checks import check_whole
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.elimination import Codes, mixed_radix
from discreet.model.network import Family
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["sample"]

_CHUNK = 2**16
"""Rows drawn at a time: their codes stay in the processor's cache."""


def sample(beliefs: Beliefs, rows: int, generator: GeneratorLike = None) -> pl.DataFrame:
    """Draw records, one column for each node in declared order, parents before children."""
    import polars as pl

    rows = check_whole(rows, "The number of rows to draw")
    network = beliefs.network
    generator = as_generator(generator)
    families = [network.family(node) for node in network.topological_order]
    cumulative = {family.node: _cumulative(beliefs.mean(family.node)) for family in families}
    codes = {family.node: np.empty(rows, dtype=_code_type(family.levels)) for family in families}
    for start in range(0, rows, _CHUNK):
        piece = {node: column[start : start + _CHUNK] for node, column in codes.items()}
        for family in families:
            _draw(family, cumulative[family.node], piece, generator)
    return pl.DataFrame([_column(variable, codes.pop(variable.name)) for variable in network.variables])


def _column(variable: Variable, codes: Codes) -> pl.Series:
    import polars as pl

    levels = pl.Series(variable.name, variable.levels, dtype=pl.Enum(list(variable.levels)))
    return levels.gather(codes)


def _code_type(levels: int) -> npt.DTypeLike:
    return np.uint8 if levels <= 2**8 else np.uint16 if levels <= 2**16 else np.uint32


def _cumulative(table: Floats) -> Floats:
    """Distribution functions, one row for each level but the last, one column for each configuration."""
    sums = np.cumsum(table, axis=1)
    sums /= sums[:, -1:]  # exactly one behind the last possible level, so that no impossible level is ever drawn
    return np.ascontiguousarray(sums[:, :-1].T)


def _draw(
    family: Family,
    cumulative: Floats,
    codes: Mapping[str, Codes],
    generator: np.random.Generator,
) -> None:
    """Fill in one node: the level is the number of steps of the distribution function at or below a uniform draw."""
    column = codes[family.node]
    uniform = generator.random(column.size)
    column[:] = 0
    if not family.parents:
        for step in cumulative[:, 0]:
            column += uniform >= step
        return
    configuration = mixed_radix([codes[parent] for parent in family.parents], family.shape[:-1]).astype(np.intp)
    for steps in cumulative:
        column += uniform >= steps.take(configuration)
