"""Coins with exact probabilities of the form 1 / (plus + exp(rate)), many at a time.

Each coin compares a uniform number in [0, 1), revealed bit by bit, with the binary expansion of its probability: sixteen
bits decide nearly always, and where they do not, more bits are drawn. No floating point takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.balls import ball, working_precision
from discreet.kernel.bits import Bits

__all__ = ["Probability", "coins", "toss"]

_FIRST_BITS = 16
_MORE_BITS = 64


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
    blocks = np.frombuffer(bits.read(len(which) * _FIRST_BITS // 8), dtype="<u2")
    first = np.array([probability.leading(_FIRST_BITS) for probability in probabilities], dtype=np.int64)[which]
    heads: npt.NDArray[np.bool_] = blocks < first
    for index in np.flatnonzero(blocks == first):
        heads[index] = _decide(probabilities[which[index]], bits)
    return heads


def _decide(probability: Probability, bits: Bits) -> bool:
    """Go on comparing where the first block of U equals that of p."""
    known = _FIRST_BITS
    while True:
        block = int.from_bytes(bits.read(_MORE_BITS // 8), "little")
        wanted = probability.leading(known + _MORE_BITS) - (probability.leading(known) << _MORE_BITS)
        if block != wanted:
            return block < wanted
        known += _MORE_BITS
