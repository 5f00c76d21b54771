"""Charge, sample, add, wrap: the only door through which private counts leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import BudgetError
from discreet.guarantee import PureDP, Receipt
from discreet.kernel.bits import Bits, OperatingSystemBits
from discreet.kernel.discrete_laplace import LARGEST_SCALE, discrete_laplace
from discreet.kernel.ledger import Ledger

__all__ = ["NoisyTables", "release_counts"]

_LARGEST_COUNT = 2**62


@dataclass(frozen=True, slots=True)
class NoisyTables:
    """What may be published: the noisy integers, the scale of their noise, the guarantee and the proof of payment."""

    tables: Mapping[str, npt.NDArray[np.int64]] = field(repr=False)
    scale: Fraction
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
    if type(ledger) is not Ledger:
        raise TypeError("A release needs a Ledger; something else might not charge.")
    scale = Fraction(sensitivity) / guarantee.epsilon
    _check(tables, sensitivity, scale)
    receipt = ledger.charge(guarantee, purpose)
    bits = _bits or OperatingSystemBits()
    cells = sum(table.size for table in tables.values())
    noise = iter(np.split(discrete_laplace(scale, cells, bits), np.cumsum([table.size for table in tables.values()])[:-1]))
    noisy = {name: table + next(noise).reshape(table.shape) for name, table in tables.items()}
    return NoisyTables(noisy, scale, guarantee, receipt)


def _check(tables: Mapping[str, npt.NDArray[np.int64]], sensitivity: int, scale: Fraction) -> None:
    """Find every reason to fail before the charge: a later one would cost budget for nothing."""
    if not tables or sensitivity < 1:
        raise ValueError("A release needs tables and a sensitivity of at least one.")
    if scale > LARGEST_SCALE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger epsilon.")
    for table in tables.values():
        if table.dtype != np.int64 or (table.size and not (table.min() > -_LARGEST_COUNT and table.max() < _LARGEST_COUNT)):
            raise ValueError("A release needs 64-bit integer tables with room for the noise.")
