"""Worlds in which mechanisms are tried: drawn once for all of them, and the same as ever."""

import pytest
from support.structures import alarm, naive

from discreet import UNIFORM, Auto, Network, Variable, naive_bayes, plan
from discreet.model import network as network_file
from discreet.model.prior import TablePrior
from discreet.planning import worlds as worlds_file
from discreet.planning.worlds import prior_marginals, shared_worlds, simulated_worlds, world_draws


@pytest.fixture
def drawn(monkeypatch):
    """The families whose worlds are drawn, in their order."""
    families, right = [], worlds_file.simulated_worlds
    monkeypatch.setattr(
        worlds_file, "simulated_worlds", lambda family, *others: (families.append(family), right(family, *others))[1]
    )
    shared_worlds.cache_clear()
    yield families
    shared_worlds.cache_clear()


def test_all_mechanisms_of_a_plan_are_tried_in_the_same_worlds(drawn):
    network = naive(5)
    plans = plan(network, rows=321, epsilon="1", delta="1e-6")
    assert len(plans) == 7
    assert drawn == list(network.families)[:2]  # the features have the same worlds
    assert len({each.parameter_error.sampling for each in plans if each.noise_scale is not None}) == 1


def test_a_choice_is_made_in_worlds_that_are_drawn_once(drawn):
    network = naive(6)
    choice = Auto("1").choose(network, 322)
    assert len(choice.errors) == 4
    assert drawn == list(network.families)[:2]  # the features have the same worlds


def test_worlds_of_other_public_facts_are_others():
    network = naive(4)
    one = shared_worlds(network, 500, UNIFORM)
    assert shared_worlds(network, 500, UNIFORM) is one
    assert shared_worlds(network, 501, UNIFORM) is not one
    assert {len(each.counts) for each in one.values()} == {world_draws(network)}


def test_only_one_set_of_worlds_is_kept():
    assert shared_worlds.cache_info().maxsize == 1
    network = alarm()
    kept = shared_worlds(network, 1000, UNIFORM).values()
    numbers = sum(each.counts.size for each in kept)
    assert numbers <= worlds_file._WORK


def test_the_size_of_a_network_is_counted_once(monkeypatch):
    """A plan asks for it a million times in a large network."""
    network, asked = alarm(), []
    monkeypatch.setattr(network_file.Family, "cells", property(lambda family: asked.append(family) or 1))
    sizes = {network.cells for _ in range(100)}
    assert len(sizes) == 1
    assert len(asked) <= len(network.nodes)


def test_families_that_have_the_same_worlds_are_drawn_once(drawn):
    network = naive_bayes("y", ["a", "b", "c"])
    worlds = shared_worlds(network, 77, UNIFORM)
    assert worlds["a"] is worlds["b"] is worlds["c"]
    assert worlds["a"] is not worlds["y"]
    alone = simulated_worlds(network.family("c"), 77, prior_marginals(network, UNIFORM), world_draws(network))
    for kind in ("concentration", "truth", "counts", "apart", "common"):
        assert (getattr(worlds["c"], kind) == getattr(alone, kind)).all()


def test_other_parents_another_prior_and_another_declaration_are_other_worlds():
    levels = [Variable(node, list("01")) for node in "abcd"]
    network = Network(levels, {"c": ["a"], "d": ["b"]})
    worlds = shared_worlds(network, 78, UNIFORM)
    assert worlds["a"] is worlds["b"]
    assert (worlds["c"].counts != worlds["d"].counts).any()
    skewed = shared_worlds(
        network, 78, TablePrior(network, {"a": [[1, 3]], "b": [[2, 2]], "c": [[1, 1]] * 2, "d": [[1, 1]] * 2})
    )
    assert (skewed["a"].counts != skewed["b"].counts).any()
    network = Network(levels, {"c": ["a"], "d": ["a"]}, impossible=[{"a": "0", "d": "1"}])
    worlds = shared_worlds(network, 78, UNIFORM)
    assert (worlds["c"].counts != worlds["d"].counts).any()
