"""Worlds in which mechanisms are tried: drawn once for all of them, and the same as ever."""

import pytest
from support.structures import alarm, naive

from discreet import UNIFORM, Auto, plan
from discreet.model import network as network_file
from discreet.planning import worlds as worlds_file
from discreet.planning.worlds import shared_worlds, world_draws


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
    assert drawn == list(network.families)
    assert len({each.parameter_error.sampling for each in plans if each.noise_scale is not None}) == 1


def test_a_choice_is_made_in_worlds_that_are_drawn_once(drawn):
    network = naive(6)
    choice = Auto("1").choose(network, 322)
    assert len(choice.errors) == 4
    assert drawn == list(network.families)


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
