"""Check, charge, draw, add: the only door through which private numbers leave.

What fails after a charge says so: budget that is gone without a word would be looked for, or spent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from discreet.arrays import Integers, WholeNumbers
from discreet.errors import BudgetError, DiscreetError
from discreet.guarantee import ZCDP, Guarantee, PureDP, Receipt
from discreet.kernel.bits import Bits, OperatingSystemBits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.gaussian import DiscreteGaussian
from discreet.kernel.noise.knorm import KNormLaw
from discreet.kernel.noise.laplace import DiscreteLaplace, WeightedLaplace
from discreet.kernel.noise.moments import MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.noise.pairs import PairGaussian, PairWishart

__all__ = [
    "ChargeNote",
    "Noise",
    "PrivateNumbers",
    "add_noise",
    "after_charge",
    "charge_and_draw",
    "check_statistics",
    "mention_charge",
    "perhaps_charged",
    "publish",
]

T = TypeVar("T")

_OF_ANY_SIZE = (MomentBox, MomentWishart, MomentGaussian, PairWishart, PairGaussian)
"""Laws whose noise may leave 64-bit integers: theirs, and the sums with it, are Python's."""
_LAWS = (DiscreteLaplace, WeightedLaplace, DiscreteGaussian, KNormLaw, *_OF_ANY_SIZE)
"""The laws whose costs are proved. Nothing else is taken for noise, whatever it says that it costs."""
_NUMBER_BY_NUMBER = (DiscreteLaplace, DiscreteGaussian)
"""Laws that give every number noise of its own, independent of all other numbers: statistics with the same one of these get
their noise from one call, which is faster. Every other law draws for one statistic at a time."""


