"""Whether chains have forgotten where they started: rank-normalised split R-hat, and what the draws are worth.

As in Vehtari, Gelman, Simpson, Carpenter and Buerkner, "Rank-normalization, folding, and localization: an improved R-hat for
assessing convergence of MCMC" (Bayesian Analysis, 2021). Each chain counts as two, its first and its second half, so that a
drift is a disagreement. Draws are replaced by the normal scores of their ranks, so that heavy tails cannot hide one; folded
about the median, they show chains that agree in place and not in width.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats

__all__ = ["LARGEST_R_HAT", "Diagnostics", "agreement", "diagnose", "diagnose_tables", "normal_scores", "r_hats"]

_AT_ONCE = 2**22
"""Draws that are ranked at a time: 32 MB, several times over."""
LARGEST_R_HAT, _LEAST_SIZE = 1.1, 50
"""Chains whose R-hat is larger do not agree.

With fifty draws the Monte Carlo error of a mean is a seventh of the quantity's own standard deviation."""
_STILL = 1e-12
"""Normal scores that vary by less are all the same."""


@dataclass(frozen=True, slots=True, repr=False)
class Diagnostics:
    """R-hat near 1 says that the chains agree; an effective size says how many independent draws the kept ones are worth."""

    r_hat: float
    """Of the quantity with the worst agreement."""
    typical_r_hat: float
    """Exceeded by one quantity in ten."""
    effective_size: float
    """Of the quantity with the smallest."""
    typical_effective_size: float
    """Exceeded by nine quantities in ten."""
    draws: int

    def __repr__(self) -> str:
        return (
            f"<Diagnostics: {'converged' if self.converged else 'NOT converged'}; R-hat {self.r_hat:.2f} at worst, "
            f"{self.typical_r_hat:.2f} typically; {self.draws:,} draws worth {self.effective_size:,.0f} at worst, "
            f"{self.typical_effective_size:,.0f} typically>"
        )

    @property
    def converged(self) -> bool:
        """Whether the worst quantity has an R-hat below 1.1, and the worst is worth fifty draws, or all that there are."""
        return self.r_hat < LARGEST_R_HAT and self.effective_size >= min(_LEAST_SIZE, self.draws)

    @property
    def all_agree(self) -> bool:
        """Whether that holds, and the worst R-hat is below 1.1, too: for few quantities, each of which is reported."""
        return self.converged and self.r_hat < LARGEST_R_HAT


def diagnose_tables(chains: int, drawn: Iterable[Floats]) -> Diagnostics:
    """Diagnose all numbers of some tables, drawn once for each visit, the chains in turn: visits, then what a table has."""
    return diagnose(np.concatenate([table.reshape(-1, chains, table[0].size) for table in drawn], axis=2))


