"""The guarantee of discrete Gaussian noise on margins, by listing everything that can happen in small worlds.

The divergence of order a between a discrete Gaussian of parameter v and its shift by D is at most a D^2 / (2 v); both sides
are computed, and costs over all cells are exact fractions.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.small_worlds import data_sets, graphs, neighbours

from discreet import Ledger, Network, Variable, release
from discreet.counts import family_counts
from discreet.counts.statistics import margin_counts
from discreet.kernel.noise import gaussian as law
from discreet.mechanisms.gaussian import Gaussian

THREE = [
    Network([Variable("a", list("012")), Variable("b", list("01"))], {"b": ["a"]}),
    Network([Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("01"))], {"b": ["a"], "c": ["a", "b"]}),
]
RHO = Fraction(1, 3)


def frame(network, data):
    return pl.DataFrame(list(data), schema=list(network.nodes), orient="row")


def made(network, data):
    return release(frame(network, data), network, Gaussian(rho=RHO), ledger=Ledger.unlimited()).plugin.released


def margins_of(network, data, margins):
    tables = family_counts(frame(network, data), network)
    return [margin_counts(tables, network, margin.nodes) for margin in margins]


def worst_cost(network, rows, margins):
    """The largest sum of D^2 / (2 v) over all cells between neighbours, exactly."""
    tables = {data: margins_of(network, data, margins) for data in data_sets(network, rows)}
    return max(
        sum(
            Fraction(int(((one - two) ** 2).sum())) / (2 * margin.law.parameter)
            for one, two, margin in zip(tables[data], tables[other], margins, strict=True)
        )
        for data in tables
        for other in set(neighbours(network, data))
    )


def divergence(order, shift, variance):
    """The Renyi divergence between the discrete Gaussian law and its shift, by summation."""
    values = np.arange(-400, 401)
    one, two = (-(values**2) / (2 * variance), -((values - shift) ** 2) / (2 * variance))
    one, two = (part - np.log(np.exp(part).sum()) for part in (one, two))
    return float(np.log(np.exp(order * one + (1 - order) * two).sum()) / (order - 1))


@pytest.mark.parametrize("network", [*graphs(1), *graphs(2), *list(graphs(3))[::2], *THREE], ids=repr)
def test_no_divergence_is_larger_than_rho_allows(network):
    margins = made(network, data_sets(network, 1)[0]).measurements
    worst = worst_cost(network, 1, margins)
    assert worst <= RHO
    assert worst == RHO  # and rho is not overstated
    for margin in margins:
        variance = float(margin.law.parameter)
        for order in (1.5, 2, 8):
            # Two cells of a margin move by one each.
            assert 2 * divergence(order, 1, variance) <= order / variance * (1 + 1e-9)
            assert 2 * divergence(order, 1, variance / 2) > order / variance  # planted: half the variance


@pytest.mark.parametrize("network", THREE, ids=repr)
def test_the_release_is_the_sum_of_margins_and_noise(monkeypatch, network):
    """With the noise known, the release is known: nothing else of the records gets out."""
    for seed, data in enumerate(data_sets(network, 2)[::9]):
        generator, drawn = np.random.default_rng(seed), {}

        def scripted(variance, count, bits, generator=generator, drawn=drawn):
            assert variance not in drawn
            drawn[variance] = generator.integers(-3, 4, size=count)
            return drawn[variance]

        monkeypatch.setattr(law, "discrete_gaussian", scripted)
        released = made(network, data)
        assert set(drawn) == {margin.law.parameter for margin in released.measurements}
        true = margins_of(network, data, released.measurements)
        for margin, exact in zip(released.measurements, true, strict=True):
            noisy, variance = margin.published, margin.law.parameter
            noise, drawn[variance] = np.split(drawn[variance], [exact.size])  # equal variances, one call
            np.testing.assert_array_equal(noisy, exact + noise.reshape(exact.shape))
        assert not any(left.size for left in drawn.values())
