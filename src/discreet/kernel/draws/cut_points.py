"""Where to cut a table of counts into parts that are about equally full: all cuts are drawn together, exactly.

The exponential mechanism over all sets of so many cuts at once. Their number is astronomic, but the weight of a set is a
product of one factor for each part, and a part is known by its two ends. So sums of weights are made from left to right, one
cut at a time, and the cuts are drawn from right to left.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from discreet.balls import ball
from discreet.kernel.bits import Bits
from discreet.kernel.draws.finite_choice import choose

if TYPE_CHECKING:
    from flint import arb, arb_mat

__all__ = ["draw_cuts"]


def draw_cuts(table: Sequence[int], cuts: int, epsilon: Fraction, bits: Bits, *, whole: int = 1) -> tuple[int, ...]:
    """Draw places at which to cut a table of counts, in increasing order: place i is between the cells i - 1 and i.

    With m cuts, parts N_0, ..., N_m and their sum K, a set of cuts has the error E = sum_j |N_j - K / (m + 1)|, and is drawn
    with a probability proportional to exp(-epsilon E / 4). ``whole`` is what one contribution counts: counts may be of parts
    of persons, in which case all of them are ``whole`` times as large.

    Claim:      this law exactly, and epsilon-differential privacy. Proof: E is a norm of a linear map of the table. What one
                contribution adds is one cell, none (no cell is for its value), or an average of these; so exchanging it moves
                E by at most the norm of the difference of two such, which is convex in both and largest where both are a cell
                or none. Then one part gains 1 and another loses 1, which makes 2; or one of both happens, which makes
                m / (m + 1) there and 1 / (m + 1) in each of m others, because K changes. So E moves by at most 2, whatever m
                is. A weight changes by a factor of at most exp(epsilon / 2), and their sum by another.
                                                                                   [Gillenwater, Joseph & Kulesza 2021]
                Multiplied by (m + 1) ``whole``, E is a whole number, so that weights in ball arithmetic are of exact ones.
    Requires:   1 <= cuts < number of cells; a table of counts in the declared cells, each contribution ``whole``; epsilon was
                paid for.
    Checked by: tests/audit/test_cut_worlds.py::test_one_record_moves_the_error_of_any_cuts_by_at_most_two
                tests/audit/test_cut_worlds.py::test_no_cuts_are_likelier_than_epsilon_allows
                tests/unit/kernel/draws/test_cut_points.py::test_every_set_of_cuts_has_its_exact_probability
    """
    sums = _PartSums(table, cuts, epsilon / (4 * (cuts + 1) * whole))
    right, drawn = len(table), list[int]()
    for before in range(cuts - 1, -1, -1):
        right = before + 1 + choose(partial(sums.log_weights, before, right), bits)
        drawn.append(right)
    return tuple(reversed(drawn))


class _PartSums:
    """Sums of the weights of all sets of cuts that end at a place, computed once for each precision."""

    def __init__(self, table: Sequence[int], cuts: int, temper: Fraction) -> None:
        self._below = [0, *accumulate(int(count) for count in table)]  # NumPy's integers would wrap around
        self._parts = cuts + 1
        self._temper = temper
        self._known: dict[int, list[arb_mat]] = {}

    def log_weights(self, before: int, right: int) -> list[arb]:
        """Of each place for the next cut to the left of ``right``, where so many cuts come before it."""
        from flint import ctx

        if ctx.prec not in self._known:
            self._known[ctx.prec] = self._forward()
        sums, temper = self._known[ctx.prec][before], ball(self._temper)
        return [sums[0, place - 1].log() - self._error(place, right) * temper for place in range(before + 1, right)]

    def _forward(self) -> list[arb_mat]:
        """One row for each cut: the entry of a place sums the weights of all that ends with this cut there."""
        from flint import arb, arb_mat

        temper, places = ball(self._temper), range(1, len(self._below) - 1)
        rows = [arb_mat([[(-self._error(0, place) * temper).exp() for place in places]])]
        if self._parts > 2:
            nothing = arb(0)
            between = arb_mat(
                [
                    [(-self._error(left, right) * temper).exp() if left < right else nothing for right in places]
                    for left in places
                ]
            )
            for _ in range(self._parts - 2):
                rows.append(rows[-1] * between)
        return rows

    def _error(self, left: int, right: int) -> int:
        """How far the part between two places is from its share, times the number of parts: a whole number."""
        return abs(self._parts * (self._below[right] - self._below[left]) - self._below[-1])
