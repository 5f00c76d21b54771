"""Picked pairs along whole paths, stopping and what it leaves included: how far neighbours can be told apart, step by step.

Paths have outputs of any kind, likely or not. The same outputs are given to neighbouring worlds, and each step has its exact
law: the ratio of densities for epsilon, Renyi divergences for rho. The purse is the real one but for what it draws.
"""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import logsumexp

from discreet import ZCDP, PureDP, Variable
from discreet.kernel.noise.knorm_bodies import Interval, Product
from discreet.kernel.publish import check_statistics
from discreet.kernel.stages import Purse, selection_epsilon
from discreet.learning.picks import pick_pairs
from discreet.learning.score import Curve
from discreet.learning.search import tables_of
from discreet.learning.steps import PrivateTables, Steps
from discreet.learning.wanted import read_wanted
from discreet.measure.learning import amount_of
from discreet.model.tables import TableSet
from tests.support.selection import choice_law

ORDERS = (1.001, 2, 8, 40)
BUDGETS = [PureDP("2"), ZCDP("1/2")]
NAMES = ["pure", "zero-concentrated"]


class ToldPurse(Purse):
    """Checks and pays as every purse does; gives out what it is told, or makes it up; notes the laws."""

    def __init__(self, cost, told, chance):
        super().__init__(cost, bits=None)
        self.told, self.chance, self.steps = told, chance, []

    def _next(self, make):
        if len(self.steps) == len(self.told):
            self.told.append(make())
        return self.told[len(self.steps)]

    def publish(self, statistics, cost):
        """Numbers near the true ones, or far off."""
        check_statistics(statistics, cost)
        self._pay(cost)
        moves = (0, 0, 1, -1, 4, -6, 30)
        given = self._next(
            lambda: {name: each.numbers + self.chance.choices(moves, k=each.numbers.size) for name, each in statistics.items()}
        )
        self.steps.append((cost, statistics, given))
        return given

    def select(self, scores, sensitivity, cost):
        """Any candidate, each as often as the others."""
        self._pay(cost)
        place = self._next(lambda: self.chance.randrange(len(scores)))
        law = choice_law(scores, selection_epsilon(cost), sensitivity, pure=isinstance(cost, PureDP))
        self.steps.append((cost, law, place))
        return place


def norm(body, moved):
    if isinstance(body, Interval):
        return abs(float(moved[0])) / float(body.half_width)
    ends = np.cumsum([part.dimension for part in body.parts])[:-1]
    norms = [norm(part, own) for part, own in zip(body.parts, np.split(moved, ends), strict=True)]
    return max(norms) if isinstance(body, Product) else sum(norms)


def apart(one, two):
    """How far two worlds are told apart on one path: a log ratio, or the largest divergence of an order over the order."""
    ratio, divergences = 0.0, np.zeros(len(ORDERS))
    for (cost, ours, given), (same, theirs, _) in zip(one, two, strict=True):
        assert cost == same  # what a step costs, and that there is one, is public
        if not isinstance(ours, dict):
            ratio += math.log(ours[given] / theirs[given])
            logs = np.log([ours, theirs])
            divergences += [logsumexp(order * logs[0] + (1 - order) * logs[1]) / (order - 1) for order in ORDERS]
            continue
        for name, mine in ours.items():
            assert mine.noise == theirs[name].noise
            far = [(given[name] - each[name].numbers).ravel() for each in (theirs, ours)]
            if isinstance(cost, PureDP):
                ratio += (norm(mine.noise.body, far[0]) - norm(mine.noise.body, far[1])) / float(mine.noise.scale)
            else:
                divergences += np.array(ORDERS) * float(((far[0] - far[1]) ** 2).sum() / (2 * mine.noise.variance))
    return ratio if isinstance(cost, PureDP) else float((divergences / ORDERS).max())


def walk(sizes, persons, parts, cost, told, chance, required):
    variables = tuple(Variable(f"c{place}", [str(level) for level in range(size)]) for place, size in enumerate(sizes))
    wanted = read_wanted(variables, "dag", None, None, required, ())
    counted, counts = TableSet.of(variables, tables_of(wanted)), {}
    for family, nodes in zip(counted.families, counted.sets, strict=True):
        table = np.zeros([sizes[int(node[1:])] for node in nodes], dtype=np.int64)
        for records in persons:
            for record in records:
                table[tuple(record[int(node[1:])] for node in nodes)] += parts // len(records)
        counts[family.node] = table.reshape(-1, family.levels)
    purse = ToldPurse(cost, told, chance)
    steps = Steps(PrivateTables(counted, counts), len(persons), parts, purse, Fraction(1, 2))
    pick_pairs(wanted, steps, cost, min(2, len(sizes) - 1))
    assert purse.left == 0  # on every path, also where a choice stops it
    return purse.steps


def worst(sizes, cost, most=1, required=(), tries=10):
    """The furthest apart of neighbours on many paths, in shares of the budget; persons have up to ``most`` records."""
    chance, parts, found = random.Random(7), math.lcm(*range(1, most + 1)), 0.0

    def person():
        return [tuple(map(chance.randrange, sizes)) for _ in range(chance.randint(1, most))]

    for _ in range(tries):
        persons, told = [person() for _ in range(3)], []
        base = walk(sizes, persons, parts, cost, told, chance, required)
        for _ in range(4):
            near = walk(sizes, [person(), *persons[1:]], parts, cost, told, chance, required)
            found = max(found, apart(base, near), apart(near, base))
    return found / float(amount_of(cost))


@pytest.fixture(autouse=True)
def _few_synthetic_records(monkeypatch):
    monkeypatch.setattr("discreet.learning.picks.SYNTHETIC", 300)


@pytest.mark.parametrize("cost", BUDGETS, ids=NAMES)
@pytest.mark.parametrize(
    "given",
    [
        {"sizes": (2, 3)},
        {"sizes": (3, 3), "most": 3},
        {"sizes": (2, 3, 2)},
        {"sizes": (2, 2, 2), "most": 2},
        {"sizes": (3, 2, 3), "required": [("c2", "c0")]},
    ],
    ids=["two", "two, persons", "three", "three, persons", "required"],
)
def test_no_path_tells_neighbours_apart_by_more_than_was_paid(cost, given):
    assert 0.5 < worst(cost=cost, **given) <= 1 + 1e-9


@pytest.mark.parametrize("cost", BUDGETS, ids=NAMES)
def test_a_choice_that_forgets_the_parts_of_a_person_is_caught(cost, monkeypatch):
    honest = Curve.sensitivity
    monkeypatch.setattr(Curve, "sensitivity", lambda curve, parts=1: honest(curve))
    assert worst((3, 3), cost, most=3, tries=50) > 1


@pytest.mark.parametrize("cost", BUDGETS, ids=NAMES)
def test_a_score_that_records_move_further_than_is_said_is_caught(cost, monkeypatch):
    honest = Steps._score
    monkeypatch.setattr(Steps, "_score", lambda steps, candidate, curve: 20 * honest(steps, candidate, curve))
    assert worst((2, 3), cost, tries=50) > 1
