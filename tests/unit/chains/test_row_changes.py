"""Blocks of cells that change at once: what noise and sums say of each, against tables looked at afresh."""

from dataclasses import fields

import numpy as np
import pytest
from support.measurements import counts, part_noise
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.family_state import FamilyState, begin
from discreet.chains.row_changes import RowChanges, merge, noise_of
from discreet.chains.sum_forms import SumForms
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic

PAIR = Network(
    [Variable("y", list("0123")), Variable("a", list("01")), Variable("b", list("01"))], {"a": ["y"], "b": ["a", "y"]}
)
GENERATOR = np.random.default_rng(3)


def noisy(*shape):
    return GENERATOR.integers(-2, 9, shape).astype(float)


WORLDS = {
    "cells": [counts("ya", LaplaceNoise(2.0), noisy(4, 2)), counts("ayb", LaplaceNoise(2.0), noisy(2, 4, 2))],
    "squares": [counts("ya", GaussianNoise(3.0), noisy(4, 2)), counts("ayb", GaussianNoise(3.0), noisy(2, 4, 2))],
    "rows": [counts("ya", part_noise(2, 4), noisy(4, 2)), counts("ayb", part_noise(2, 8), noisy(2, 4, 2))],
    "contrasts": [
        Measurement(("y", "a"), Statistic.CONTRAST, LaplaceNoise(2.0), noisy(4)),
        Measurement(("a", "y", "b"), Statistic.CONTRAST, LaplaceNoise(2.0), noisy(2, 4)),
    ],
    "sums": [
        counts("ya", LaplaceNoise(2.0), noisy(4, 2)),
        Measurement(("b",), Statistic.CONTRAST, LaplaceNoise(1.0), noisy()),
    ],
}
BLOCKS, CHAINS = 5, 3


@pytest.fixture(params=list(WORLDS))
def world(request):
    """Tables, chains at random ones, and changes of rows: those of the first table in three blocks, of the other in two."""
    tables = lay_out(PAIR, WORLDS[request.param], 80, 1.0, ["a", "b"])
    table = GENERATOR.integers(0, 9, (24, CHAINS)).astype(float)
    block = np.array([0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4])[tables.row_of_cell]
    cell = np.flatnonzero(GENERATOR.random(24) < 0.9)
    size = GENERATOR.integers(1, 4, (len(cell), CHAINS)) * (GENERATOR.random((len(cell), CHAINS)) < 0.7).astype(float)
    return tables, table, RowChanges(cell, block[cell], size, BLOCKS)


def changed(table, changes, block):
    found = table.copy()
    taken = changes.block == block
    found[changes.cell[taken]] += changes.size[taken]
    return found


def test_noise_of_each_block_is_what_tables_looked_at_afresh_have(world):
    tables, table, changes = world
    state = begin(tables, table)
    before = state.noise_logs.sum(axis=0)
    found = noise_of(tables, changes, state).change
    for block in range(BLOCKS):
        after = begin(tables, changed(table, changes, block)).noise_logs.sum(axis=0)
        np.testing.assert_allclose(found[block], after - before, atol=1e-9)


def test_blocks_that_are_accepted_are_taken_over_whole_and_others_not_at_all(world):
    tables, table, changes = world
    state = begin(tables, table.copy())
    accepted = GENERATOR.random((BLOCKS, CHAINS)) < 0.5
    noise = noise_of(tables, changes, state)
    changes.apply(tables, accepted, state)
    noise.apply(accepted, state)
    table[changes.cell] += changes.size * accepted[changes.block]
    afresh = begin(tables, table)
    for each in fields(FamilyState):
        np.testing.assert_allclose(getattr(state, each.name), getattr(afresh, each.name), atol=1e-9)


def test_what_sums_say_of_a_block_alone_is_how_their_density_changes(world):
    tables, table, changes = world
    forms = SumForms(tables, np.random.default_rng(1))
    forms.pull(table)
    for block in range(BLOCKS):
        part = changes.block == block
        alone = RowChanges(changes.cell[part], changes.block[part], changes.size[part], BLOCKS)
        after = changed(table, changes, block)
        expected = (forms.logs(after) - forms.factors(after) - forms.logs(table) + forms.factors(table)).sum(axis=0)
        expected += (forms.tilt * (after - table)).sum(axis=0)
        found = forms.block_logs(alone, table)
        np.testing.assert_allclose(found[block], expected, atol=1e-9)
        assert (np.delete(found, block, axis=0) == 0).all()


def test_only_blocks_with_changes_are_present_and_more_changes_can_be_added():
    changes = RowChanges(np.array([3, 4]), np.array([1, 1]), np.array([[2.0, 0], [0, 0]]), 3)
    assert changes.present.tolist() == [[False, False], [True, False], [False, False]]
    assert changes.add_up(changes.size).tolist() == [[0, 0], [2, 0], [0, 0]]
    more = changes.with_more(np.array([9]), np.array([1]), np.array([[-2.0, -1]]))
    assert more.add_up(more.size).tolist() == [[0, 0], [0, -1], [0, 0]]
    assert len(changes.cell) == 2


def test_nothing_changes_nothing():
    tables = lay_out(PAIR, WORLDS["cells"], 80, 1.0, ["a", "b"])
    none, table = np.zeros(0, dtype=np.int64), np.ones((24, CHAINS))
    changes, state = RowChanges(none, none, np.zeros((0, CHAINS)), BLOCKS), begin(tables, table)
    forms = SumForms(tables, np.random.default_rng(1))
    forms.pull(table)
    assert not changes.present.any()
    assert not noise_of(tables, changes, state).change.any()
    assert not forms.block_logs(changes, table).any()


def test_places_are_merged():
    place, first, size = merge(np.array([5, 2, 5]), np.array([[1.0, 0], [2, 1], [4, 4]]))
    assert place.tolist() == [2, 5]
    assert first[0] == 1
    assert first[1] in (0, 2)
    assert size.tolist() == [[2, 1], [5, 4]]
