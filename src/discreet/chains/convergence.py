"""Whether chains of draws agree: split R-hat, and how many independent draws they are worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats

__all__ = ["Convergence", "convergence"]


@dataclass(frozen=True, slots=True)
class Convergence:
    """``r_hat``: the largest of all quantities, one where chains agree. ``effective_draws``: the smallest."""

    r_hat: float
    effective_draws: float
    draws: int

    def good(self) -> bool:
        """Whether the draws may be used for means and intervals."""
        return self.r_hat < 1.05 and self.effective_draws >= 200


def convergence(chains: Floats) -> Convergence:
    """Measure draws x chains x quantities. Each chain is halved, so that a drift counts as disagreement.

    Effective draws: total / (1 + 2 sum of autocorrelations), the sum taken over pairs of lags while they stay positive and
    made to decrease (Geyer). Autocorrelations combine all chains, as R-hat does, so chains that disagree count little.
    """
    half = len(chains) // 2
    parts = np.concatenate([chains[:half], chains[half : 2 * half]], axis=1)
    within = parts.var(axis=0, ddof=1).mean(axis=0)
    between = parts.mean(axis=0).var(axis=0, ddof=1)
    total = (half - 1) / half * within + between
    centred = parts - parts.mean(axis=0)
    covariance = _autocovariance(centred).mean(axis=1)
    correlation = 1 - (within - covariance) / total
    pairs = correlation[: half // 2 * 2].reshape(-1, 2, correlation.shape[-1]).sum(axis=1)
    positive = np.cumprod(pairs > 0, axis=0) * np.minimum.accumulate(pairs, axis=0)
    length = np.maximum(2 * positive.sum(axis=0) - 1, 1 / np.log10(max(parts.shape[0] * parts.shape[1], 20)))
    effective = half * parts.shape[1] / length
    return Convergence(float(np.sqrt(total / within).max()), float(effective.min()), chains.shape[0] * chains.shape[1])


def _autocovariance(centred: Floats) -> Floats:
    """Covariance of each series with itself at all lags, by the Fourier transform; biased, as is usual."""
    length = len(centred)
    power = np.abs(np.fft.rfft(centred, 2 * length, axis=0)) ** 2
    covariance: Floats = np.fft.irfft(power, axis=0)[:length] / length
    return covariance
