"""What the chains over several releases visit: tables of all records, whatever was measured, with what is known besides."""

import numpy as np
import pytest
from support.measurements import counts, noisy_counts

from discreet import JEFFREYS, UNIFORM, Effort, Hierarchical, Network, Variable
from discreet.chains.fused_visits import visit_together
from discreet.chains.visits import visit
from discreet.measure.laws import LaplaceNoise
from discreet.measure.published import Published
from discreet.measure.together import PublishedTogether

PAIR = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
CLOSED = Network([Variable("y", list("01")), Variable("x", list("012"))], {"x": ["y"]}, impossible=[{"y": "1", "x": "0"}])
QUICK = Effort(chains=4, warm_up=10, rounds=20)
MEASURED = [("yx", np.array([[60.0, 20.0], [40.0, 80.0]])), ("y", np.array([80.0, 120.0]))]


def tables(network, rows, seed, scale=3):
    generator = np.random.default_rng(seed)
    family = network.family("x")
    possible = np.array([[1, 1, 1], [0, 1, 1]])[:, : family.levels] if network is CLOSED else np.ones((2, 2))
    drawn = generator.multinomial(rows, (possible / possible.sum()).ravel()).reshape(possible.shape)
    return noisy_counts(network, {"x": drawn}, scale, rows)


@pytest.mark.fast("declared-some impossible")
@pytest.mark.parametrize("network", [PAIR, CLOSED], ids=["all possible", "some impossible"])
@pytest.mark.parametrize("prior", [JEFFREYS, Hierarchical()], ids=["declared", "learned"])
def test_tables_are_of_all_records_and_parameters_those_of_the_prior_and_ones_own_records(network, prior):
    released = PublishedTogether(network, (tables(network, 50, 1), tables(network, 30, 2)))
    own = {family.node: np.zeros((family.configurations, family.levels)) for family in network.families}
    own["y"][0, 1] = own["x"][1, 1] = 7
    found = visit_together(network, prior, released, own, QUICK, 3)
    for family in network.families:
        assert found.counts[family.node].shape == (80, family.configurations, family.levels)
        assert (found.counts[family.node].sum(axis=(1, 2)) == 80).all()
        concentrations = found.concentrations(family)
        rest = concentrations - found.counts[family.node] - own[family.node]
        if prior == JEFFREYS:
            np.testing.assert_allclose(rest[concentrations > 0], 0.5)
        if network is CLOSED and family.node == "x":
            assert (concentrations[:, 1, 0] == 0).all()
    again = visit_together(network, prior, released, own, QUICK, 3)
    np.testing.assert_array_equal(again.counts["x"], found.counts["x"])


@pytest.mark.slow
def test_a_release_that_is_nothing_but_noise_hardly_changes_what_another_says():
    clear, hopeless = tables(PAIR, 400, 1, 2), tables(PAIR, 400, 2, 10**6)
    effort = Effort(chains=16, warm_up=40, rounds=60)
    alone = visit(PAIR, UNIFORM, clear, {}, effort, 1)
    both = visit_together(PAIR, UNIFORM, PublishedTogether(PAIR, (clear, hopeless)), {}, effort, 1)
    for family in PAIR.families:
        means = []
        for found in (alone, both):
            shares = found.concentrations(family) / found.concentrations(family).sum(axis=2, keepdims=True)
            means.append(shares.mean(axis=0))
        spread = np.sqrt(means[0] * (1 - means[0]) / 200)  # of a share of about half of the records
        assert (np.abs(means[1] - means[0]) < spread).all()


@pytest.mark.slow
def test_a_node_that_was_measured_in_one_release_alone_is_known_from_it():
    """In the second release nothing was measured but the table of both nodes; in the first each has numbers of its own."""
    first = Published(PAIR, tuple(counts(nodes, LaplaceNoise(2.0), numbers) for nodes, numbers in MEASURED), 200)
    found = visit_together(PAIR, UNIFORM, PublishedTogether(PAIR, (first, tables(PAIR, 200, 4))), {}, Effort(8, 30, 40), 2)
    share = found.counts["y"][:, 0, 0].mean() / 400
    margins = first.update(PAIR.family("y"))[0, 0] + tables(PAIR, 200, 4).update(PAIR.family("y"))[0, 0]
    assert share == pytest.approx(margins / 400, abs=0.03)


def spread(found, family):
    """The standard deviation of the first level's share, sampling and noise together."""
    tables = found.concentrations(family)
    shares = tables / tables.sum(axis=2, keepdims=True)
    within = (shares * (1 - shares) / (tables.sum(axis=2, keepdims=True) + 1)).mean(axis=0)
    return np.sqrt(shares.var(axis=0) + within)[:, 0]


def test_one_release_among_none_is_believed_as_it_is_alone():
    """Alone, such a node is read off its children's tables; among several it has a table of its own, which is tied to them."""
    released, effort = tables(PAIR, 400, 1, 3), Effort(chains=32, warm_up=30, rounds=40)
    alone = visit(PAIR, UNIFORM, released, {}, effort, 1)
    fused = visit_together(PAIR, UNIFORM, PublishedTogether(PAIR, (released,)), {}, effort, 1)
    measured, other = PAIR.family("x"), PAIR.family("y")
    assert spread(fused, measured) == pytest.approx(spread(alone, measured), rel=0.1)
    assert spread(fused, other) == pytest.approx(spread(alone, other), rel=0.1)
