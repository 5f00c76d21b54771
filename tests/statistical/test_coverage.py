"""Credible intervals hold the truth as often as they say, over parameters and data sets drawn from the prior.

The bands are wide enough for this few data sets: the true share is 0.9, and intervals of one data set are nearly independent.
The study in benchmarks/coverage.py is the same with hundreds of data sets for each setting.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from tests.support.statistics import ALPHA

from benchmarks.coverage import Tally, replicate
from discreet import Fourier, KNorm, Laplace, Network, PointPosterior, Variable, naive_bayes
from discreet.model.prior import UNIFORM
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.family_chain import Effort
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.noisy_counts import NoisyCounts

NETWORK = naive_bayes("y", ["a", "b", "c", "d", "e", "f"])
EFFORT = Effort(chains=16, warm_up=8, rounds=16)


def shares(make, sets: int, rows: int = 1000) -> dict[str, Tally]:
    found = [replicate(NETWORK, make, rows, seed, EFFORT) for seed in range(sets)]
    return {kind: sum((each[kind] for each in found), Tally()) for kind in found[0]}


@pytest.mark.parametrize("make", [lambda: Laplace("1"), lambda: KNorm("1"), lambda: Fourier("1")], ids=["laplace", "knorm", "fourier"])
def test_intervals_of_parameters_and_queries_hold_the_truth_as_often_as_they_say(make):
    found = shares(make, 10)
    for kind in ("others", "queries"):
        assert 0.8 <= found[kind].share <= 0.98, (kind, found[kind])


def test_the_plug_in_posterior_fails_at_epsilon_one_and_a_thousand_records():
    found = shares(lambda: Laplace("0.5"), 6)
    for kind in ("plug-in roots", "plug-in others"):
        # Were its intervals true, so few would happen with probability ALPHA at most, even if roots counted alone.
        assert found["plug-in others"].held <= binom.ppf(ALPHA, found["plug-in others"].asked, 0.86), kind
