"""Several private steps under one charge, each of which may depend on what the steps before it have published.

All of the budget is charged before the first step. A purse then holds it: every step takes its cost out of the purse before it
draws anything, in exact fractions, and a step that the purse cannot pay for is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from discreet.arrays import WholeNumbers
from discreet.balls import ball
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, Guarantee, PureDP
from discreet.kernel.bits import Bits
from discreet.kernel.draws.finite_choice import choose, permute_and_flip
from discreet.kernel.publish import PrivateNumbers, add_noise, check_statistics

if TYPE_CHECKING:
    from flint import arb

__all__ = ["Purse", "selection_epsilon"]

_PLACES = 40
"""Binary places of an epsilon that is made from a rho."""


class Purse:
    """What is left of a charge, and the private steps that it pays for.

    Claim:      all that the steps publish satisfies the guarantee together, whichever steps are taken and in whichever order,
                as long as what decides on the next step is public: the statistics, laws, scores and costs of each step are
                fixed by public facts and by what was published before it. Proof: given the past, a step with epsilon_t is
                epsilon_t-private, so the probability of the whole record of outputs changes between neighbours by a product
                of factors of at most exp(epsilon_t), and the costs sum to at most epsilon on every path; for zCDP the Renyi
                divergences of order a add up on every path to at most a rho: by induction from the last step backwards, the
                expected power a of the ratio given the past is at most exp(a (a - 1) times what was left).
                                                                    [Feldman & Zrnic 2021: costs may depend on the path]
    Requires:   the charge for ``guarantee`` was made. The steps that are asked for depend on the records only through what
                the purse has given out.
    Checked by: tests/unit/kernel/test_stages.py::test_a_purse_pays_for_no_more_than_it_holds
                tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
    """

    def __init__(self, guarantee: PureDP | ZCDP, bits: Bits) -> None:
        self._kind, self._left = type(guarantee), _amount(guarantee)
        self._bits = bits

    @property
    def left(self) -> Fraction:
        """What can still be paid."""
        return self._left

    def publish(self, statistics: Mapping[str, PrivateNumbers], cost: PureDP | ZCDP) -> dict[str, WholeNumbers]:
        """Every statistic plus noise of its law, for this cost.

        Claim:      satisfies ``cost``, as ``kernel.publish.publish`` does; it is paid before any noise is drawn.
        Requires:   as ``kernel.publish.publish``.
        Checked by: tests/unit/kernel/test_stages.py::test_a_purse_pays_for_no_more_than_it_holds
        """
        given = dict(statistics)
        check_statistics(given, cost)
        self._pay(cost)
        return add_noise(given, self._bits)

    def select(self, scores: Sequence[int], sensitivity: int, cost: PureDP | ZCDP) -> int:
        """The place of a candidate with a high score: permute-and-flip for pure epsilon, the exponential mechanism for rho.

        Claim:      satisfies ``cost``. With weights exp(epsilon u / (2 sensitivity)) both are epsilon-private
                    [McKenna & Sheldon 2020; McSherry & Talwar 2007]. The log-ratio of the exponential mechanism between
                    neighbours lies, for all candidates, in an interval of length epsilon, so it is zero-concentrated with
                    epsilon^2 / 8 [Cesar & Rogers 2021], and the epsilon that is used has epsilon^2 / 8 <= rho.
        Requires:   between neighbours every score moves by at most ``sensitivity``; candidates, sensitivity and cost are
                    public, or follow from what was published before.
        Checked by: tests/unit/kernel/test_stages.py::test_selections_follow_the_exact_law
                    tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
        """
        if not scores or sensitivity < 1 or not all(type(score) is int for score in scores):
            raise ValueError("A selection needs candidates with whole scores, and a positive sensitivity.")
        self._pay(cost)
        step = selection_epsilon(cost) / (2 * sensitivity)
        best = max(scores)  # weights of the same ratios, in smaller numbers
        logs = partial(_logs, [step * (score - best) for score in scores])
        return permute_and_flip(logs, self._bits) if isinstance(cost, PureDP) else choose(logs, self._bits)

    def _pay(self, cost: Guarantee) -> None:
        if type(cost) is not self._kind or (amount := _amount(cost)) > self._left:
            raise BudgetError("A step costs more than is left of its charge, or another kind of budget.")
        self._left -= amount


def selection_epsilon(cost: PureDP | ZCDP) -> Fraction:
    """The epsilon of a selection at this cost: for rho, a fraction whose square is at most 8 rho.

    Claim:      as said, and within 2^-40 of the largest.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_stages.py::test_the_epsilon_of_a_rho_is_never_too_large
    """
    if isinstance(cost, PureDP):
        return cost.epsilon
    scaled = 8 * cost.rho * 4**_PLACES
    return Fraction(math.isqrt(math.floor(scaled)), 2**_PLACES)


def _amount(cost: PureDP | ZCDP) -> Fraction:
    return cost.epsilon if isinstance(cost, PureDP) else cost.rho


def _logs(weights: Sequence[Fraction]) -> list[arb]:
    return [ball(weight) for weight in weights]
