"""The guarantee of Algorithm 2 in integers, by listing everything that can happen in small worlds.

The law of each odd count has q = exp(-1 / scale) set to a fraction, so that all probabilities are exact, and
exp(epsilon) = q^-(sensitivity). Nothing is clamped before publication, so the worst ratio of a count is q^-1 where it moves.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.small_worlds import data_sets, graphs, neighbours

from discreet import Fourier, Ledger, release
from discreet.bounds.parity_sensitivity import parity_sensitivity
from discreet.counts import family_counts
from discreet.counts.parities import odd_counts
from discreet.kernel import release as kernel_release


def frame(network, data):
    return pl.DataFrame(list(data), schema=list(network.nodes), orient="row")


def worst_exponent(network, rows):
    """The largest sum of moves of odd counts between neighbours: the worst ratio is q to minus this."""
    odd = {data: odd_counts(family_counts(frame(network, data), network), network) for data in data_sets(network, rows)}
    return max(
        sum(abs(odd[data][gamma] - odd[other][gamma]) for gamma in odd[data])
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

        monkeypatch.setattr(kernel_release, "discrete_laplace", scripted)
        made = release(frame(network, data), network, Fourier(epsilon), ledger=Ledger.unlimited())
        assert asked == [(parity_sensitivity(network).value / Fraction(epsilon), size)]
        odd = odd_counts(family_counts(frame(network, data), network), network)
        assert list(made.plugin.released.odd.values()) == [value + k for value, k in zip(odd.values(), noise, strict=True)]
