"""What charges of different kinds add up to: one epsilon at one delta, exactly or rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet.conversion import epsilon_of_rho
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP

__all__ = ["LONGEST", "Total"]

_ZERO = Fraction(0)
LONGEST = 3000
"""Binary digits that a sum may have above or below: what a charge costs in time must not grow with the number of charges."""
_PLACES = 256


@dataclass(frozen=True, slots=True)
class Total:
    """Exact sums of charges, from which follows what they cost together."""

    pure: Fraction = _ZERO
    """E: of the pure epsilons."""
    half_squares: Fraction = _ZERO
    """S: of epsilon^2 / 2 over the pure epsilons, the rho that each of them is worth; or a little more (``_bounded``)."""
    rho: Fraction = _ZERO
    """R: of the rhos."""
    epsilon: Fraction = _ZERO
    """A: of the epsilons of approximate charges."""
    delta: Fraction = _ZERO
    """D: of their deltas."""

    @classmethod
    def of(cls, guarantees: Iterable[Guarantee]) -> Total:
        """Add up all of these."""
        total = cls()
        for guarantee in guarantees:
            total = total.plus(guarantee)
        return total

    def plus(self, guarantee: Guarantee) -> Total:
        """One charge more."""
        pure, half_squares, rho, epsilon, delta = self.sums
        match guarantee:
            case PureDP(more):
                return Total(pure + more, _bounded(half_squares + more**2 / 2), rho, epsilon, delta)
            case ZCDP(more):
                return Total(pure, half_squares, rho + more, epsilon, delta)
            case ApproxDP(more, also):
                return Total(pure, half_squares, rho, epsilon + more, delta + also)

    @property
    def sums(self) -> tuple[Fraction, ...]:
        """All five sums."""
        return self.pure, self.half_squares, self.rho, self.epsilon, self.delta

    @property
    def is_short(self) -> bool:
        """Whether no sum that is ever printed has over 904 digits above or below, which Python reads and prints.

        Sums of decimals, and of fractions with denominators up to 2000, stay that short however many there are.
        """
        printed = (self.pure, self.rho, self.epsilon, self.delta)
        return all(max(value.numerator, value.denominator).bit_length() <= LONGEST for value in printed)

    def spent(self, delta: Fraction | None) -> Fraction | None:
        """The smallest epsilon that is known to hold at this delta; None if there is none. Without a delta: pure epsilon.

        Claim:      what was charged for is (result, delta)-private together; without a delta, result-private. Proof: pure
                    epsilons add up, and a pure epsilon is zero-concentrated with rho = epsilon^2 / 2, whose rhos add up
                    [Bun & Steinke 2016, Lemma 1.8 and Proposition 1.4]. So what is not approximate is, at any rest > 0,
                    (E + c(R), rest)-private and (c(R + S), rest)-private, with c(r) = epsilon_of_rho(r, rest); where R = 0,
                    it is E-private. Adding the approximate charges' A and D makes (A + any of these, D + rest), and
                    D + rest = delta.
        Requires:   the sizes of the charges are fixed beforehand, while what is asked may depend on earlier results. Sizes
                    may depend on earlier results, too, where all charges are pure or all are zero-concentrated, as stopping
                    at a cap on E or R keeps the guarantee [Rogers et al. 2016; Feldman & Zrnic 2021]; for mixtures this is
                    not proven.
        Checked by: tests/unit/kernel/test_total.py::test_the_total_agrees_with_an_independent_accountant
                    tests/property/test_ledger.py::test_random_charges_of_all_kinds_equal_a_model
        """
        if delta is None:
            return None if self.rho or self.epsilon else self.pure
        least = min(self._candidates(delta - self.delta), default=None)
        return None if least is None else _bounded(least)

    def _candidates(self, rest: Fraction) -> Iterator[Fraction]:
        """Every epsilon that the proof allows; ``rest`` is the delta that approximate charges have left over."""
        if rest < 0:
            return
        if not self.rho:
            yield self.epsilon + self.pure
        if rest and self.rho:
            yield self.epsilon + self.pure + epsilon_of_rho(self.rho, rest)
        if rest and self.half_squares:
            yield self.epsilon + epsilon_of_rho(self.rho + self.half_squares, rest)


def _bounded(budget: Fraction) -> Fraction:
    """Round up what has a long denominator, to a multiple of 2^-256: more rho or epsilon is a weaker claim, so it stays true.

    Sums of the budgets of one kind are refused when they become too long. What follows from them cannot be seen by whoever
    chooses the budgets: 1/3 and 2/3 make 1, but the sum of their squares keeps the denominator; and the sum of two short
    fractions can be twice as long.
    """
    if budget.denominator.bit_length() <= LONGEST:
        return budget
    return Fraction(math.ceil(budget * 2**_PLACES), 2**_PLACES)
