"""Charge, then add discrete Gaussian noise: the door for statistics that are measured by Euclidean distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.discrete_gaussian import check_variance, discrete_gaussian
from discreet.kernel.release import release_draw

__all__ = ["Blurred", "release_gaussian"]

_LARGEST_NUMBER = 2**61


@dataclass(frozen=True, slots=True)
class Blurred:
    """Integers, the square of the Euclidean distance that one record can move them, and the variance of their noise."""

    numbers: npt.NDArray[np.int64] = field(repr=False)
    squared_sensitivity: int
    variance: Fraction

    @property
    def rho(self) -> Fraction:
        """What the statistic costs."""
        return self.squared_sensitivity / (2 * self.variance)


def release_gaussian(
    statistics: Mapping[str, Blurred], guarantee: ZCDP, ledger: Ledger, purpose: str, *, _bits: Bits | None = None
) -> tuple[dict[str, npt.NDArray[np.int64]], Receipt]:
    """Publish each statistic with independent discrete Gaussian noise on every number.

    Claim:      rho-zero-concentrated differentially private. Proof: for one integer with noise of parameter v the Renyi
                divergence of order a between shifts by D is at most a D^2 / (2 v); divergences of independent numbers add, so
                statistic s has at most a squared_sensitivity_s / (2 v_s), and all together at most a times the sum of rho_s.
                                                           [Canonne, Kamath & Steinke 2020; GUARANTEES 7.2]
    Requires:   neighbouring data sets move each statistic by at most the root of its ``squared_sensitivity`` (the caller's
                claim, in ``counts``); keys, shapes and variances are public. That the costs sum to at most rho is checked
                here, in exact fractions, before the charge.
    Checked by: tests/audit/test_gaussian_worlds.py::test_no_divergence_is_larger_than_rho_allows
                tests/unit/kernel/test_release_gaussian.py::test_costs_of_more_than_rho_are_refused_before_the_charge
                tests/unit/kernel/test_release_gaussian.py::test_the_charge_is_on_disk_before_the_first_random_byte
    """
    _check(statistics, guarantee)

    def draw(bits: Bits) -> dict[str, npt.NDArray[np.int64]]:
        return {
            name: each.numbers + discrete_gaussian(each.variance, each.numbers.size, bits).reshape(each.numbers.shape)
            for name, each in statistics.items()
        }

    return release_draw(draw, guarantee, ledger, purpose, _bits=_bits)


def _check(statistics: Mapping[str, Blurred], guarantee: ZCDP) -> None:
    """Find every reason to fail before the charge: a later one would cost budget for nothing."""
    if not statistics:
        raise ValueError("A release needs statistics.")
    if any(each.squared_sensitivity < 1 or each.variance <= 0 for each in statistics.values()):
        raise ValueError("A release needs sensitivities of at least one and variances greater than zero.")
    if sum(each.rho for each in statistics.values()) > guarantee.rho:
        raise BudgetError("The costs of the statistics must sum to at most rho.")
    for each in statistics.values():
        check_variance(each.variance)
        numbers = each.numbers
        if numbers.dtype != np.int64 or not numbers.size or max(-int(numbers.min()), int(numbers.max())) >= _LARGEST_NUMBER:
            raise ValueError("A release needs 64-bit integers with room for the noise.")
