"""Moments of a linear model: exact integer sums and products of fixed-point values.

How far one record moves them follows from the bounds of the values alone: ``kernel/noise/moments.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers, WholeNumbers
from discreet.counts.moments_push_down import can_push_down, moments_in_engine
from discreet.data.engines import engine_frame
from discreet.data.fixed_point import fixed_point_batches
from discreet.errors import DataError
from discreet.measure.strategies.moment_noise import moment_triangle
from discreet.model.linear import LinearModel

__all__ = ["Moments", "add_batch", "check_moments", "moment_numbers", "moments", "no_moments", "outer_products"]


_EXACT_BITS = 53
"""Whole numbers up to 2^53 are floats."""
_LARGEST_BITS = 62
"""Moments stay below 2^62, so that noise has room in 64-bit integers."""
_BLOCK_ROWS = 2**14
"""Records that are multiplied at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over all records of z and z z', z = (features, target) in [-1, 1]. Private: they never leave the steward.

    ``sums`` are in steps of 2^-resolution and ``products`` in steps of 4^-resolution, both exact. Where records count as parts
    of persons, ``rows`` is the number of persons, sums are in steps of so many parts, and integers are Python's.
    """

    rows: int
    sums: WholeNumbers = field(repr=False)
    products: WholeNumbers = field(repr=False)
    resolution: int
    parts: int = 1


def moments(
    data: Any, model: LinearModel, *, rows: int | None = None, progress: Callable[[int], None] | None = None
) -> Moments:
    """Add up the moments of all records: batch by batch, or in the engine that holds them where its rounding is ours.

    ``rows`` is the number of records that is expected, where it is known; another number is an error.

    Claim:      the sums are exact. Proof: a block of m records has products that are whole numbers of at most 4^resolution, so
                every partial sum of a block, in whatever order and with or without fused operations, is a whole number of at
                most m 4^resolution <= 2^53, which a float holds exactly; blocks are added in 64-bit integers, which hold the
                total since rows 4^resolution <= 2^62 is checked.                                          [GUARANTEES 11]
    Requires:   whole numbers of at most 2^resolution (``data`` rounds and clips; looked at again here).
    Checked by: tests/unit/counts/test_moments.py::test_moments_equal_those_of_python_integers
    """
    frame = engine_frame(data)
    if frame is not None and can_push_down(frame, model):
        counted, sums, products = moments_in_engine(frame, model)
        _check_room(counted, model)
        found = Moments(counted, sums, products, model.resolution)
    else:
        found = no_moments(model)
        for steps in fixed_point_batches(data, model.columns, model.resolution, progress=progress):
            found = add_batch(found, steps, model)
    if rows is not None and rows != found.rows:
        raise DataError("The table does not have the declared number of records. Correct the number, or look for damage.")
    return found


def check_moments(found: Moments, model: LinearModel) -> None:
    """Refuse what cannot be the moments of records by this model.

    Claim:      afterwards they are of at least one record, in 64-bit integers (of parts of persons, in Python's), with the
                resolution and the columns of the model, and no larger than so many records within the bounds can make them.
    Requires:   nothing; called before the charge.
    Checked by: tests/unit/mechanisms/test_publish.py::test_moments_of_another_model_cost_nothing
    """
    width = len(model.columns)
    if found.resolution != model.resolution or found.products.shape != (width, width) or found.sums.shape != (width,):
        raise ValueError("These are the moments of another model.")
    if type(found.rows) is not int or found.rows < 1:
        raise ValueError("Moments are of at least one record.")
    if {found.products.dtype, found.sums.dtype} != {np.dtype(np.int64 if found.parts == 1 else object)}:
        raise ValueError("Moments are 64-bit integers; those of parts of persons are Python's.")
    most = found.parts * found.rows << found.resolution
    if not (_within(found.sums, most) and _within(found.products, most << found.resolution)):
        raise ValueError("These are not the moments of so many records within the declared bounds.")


def outer_products(found: Moments, model: LinearModel) -> list[list[int]]:
    """The sum over records of u u', u = (1, features, target), or without the 1 if there is no intercept, in Python integers.

    Claim:      exact, in steps of 4^-resolution: a sum in steps of 2^-resolution is shifted.
    Requires:   moments of this model; others are refused, as ``check_moments`` says.
    Checked by: tests/unit/counts/test_moments.py::test_outer_products_are_those_of_records_with_a_constant
    """
    check_moments(found, model)
    products = [[int(entry) for entry in row] for row in found.products]
    if not model.intercept:
        return products
    sums = [int(entry) << model.resolution for entry in found.sums]
    first = [found.parts * found.rows << (2 * model.resolution), *sums]
    return [first, *([entry, *row] for entry, row in zip(sums, products, strict=True))]


def moment_numbers(found: Moments, model: LinearModel) -> WholeNumbers:
    """The exact numbers that a measurement of moments asks for. Never publish them.

    Claim:      the entries of ``outer_products`` at the places of the model's triangle, in their order.
    Requires:   moments of this model; others are refused, as ``check_moments`` says.
    Checked by: tests/unit/counts/test_moments.py::test_the_measured_moments_are_the_upper_triangle
    """
    outer = outer_products(found, model)
    numbers = [outer[row][column] for row, column in moment_triangle(model).places]
    return np.array(numbers, dtype=np.int64 if found.parts == 1 else object)


def no_moments(model: LinearModel) -> Moments:
    """The moments of no record, to begin with.

    Claim:      all sums are zero.
    Requires:   nothing.
    Checked by: tests/unit/counts/test_moments.py::test_moments_equal_those_of_python_integers
    """
    width = len(model.columns)
    return Moments(0, np.zeros(width, np.int64), np.zeros((width, width), np.int64), model.resolution)


def add_batch(before: Moments, steps: npt.NDArray[np.float64], model: LinearModel) -> Moments:
    """The moments with those of one batch of records added.

    Claim:      exact, as ``moments`` proves.
    Requires:   at least one record, of whole numbers of at most 2^resolution.
    Checked by: tests/unit/counts/test_moments.py::test_moments_equal_those_of_python_integers
    """
    counted = before.rows + len(steps)
    _check_room(counted, model)
    sums, products = _batch_moments(steps, model.resolution)
    return Moments(counted, before.sums + sums, before.products + products, model.resolution)


def _batch_moments(steps: npt.NDArray[np.float64], resolution: int) -> tuple[Integers, Integers]:
    """Sums and products of one batch: blocks in floats, where they are exact, added up in integers."""
    block_rows = min(_BLOCK_ROWS, 2 ** (_EXACT_BITS - 2 * resolution))
    if not max(steps.max(), -steps.min()) <= 2**resolution:  # NaN too
        raise RuntimeError("A value lies outside the declared bounds after clipping; this is a defect of discreet.")
    products = np.zeros((steps.shape[1], steps.shape[1]), np.int64)
    for start in range(0, len(steps), block_rows):
        block = steps[start : start + block_rows]
        products += (block.T @ block).astype(np.int64)
    return steps.sum(axis=0).astype(np.int64), products


def _within(numbers: WholeNumbers, most: int) -> bool:
    """Whether all are at most so large in absolute value; in Python's integers, which do not wrap around."""
    return -most <= int(numbers.min()) and int(numbers.max()) <= most


def _check_room(rows: int, model: LinearModel) -> None:
    if rows > 2 ** (_LARGEST_BITS - 2 * model.resolution):
        raise DataError("The table has too many records for 64-bit moments. Declare a smaller resolution.")
