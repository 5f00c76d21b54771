"""Charge, sample, add, wrap: the only door through which private counts leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.guarantee import Guarantee, PureDP, Receipt
from discreet.kernel.after_charge import after_charge
from discreet.kernel.bits import Bits, OperatingSystemBits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.discrete_laplace import check_scale, discrete_laplace

__all__ = [
    "NoisyNumbers",
    "NoisyTables",
    "Share",
    "SplitTables",
    "release_counts",
    "release_draw",
    "release_shares",
    "release_weighted",
]

T = TypeVar("T")

_LARGEST_COUNT = 2**62


@dataclass(frozen=True, slots=True)
class NoisyTables:
    """What may be published: the noisy integers, the scale of their noise, the guarantee and the proof of payment."""

    tables: Mapping[str, npt.NDArray[np.int64]] = field(repr=False)
    scale: Fraction
    guarantee: PureDP
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Share:
    """How far one record moves a table, as a sum of absolute differences, and the part of epsilon that pays for it."""

    sensitivity: int
    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class SplitTables:
    """What may be published: the noisy integers, the scale of each table's noise, the guarantee and the proof of payment."""

    tables: Mapping[str, npt.NDArray[np.int64]] = field(repr=False)
    scales: Mapping[str, Fraction]
    guarantee: PureDP
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class NoisyNumbers:
    """What may be published: noisy integers, the scale of each one's noise, the guarantee and the proof of payment."""

    values: npt.NDArray[np.int64] = field(repr=False)
    scales: tuple[Fraction, ...]
    guarantee: PureDP
    receipt: Receipt


def release_counts(
    tables: Mapping[str, npt.NDArray[np.int64]],
    sensitivity: int,
    guarantee: PureDP,
    ledger: Ledger,
    purpose: str,
    *,
    _bits: Bits | None = None,
) -> NoisyTables:
    """Publish integer tables with discrete Laplace noise of scale sensitivity / epsilon on every cell.

    Claim:      the result is epsilon-differentially private. Proof: the noise of the cells is independent, so for outputs z
                and neighbours with tables c, c' the ratio of probabilities is exp(sum (|z - c'| - |z - c|) / scale) <=
                exp(sum |c - c'| / scale) <= exp(sensitivity / scale) = exp(epsilon).      [Paper, Corollary 1; GUARANTEES 2.4]
    Requires:   neighbouring data sets give tables whose entries differ by at most ``sensitivity`` in total (the caller's
                claim, in ``counts``); the keys and shapes are public. The charge is committed before any noise is drawn.
    Checked by: tests/audit/test_small_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/unit/kernel/test_release.py::test_the_charge_is_on_disk_before_the_first_random_byte
    """
    if sensitivity < 1:
        raise ValueError("A release needs a sensitivity of at least one.")
    scale = Fraction(sensitivity) / guarantee.epsilon
    noisy, receipt = _charge_and_add(tables, dict.fromkeys(tables, scale), guarantee, ledger, purpose, _bits)
    return NoisyTables(noisy, scale, guarantee, receipt)


def release_shares(
    tables: Mapping[str, npt.NDArray[np.int64]],
    shares: Mapping[str, Share],
    guarantee: PureDP,
    ledger: Ledger,
    purpose: str,
    *,
    _bits: Bits | None = None,
) -> SplitTables:
    """Publish integer tables, each with discrete Laplace noise of its own scale: its sensitivity / its share of epsilon.

    Claim:      the result is epsilon-differentially private. Proof: as for ``release_counts``, the ratio of probabilities is
                at most exp(sum over tables t of |c_t - c'_t| / scale_t) <= exp(sum sensitivity_t / scale_t) =
                exp(sum epsilon_t) <= exp(epsilon).                                         [GUARANTEES 1.1, 2.4]
    Requires:   neighbouring data sets move table t by at most its ``sensitivity`` (the caller's claim, in ``counts``); the
                keys, shapes and shares are public. That the shares sum to at most epsilon is checked here, in exact
                fractions, before the charge.
    Checked by: tests/audit/test_consistent_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/unit/kernel/test_release.py::test_shares_of_more_than_epsilon_are_refused_before_the_charge
    """
    if shares.keys() != tables.keys() or any(share.sensitivity < 1 for share in shares.values()):
        raise ValueError("A release needs one share for each table, with a sensitivity of at least one.")
    if any(share.epsilon <= 0 for share in shares.values()) or sum(s.epsilon for s in shares.values()) > guarantee.epsilon:
        raise BudgetError("The shares of the tables must be greater than zero and sum to at most epsilon.")
    scales = {name: Fraction(share.sensitivity) / share.epsilon for name, share in shares.items()}
    noisy, receipt = _charge_and_add(tables, scales, guarantee, ledger, purpose, _bits)
    return SplitTables(noisy, scales, guarantee, receipt)


