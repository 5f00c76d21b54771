"""Several codes as one: the row of a table that a combination of levels stands for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["mixed_radix"]


def mixed_radix(
    codes: Sequence[npt.NDArray[np.unsignedinteger]], sizes: Sequence[int]
) -> npt.NDArray[np.unsignedinteger] | npt.NDArray[np.intp]:
    """Number combinations of levels, the first code slowest, as the rows of a family's table are numbered."""
    total = math.prod(sizes)
    # Narrow integers: the codes are read from memory more often than the result is used.
    kind: npt.DTypeLike = np.uint8 if total <= 2**8 else np.uint16 if total <= 2**16 else np.intp
    number = codes[0].astype(kind)
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        number *= np.asarray(size, dtype=kind)
        np.add(number, code, out=number, casting="unsafe")
    return number
