"""The guarantee of Algorithm 2 in integers, by listing everything that can happen in small worlds.

The law of each odd count has q = exp(-1 / scale) set to a fraction, so that all probabilities are exact, and
exp(epsilon) = q^-(sensitivity). Nothing is clamped before publication, so the worst ratio of a count is q^-1 where it moves.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.small_worlds import data_sets, graphs, neighbours

from discreet import Fourier, Ledger, naive_bayes, release
from discreet.counts import family_counts
from discreet.counts.statistics import odd_counts
from discreet.kernel.noise import laplace as law
from discreet.measure.strategies.odd_weight import parity_sensitivity
from discreet.measure.strategies.parity_weights import Weights, parity_weights


def frame(network, data):
    return pl.DataFrame(list(data), schema=list(network.nodes), orient="row")


def scales_of_sets(published):
    return {frozenset(each.nodes): each.law.scale for each in published.measurements}


def worst_exponent(network, rows, weights=None):
    """The largest sum of moves of odd counts between neighbours, each with its weight: the worst ratio is q to minus this."""
    odd = {data: odd_counts(family_counts(frame(network, data), network), network) for data in data_sets(network, rows)}
    return max(
        sum((weights[gamma] if weights else 1) * abs(odd[data][gamma] - odd[other][gamma]) for gamma in odd[data])
        for data in odd
        for other in set(neighbours(network, data))
    )


@pytest.mark.parametrize(("nodes", "rows"), [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)])
def test_no_output_is_likelier_than_epsilon_allows(nodes, rows):
    q = Fraction(1, 2)
    for network in graphs(nodes):
        sensitivity = parity_sensitivity(network).value
        ratio, allowed = q ** -worst_exponent(network, rows), q**-sensitivity
        assert ratio <= allowed
        assert ratio == allowed  # and epsilon is not overstated
        assert ratio > q ** -(sensitivity - 1)  # a planted fault: noise for one set fewer


@pytest.mark.parametrize("epsilon", ["1", "2/7"])
@pytest.mark.parametrize(("nodes", "rows"), [(1, 2), (2, 1), (2, 2), (3, 1)])
def test_no_output_is_likelier_than_epsilon_allows_with_weights(nodes, rows, epsilon):
    """A count with noise of scale t has the worst ratio exp(1 / t) where it moves, so exponents add up, as fractions."""
    unequal = 0
    for network in [*graphs(nodes), *([naive_bayes("y", ["a", "b"])] if nodes == 3 else [])]:
        mechanism = Fourier(epsilon)
        exponents = {gamma: 1 / scale for gamma, scale in mechanism.scales(network).items()}
        unequal += len(set(exponents.values())) > 1
        worst = worst_exponent(network, rows, exponents)
        assert worst <= Fraction(epsilon)
        assert worst == Fraction(epsilon)  # and epsilon is not overstated
        made = release(frame(network, data_sets(network, rows)[0]), network, mechanism, ledger=Ledger.unlimited())
        assert scales_of_sets(made.plugin.released) == mechanism.scales(network)  # these very scales are used and published
        # A planted fault: one weight that is larger by one in the release than in the proof.
        weights = parity_weights(network)
        heaviest = max(weights.weights, key=weights.weights.__getitem__)
        planted = exponents | {heaviest: exponents[heaviest] + Fraction(epsilon) / weights.sensitivity}
        assert worst_exponent(network, rows, planted) > Fraction(epsilon)
    assert unequal > 0 or nodes < 3


def test_the_class_of_naive_bayes_weighs_as_much_as_all_features_for_nothing():
    network = naive_bayes("y", ["a", "b", "c"])
    weights = parity_weights(network, Weights.OPTIMAL)
    assert weights.weights[frozenset("y")] == 3
    assert {weight for gamma, weight in weights.weights.items() if gamma != frozenset("y")} == {1}
    assert weights.sensitivity == parity_sensitivity(network).value == worst_exponent(network, 1, weights.weights) == 6


@pytest.mark.parametrize("epsilon", ["1", "1/3"])
def test_the_release_is_the_sum_of_odd_counts_and_noise(monkeypatch, epsilon):
    network = list(graphs(3))[-1]
    for seed, data in enumerate(data_sets(network, 3)[::17]):
        size = len(network.downward_closure) - 1
        noise = np.random.default_rng(seed).integers(-3, 4, size=size)
        asked = []

        def scripted(scale, count, bits, noise=noise, asked=asked):
            asked.append((scale, count))
            return noise

        monkeypatch.setattr(law, "discrete_laplace", scripted)
        mechanism = Fourier(epsilon, weights=Weights.EQUAL)
        made = release(frame(network, data), network, mechanism, ledger=Ledger.unlimited())
        assert asked == [(parity_sensitivity(network).value / Fraction(epsilon), size)]
        odd = odd_counts(family_counts(frame(network, data), network), network)
        published = {frozenset(each.nodes): int(each.published) for each in made.plugin.released.measurements}
        assert list(published) == list(odd)
        assert list(published.values()) == [value + k for value, k in zip(odd.values(), noise, strict=True)]


def test_every_odd_count_gets_the_noise_of_its_own_scale(monkeypatch):
    """The noise of each call is its number in the order of calls, so it can be told which scale each count got."""
    network = naive_bayes("y", ["a", "b", "c", "d"])
    data = [("0",) * 5, ("1", "0", "1", "1", "0")]
    asked = []

    def scripted(scale, count, bits):
        asked.append(scale)
        return np.full(count, 1000 * len(asked))

    monkeypatch.setattr(law, "discrete_laplace", scripted)
    mechanism = Fourier("1/3")
    released = release(frame(network, data), network, mechanism, ledger=Ledger.unlimited()).plugin.released
    odd = odd_counts(family_counts(frame(network, data), network), network)
    published = {frozenset(each.nodes): int(each.published) for each in released.measurements}
    got = {gamma: asked[(published[gamma] - odd[gamma]) // 1000 - 1] for gamma in odd}
    assert len(asked) == 2
    assert got == mechanism.scales(network) == scales_of_sets(released)