def release_weighted(
    values: npt.NDArray[np.int64],
    weights: Sequence[int],
    sensitivity: int,
    guarantee: PureDP,
    ledger: Ledger,
    purpose: str,
    *,
    _bits: Bits | None = None,
) -> NoisyNumbers:
    """Publish integers, each with discrete Laplace noise of scale sensitivity / (epsilon weight).

    Claim:      the result is epsilon-differentially private. Proof: as for ``release_counts``, the ratio of probabilities is
                at most exp(sum_i |c_i - c'_i| / scale_i) = exp((epsilon / sensitivity) sum_i weight_i |c_i - c'_i|) <=
                exp(epsilon).                                                               [GUARANTEES 2.2, 2.4]
    Requires:   neighbouring data sets give numbers with sum_i weight_i |c_i - c'_i| <= ``sensitivity`` (the caller's claim,
                proved in ``measure/strategies/odd_weight.py``); how many there are, and their weights, are public. That the
                weights are positive integers, none above the sensitivity, is checked here, before the charge.
    Checked by: tests/audit/test_fourier_worlds.py::test_no_output_is_likelier_than_epsilon_allows_with_weights
                tests/unit/kernel/test_release.py::test_weights_that_cannot_be_are_refused_before_the_charge
    """
    if len(weights) != len(values) or values.ndim != 1 or any(type(weight) is not int or weight < 1 for weight in weights):
        raise ValueError("A release needs one positive whole weight for each number.")
    if type(sensitivity) is not int or sensitivity < max(weights, default=1):
        raise ValueError("A record that moves one number moves it by its weight: the sensitivity cannot be smaller.")
    alike: dict[int, list[int]] = {}
    for place, weight in enumerate(weights):
        alike.setdefault(weight, []).append(place)
    scales = {weight: Fraction(sensitivity) / (guarantee.epsilon * weight) for weight in alike}
    tables = {str(weight): values[places] for weight, places in alike.items()}
    named = {str(weight): scale for weight, scale in scales.items()}
    noisy, receipt = _charge_and_add(tables, named, guarantee, ledger, purpose, _bits)
    published = np.empty_like(values)
    for weight, places in alike.items():
        published[places] = noisy[str(weight)]
    return NoisyNumbers(published, tuple(scales[weight] for weight in weights), guarantee, receipt)


def release_draw(
    draw: Callable[[Bits], T], guarantee: Guarantee, ledger: Ledger, purpose: str, *, _bits: Bits | None = None
) -> tuple[T, Receipt]:
    """Publish what ``draw`` makes of fresh random bits, after the charge for it.

    Claim:      the charge is committed before the first random bit is drawn; if it is refused, nothing is drawn. What fails
                after it names it.
    Requires:   ``draw`` satisfies ``guarantee`` as a function of the private records inside it (its author's claim), and
                everything that can fail was checked before.
    Checked by: tests/unit/kernel/test_release.py::test_a_draw_is_charged_before_the_first_random_byte
                tests/unit/kernel/test_release.py::test_a_draw_that_fails_says_what_was_charged
    """
    if type(ledger) is not Ledger:
        raise TypeError("A release needs a Ledger; something else might not charge.")
    source = _bits or OperatingSystemBits()
    receipt = ledger.charge(guarantee, purpose)
    with after_charge(receipt, ledger):
        return draw(source), receipt


def _charge_and_add(
    tables: Mapping[str, npt.NDArray[np.int64]],
    scales: Mapping[str, Fraction],
    guarantee: PureDP,
    ledger: Ledger,
    purpose: str,
    bits: Bits | None,
) -> tuple[dict[str, npt.NDArray[np.int64]], Receipt]:
    """Charge, then add noise of the given scale to every cell of each table."""
    _check(tables, scales)
    alike: dict[Fraction, list[str]] = {}
    for name in tables:
        alike.setdefault(scales[name], []).append(name)

    def draw(source: Bits) -> dict[str, npt.NDArray[np.int64]]:
        noisy = {}
        for scale, named in alike.items():  # tables with the same scale get their noise from one call
            ends = np.cumsum([tables[name].size for name in named])
            for name, noise in zip(named, np.split(discrete_laplace(scale, int(ends[-1]), source), ends[:-1]), strict=True):
                noisy[name] = tables[name] + noise.reshape(tables[name].shape)
        return {name: noisy[name] for name in tables}

    return release_draw(draw, guarantee, ledger, purpose, _bits=bits)


def _check(tables: Mapping[str, npt.NDArray[np.int64]], scales: Mapping[str, Fraction]) -> None:
    """Find every reason to fail before the charge: a later one would cost budget for nothing."""
    if not tables:
        raise ValueError("A release needs tables.")
    check_scale(max(scales.values()))
    for table in tables.values():
        if table.dtype != np.int64 or (table.size and not (table.min() > -_LARGEST_COUNT and table.max() < _LARGEST_COUNT)):
            raise ValueError("A release needs 64-bit integer tables with room for the noise.")
