"""Uniform numbers that are revealed bit by bit, and real numbers computed from them that are rounded exactly.

A uniform number of which 128 bits are known is an interval. Whatever is computed from such intervals in ball arithmetic is a
ball that holds the result for every continuation of the bits; where all of a ball has one nearest integer, the integer is
certain, and where it has not, more bits of the same numbers are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from discreet.balls import working_precision
from discreet.kernel.bits import Bits

if TYPE_CHECKING:
    from flint import arb

__all__ = ["FIRST_BYTES", "Uniforms", "rounded"]

FIRST_BYTES = 16
"""Bytes of each uniform number that are drawn to begin with."""

_MORE_BITS = 64
_SPARE_BITS = 64
"""How much more precisely than the uniform numbers everything else is computed."""


def rounded(count: int, values: Callable[[Uniforms], Iterable[arb]], block: bytes, bits: Bits) -> list[int]:
    """Round what ``values`` makes of ``count`` uniform numbers, whose first bytes are ``block``, to the nearest integers.

    Claim:      the integers are those that all bits of the numbers would give, so they follow the law of the rounded real
                values exactly, given uniform bits. Proof: an integer is taken only if it is the floor of value + 1/2 for every
                continuation of the bits that are known; more bits never change the known ones.        [GUARANTEES 11]
    Requires:   ``values`` is a function of the uniform numbers alone, in ball arithmetic; ties have probability zero.
    Checked by: tests/unit/kernel/noise/test_knorm.py::test_an_open_rounding_draws_more_bits_of_the_same_numbers
                tests/unit/kernel/noise/test_wishart.py::test_an_open_rounding_draws_more_bits_of_the_same_numbers
    """
    from flint import arb, fmpq

    digits = [int.from_bytes(block[at : at + FIRST_BYTES], "little") for at in range(0, count * FIRST_BYTES, FIRST_BYTES)]
    places = 8 * FIRST_BYTES
    while True:
        with working_precision(places + _SPARE_BITS):
            half = arb(fmpq(1, 2))
            whole = [(value + half).floor().unique_fmpz() for value in values(Uniforms(digits, places))]
        decided = [int(value) for value in whole if value is not None]
        if len(decided) == len(whole):
            return decided
        places += _MORE_BITS
        fresh = np.frombuffer(bits.read(count * _MORE_BITS // 8), dtype="<u8").tolist()
        digits = [(known << _MORE_BITS) | new for known, new in zip(digits, fresh, strict=True)]


class Uniforms:
    """Independent uniform numbers, each known to lie in an interval of 2^-places, given out one after the other."""

    def __init__(self, digits: list[int], places: int) -> None:
        from flint import arb

        self._digits = iter(digits)
        self._unit = arb(2) ** (-places - 1)
        self._places = places

    def uniform(self) -> arb:
        """A number in [0, 1]."""
        from flint import arb

        return arb(2 * next(self._digits) + 1, 1) * self._unit

    def signed(self) -> arb:
        """A number in [-1, 1]."""
        from flint import arb

        return arb(2 * next(self._digits) + 1 - (1 << self._places), 1) * self._unit * 2

    def gamma(self, shape: int) -> arb:
        """A number with density proportional to x^(shape-1) exp(-x): a sum of exponentials, minus the log of a product."""
        product = self.uniform()
        for _ in range(shape - 1):
            product = product * self.uniform()
        return -product.log()

    def normals(self) -> tuple[arb, arb]:
        """Two independent standard normal numbers: sqrt(-2 log U) times sine and cosine of 2 pi V (Box and Muller)."""
        from flint import arb

        length = (-2 * self.uniform().log()).sqrt()
        sine, cosine = arb.sin_cos_pi(2 * self.uniform())
        return length * sine, length * cosine
