"""The guarantee of Algorithm 1, checked without any theorem: by listing everything that can happen in small worlds.

The scale is written as q = exp(-1 / scale) and set to a fraction, so that all probabilities are exact fractions, and
exp(epsilon) = q^-(sensitivity).
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.measurements import tables_of
from support.small_worlds import clamped_law, counts, data_sets, graphs, worst_ratio

from discreet import Laplace, Ledger, release
from discreet.counts import family_counts, family_sensitivity
from discreet.kernel.noise import laplace as law

WORLDS = [(nodes, rows) for nodes in (1, 2, 3) for rows in (1, 2, 3)]
QS = [Fraction(1, 2), Fraction(9, 10)]


@pytest.mark.fast("[12]-?", "3-[12]")
@pytest.mark.parametrize(("nodes", "rows"), WORLDS)
def test_no_output_is_likelier_than_epsilon_allows(nodes, rows):
    for network in graphs(nodes):
        for q in QS:
            allowed = q ** -family_sensitivity(network)
            assert worst_ratio(network, rows, q) <= allowed
            # For one record the bound is reached: epsilon is not overstated either.
            assert rows > 1 or worst_ratio(network, rows, q) == allowed


@pytest.mark.parametrize(("nodes", "rows"), WORLDS)
def test_noise_for_half_the_sensitivity_is_caught(nodes, rows):
    """A planted fault: scale |I| / epsilon, as for data sets that differ by adding a record."""
    network = next(iter(graphs(nodes)))
    allowed = Fraction(1, 2) ** -family_sensitivity(network)
    assert worst_ratio(network, rows, Fraction(1, 2) ** 2) > allowed


def test_an_indicator_in_place_of_clamping_is_caught_where_it_leaks():
    """A planted fault: a cell that is published without noise as soon as it is empty."""

    def leaky(count, rows, q):
        return clamped_law(count, rows, q) if count else [1 - q**9] + [q**9 / rows] * rows

    network = next(iter(graphs(1)))
    assert worst_ratio(network, 3, Fraction(1, 2), leaky) > Fraction(1, 2) ** -family_sensitivity(network)


def test_the_counts_of_the_small_worlds_are_the_counts_of_the_package():
    for network in graphs(3):
        for data in data_sets(network, 2)[::7]:
            frame = pl.DataFrame(list(data), schema=list(network.nodes), orient="row")
            tables = family_counts(frame, network)
            assert tuple(int(value) for node in network.nodes for value in tables[node].ravel()) == counts(network, data)


@pytest.mark.parametrize("epsilon", ["1", "1/3"])
def test_the_release_is_the_clamped_sum_of_counts_and_noise(monkeypatch, epsilon):
    """With the noise known, the release is known: nothing else of the records gets out, and the scale is the proven one."""
    network = list(graphs(3))[-1]
    for seed, data in enumerate(data_sets(network, 3)[::11]):
        noise = np.random.default_rng(seed).integers(-5, 6, size=network.cells)
        asked = []

        def scripted(scale, count, bits, noise=noise, asked=asked):
            asked.append((scale, count))
            return noise

        monkeypatch.setattr(law, "discrete_laplace", scripted)
        frame = pl.DataFrame(list(data), schema=list(network.nodes), orient="row")
        result = release(frame, network, Laplace(epsilon), ledger=Ledger.unlimited())
        assert asked == [(family_sensitivity(network) / Fraction(epsilon), network.cells)]
        expected = np.array(counts(network, data)) + noise
        published = np.concatenate([tables_of(result.plugin.released)[node].ravel() for node in network.nodes])
        np.testing.assert_array_equal(published, expected)
        updates = np.concatenate([result.plugin.concentration(node).ravel() for node in network.nodes])
        np.testing.assert_array_equal(updates, 1 + np.clip(expected, 0, 3))
