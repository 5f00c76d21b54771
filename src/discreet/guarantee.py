"""Guarantees: frozen values that travel with every result.

A guarantee says how much one person's record can change what the world sees, under which notion of neighbouring data.
Budgets are exact fractions from the moment they are read, so that sums of charges mean what they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, cast

from discreet.conversion import epsilon_of_rho
from discreet.errors import BudgetError

__all__ = [
    "ApproxDP",
    "BudgetLike",
    "Caveat",
    "Guarantee",
    "Neighbours",
    "PureDP",
    "Receipt",
    "ZCDP",
    "balance",
    "decimal",
    "exact",
    "short",
    "weakest",
]

BudgetLike: TypeAlias = str | int | float | Fraction

_NUMBER = re.compile(r"\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,2})?|\d{1,60}/\d{1,60}")


def exact(amount: BudgetLike, name: str = "epsilon") -> Fraction:
    """Read a positive budget as an exact fraction: ``"0.1"`` is 1/10. A float counts as the decimal that it prints as."""
    if isinstance(amount, Fraction) and amount > 0:
        return Fraction(int(amount.numerator), int(amount.denominator))  # of NumPy's integers sums would wrap around
    text = str(amount).strip()
    if isinstance(amount, bool) or not _NUMBER.fullmatch(text):
        raise BudgetError(f'{name} must be a positive number written as "0.5", "1/2" or 2.')
    try:
        value = Fraction(text)
    except ZeroDivisionError:
        value = Fraction(0)
    if value <= 0:
        raise BudgetError(f"{name} must be greater than zero.")
    return value


class Neighbours(Enum):
    """Which data sets the guarantee compares."""

    REPLACE_ONE = "replace-one"
    """One record is exchanged for any other; the number of records is public."""
    REPLACE_PERSON = "replace-person"
    """One person with all records is exchanged for any other, with any number of records; that of persons is public."""
    REPLACE_ROWS = "replace-rows"
    """So many records at the most are exchanged for others; the number of records is public."""


class _Explained:
    """What every guarantee can say of itself to people. Budgets may be given as ``exact`` reads them."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, part.name, exact(getattr(self, part.name), part.name))

    @property
    def meaning(self) -> str:
        """How much a release can change what is thought about one record, in one sentence."""
        # What guarantees mean is said by a file that knows all kinds of them, when somebody wants words.
        from discreet.meaning import meaning

        return meaning(cast("Guarantee", self))

    @property
    def remark(self) -> str | None:
        """A word of warning where the guarantee promises little; None where it does not."""
        from discreet.meaning import remark

        return remark(cast("Guarantee", self))

    def __repr__(self) -> str:
        budgets = ((part.name, getattr(self, part.name)) for part in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{name}={decimal(budget)!r}' for name, budget in budgets)})"

    def _repr_html_(self) -> str:
        from discreet.display import Display  # for notebooks only

        return Display(str(self), notes=tuple(filter(None, (self.meaning, self.remark)))).html()


@dataclass(frozen=True, slots=True, repr=False)
class PureDP(_Explained):
    """Epsilon-differential privacy: P[M(D) in B] <= exp(epsilon) P[M(D') in B] for all neighbours D, D' and all B."""

    epsilon: Fraction

    def compose(self, other: Guarantee) -> Guarantee:
        """Both results together: the epsilons add."""
        match other:
            case PureDP(epsilon):
                return PureDP(self.epsilon + epsilon)
            case ZCDP() | ApproxDP():
                return other.compose(self)
        raise _uncomposable(other)

    def __str__(self) -> str:
        return f"epsilon = {decimal(self.epsilon)} (pure differential privacy)"


@dataclass(frozen=True, slots=True, repr=False)
class ZCDP(_Explained):
    """Zero-concentrated privacy: the Renyi divergence of order a between neighbours is at most rho a, for every a > 1."""

    rho: Fraction

    def compose(self, other: Guarantee) -> Guarantee:
        """Both results together: the rhos add. Pure epsilon is zero-concentrated with rho = epsilon^2 / 2."""
        match other:
            case ZCDP(rho):
                return ZCDP(self.rho + rho)
            case PureDP(epsilon):
                return ZCDP(self.rho + epsilon**2 / 2)
            case ApproxDP():
                return other.compose(self)
        raise _uncomposable(other)

    def __str__(self) -> str:
        return f"rho = {decimal(self.rho)} (zero-concentrated differential privacy)"


@dataclass(frozen=True, slots=True, repr=False)
class ApproxDP(_Explained):
    """(Epsilon, delta)-privacy: P[M(D) in B] <= exp(epsilon) P[M(D') in B] + delta for all neighbours D, D' and all B."""

    epsilon: Fraction
    delta: Fraction

    def compose(self, other: Guarantee) -> Guarantee:
        """Both results together: epsilons and deltas add. What is zero-concentrated is first converted at the same delta."""
        match other:
            case ApproxDP(epsilon, delta):
                return ApproxDP(self.epsilon + epsilon, self.delta + delta)
            case PureDP(epsilon):
                return ApproxDP(self.epsilon + epsilon, self.delta)
            case ZCDP(rho):
                return ApproxDP(self.epsilon + epsilon_of_rho(rho, self.delta), 2 * self.delta)
        raise _uncomposable(other)

    def __str__(self) -> str:
        return f"epsilon = {decimal(self.epsilon)}, delta = {decimal(self.delta)} (approximate differential privacy)"


def _uncomposable(other: object) -> BudgetError:
    return BudgetError(f"Only guarantees can be composed, such as PureDP('0.5'); a {type(other).__name__} is none.")


Guarantee: TypeAlias = PureDP | ZCDP | ApproxDP
"""What a release promises about every record; ``guarantee.meaning`` says it in a sentence."""


def weakest(guarantees: Iterable[Guarantee]) -> Guarantee:
    """What everybody has where each of these guarantees protects some, and no person is protected by two of them.

    Of one kind the largest budgets. Pure epsilon is zero-concentrated with rho = epsilon^2 / 2, and approximate with any
    delta. What is zero-concentrated becomes approximate only by a conversion, of which later versions may have a sharper one:
    the two kinds together are refused.
    """
    found = tuple(guarantees)
    pure = [each.epsilon for each in found if isinstance(each, PureDP)]
    approximate = [each for each in found if isinstance(each, ApproxDP)]
    rhos = [each.rho for each in found if isinstance(each, ZCDP)]
    if approximate and rhos:
        raise BudgetError(
            "A zero-concentrated and an approximate guarantee have no exact one in common, nor an exact sum. Keep these "
            "releases apart, or ask for releases with one kind of guarantee."
        )
    if approximate:
        epsilons = [each.epsilon for each in approximate]
        return ApproxDP(max(pure + epsilons), max(each.delta for each in approximate))
    return ZCDP(max(rhos + [epsilon**2 / 2 for epsilon in pure])) if rhos else PureDP(max(pure))


@dataclass(frozen=True, slots=True, repr=False)
class Caveat:
    """Something a reader of a result must know; the name is stable, the text is for people."""

    name: str
    text: str

    @property
    def label(self) -> str:
        """The word before the text: most are warnings, some say how a choice was made."""
        return "note" if self.name.startswith("automatic-") else "beware"

    def __repr__(self) -> str:
        from discreet.display import printable  # names and texts come from files

        return printable(f"<Caveat {self.name}: {self.text}>").replace("\n", "\\n")


def short(guarantee: Guarantee) -> str:
    """The budget in a few characters, for the cell of a table: pure epsilon is a bare number."""
    match guarantee:
        case PureDP(epsilon):
            return decimal(epsilon)
        case ZCDP(rho):
            return f"rho {decimal(rho)}"
        case ApproxDP(epsilon, delta):
            return f"{decimal(epsilon)}, delta {decimal(delta)}"


def decimal(value: Fraction) -> str:
    """Write a fraction as a short decimal where that is exact, and as numerator/denominator otherwise."""
    remainder = value.denominator
    for prime in (2, 5):
        while remainder % prime == 0:
            remainder //= prime
    if remainder != 1 or value.denominator.bit_length() > 80:
        return str(value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole, rest = divmod(value.numerator * 10**digits // value.denominator, 10**digits)
    return f"{whole}.{rest:0{digits}d}" if digits else str(whole)


def balance(spent: Fraction | None, cap: Fraction | None, delta: Fraction | None) -> str:
    """Where the charges so far leave the budget of a data set."""
    if cap is None or spent is None:
        return "no cap" if spent is None else f"{decimal(spent)} spent, no cap"
    at_delta = "" if delta is None else f" at delta {decimal(delta)}"
    return f"{decimal(spent)} of {decimal(cap)} spent{at_delta}, {decimal(cap - spent)} remains"


@dataclass(frozen=True, slots=True, repr=False)
class Receipt:
    """What a ledger noted before a release was made: which charge, and where it left the budget of the data set."""

    dataset: str
    number: int
    guarantee: Guarantee
    spent: Fraction | None
    """The epsilon of all charges together, at the ledger's delta; None where there is no cap and no delta to state it at."""
    cap: Fraction | None
    delta: Fraction | None
    """The delta at which the cap holds; None where it is a cap on pure epsilon, or there is none."""
    at: str

    @property
    def unlimited(self) -> bool:
        """Whether the ledger had no cap, as in experiments on public data."""
        return self.cap is None

    def __repr__(self) -> str:
        return f"<Receipt: {self}>"

    @property
    def charge(self) -> str:
        """Which charge it was, and what it cost."""
        paid = str(self.guarantee).partition(" (")[0].replace(" =", "")
        return f"charge {self.number} of data set {self.dataset!r} at {self.at}: {paid}"

    def __str__(self) -> str:
        """What was charged, and where it left the budget of the data set."""
        return f"{self.charge}; {balance(self.spent, self.cap, self.delta)}"
