"""Picked pairs on all neighbouring small worlds: exact probabilities through columns, choice and pair."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet import PureDP, Variable
from discreet.learning.picks import pick_pairs
from discreet.learning.score import variation_curve
from discreet.learning.search import tables_of
from discreet.learning.steps import PrivateTables, Steps
from discreet.learning.wanted import read_wanted
from discreet.model.tables import TableSet
from discreet.planning.pair_routes import CHOICES, MARGINS
from tests.support.selection import FrozenPurse, choice_law

VARIABLES = tuple(Variable(name, ["0", "1"]) for name in ("a", "b"))
EPSILON = Fraction(2)
OUTPUTS = (-4, 0, 3)
PAIRS = (-5, -1, 0, 2)
"""Of each noisy number of the columns and of the pair, some that are likely and some that are not."""


def worlds(cells=4, rows=3):
    if cells == 1:
        return [(rows,)]
    return [(first, *rest) for first in range(rows + 1) for rest in worlds(cells - 1, rows - first)]


def neighbours(world):
    for lost, won in product(range(4), repeat=2):
        if lost != won and world[lost]:
            yield tuple(count - (place == lost) + (place == won) for place, count in enumerate(world))


def replay(world, columns, choice):
    """The way with frozen outputs: the purse has what was asked and what it cost."""
    wanted = read_wanted(VARIABLES, "dag", None, None, (), ())
    joint = np.array(world).reshape(2, 2)
    counted = TableSet.of(VARIABLES, tables_of(wanted))
    counts = {"0": joint.sum(axis=1)[None], "1": joint.sum(axis=0)[None], "2": joint}
    purse = FrozenPurse([{"0": np.array(columns)}, {"0": np.zeros(2, dtype=np.int64)}], [choice])
    steps = Steps(PrivateTables(counted, counts), sum(world), 1, purse, Fraction(1, 2))
    pick_pairs(wanted, steps, PureDP(EPSILON), 1)
    return purse


def square(centre, scale):
    """The probability that K-norm noise of two contrasts, exp(-max |z| / scale), rounds to each output, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    fine, size = np.concatenate([k + nodes / 2 for k in OUTPUTS]), len(OUTPUTS)
    one, two = np.abs(fine - centre[0])[:, None], np.abs(fine - centre[1])[None, :]
    dense = np.exp(-np.maximum(one, two) / scale) / (8 * scale**2)
    weighted = dense * np.outer(np.tile(weights / 2, size), np.tile(weights / 2, size))
    return weighted.reshape(size, 12, size, 12).sum(axis=(1, 3))


def laplace(centre, scale):
    """The probability that a number with Laplace noise rounds to each output."""

    def below(value):
        return 0.5 * math.exp(value / scale) if value < 0 else 1 - 0.5 * math.exp(-value / scale)

    return np.array([below(k - centre + 0.5) - below(k - centre - 0.5) for k in PAIRS])


def law_of(world, stretch, narrow):
    """Of every output: noisy columns, then the pair with its noisy contrasts; what stops ends there, and is measured again.

    Planted faults: a choice by ``stretch`` times what is paid for, and noise of the pair that is ``narrow`` times too narrow.
    """
    table = np.array(world).reshape(2, 2)
    sides = [int(side[0] - side[1]) for side in (table.sum(axis=1), table.sum(axis=0))]
    first = square(sides, 2 / float(EPSILON * MARGINS))
    paid = EPSILON * (1 - MARGINS - CHOICES)
    scale = 2 / float(paid) / narrow
    contrast = np.multiply.outer(*(laplace(int(row[0] - row[1]), scale) for row in table))
    found = []
    for place, columns in enumerate(product(OUTPUTS, repeat=2)):
        purse = replay(world, columns, 0)
        assert [cost.epsilon for cost in purse.costs] == [EPSILON * MARGINS, EPSILON * CHOICES, paid]
        assert [int(number) for number in purse.statistics[1]["0"].numbers] == [int(row[0] - row[1]) for row in table]
        assert float(purse.statistics[1]["0"].noise.epsilon) == float(paid)
        chosen, _ = choice_law(purse.asked[0], stretch * purse.costs[1].epsilon, variation_curve().sensitivity(), pure=True)
        found.append(first.ravel()[place] * np.append(chosen * contrast.ravel(), 1 - chosen))
    return np.array(found)


def worst_ratio(stretch=1, narrow=1):
    laws = {world: law_of(world, stretch, narrow) for world in worlds()}
    return max(float(np.log(laws[one] / laws[two]).max()) for one in laws for two in neighbours(one))


def test_no_graph_is_likelier_than_epsilon_allows():
    honest = worst_ratio()
    assert 0.5 < honest <= float(EPSILON) + 1e-9  # the worlds do differ
    assert worst_ratio(stretch=9) > float(EPSILON)  # a choice that is paid too little is caught
    assert worst_ratio(narrow=3) > float(EPSILON)  # so is a pair with too little noise


@pytest.mark.parametrize("choice", [0, 1])
def test_on_every_path_no_more_is_asked_for_than_there_is(choice):
    purse = replay((1, 1, 1, 0), (0, 0), choice)
    assert sum(cost.epsilon for cost in purse.costs) <= EPSILON
