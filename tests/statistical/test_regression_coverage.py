"""Intervals of the noise-aware posterior hold the truth as often as they say, where the model is true."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import binomtest
from support.bits import SeededBits
from support.regressions import line_model, line_records
from support.statistics import ALPHA

from discreet.kernel.ledger import Ledger
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.posterior import linear as regression
from discreet.posterior.linear import RegressionPosterior

PRECISION = 16


def posteriors(repeats, features, rows, epsilon, precision=PRECISION):
    """Releases of records whose weights come from a prior that is declared or, without a precision, not; with the truth."""
    for seed in range(repeats):
        generator = np.random.default_rng([seed, rows])
        weights = generator.standard_normal(features + 1) / np.sqrt(PRECISION)
        model = line_model(features, precision=precision)
        scaled = weights / np.sqrt(features + 1)
        data = line_records(rows, features, seed, intercept=scaled[0], slopes=scaled[1:])
        release = RegressionMoments(epsilon).release(data, model, ledger=Ledger.unlimited(), _bits=SeededBits(seed))
        yield release.posterior, model.to_units(weights)


def held(found):
    return [
        entry.lower < value < entry.upper
        for posterior, truth in found
        for entry, value in zip(posterior.summary(0.9), truth, strict=True)
    ]


@pytest.mark.fast("16")
@pytest.mark.parametrize("precision", [PRECISION, None])
def test_intervals_hold_the_truth_and_would_not_if_noise_were_ignored(monkeypatch, precision):
    """Planted: a posterior that takes the noisy moments for ten times less noisy than they are. Short chains are enough."""
    for name, value in {"_SETTLE": 12, "_BLOCK": 30, "_MOST_BLOCKS": 1}.items():
        monkeypatch.setattr(regression, name, value)
    found = list(posteriors(8, 2, 500, "1", precision))
    inside = held(found)
    assert binomtest(sum(inside), len(inside), 0.9).pvalue > ALPHA
    naive = []
    for posterior, truth in found:
        released = posterior.released
        noise = dataclasses.replace(released.noise, scale=released.noise.scale / 10)
        measurement = dataclasses.replace(released.measurement, law=noise)
        naive.append((RegressionPosterior(posterior.model, dataclasses.replace(released, measurement=measurement)), truth))
    assert np.mean(held(naive)) < 0.75 < np.mean(inside)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize(("rows", "precision"), [(500, PRECISION), (40_000, PRECISION), (40_000, None)])
def test_ninety_percent_intervals_hold_the_truth_86_to_94_times_in_a_hundred(rows, epsilon, precision):
    """A learned prior expects larger slopes than these; where noise hides them, its intervals are wider and hold more."""
    inside = held(posteriors(80, 6, rows, epsilon, precision))
    assert 0.86 < np.mean(inside) < 0.94
