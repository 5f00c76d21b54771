"""The guarantee of posterior draws, by listing everything that can happen in small worlds.

The posterior of a data set is a product of truncated Beta densities, one for each split. The largest ratio of such densities
under neighbouring data sets is what a draw reveals; parameters and floors are those that the mechanism really uses.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from support.posterior_worlds import frame, largest_log_ratio, shapes_of
from support.small_worlds import data_sets, graphs, neighbours

from discreet import UNIFORM, Ledger, Network, Sampler, Symmetric, Variable, naive_bayes, release
from discreet.kernel.draws import truncated_beta as split_draws
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.measure.strategies.lipschitz import floor_for
from discreet.mechanisms.split_shapes import prior_base
from discreet.model.probability import levels_from_splits

MORE_LEVELS = [
    Network([Variable("a", list("012")), Variable("b", list("01"))], {"b": ["a"]}),
    Network([Variable("a", list("01")), Variable("b", list("0123"))], {"b": ["a"]}),
    Network([Variable("a", list("01234"))]),
]
WORLDS = [*graphs(2), *list(graphs(3))[::4], *MORE_LEVELS]
SAMPLERS = [Sampler("1"), Sampler("4", temper=1), Sampler("2", floor="0.05"), Sampler("3", draws=3, temper="0.5")]


def worst_log_ratio(network, rows, law, prior=UNIFORM):
    base = prior_base(network, prior)
    shapes = {data: shapes_of(network, data, base, law.temper) for data in data_sets(network, rows)}
    return max(
        largest_log_ratio(mine, shapes[other], law.floor)
        for data, mine in shapes.items()
        for other in set(neighbours(network, data))
    )


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize("network", WORLDS, ids=repr)
def test_no_draw_is_likelier_than_epsilon_allows(network, sampler):
    rows = 2 if network.cells < 8 else 1
    worst = worst_log_ratio(network, rows, sampler.law(network, rows))
    assert worst * sampler.draws <= sampler.epsilon * (1 + 1e-9)
    assert worst * sampler.draws >= 0.2 * sampler.epsilon  # and the check is not idle


def test_no_draw_is_likelier_than_epsilon_allows_under_another_prior():
    network = MORE_LEVELS[0]
    law = Sampler("4", temper=1).law(network, 2)
    for prior in (Symmetric(0.3), Symmetric(7.0)):
        assert worst_log_ratio(network, 2, law, prior) <= 4 * (1 + 1e-9)


FORK = Network([Variable("a", list("01")), Variable("b", list("01")), Variable("c", list("01"))], {"b": ["a"], "c": ["a"]})


def ratio_at_the_extreme(rows, law):
    """Neighbours from whom one record pulls the farthest: it is the only one of its kind, and the others crowd the corners.

    All have level 1, but for a twentieth with a = 0, so that this configuration of b and c is crowded too.
    """
    few = rows // 20
    others = [("1", "1", "1")] * (rows - few) + [("0", "1", "1")] * few
    mine = [("0", "0", "0"), *others[1:]]
    base = prior_base(FORK, UNIFORM)
    first, second = (shapes_of(FORK, data, base, law.temper) for data in (mine, others))
    return max(largest_log_ratio(first, second, law.floor), largest_log_ratio(second, first, law.floor))


@pytest.mark.parametrize(("sampler", "rows"), [(Sampler("12", temper=1), 4000), (Sampler("3", floor="0.1"), 20_000)], ids=repr)
def test_the_bound_is_approached_by_many_records(sampler, rows):
    reached = ratio_at_the_extreme(rows, sampler.law(FORK, rows))
    assert 0.9 * sampler.epsilon < reached <= sampler.epsilon


@pytest.mark.parametrize(
    "fault",
    [
        lambda network, epsilon: floor_for(network, 2 * epsilon),  # the factor 2 of replacing a record is missing
        lambda network, epsilon: floor_for(network, len(network.nodes) * epsilon),  # epsilon for each node, not for all
        lambda network, epsilon: Fraction(math.ceil(math.exp(-epsilon / 2) * 2**32), 2**32),  # as printed: exp(-epsilon / 2)
    ],
    ids=["factor two", "per node", "as printed"],
)
def test_planted_faults_exceed_epsilon(fault):
    epsilon = Fraction(6)
    honest, wrong = (DrawLaw(floor, Fraction(1)) for floor in (floor_for(FORK, epsilon), fault(FORK, epsilon)))
    assert ratio_at_the_extreme(4000, honest) <= epsilon
    assert ratio_at_the_extreme(4000, wrong) > epsilon


def test_the_printed_floor_reveals_ten_times_what_it_claims():
    """GUARANTEES 5.2: sixteen features, floor 0.1, fifty records: claimed 4.61, at least 48.5 in truth, 74.7 the bound."""
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    floor = Fraction(math.ceil(2**32 / 10), 2**32)
    base = prior_base(network, UNIFORM)
    ones, flipped = ("1",) * 17, ("1",) + ("0",) * 16
    assert network.nodes[0] == "y"
    mine, others = (shapes_of(network, data, base, Fraction(1)) for data in ([ones] * 49 + [flipped], [ones] * 50))
    best = max(largest_log_ratio(mine, others, floor), largest_log_ratio(others, mine, floor))
    assert 2 * math.log(10) == pytest.approx(4.61, abs=0.01)
    assert 48 < best < 2 * 17 * math.log(9) == pytest.approx(74.7, abs=0.05)


def test_one_edge_approaches_its_bound_as_records_are_added():
    """GUARANTEES 5.2: X -> Y with floor 0.1: 5.02, 5.70, 6.25 for 2, 4, 8 records, below 4 log 9 = 8.79."""
    network = Network([Variable("x", list("01")), Variable("y", list("01"))], {"y": ["x"]})
    law = DrawLaw(Fraction(math.ceil(2**32 / 10), 2**32), Fraction(1))
    found = [worst_log_ratio(network, rows, law) for rows in (2, 4)]
    np.testing.assert_allclose(found, [5.02, 5.70], atol=0.01)


@pytest.mark.parametrize("sampler", [Sampler("1", draws=2), Sampler("1", delta="1e-6", truncated=False)], ids=repr)
def test_the_release_is_made_of_the_draws_alone(monkeypatch, sampler):
    """With the draws known, the release is known: nothing else of the records gets out."""
    network = MORE_LEVELS[0]
    given = {}

    def scripted(first, second, floor, bits):
        given.setdefault((first, second, floor), 0)
        return 2**31 + len(given)

    monkeypatch.setattr(split_draws, "truncated_beta", scripted)
    seen = []
    for data in data_sets(network, 3)[:6]:
        given.clear()
        made = release(frame(network, data), network, sampler, ledger=Ledger.unlimited()).posterior
        seen.append({node: table.shape for node, table in made.splits.items()})
        law = sampler.law(network, 3)
        assert made.law == law
        expected = shapes_of(network, data, prior_base(network, UNIFORM), law.temper)
        assert list(given) == list(dict.fromkeys((a, b, int(law.floor * 2**32)) for a, b in expected))
        for node in network.nodes:
            np.testing.assert_array_equal(made.mean(node), levels_from_splits(made.splits[node] / 2**32).mean(axis=0))
    assert all(shapes == seen[0] for shapes in seen)
