"""Credible intervals hold the truth as often as they say, over parameters and data sets drawn from the prior.

The study in benchmarks/coverage.py asks the same of larger networks, with hundreds of data sets for each setting.
"""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.coverage import replicate
from benchmarks.coverage_results import Tally
from discreet import Fourier, KNorm, Laplace, Network, Variable, naive_bayes
from discreet.chains.family_chain import Effort
from discreet.model.prior import UNIFORM
from discreet.posterior.noise_aware import NoiseAwarePosterior
from tests.support.measurements import noisy_counts
from tests.support.statistics import ALPHA

COINS = Network([Variable(f"coin {number}", ["head", "tail"]) for number in range(200)])
NETWORK = naive_bayes("y", ["a", "b", "c", "d", "e", "f"])
EFFORT = Effort(chains=16, warm_up=20, rounds=60)


def coins_that_hold(believed: float, *, sets: int = 3, rows: int = 200, scale: int = 20) -> Tally:
    """Coins tossed with uniform chances, counts with noise of one scale; the posterior is told that it was another."""
    tally, plugged = Tally(), Tally()
    for seed in range(sets):
        generator = np.random.default_rng(seed)
        chance = generator.random(200)
        heads = generator.binomial(rows, chance)
        counts = np.stack([heads, rows - heads], axis=1)
        noise = generator.geometric(-np.expm1(-1 / scale), (2, 200, 2))
        noisy = counts + noise[0] - noise[1]
        tables = {node: noisy[number][None] for number, node in enumerate(COINS.nodes)}
        released = noisy_counts(COINS, tables, believed, rows)
        posterior = NoiseAwarePosterior(COINS, UNIFORM, released, effort=EFFORT, seed=seed)
        for number, node in enumerate(COINS.nodes):
            lower, upper = posterior.interval(node)
            tally.add(chance[number], lower[0, 0], upper[0, 0])
            lower, upper = posterior.plugin.interval(node)
            plugged.add(chance[number], lower[0, 0], upper[0, 0])
    assert plugged.share < 0.7
    return tally


@pytest.mark.parametrize("sets", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_intervals_of_roots_hold_the_truth_nine_times_in_ten(sets):
    found = coins_that_hold(20, sets=sets)
    assert binom.ppf(ALPHA, found.asked, 0.895) <= found.held <= binom.isf(ALPHA, found.asked, 0.905)


@pytest.mark.parametrize(
    ("believed", "sets"), [(5, 1), *(pytest.param(believed, 3, marks=pytest.mark.slow) for believed in (8, 80))]
)
def test_a_wrong_scale_of_the_noise_is_noticed(believed, sets):
    found = coins_that_hold(believed, sets=sets)
    assert not binom.ppf(ALPHA, found.asked, 0.895) <= found.held <= binom.isf(ALPHA, found.asked, 0.905)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [lambda: Laplace("1"), lambda: KNorm("1"), lambda: Fourier("1")], ids=["laplace", "knorm", "fourier"]
)
def test_intervals_of_parameters_and_queries_hold_the_truth_as_often_as_they_say(make):
    found = [replicate(NETWORK, make, 1000, seed, EFFORT) for seed in range(20)]
    for kind in ("others", "queries"):
        total = sum((each[kind] for each in found), Tally())
        # Intervals of one data set are related, so the band is that of half as many.
        half = total.asked // 2
        assert binom.ppf(ALPHA, half, 0.9) / half <= total.share, (kind, total)
        assert total.share <= binom.isf(ALPHA, half, 0.9) / half, (kind, total)


@pytest.mark.slow
def test_the_plug_in_posterior_fails_at_epsilon_one_and_a_thousand_records():
    network = naive_bayes("y", [f"x{number}" for number in range(16)])
    found = [replicate(network, lambda: Laplace("1"), 1000, seed, EFFORT) for seed in range(2)]
    plugged = sum((each["plug-in others"] for each in found), Tally())
    assert plugged.held < binom.ppf(ALPHA, plugged.asked, 0.86)
    aware = sum((each["others"] for each in found), Tally())
    assert binom.ppf(ALPHA, aware.asked, 0.9) <= aware.held
