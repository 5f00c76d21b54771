"""What the entries of a ledger say, and how each is tied to the one before.

After every charge the file keeps the exact sums so far and a digest of the entry, of the terms (data set, cap, delta) and of
the digest before it. An entry is believed only if its sums are those of the entry before it plus its own charge and its
digest is what it must be; so whoever knows the last entry to be sound need not add up all of the others.

What charges of different kinds add up to is one epsilon at one delta, exactly or rounded up: a ``Total``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.conversion import epsilon_of_rho
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, decimal, short

__all__ = [
    "Account",
    "Charge",
    "LONGEST",
    "Standing",
    "Terms",
    "Total",
    "begin",
    "check_exact",
    "follow",
    "known_spent",
    "refusal",
]

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_ZERO = Fraction(0)
LONGEST = 3000
"""Binary digits that a sum may have above or below: what a charge costs in time must not grow with the number of charges."""
_PLACES = 256


@dataclass(frozen=True, slots=True)
class Terms:
    """What was fixed when a dataset was first named; no cap when unlimited."""

    dataset: str
    cap: Fraction | None
    delta: Fraction | None


@dataclass(frozen=True, slots=True)
class Charge:
    """One line of a ledger; ``spent`` is the dataset's total after it, which only an unlimited ledger may be unable to say."""

    number: int
    guarantee: Guarantee
    purpose: str
    spent: Fraction | None
    at: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a dataset stands after so many charges."""

    number: int
    total: Total
    spent: Fraction | None
    """The epsilon that the last receipt told; never less than those before."""
    digest: str


@dataclass(frozen=True, slots=True)
class Account:
    """All that a ledger knows of one dataset."""

    dataset: str
    cap: Fraction
    delta: Fraction | None
    """The delta at which the cap holds; None where it is a cap on pure epsilon."""
    charges: Sequence[Charge]

    @property
    def spent(self) -> Fraction:
        """The epsilon of all charges together, at the dataset's delta."""
        return (self.charges[-1].spent if self.charges else None) or Fraction(0)

    @property
    def remaining(self) -> Fraction:
        """What may still be charged; not positive when nothing may be."""
        return self.cap - self.spent


def begin(terms: Terms) -> Standing:
    """Where a dataset stands before its first charge.

    Claim:      nothing is spent, and the digest is that of the terms.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_ledger_entries.py::test_the_digest_covers_every_word_of_the_terms_and_of_the_entry
    """
    return Standing(0, Total(), Fraction(0), _digest("a ledger of discreet", *_words(terms)))


def follow(terms: Terms, before: Standing, charge: Charge) -> Standing:
    """Where a dataset stands after one charge more.

    Claim:      the sums are those before plus the charge, exactly as ``Total`` adds; the digest changes with any word of the
                terms, of the charge, of the sums, or of the digest before.
    Requires:   nothing: what the charge may be is decided by ``Ledger.charge``, and by the file's reader.
    Checked by: tests/unit/kernel/test_ledger_entries.py::test_the_digest_covers_every_word_of_the_terms_and_of_the_entry
    """
    total = before.total.plus(charge.guarantee)
    amounts = [written(getattr(charge.guarantee, name, None)) for name in ("epsilon", "rho", "delta")]
    entry = (*amounts, charge.purpose, charge.at, *map(written, total.sums), written(charge.spent))
    return Standing(charge.number, total, charge.spent, _digest(before.digest, *_words(terms), str(charge.number), *entry))


def known_spent(terms: Terms, standing: Standing) -> Fraction | None:
    """The epsilon spent; None where the sums have none under these terms.

    Claim:      at least what the sums come to, whatever epsilon was written beside them: another machine may round up further.
    Requires:   a standing whose sums are sound.
    Checked by: tests/unit/kernel/test_ledger_entries.py::test_an_epsilon_written_too_small_is_not_believed
    """
    least = standing.total.spent(terms.delta)
    return None if least is None or standing.spent is None else max(least, standing.spent)


def check_exact(guarantee: Guarantee) -> None:
    """Refuse what is no guarantee in exact fractions: a negative or rounded budget would give budget back.

    Claim:      afterwards it is of one of three types and no other, and its budgets are positive fractions.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_ledger.py::test_only_exact_positive_budgets_of_any_kind_can_be_charged
    """
    names = {PureDP: ("epsilon",), ZCDP: ("rho",), ApproxDP: ("epsilon", "delta")}.get(type(guarantee), ())
    amounts = [getattr(guarantee, name) for name in names]
    sound = amounts and all(type(amount) is Fraction and amount > 0 for amount in amounts)
    if not sound or (type(guarantee) is ApproxDP and guarantee.delta >= 1):
        raise BudgetError(
            'Only a guarantee with exact, positive budgets can be charged, such as PureDP(exact("0.5")), ZCDP(exact("0.1")) or'
            ' ApproxDP(exact("0.5"), exact("1e-6")).'
        )


def refusal(limits: Terms, cap: Fraction, before: Fraction, guarantee: Guarantee, total: Total) -> str:
    """Say what is left and what can be done.

    Claim:      consists of what the ledger and the guarantee say, which is public.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_ledger.py::test_a_refusal_at_a_delta_says_what_it_would_come_to_and_charges_nothing
    """
    left = max(cap - before, Fraction(0))
    free = "what was released before can be queried at no cost."
    if limits.delta is None:
        advice = f"Ask for at most {decimal(left)}" if left else "This dataset allows no further release"
        return (
            f"Dataset {limits.dataset!r} has a cap of {decimal(cap)}: {decimal(before)} is spent, {decimal(left)} remains,"
            f" {short(guarantee)} was asked for. Nothing was charged. {advice}; {free}"
        )
    spent = total.spent(limits.delta)
    would = "no delta would be left" if spent is None else f"epsilon would become {decimal(spent)}"
    return (
        f"Dataset {limits.dataset!r} has a cap of {decimal(cap)} at delta {decimal(limits.delta)}: {decimal(before)} is spent,"
        f" {decimal(left)} remains; with {guarantee}, {would}. Nothing was charged. Ask for less; {free}"
    )


def is_label(text: object) -> bool:
    """Whether this can name a dataset or a purpose: one printable line that does not differ from another by outer spaces."""
    return isinstance(text, str) and 0 < len(text) <= 200 and text.isprintable() and text == text.strip()


def is_moment(text: object) -> bool:
    """Whether this is the time of a charge, such as 2030-01-01T00:00:00Z."""
    return isinstance(text, str) and _MOMENT.fullmatch(text) is not None


def written(value: Fraction | None) -> str | None:
    """A fraction as the file keeps it, exactly."""
    return None if value is None else f"{value.numerator}/{value.denominator}"


def _words(terms: Terms) -> tuple[str | None, ...]:
    return terms.dataset, written(terms.cap), written(terms.delta)


def _digest(*words: str | None) -> str:
    """SHA-256 of the words, written so that no two lists of words look the same."""
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


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
        Checked by: tests/unit/kernel/test_ledger_entries.py::test_the_total_agrees_with_an_independent_accountant
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
