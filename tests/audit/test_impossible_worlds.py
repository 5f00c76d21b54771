"""The guarantee where combinations are declared impossible, by listing everything that can happen in small worlds.

Neighbours are data sets of possible records. Numbers that the declaration knows are not measured; of all others the worst
ratio of the probabilities of an output is exp(sum |c - c'| / scale) for Laplace noise, and the largest divergence is
sum (c - c')^2 / (2 variance) for Gaussian noise. Both are exact fractions here.
"""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest
from support.impossible import NETWORK

from discreet import Fourier, Gaussian, KNorm, Laplace, Ledger, Network, Variable, release
from discreet.counts import family_counts
from discreet.counts.statistics import statistics
from discreet.kernel.noise import gaussian as gaussian_law
from discreet.kernel.noise import laplace as laplace_law
from discreet.measure.known_zeros import known_numbers

LEVELS = Network(
    [Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("01"))],
    {"b": ["a"], "c": ["b"]},
    impossible=[{"a": "2"}, {"a": "0", "b": "1"}, {"b": "1", "c": "0"}],
)
NETWORKS = [NETWORK, LEVELS]
LAPLACE = {
    "all": lambda epsilon: Laplace(epsilon),
    "maximal": lambda epsilon: Laplace(epsilon, tables="maximal"),
    "consistent": lambda epsilon: Laplace(epsilon, tables="maximal", consistent=True),
}


def is_possible(network, record):
    named = dict(zip(network.nodes, record, strict=True))
    return not any(all(named[node] == level for node, level in each.items()) for each in network.impossible)


def data_sets(network, rows):
    records = [
        record for record in product(*(variable.levels for variable in network.variables)) if is_possible(network, record)
    ]
    return list(combinations_with_replacement(records, rows))


def frame(network, data):
    return pl.DataFrame(list(data), schema=list(network.nodes), orient="row")


def moves(network, rows, measurements):
    """For every pair of neighbours the differences of all numbers that are measured: a list for each measurement."""
    exact = {}
    for data in data_sets(network, rows):
        found = statistics(family_counts(frame(network, data), network), network, measurements)
        exact[data] = [own[~known_numbers(network, each)] for own, each in zip(found, measurements, strict=True)]
    for one, two in product(exact, repeat=2):
        shared = list(one)
        for record in two:
            if record in shared:
                shared.remove(record)
        if len(shared) <= 1:
            yield [left - right for left, right in zip(exact[one], exact[two], strict=True)]


@pytest.mark.parametrize("network", NETWORKS, ids=["clinic", "levels"])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("tables", LAPLACE)
def test_no_output_is_likelier_than_epsilon_allows(network, rows, tables):
    epsilon = Fraction(1, 3)
    measurements = LAPLACE[tables](epsilon).measurements(network)
    assert any(known_numbers(network, each).any() for each in measurements)
    worst = max(
        sum((int(np.abs(own).sum()) / each.law.scale for own, each in zip(moved, measurements, strict=True)), Fraction(0))
        for moved in moves(network, rows, measurements)
    )
    assert worst == epsilon  # at most, and epsilon is not overstated; half the noise would be twice as much


@pytest.mark.parametrize("network", NETWORKS, ids=["clinic", "levels"])
def test_no_divergence_is_larger_than_rho_allows(network):
    rho = Fraction(1, 50)
    measurements = Gaussian(rho=rho).measurements(network)
    worst = max(
        sum(
            (int((own**2).sum()) / (2 * each.law.parameter) for own, each in zip(moved, measurements, strict=True)),
            Fraction(0),
        )
        for moved in moves(network, 1, measurements)
    )
    assert worst <= rho


@pytest.mark.parametrize("network", NETWORKS, ids=["clinic", "levels"])
@pytest.mark.parametrize("mechanism", [*(make("1/2") for make in LAPLACE.values()), Gaussian(rho="1/50")], ids=repr)
def test_known_numbers_are_zero_whatever_the_noise_and_get_none(monkeypatch, network, mechanism):
    """The kernel is asked for noise of the other numbers only, and the release is their sum: nothing else gets out."""
    asked = []

    def scripted(parameter, count, bits):
        asked.append(count)
        return np.full(count, 7)

    monkeypatch.setattr(laplace_law, "discrete_laplace", scripted)
    monkeypatch.setattr(gaussian_law, "discrete_gaussian", scripted)
    for data in data_sets(network, 2)[::3]:
        asked.clear()
        made = release(frame(network, data), network, mechanism, ledger=Ledger.unlimited()).plugin.released
        exact = statistics(family_counts(frame(network, data), network), network, made.measurements)
        measured = 0
        for each, true in zip(made.measurements, exact, strict=True):
            known = known_numbers(network, each)
            np.testing.assert_array_equal(each.published, np.where(known, 0, true + 7))
            measured += int((~known).sum())
        assert sum(asked) == measured < sum(true.size for true in exact)
        assert mechanism.plan(network, 2).released_numbers == measured


@pytest.mark.parametrize("mechanism", [KNorm("1/2"), Fourier("1/2")], ids=repr)
def test_where_numbers_share_noise_all_are_measured_as_if_nothing_were_declared(mechanism):
    free = Network(NETWORK.variables, NETWORK.parents)
    asked = [
        [(each.nodes, each.statistic, each.law) for each in mechanism.measurements(network)] for network in (NETWORK, free)
    ]
    assert asked[0] == asked[1]
    assert not any(known_numbers(NETWORK, each).any() for each in mechanism.measurements(NETWORK))
