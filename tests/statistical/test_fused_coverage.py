"""Intervals of fused releases hold the truth as often as they say; a wrong belief about one of the files is noticed."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.coverage_results import Tally
from benchmarks.fusion import NETWORKS, WAYS, replicate
from discreet import Network, Variable
from discreet.chains.family_chain import Effort
from discreet.measure.together import PublishedTogether
from discreet.model.prior import UNIFORM
from discreet.posterior.noise_aware import NoiseAwarePosterior
from tests.support.measurements import noisy_counts
from tests.support.statistics import ALPHA

COINS = Network([Variable(f"coin {number}", ["head", "tail"]) for number in range(200)])
EFFORT = Effort(chains=8, warm_up=20, rounds=30)
SCALES = (10, 40)
ROWS = (200, 100)


def coins_that_hold(believed=SCALES, *, sets=2):
    """Coins tossed in two places, with noise of another scale in each; the posterior is told that the scales were others."""
    tally = Tally()
    for seed in range(sets):
        generator = np.random.default_rng(seed)
        chance = generator.random(200)
        parts = []
        for rows, scale, told in zip(ROWS, SCALES, believed, strict=True):
            heads = generator.binomial(rows, chance)
            noise = generator.geometric(-np.expm1(-1 / scale), (2, 200, 2))
            noisy = np.stack([heads, rows - heads], axis=1) + noise[0] - noise[1]
            tables = {node: noisy[number][None] for number, node in enumerate(COINS.nodes)}
            parts.append(noisy_counts(COINS, tables, told, rows))
        released = PublishedTogether(COINS, tuple(parts))
        posterior = NoiseAwarePosterior(COINS, UNIFORM, released, effort=EFFORT, seed=seed)
        for number, node in enumerate(COINS.nodes):
            lower, upper = posterior.interval(node)
            tally.add(chance[number], lower[0, 0], upper[0, 0])
    return tally


def fits(found):
    return binom.ppf(ALPHA, found.asked, 0.895) <= found.held <= binom.isf(ALPHA, found.asked, 0.905)


@pytest.mark.parametrize("sets", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_intervals_of_coins_tossed_in_two_places_hold_the_truth_nine_times_in_ten(sets):
    assert fits(coins_that_hold(sets=sets))


@pytest.mark.parametrize(
    ("believed", "sets"),
    [
        pytest.param((2, 10), 1, id="both too sure", marks=pytest.mark.slow),
        pytest.param((10, 4), 2, id="second too sure", marks=pytest.mark.slow),
        pytest.param((2, 40), 2, id="first too sure", marks=pytest.mark.slow),
        pytest.param((80, 400), 6, id="both too wide", marks=pytest.mark.slow),
    ],
)
def test_a_wrong_scale_of_the_noise_of_one_place_is_noticed(believed, sets):
    assert not fits(coins_that_hold(believed, sets=sets))


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS)
def test_intervals_of_fused_releases_hold_the_truth_as_often_as_they_say(network):
    found = [replicate(NETWORKS[network], ("1", "0.5", "0.1"), seed)[WAYS[1]][0] for seed in range(30)]
    total = sum(found, Tally())
    half = total.asked // 2  # intervals of one data set are related
    assert binom.ppf(ALPHA, half, 0.9) / half <= total.share <= binom.isf(ALPHA, half, 0.9) / half, total
