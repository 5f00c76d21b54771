"""The grid of a column: the places at which it may be cut. Public, from the declaration alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from discreet.checks import items_of
from discreet.errors import ModelError
from discreet.guarantee import decimal
from discreet.model.exact_values import decimal_fraction
from discreet.model.files.strict_json import show_text
from discreet.model.reading import CUT_LIMIT
from discreet.model.schema_column import ColumnType, SchemaColumn

__all__ = ["Grid", "candidate_cuts"]

Grid: TypeAlias = str | int | float | Sequence[str]
"""A step, whose multiples between the bounds are candidates; or the candidates themselves, smallest first."""
_USUAL = 500
"""Candidates at the most where no step is given."""


def candidate_cuts(column: SchemaColumn, grid: Grid | None) -> tuple[str, ...]:
    """The places at which a column may be cut, as exact decimals, or dates.

    Claim:      depends on the declaration alone.
    Requires:   nothing; a column that is not of numbers or dates, has levels already, or lacks bounds that the grid needs is
                refused, as is a grid without a place or with more than CUT_LIMIT.
    Checked by: tests/unit/learning/test_cut_grid.py::test_candidates_are_the_multiples_of_the_step_between_the_bounds
                tests/unit/learning/test_cut_grid.py::test_what_cannot_be_cut_is_refused
    """
    shown = show_text(column.name)
    if column.type not in (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE):
        raise ModelError(f"{shown} is a {column.type}; only numbers and dates have cuts. Declare its levels as categories.")
    if column.levels:
        raise ModelError(
            f"{shown} has levels already. Take cuts, bins or categories out of its declaration if its cuts are to be chosen."
        )
    if grid is None or isinstance(grid, str | int | float):
        found = _multiples(column, shown, None if grid is None else _step(grid))
    else:
        found = tuple(
            map(str, items_of(grid, "The grid is a step such as '5', or a list of cuts such as ['20', '25', '30']."))
        )
    _check_number(len(found), shown)
    return found


def _check_number(candidates: int, shown: str) -> None:
    if not 1 <= candidates <= CUT_LIMIT:
        found = "no candidate" if candidates < 1 else f"more than {CUT_LIMIT:,} candidates"
        raise ModelError(
            f"The grid of {shown} has {found}; it needs 1 to {CUT_LIMIT:,}, between the bounds. Give a "
            f"{'smaller' if candidates < 1 else 'larger'} step, or a list of cuts."
        )


def _step(grid: str | float) -> Fraction:
    step = None if isinstance(grid, bool) else decimal_fraction(str(grid))
    if step is None or step <= 0:
        raise ModelError("The step of a grid is a positive number, such as grid='5'; or give a list of cuts.")
    return step


def _multiples(column: SchemaColumn, shown: str, step: Fraction | None) -> tuple[str, ...]:
    """The multiples of a step strictly between the bounds; of no given step, the smallest that is round and makes few."""
    if column.type == ColumnType.DATE:
        raise ModelError(f"{shown} holds dates, which have no step: give a list, such as grid=['2020-01-01', '2020-04-01'].")
    low, high = (decimal_fraction(end or "") for end in (column.minimum, column.maximum))
    if low is None or high is None:
        raise ModelError(
            f'{shown} has no bounds: add constraints, such as {{"minimum": 0, "maximum": 100}}, known without looking at the '
            "records; or give a list of cuts as its grid."
        )
    width = step or _round_step(high - low, whole=column.type == ColumnType.INTEGER)
    first, last = math.floor(low / width) + 1, math.ceil(high / width) - 1
    _check_number(last - first + 1, shown)  # before they are listed: there may be very many
    return tuple(_decimal(width * place) for place in range(first, last + 1))


def _round_step(span: Fraction, *, whole: bool) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten of which few fit into the span; for whole numbers at least 1."""
    power = Fraction(1)
    while power * _USUAL > span and not whole:
        power /= 10
    while power * 10 * _USUAL < span:
        power *= 10
    return next(power * times for times in (1, 2, 5, 10) if power * times * _USUAL >= span)


def _decimal(value: Fraction) -> str:
    return f"-{decimal(-value)}" if value < 0 else decimal(value)