class Noise(Protocol):
    """A law of integer noise for one statistic, and what publishing the statistic with it costs."""

    @property
    def cost(self) -> Guarantee:
        """What follows, exactly, from the law's scale and from how far one record moves the statistic."""
        ...

    def check(self, numbers: Integers) -> None:
        """Find every reason to fail: a wrong shape or type, no room in 64 bits, a scale out of range."""
        ...

    def draw(self, shape: tuple[int, ...], bits: Bits) -> WholeNumbers:
        """Exact noise for a statistic of this shape, drawn without looking at it."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PrivateNumbers:
    """Private integers, and the noise with which they may be published."""

    numbers: Integers = field(repr=False)
    noise: Noise


def publish(
    statistics: Mapping[str, PrivateNumbers], guarantee: Guarantee, ledger: Ledger, purpose: str, *, _bits: Bits | None = None
) -> tuple[dict[str, WholeNumbers], Receipt]:
    """Publish every statistic plus noise of its law.

    Claim:      the result satisfies ``guarantee``. Proof: each statistic satisfies its law's cost, as the law proves. Noise of
                different statistics is independent. So for pure costs the ratios of probabilities multiply to at most
                exp(sum of epsilon_s) <= exp(epsilon), and for zero-concentrated ones the Renyi divergences of order a add up
                to at most a times the sum of rho_s, which is at most a rho.             [GUARANTEES 1.1, 2.4, 7.2, 10]
    Requires:   neighbouring data sets move each statistic by at most what its law says (the caller's claim, in ``counts``; for
                moments only that records were clipped to the declared bounds); keys, shapes and laws are public. That the
                costs are of the kind of the guarantee and sum to at most it is checked here, in exact fractions, before the
                charge; the charge is committed before any noise is drawn.
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/audit/test_consistent_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/unit/kernel/test_publish.py::test_the_charge_is_on_disk_before_the_first_random_byte
                tests/unit/kernel/test_publish.py::test_shares_of_more_than_epsilon_are_refused_before_the_charge
                tests/unit/kernel/test_publish.py::test_costs_of_more_than_rho_are_refused_before_the_charge
    """
    given = dict(statistics)
    check_statistics(given, guarantee)
    return charge_and_draw(partial(add_noise, given), guarantee, ledger, purpose, _bits=_bits)


def charge_and_draw(
    sampler: Callable[[Bits], T], guarantee: Guarantee, ledger: Ledger, purpose: str, *, _bits: Bits | None = None
) -> tuple[T, Receipt]:
    """Publish what ``sampler`` makes of fresh random bits, after the charge for it.

    Claim:      the charge is committed before the first random bit is drawn; if it is refused, nothing is drawn. What fails
                after it names it.
    Requires:   ``sampler`` satisfies ``guarantee`` as a function of the private records inside it (its author's claim), and
                everything that can fail was checked before.
    Checked by: tests/unit/kernel/test_publish.py::test_a_draw_is_charged_before_the_first_random_byte
                tests/unit/kernel/test_publish.py::test_a_draw_that_fails_says_what_was_charged
    """
    if type(ledger) is not Ledger:
        raise TypeError("A release needs a Ledger; something else might not charge.")
    source = _bits or OperatingSystemBits()
    receipt = ledger.charge(guarantee, purpose)
    with after_charge(receipt, ledger):
        return sampler(source), receipt


def check_statistics(statistics: Mapping[str, PrivateNumbers], guarantee: Guarantee) -> None:
    """Find every reason to fail before the charge: a later one would cost budget for nothing.

    Claim:      afterwards the costs of the statistics are of the kind of the guarantee, and sum to at most it.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_publish.py::test_shares_of_more_than_epsilon_are_refused_before_the_charge
    """
    if not statistics:
        raise ValueError("A release needs statistics.")
    for each in statistics.values():
        if type(each) is not PrivateNumbers or type(each.numbers) is not np.ndarray:
            raise TypeError("A release needs its numbers in a plain array; a masked one would keep what it hides.")
        if type(each.noise) not in _LAWS:
            raise TypeError("A release needs noise of a law that the kernel knows; what another costs is not proved here.")
        each.noise.check(each.numbers)
    spent = sum(len(names) * _amount(statistics[names[0]].noise.cost, guarantee) for names in _alike(statistics))
    if spent > _amount(guarantee, guarantee):
        raise BudgetError("The costs of the statistics sum to more than the guarantee. Give them more noise.")


def _amount(cost: Guarantee, guarantee: Guarantee) -> Fraction:
    """The exact budget of a cost that is of the kind of the guarantee; costs of one of these two kinds add up."""
    match cost, guarantee:
        case PureDP(epsilon), PureDP():
            return epsilon
        case ZCDP(rho), ZCDP():
            return rho
    raise BudgetError("The costs of the statistics must be of the kind of the guarantee: all epsilon, or all rho.")


def _alike(statistics: Mapping[str, PrivateNumbers]) -> list[list[str]]:
    """Names of statistics, those together whose noise may come from one call."""
    groups: dict[Noise | str, list[str]] = {}
    for name, each in statistics.items():
        groups.setdefault(each.noise if type(each.noise) in _NUMBER_BY_NUMBER else name, []).append(name)
    return list(groups.values())


def add_noise(statistics: Mapping[str, PrivateNumbers], bits: Bits) -> dict[str, WholeNumbers]:
    """Every statistic plus its noise.

    Claim:      the noise of each is an exact draw of its law, independent of all others.
    Requires:   statistics that ``check_statistics`` has accepted, after the charge for them.
    Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
    """
    noisy = {}
    for names in _alike(statistics):
        tables = [statistics[name].numbers for name in names]
        ends = np.cumsum([table.size for table in tables])
        shape = tables[0].shape if len(tables) == 1 else (int(ends[-1]),)
        law = statistics[names[0]].noise
        noise = law.draw(shape, bits)
        if noise.shape != shape or not _is_whole(noise, law):
            raise ValueError("The noise does not have the shape of the numbers.")
        for name, table, own in zip(names, tables, np.split(noise.ravel(), ends[:-1]), strict=True):
            noisy[name] = table + own.reshape(table.shape)  # not stretched: noise of another size is an error
    return {name: noisy[name] for name in statistics}


def _is_whole(noise: WholeNumbers, law: Noise) -> bool:
    """Whether noise consists of the integers of its law: of 64 bits, or of any size."""
    if type(law) in _OF_ANY_SIZE:
        return noise.dtype == object and all(type(each) is int for each in noise.flat)
    return noise.dtype == np.int64


class ChargeNote(str):
    """A note on an exception that names a charge. It may be shown: unlike notes of others it says nothing about records."""

    __slots__ = ()


def mention_charge(error: BaseException, receipt: Receipt, ledger: Ledger, outcome: str) -> None:
    """Write on an exception which charge was made before it, and what became of the release.

    Claim:      the note consists of what the ledger noted, its path and the given words.
    Requires:   ``outcome`` says nothing about the records.
    Checked by: tests/unit/kernel/test_publish.py::test_a_draw_that_fails_says_what_was_charged
    """
    where = "" if ledger.path is None else f" It is in the ledger {str(ledger.path)!r} and cannot be taken back."
    error.add_note(ChargeNote(f"Budget was spent before this happened: {receipt}.{where} {outcome}"))


@contextmanager
def after_charge(receipt: Receipt, ledger: Ledger) -> Iterator[None]:
    """Whatever stops the block, an interruption too, names the charge that was made before it.

    Claim:      the exception stays what it is, and carries a ``ChargeNote``.
    Requires:   nothing leaves the block but by its end.
    Checked by: tests/unit/kernel/test_publish.py::test_a_draw_that_fails_says_what_was_charged
    """
    try:
        yield
    except BaseException as error:
        mention_charge(error, receipt, ledger, "Nothing was published for it: trying again is charged again.")
        raise


@contextmanager
def perhaps_charged(ledger: Ledger) -> Iterator[None]:
    """Whatever stops a block that charges, and does not say whether it did, says where to look.

    An interruption can come at any moment, also when the charge is on the disk and its receipt not yet in hand.

    Claim:      an exception that is no refusal leaves the block with a ``ChargeNote``.
    Requires:   refusals, which charge nothing, are errors of this package.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_an_interruption_within_the_charge_says_where_to_look
    """
    try:
        yield
    except BaseException as error:
        told = any(isinstance(words, ChargeNote) for words in getattr(error, "__notes__", ()))
        if not told and not isinstance(error, DiscreetError):
            where = "the ledger" if ledger.path is None else f"the ledger {str(ledger.path)!r}"
            error.add_note(ChargeNote(f"Budget may have been spent before this happened: {where} lists all charges."))
        raise
