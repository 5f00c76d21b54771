"""Synthetic records: draws from the network at its mean parameters, or several sets that know how unsure these are.

Records at the mean parameters look right, and whoever analyses them is too sure: they say nothing of how far the mean may
be from the truth. Several sets, each at its own joint draw of the parameters, differ among one another by just that;
``combine`` reads it off them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.checks import check_whole
from discreet.errors import QueryError
from discreet.inference.beliefs import Beliefs, GeneratorLike, as_generator
from discreet.inference.elimination import Codes, mixed_radix
from discreet.model.network import Family, Network
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["sample", "synthetic"]

_FEWEST = 2
_SINGLE = "Take sample(rows), or ask the steward for noisy counts."
_CHUNK = 2**16
"""Rows drawn at a time: their codes stay in the processor's cache."""


def sample(beliefs: Beliefs, rows: int, generator: GeneratorLike = None) -> pl.DataFrame:
    """Draw records, one column for each node in declared order, parents before children."""
    rows = check_whole(rows, "The number of rows to draw")
    tables = {node: beliefs.mean(node) for node in beliefs.network.nodes}
    return _sample_at(beliefs.network, tables, rows, as_generator(generator))


def synthetic(beliefs: Beliefs, datasets: int, rows: int, generator: GeneratorLike = None) -> list[pl.DataFrame]:
    """Draw several sets of records, each from the network at a joint draw of its parameters."""
    check_whole(datasets, "The number of synthetic sets", _FEWEST)
    rows = check_whole(rows, "The number of rows to draw")
    if beliefs.without_spread is not None:
        raise QueryError(f"Sets of a single point differ by sampling alone, so combining them says nothing. {_SINGLE}")
    generator = as_generator(generator)
    drawn = beliefs.draws(datasets, generator)
    at = ({node: table[number] for node, table in drawn.items()} for number in range(datasets))
    return [_sample_at(beliefs.network, tables, rows, generator) for tables in at]


def _sample_at(network: Network, tables: Mapping[str, Floats], rows: int, generator: np.random.Generator) -> pl.DataFrame:
    """Draw records at given parameters."""
    import polars as pl

    families = [network.family(node) for node in network.topological_order]
    cumulative = {family.node: _cumulative(tables[family.node]) for family in families}
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
