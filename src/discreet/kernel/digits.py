"""Many uniform numbers at a time, in 64-bit integers: their values and their logarithms, with a proven bound on the error.

A uniform number is revealed by 128 bits, as in ``exact.py``. Here all numbers of an array are looked at together, each as two
words of 64 bits. Results are integers that count units of 2^-54, and no result is further from the truth than a few of these
units, whatever the bits that are not known yet. No floating point takes part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.balls import working_precision
from discreet.kernel.exact import FIRST_BITS, Uniform

if TYPE_CHECKING:
    from flint import arb

__all__ = ["LOG_ERROR", "PLACES", "SIGNED_ERROR", "Digits", "first_digits"]

PLACES = 54
"""Binary places of all results."""
LOG_ERROR = 16
"""No logarithm is further off, in units of the last place."""
SIGNED_ERROR = 2
"""No signed number is further off, in units of the last place."""
_PIECE = 2**14
"""Numbers whose logarithms are computed together: few enough for the processor's cache."""
_LEAST_HIGH = 1
"""Numbers whose first 64 bits are all zero are not looked at here: see ``Digits.known``."""

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Digits:
    """Uniform numbers of which 128 bits are known, in an array of two axes: the leading words, and those behind them."""

    high: Words
    low: Words

    @property
    def columns(self) -> int:
        """How many numbers each row has."""
        return int(self.high.shape[1])

    def split(self, columns: int) -> tuple[Digits, Digits]:
        """The first columns, and all others."""
        parts = [(each[:, :columns], each[:, columns:]) for each in (self.high, self.low)]
        return Digits(parts[0][0], parts[1][0]), Digits(parts[0][1], parts[1][1])

    def rows_of(self, columns: int) -> Digits:
        """The same numbers in the same order, in rows of so many."""
        return Digits(self.high.reshape(-1, columns), self.low.reshape(-1, columns))

    def uniforms(self, row: int) -> list[Uniform]:
        """The numbers of one row as those that can be revealed further."""
        pairs = zip(self.high[row].tolist(), self.low[row].tolist(), strict=True)
        return [Uniform((high << 64) | low, FIRST_BITS) for high, low in pairs]

    def logarithms(self) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """Minus the logarithms, and of which rows all are known.

        Claim:      where a row is known, |result - (-log U) 2^PLACES| <= LOG_ERROR for each of its numbers U, whatever the
                    bits that follow. Proof: let 2^s U = (M + r) / 2^64 with an integer M of 64 bits whose first bit is set,
                    0 <= r <= 2; s < 64 are the leading zeros. Let m be the first 53 bits of M, x = m / 2^52. Then
                    -log U = (s + 1) log 2 - log x - d with 0 <= d < 1.01 / m, at most 4.1 units. With the first ten bits i
                    of m and c = floor(2^20 / (i + 1)) the integer m c is below 2^63 and above 2^63 (1 - 2^-8), so
                    x = (1 - t) 2^11 / c with t = 1 - m c / 2^63 in (0, 2^-8), exactly. Twice then 1 - t is multiplied by
                    1 + j 2^-16 and 1 + k 2^-24, where j and k are the leading bits of t: this leaves t < 2^-15 and then
                    t < 2^-23.9, and each time drops less than 2^-63. At last -log(1 - t) = t + t^2 / 2 + e, e < 2^-71.
                    Cutting t and t^2 / 2 off at the last place costs at most 3 units, each of the four logarithms from
                    tables, which are rounded, at most 1 unit, all dropped bits and e less than 1: 12.1 together.
                    No result is negative: 2^11 / c is at most 2, so its logarithm takes no more away than (s + 1) log 2 gives.
        Requires:   nothing. A row is not known where 64 bits of one of its numbers are zero, which is hardly ever.
        Checked by: tests/unit/kernel/test_digits.py::test_logarithms_are_as_near_as_they_say
                    tests/unit/kernel/test_digits.py::test_the_most_extreme_digits_have_right_logarithms_or_none
        """
        return self._logs(), np.asarray((self.high >= _LEAST_HIGH).all(axis=1))

    def signed(self) -> tuple[Integers, npt.NDArray[np.int64], Digits]:
        """The numbers 2 U - 1 of [-1, 1]: their sizes, their signs, and the digits of the sizes.

        Claim:      sizes are at most SIGNED_ERROR units from the truth. The digits W of a size are such that the size lies in
                    [W, W + 2] / 2^128, for every continuation of U: from the middle on, 2 U - 1 is in [V, V + 1] / 2^127 -
                    1 for the digits V of U, so W = 2 V - 2^128; below it W = 2^128 - 2 - 2 V, the digits of V turned over.
        Requires:   nothing. Where the size is zero, the sign is open: no logarithm is known there, either.
        Checked by: tests/unit/kernel/test_digits.py::test_signed_numbers_are_those_of_the_digits
        """
        upper = self.high >> np.uint64(63)
        turn = upper - np.uint64(1)  # all ones below the middle, where the digits are turned over
        high, low = self.high ^ turn, self.low ^ turn
        size = Digits((high << np.uint64(1)) | (low >> np.uint64(63)), low << np.uint64(1))
        return (size.high >> np.uint64(64 - PLACES)).astype(np.int64), 2 * upper.astype(np.int64) - 1, size

    def _logs(self) -> Integers:
        high, low = self.high.ravel(), self.low.ravel()
        found = np.empty(high.size, dtype=np.int64)
        for start in range(0, high.size, _PIECE):
            piece = slice(start, start + _PIECE)
            found[piece] = _minus_logs(high[piece], low[piece])
        return found.reshape(self.high.shape)