def diagnose(values: Floats) -> Diagnostics:
    """Measure draws: rounds x chains x quantities. Of one chain, or of fewer than four rounds, nothing can be told."""
    rounds, chains, quantities = values.shape
    draws = rounds * chains
    if rounds < 4 or chains < 2:
        return Diagnostics(1.0, 1.0, float(draws), float(draws), draws)
    at_once = max(1, _AT_ONCE // draws)
    pieces = [_measure(values[..., first : first + at_once]) for first in range(0, quantities, at_once)]
    r_hats, sizes = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    typical_r_hat, typical_size = np.quantile(r_hats, 0.9, method="higher"), np.quantile(sizes, 0.1, method="lower")
    return Diagnostics(float(r_hats.max()), float(typical_r_hat), float(sizes.min()), float(typical_size), draws)


def agreement(drawn: Floats, chains: int) -> Diagnostics:
    """Measure answers at draws that take turns with so many chains: (..., draws)."""
    answers = drawn.reshape(-1, drawn.shape[-1])
    rounds = answers.shape[1] // chains
    return diagnose(answers[:, : rounds * chains].reshape(len(answers), rounds, chains).transpose(1, 2, 0))


def r_hats(values: Floats) -> Floats:
    """R-hat of each quantity: rounds x chains x quantities, of at least four rounds and two chains."""
    split = _split(values)
    return _worse_r_hat(split, _normal_scores(split))


def _measure(values: Floats) -> tuple[Floats, Floats]:
    """R-hat and effective size of the bulk of each quantity."""
    split = _split(values)
    scores = _normal_scores(split)
    return _worse_r_hat(split, scores), _effective_size(scores)


def _split(values: Floats) -> Floats:
    """Each chain as two, its first and its second half."""
    half = len(values) // 2
    return np.concatenate([values[:half], values[-half:]], axis=1)


def _worse_r_hat(split: Floats, scores: Floats) -> Floats:
    """Of place and of width."""
    folded = _normal_scores(np.abs(split - np.median(split, axis=(0, 1))))
    return np.maximum(_r_hat(scores), _r_hat(folded))


def _normal_scores(values: Floats) -> Floats:
    """For each quantity the ranks among all its draws, as quantiles of a standard normal law (Blom)."""
    flat = np.ascontiguousarray(values.reshape(-1, values.shape[-1]).T)  # the draws of one quantity next to one another
    scores = normal_scores(flat.shape[1])
    return np.asarray(scores[(2 * _ranks(flat)).astype(np.intp) - 2].T.reshape(values.shape))


def normal_scores(count: int) -> Floats:
    """Quantiles of a standard normal law for all ranks of so many draws: whole or half numbers, from 1 on."""
    from statistics import NormalDist  # a question to what was kept should not have to load more than this

    quantile = NormalDist().inv_cdf
    return np.array([quantile((twice / 2 - 3 / 8) / (count + 1 / 4)) for twice in range(2, 2 * count + 1)])


def _ranks(values: Floats) -> Floats:
    """Ranks in each row, from 1; equal values share the average of theirs."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    count = values.shape[1]
    places = np.broadcast_to(np.arange(count), values.shape)
    rises = ordered[:, 1:] != ordered[:, :-1]
    first, last = places.copy(), places.copy()
    first[:, 1:][~rises] = 0
    last[:, :-1][~rises] = count - 1
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def _r_hat(scores: Floats) -> Floats:
    """The standard deviation over all chains by that within chains; without end where chains stand still at several places."""
    rounds = len(scores)
    within, between = scores.var(axis=0, ddof=1).mean(axis=0), scores.mean(axis=0).var(axis=0, ddof=1)
    moving, apart = within > _STILL, between > _STILL
    ratio = between / np.where(moving, within, 1)
    return np.where(moving, np.sqrt((rounds - 1) / rounds + ratio), np.where(apart, np.inf, 1.0))


def _effective_size(scores: Floats) -> Floats:
    """Total / (1 + 2 sum of autocorrelations), summed over pairs of lags while they stay positive, made to decrease (Geyer).

    Autocorrelations combine all chains, as R-hat does, so chains that disagree count little.
    """
    rounds, total = len(scores), scores.shape[0] * scores.shape[1]
    within = scores.var(axis=0, ddof=1).mean(axis=0)
    overall = within * (rounds - 1) / rounds + scores.mean(axis=0).var(axis=0, ddof=1)
    still = overall <= _STILL
    covariance = _autocovariance(scores - scores.mean(axis=0)).mean(axis=1)
    correlation = 1 - (within - covariance) / np.where(still, 1, overall)
    correlation[0] = 1
    length = _correlation_length(correlation)
    return np.asarray(np.where(still, total, total / np.maximum(length, 1 / np.log10(total))))


def _correlation_length(correlation: Floats) -> Floats:
    """1 + 2 sum of autocorrelations, from lags x quantities."""
    count = max(1, (len(correlation) - 1) // 2)
    pairs = correlation[: 2 * count].reshape(count, 2, -1).sum(axis=1)
    negative = pairs <= 0
    last = np.where(negative.any(axis=0), negative.argmax(axis=0), count - 1)
    summed = np.where(np.arange(count)[:, None] < last, np.minimum.accumulate(pairs, axis=0), 0).sum(axis=0)
    # Of the pair at which the sum ends, the even lag alone is counted, and once.
    quantities = np.arange(correlation.shape[1])
    even, pair = correlation[2 * last, quantities], pairs[last, quantities]
    return np.asarray(2 * summed - 1 + np.where((even > 0) | (pair >= 0), even, 0))


def _autocovariance(centred: Floats) -> Floats:
    """Covariance of each series with itself at all lags, by the Fourier transform; biased, as is usual."""
    length = len(centred)
    power = np.abs(np.fft.rfft(centred, 2 * length, axis=0)) ** 2
    covariance: Floats = np.fft.irfft(power, 2 * length, axis=0)[:length] / length
    return covariance
