"""The guarantee of noise on maximal families with unequal shares, by listing everything that can happen in small worlds.

A cell c gets noise with P(k) proportional to exp(-|k| / scale), so the worst ratio of the probabilities of an output is
exp(sum |c - c'| / scale) over all cells, and it is attained. Scales are fractions, so the exponent is exact.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.measurements import scales_of, tables_of
from support.small_worlds import data_sets, graphs, neighbours

from discreet import BudgetError, FormatError, Laplace, Ledger, Network, Variable, release
from discreet.counts import family_counts
from discreet.kernel.noise import laplace as law
from discreet.measure.strategies import laplace as strategy
from discreet.mechanisms.pipeline import prepare

THREE = [
    Network([Variable("a", list("012")), Variable("b", list("01"))], {"b": ["a"]}),
    Network([Variable("a", list("012")), Variable("b", list("01"))]),
    Network([Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("01"))], {"b": ["a"], "c": ["a", "b"]}),
    Network([Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("01"))], {"b": ["a"]}),
]
EPSILONS = ["1", "1/3", "0.7"]


def frame(network, data):
    return pl.DataFrame(list(data), schema=list(network.nodes), orient="row")


def consistent(epsilon):
    return Laplace(epsilon, tables="maximal", consistent=True)


def worst_exponent(network, rows, scales):
    """The logarithm of the largest ratio of the probabilities of an output under neighbours, exactly."""
    tables = {data: family_counts(frame(network, data), network) for data in data_sets(network, rows)}
    return max(
        sum(int(np.abs(tables[data][node] - tables[other][node]).sum()) / scale for node, scale in scales.items())
        for data in tables
        for other in set(neighbours(network, data))
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("network", [*graphs(2), *list(graphs(3))[::3], *THREE], ids=repr)
def test_no_output_is_likelier_than_epsilon_allows(network, epsilon):
    data = data_sets(network, 1)[0]
    made = release(frame(network, data), network, consistent(epsilon), ledger=Ledger.unlimited()).plugin.released
    scales = scales_of(made)
    allowed = Fraction(epsilon)
    worst = worst_exponent(network, 1, scales)
    assert worst <= allowed
    assert worst == allowed  # and epsilon is not overstated
    # A planted fault: scales for half the sensitivity, as for data sets that differ by adding a record.
    assert worst_exponent(network, 1, {node: scale / 2 for node, scale in scales.items()}) > allowed


def test_two_records_protect_one_another_no_less():
    network = THREE[0]
    data = data_sets(network, 2)[3]
    made = release(frame(network, data), network, consistent("1"), ledger=Ledger.unlimited()).plugin.released
    scales = scales_of(made)
    assert worst_exponent(network, 2, scales) == 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_release_is_the_sum_of_maximal_counts_and_noise(monkeypatch, epsilon):
    """With the noise known, the release is known: nothing else of the records gets out, and scales are the proven ones."""
    network = THREE[3]
    for seed, data in enumerate(data_sets(network, 3)[::29]):
        generator = np.random.default_rng(seed)
        drawn = {}

        def scripted(scale, count, bits, generator=generator, drawn=drawn):
            drawn[scale] = generator.integers(-5, 6, size=count)
            return drawn[scale]

        monkeypatch.setattr(law, "discrete_laplace", scripted)
        released = release(frame(network, data), network, consistent(epsilon), ledger=Ledger.unlimited()).plugin.released
        tables, scales = tables_of(released), scales_of(released)
        assert list(tables) == list(scales) == ["b", "c"]
        assert sum(2 / scale for scale in scales.values()) == Fraction(epsilon)
        assert sorted(drawn) == sorted(scales.values())
        counts = family_counts(frame(network, data), network)
        for node, table in tables.items():
            noise = drawn[scales[node]].reshape(table.shape)
            np.testing.assert_array_equal(table, counts[node] + noise)


def test_shares_that_sum_to_more_than_epsilon_cost_nothing_and_publish_nothing(monkeypatch, tmp_path):
    """A planted fault in the split is stopped before the charge: by the file that is tried first, and by the kernel alone."""
    honest = strategy.optimal_shares

    def greedy(network, epsilon):
        return {node: share * Fraction(1001, 1000) for node, share in honest(network, epsilon).items()}

    monkeypatch.setattr(strategy, "optimal_shares", greedy)
    ledger = Ledger(tmp_path / "ledger", cap="1")
    prepared = prepare(frame(THREE[0], data_sets(THREE[0], 1)[0]), THREE[0], consistent("1/2"), ledger=ledger)
    with pytest.raises(FormatError, match="does not fit its guarantee"):
        prepared.publish()
    with pytest.raises(BudgetError, match="sum to more than the guarantee"):
        prepared.charge_and_draw()
    assert ledger.spent == 0
