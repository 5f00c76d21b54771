"""Charge, then add K-norm noise: the door for statistics that are measured in the norm of a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.guarantee import PureDP, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.body import Body
from discreet.kernel.noise.knorm import check_knorm, knorm_noise
from discreet.kernel.release import release_draw

__all__ = ["Shaped", "release_shaped"]

_LARGEST_NUMBER = 2**61


@dataclass(frozen=True, slots=True)
class Shaped:
    """Integers, the body in whose norm they are measured, how far one record moves them, and what they get of epsilon."""

    numbers: npt.NDArray[np.int64] = field(repr=False)
    body: Body
    sensitivity: Fraction
    epsilon: Fraction

    @property
    def scale(self) -> Fraction:
        """The scale of the noise's norm."""
        return self.sensitivity / self.epsilon


def release_shaped(
    statistics: Mapping[str, Shaped], guarantee: PureDP, ledger: Ledger, purpose: str, *, _bits: Bits | None = None
) -> tuple[dict[str, npt.NDArray[np.int64]], Receipt]:
    """Publish each statistic plus rounded noise of density proportional to exp(-norm / scale), scale = sensitivity / epsilon.

    Claim:      the result is epsilon-differentially private. Proof: the density of statistic s at an output moves by a factor
                of at most exp(norm_s(c_s - c'_s) / scale_s) <= exp(epsilon_s) between neighbours; noise of different
                statistics is independent, so the factors multiply to at most exp(sum of epsilon_s) <= exp(epsilon). Rounding
                is post-processing, and round(c + z) = c + round(z) for integers c.               [GUARANTEES 10, 11]
    Requires:   neighbouring data sets move each statistic by at most its ``sensitivity`` in the norm of its body (the caller's
                claim, in ``counts``); keys, bodies and shares are public. That the shares sum to at most epsilon is checked
                here, in exact fractions, before the charge.
    Checked by: tests/audit/test_knorm_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/unit/kernel/test_release_shaped.py::test_shares_of_more_than_epsilon_are_refused_before_the_charge
                tests/unit/kernel/test_release_shaped.py::test_the_charge_is_on_disk_before_the_first_random_byte
    """
    _check(statistics, guarantee)

    def draw(bits: Bits) -> dict[str, npt.NDArray[np.int64]]:
        return {name: each.numbers + knorm_noise(each.body, each.scale, 1, bits)[0] for name, each in statistics.items()}

    return release_draw(draw, guarantee, ledger, purpose, _bits=_bits)


def _check(statistics: Mapping[str, Shaped], guarantee: PureDP) -> None:
    """Find every reason to fail before the charge: a later one would cost budget for nothing."""
    if not statistics:
        raise ValueError("A release needs statistics.")
    shares = [each.epsilon for each in statistics.values()]
    if any(share <= 0 for share in shares) or sum(shares) > guarantee.epsilon:
        raise BudgetError("The shares of the statistics must be greater than zero and sum to at most epsilon.")
    for each in statistics.values():
        if each.sensitivity <= 0:
            raise ValueError("A release needs a sensitivity that is greater than zero.")
        if each.numbers.dtype != np.int64 or each.numbers.shape != (each.body.dimension,):
            raise ValueError("A release needs one 64-bit integer for each coordinate of the body.")
        if not (each.numbers.min() > -_LARGEST_NUMBER and each.numbers.max() < _LARGEST_NUMBER):
            raise ValueError("A release needs integers with room for the noise.")
        check_knorm(each.body, each.scale)
