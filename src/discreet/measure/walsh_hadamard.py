"""The Walsh-Hadamard transform: between the cells of a table over binary nodes and its characters, the Fourier basis."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["walsh_hadamard"]

Number = TypeVar("Number", bound=np.generic)


def walsh_hadamard(table: npt.NDArray[Number], first_axis: int = 0) -> npt.NDArray[Number]:
    """Sums and differences along every axis from ``first_axis`` on; these axes all have length two.

    Claim:      entry g of the result is sum_x (-1)^<g,x> table(x); applied twice it multiplies by the number of cells.
                                                                                [Paper, Theorem 2; GUARANTEES 2.1]
    Requires:   integers small enough that 2^axes times the largest fits in 64 bits.
    Checked by: tests/property/test_parities.py::test_the_transform_is_its_own_inverse_up_to_the_number_of_cells
    """
    result = table.copy()
    for axis in range(first_axis, result.ndim):
        view: npt.NDArray[Any] = np.moveaxis(result, axis, 0)
        first, second = view[0] + view[1], view[0] - view[1]
        view[0], view[1] = first, second
    return result