def first_digits(block: bytes, columns: int) -> Digits:
    """Read the first bits of uniform numbers from a block of bytes, so many numbers in each row.

    Claim:      the numbers that ``draw_uniforms`` makes of the same bytes.
    Requires:   uniform independent bytes; whole rows.
    Checked by: tests/unit/kernel/test_digits.py::test_digits_are_those_of_the_same_bytes
    """
    words = np.frombuffer(block, dtype="<u8").reshape(-1, columns, 2).astype(np.uint64, copy=False)
    return Digits(np.ascontiguousarray(words[..., 1]), np.ascontiguousarray(words[..., 0]))


def _minus_logs(high: Words, low: Words) -> Integers:
    """As ``Digits.logarithms`` says; something or other where the high word is zero."""
    places, upper, middle, lower = _tables()
    zeros = _leading_zeros(np.maximum(high, np.uint64(_LEAST_HIGH)))
    # A shift by 64 is not defined; by one and then by the rest it is.
    whole = (high << zeros) | (low >> np.uint64(1) >> (np.uint64(63) - zeros))
    mantissa = whole >> np.uint64(11)
    index = (mantissa >> np.uint64(43)).astype(np.intp) & 1023
    rest = np.uint64(2**63) - mantissa * _factors()[index]
    total = places[zeros.astype(np.intp)] - upper[index]
    for table, kept, shift in ((middle, np.uint64(47), np.uint64(16)), (lower, np.uint64(39), np.uint64(24))):
        leading = np.minimum(rest >> kept, np.uint64(len(table) - 1))
        rest = rest - (leading << kept) + (rest * leading >> shift)
        total += table[leading.astype(np.intp)]
    last = rest >> np.uint64(63 - PLACES)
    return np.asarray(total + (last + (last * last >> np.uint64(PLACES + 1))).astype(np.int64))


def _leading_zeros(words: Words) -> Words:
    """How many bits are zero before the first one, for words greater than zero."""
    filled = words.copy()
    for step in (1, 2, 4, 8, 16, 32):
        filled |= filled >> np.uint64(step)
    return np.uint64(64) - np.bitwise_count(filled).astype(np.uint64)


@lru_cache(maxsize=1)
def _factors() -> Words:
    """What numbers with these ten leading bits are multiplied with; the first bit is always set."""
    return np.array([0] * 512 + [2**20 // (index + 1) for index in range(512, 1024)], dtype=np.uint64)


@lru_cache(maxsize=1)
def _tables() -> tuple[Integers, Integers, Integers, Integers]:
    """Logarithms in units of the last place, certified: of powers of two, 2^11 / factor, 1 + j 2^-16 and 1 + k 2^-24."""
    from flint import arb

    factors = _factors().tolist()
    with working_precision(2 * FIRST_BITS):
        return (
            _table(64, lambda zeros: (zeros + 1) * arb.const_log2()),
            _table(1024, lambda index: (arb(2**11) / factors[index]).log() if factors[index] else arb(0)),
            _table(256, lambda index: (1 + arb(index) / 2**16).log()),
            _table(512, lambda index: (1 + arb(index) / 2**24).log()),
        )


def _table(size: int, value: Callable[[int], arb]) -> Integers:
    from flint import arb

    half = arb(1) / 2
    rounded: list[Any] = [(value(index) * 2**PLACES + half).floor().unique_fmpz() for index in range(size)]
    return np.array([int(each) for each in rounded], dtype=np.int64)
