"""Uniform numbers that are revealed bit by bit, and what is computed from them and then decided or rounded exactly.

A uniform number of which 128 bits are known is an interval. Whatever is computed from such intervals in ball arithmetic is a
ball that holds the result for every continuation of the bits; where all of a ball has one nearest integer, the integer is
certain, and where it has not, more bits of the same numbers are drawn. No floating point takes part.

Coins with exact probabilities of the form 1 / (plus + exp(rate)), many at a time.

Each coin compares a uniform number in [0, 1), revealed bit by bit, with the binary expansion of its probability: sixteen
bits decide nearly always, and where they do not, more bits are drawn. No floating point takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.balls import ball, working_precision
from discreet.kernel.bits import Bits

if TYPE_CHECKING:
    from flint import arb

__all__ = [
    "FIRST_BITS",
    "Probability",
    "SPARE_BITS",
    "Uniform",
    "coins",
    "decide",
    "draw_uniforms",
    "gamma",
    "nearest",
    "normals",
    "rounded",
    "settle",
    "toss",
]

T = TypeVar("T")

FIRST_BITS = 128
"""Bits of each uniform number that are drawn to begin with."""
_MORE_BITS = 64
SPARE_BITS = 64
"""How much more precisely than the uniform numbers everything else is computed."""


@dataclass(slots=True, eq=False)
class Uniform:
    """A uniform number of which the leading bits are known: it lies in [value, value + 1) / 2^known."""

    value: int = field(repr=False)
    known: int

    def ball(self) -> arb:
        """All numbers in [0, 1] with these leading bits."""
        from flint import arb

        return arb(2 * self.value + 1, 1) * _half_unit(self.known)

    def signed(self) -> arb:
        """A number in [-1, 1]: twice this one, minus one."""
        from flint import arb

        return arb(2 * self.value + 1 - (1 << self.known), 1) * _half_unit(self.known - 1)

    def extend(self, bits: Bits) -> None:
        """Get to know more bits."""
        self.value = (self.value << _MORE_BITS) | int.from_bytes(bits.read(_MORE_BITS // 8), "little")
        self.known += _MORE_BITS

    def reaches(self, probability: arb) -> bool | None:
        """Whether the uniform number is at least a probability known as a ball; None where that is open."""
        if probability <= ball(Fraction(self.value, 2**self.known)):
            return True
        return False if probability >= ball(Fraction(self.value + 1, 2**self.known)) else None

    def finer_than(self, probability: arb) -> bool:
        """Whether more is known about the uniform number than about the probability."""
        return not bool(probability.rad() * 2**self.known < 1)

    def __float__(self) -> float:
        return float((self.value + 0.5) / 2**self.known)


@lru_cache(maxsize=64)
def _half_unit(known: int) -> arb:
    """Half of the last known place, 2^(-known - 1): a power of two, exact at any precision."""
    from flint import arb

    return arb(2) ** (-known - 1)


def draw_uniforms(count: int, bits: Bits) -> list[Uniform]:
    """Draw the first bits of so many independent uniform numbers, by one read.

    Claim:      each has FIRST_BITS known bits, which are bytes of their own, the lowest first.
    Requires:   uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/unit/kernel/test_exact.py::test_every_number_has_bytes_of_its_own_lowest_first
    """
    width = FIRST_BITS // 8
    block = bits.read(count * width)
    return [Uniform(int.from_bytes(block[at : at + width], "little"), FIRST_BITS) for at in range(0, len(block), width)]


def decide(count: int, attempt: Callable[[list[Uniform]], T | None], bits: Bits) -> T:
    """Draw ``count`` uniform numbers and return what ``attempt`` makes of them; while that is None, draw more of their bits.

    Claim:      the result is the one that all bits of the numbers would give, so it follows the law of a function of uniform
                real numbers exactly, given uniform bits. Proof: an attempt answers only what holds for every continuation of
                the bits that are known; more bits never change the known ones.                           [GUARANTEES 11]
    Requires:   ``attempt`` is a function of the uniform numbers alone, in ball arithmetic, and None unless all of the balls
                leave one answer; count >= 1; what stays open for ever has probability zero.
    Checked by: tests/unit/kernel/test_exact.py::test_an_open_matter_is_decided_by_more_bits_of_the_same_numbers
    """
    return settle(draw_uniforms(count, bits), attempt, bits)


def settle(uniforms: list[Uniform], attempt: Callable[[list[Uniform]], T | None], bits: Bits) -> T:
    """Return what ``attempt`` makes of uniform numbers of which some bits are known; while that is None, draw more of them.

    Claim:      as for ``decide``.                                                                       [GUARANTEES 11]
    Requires:   as for ``decide``; at least one number, all known to the same number of bits.
    Checked by: tests/unit/kernel/test_exact.py::test_an_open_matter_is_decided_by_more_bits_of_the_same_numbers
    """
    while True:
        with working_precision(uniforms[0].known + SPARE_BITS):
            found = attempt(uniforms)
        if found is not None:
            return found
        for uniform in uniforms:
            uniform.extend(bits)


def rounded(count: int, values: Callable[[Iterator[Uniform]], Iterable[arb]], bits: Bits) -> list[int]:
    """Round what ``values`` makes of ``count`` uniform numbers to the nearest integers.

    Claim:      the integers are those that all bits of the numbers would give, so they follow the law of the rounded real
                values exactly, given uniform bits. Proof: an integer is taken only if it is the floor of value + 1/2 for every
                continuation of the bits that are known; more bits never change the known ones.        [GUARANTEES 11]
    Requires:   ``values`` is a function of the uniform numbers alone, in ball arithmetic; ties have probability zero.
    Checked by: tests/unit/kernel/noise/test_knorm.py::test_an_open_rounding_draws_more_bits_of_the_same_numbers
                tests/unit/kernel/noise/test_wishart.py::test_an_open_rounding_draws_more_bits_of_the_same_numbers
    """
    return decide(count, lambda uniforms: nearest(values(iter(uniforms))), bits)


def nearest(values: Iterable[arb]) -> list[int] | None:
    """The integers nearest to real numbers that are known as balls; None where a ball has more than one.

    Claim:      each is the floor of value + 1/2 for every number of its ball.
    Requires:   balls that contain the values.
    Checked by: tests/unit/kernel/test_exact.py::test_numbers_are_rounded_to_the_nearest
    """
    half = ball(Fraction(1, 2))
    whole = [(value + half).floor().unique_fmpz() for value in values]
    decided = [int(each) for each in whole if each is not None]
    return decided if len(decided) == len(whole) else None


def gamma(shape: int, uniforms: Iterator[Uniform]) -> arb:
    """A number with density proportional to x^(shape-1) exp(-x): a sum of exponentials, minus the log of a product.

    Claim:      this law exactly, as a function of ``shape`` uniform numbers.
    Requires:   shape >= 1, and so many uniform numbers.
    Checked by: tests/unit/kernel/test_exact.py::test_a_gamma_number_is_minus_the_log_of_a_product
    """
    product = next(uniforms).ball()
    for _ in range(shape - 1):
        product = product * next(uniforms).ball()
    return -product.log()


def normals(count: int, uniforms: Iterator[Uniform]) -> list[arb]:
    """Independent standard normal numbers, two at a time: sqrt(-2 log U) times sine and cosine of 2 pi V (Box and Muller).

    Claim:      this law exactly, as a function of ``count`` uniform numbers, or one more where that is odd.
    Requires:   so many uniform numbers.
    Checked by: tests/unit/kernel/test_exact.py::test_normals_are_those_of_box_and_muller
    """
    from flint import arb

    drawn: list[arb] = []
    while len(drawn) < count:
        length = (-2 * next(uniforms).ball().log()).sqrt()
        sine, cosine = arb.sin_cos_pi(2 * next(uniforms).ball())
        drawn += [length * sine, length * cosine]
    return drawn[:count]


_FIRST_COIN_BITS = 16
_MORE_COIN_BITS = 64


@dataclass(frozen=True, slots=True)
class Probability:
    """The number p = 1 / (plus + exp(rate)), rate not zero, known to as many binary places as are asked for."""

    plus: int
    rate: Fraction
    _known: dict[int, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def leading(self, places: int) -> int:
        """The floor of p 2^places, certified: ball arithmetic at rising precision until the ball has one floor.

        It ends because exp of a rational other than zero is irrational, so p 2^places is never an integer. It is computed
        once for each number of places.
        """
        if places not in self._known:
            self._known[places] = self._certified(places)
        return self._known[places]

    def _certified(self, places: int) -> int:
        from flint import arb

        precision = places + 32
        while True:
            with working_precision(precision):
                probability = 1 / (self.plus + ball(self.rate).exp())
                floor = (probability * arb(2) ** places).floor().unique_fmpz()
            if floor is not None:
                return int(floor)
            precision *= 2


def coins(probability: Probability, count: int, bits: Bits) -> npt.NDArray[np.bool_]:
    """Toss ``count`` independent coins that show True with exactly the given probability p.

    Claim:      P(True) = p exactly, given uniform bits. Proof: see ``toss``.
    Requires:   uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/unit/kernel/test_coins.py::test_coins_agree_with_the_exact_probability_bit_by_bit
    """
    return toss([probability], np.zeros(count, dtype=np.intp), bits)


def toss(probabilities: Sequence[Probability], which: npt.NDArray[np.integer], bits: Bits) -> npt.NDArray[np.bool_]:
    """Toss one coin for every entry of ``which``, with the probability of that number.

    Claim:      independent, and True with exactly that probability p. Proof: a uniform U in [0, 1) is below p exactly if at
                the first place where their binary expansions differ U has the smaller digit. U is revealed in blocks; a block
                that equals p's leaves the matter open, and the next block decides.
    Requires:   uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/unit/kernel/test_coins.py::test_every_possible_first_block_gives_exactly_the_floor_of_the_probability
                tests/unit/kernel/test_coins.py::test_coins_of_several_probabilities_are_tossed_together
    """
    blocks = np.frombuffer(bits.read(len(which) * _FIRST_COIN_BITS // 8), dtype="<u2")
    first = np.array([probability.leading(_FIRST_COIN_BITS) for probability in probabilities], dtype=np.int64)[which]
    heads: npt.NDArray[np.bool_] = blocks < first
    for index in np.flatnonzero(blocks == first):
        heads[index] = _decide(probabilities[which[index]], bits)
    return heads


def _decide(probability: Probability, bits: Bits) -> bool:
    """Go on comparing where the first block of U equals that of p."""
    known = _FIRST_COIN_BITS
    while True:
        block = int.from_bytes(bits.read(_MORE_COIN_BITS // 8), "little")
        wanted = probability.leading(known + _MORE_COIN_BITS) - (probability.leading(known) << _MORE_COIN_BITS)
        if block != wanted:
            return block < wanted
        known += _MORE_COIN_BITS
