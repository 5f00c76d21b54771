"""Learning a graph on all neighbouring small worlds: exact probabilities through all stages, and replays of frozen stages."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from discreet import ZCDP, PureDP, Variable
from discreet.learning.score import divergence_curve
from discreet.learning.search import search, tables_of
from discreet.learning.settings import settings_for
from discreet.learning.steps import PrivateTables, Steps
from discreet.learning.wanted import read_wanted
from discreet.model.tables import TableSet
from tests.support.selection import FrozenPurse, choice_law

ROWS = 3
VARIABLES = tuple(Variable(name, ["0", "1"]) for name in ("a", "b"))
EPSILON = Fraction(2)
OUTPUTS = (-4, -1, 0, 3)
"""Of each noisy contrast, some that are likely and some that are not."""


def worlds(cells=4, rows=ROWS):
    """All tables of so many records."""
    if cells == 1:
        return [(rows,)]
    return [(first, *rest) for first in range(rows + 1) for rest in worlds(cells - 1, rows - first)]


def neighbours(world):
    for lost, won in product(range(len(world)), repeat=2):
        if lost != won and world[lost]:
            yield tuple(count - (place == lost) + (place == won) for place, count in enumerate(world))


def tables_for(wanted, joint):
    """The private tables of a world, given as a joint table of all nodes."""
    counted = TableSet.of(wanted.variables, tables_of(wanted))
    counts = {}
    for family, nodes in zip(counted.families, counted.sets, strict=True):
        left = tuple(axis for axis, node in enumerate(wanted.nodes) if node not in nodes)
        counts[family.node] = joint.sum(axis=left).reshape(-1, family.levels)
    return PrivateTables(counted, counts)


def replay(wanted, joint, published, choices, cost):
    """Go the way of learning with frozen outputs; what was asked, and the exact laws of the choices."""
    purse = FrozenPurse(published, choices)
    settings = settings_for(wanted)
    steps = Steps(tables_for(wanted, joint), int(joint.sum()), 1, purse, settings.bound)
    found = search(wanted, steps, cost, settings)
    return purse, found


def square(centre, scale):
    """The probability that K-norm noise of two contrasts, exp(-max |z| / scale), rounds to each output, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    fine = np.concatenate([k + nodes / 2 for k in OUTPUTS])
    one, two = np.abs(fine - centre[0])[:, None], np.abs(fine - centre[1])[None, :]
    dense = np.exp(-np.maximum(one, two) / scale) / (8 * scale**2)
    weighted = dense * np.outer(np.tile(weights / 2, len(OUTPUTS)), np.tile(weights / 2, len(OUTPUTS)))
    size = len(OUTPUTS)
    return weighted.reshape(size, 12, size, 12).sum(axis=(1, 3))


def contrasts(world):
    table = np.array(world).reshape(2, 2)
    return tuple(int(side[0] - side[1]) for side in (table.sum(axis=1), table.sum(axis=0)))


def pipeline_law(form, stretch=1):
    """For every world the probability of every output of both stages: noisy contrasts, then an edge or none."""
    wanted = read_wanted(VARIABLES, form, None, 3, (), ())
    settings = settings_for(wanted)
    scale = 2 / float(EPSILON * settings.margins)
    return {
        world: square(contrasts(world), scale)[..., None] * np.array(choice_laws(form, world, stretch)) for world in worlds()
    }


def choice_laws(form, world, stretch):
    """The exact law of the choice for each output of the first stage; or of scores that count for more than was paid."""
    sensitivity = divergence_curve(settings_for(read_wanted(VARIABLES, form, None, 3, (), ())).bound).sensitivity()
    return [
        [choice_law(scores, stretch * epsilon, sensitivity, pure=True) for scores, epsilon in row]
        for row in scores_after(form, world)
    ]


@cache
def scores_after(form, world):
    """What the choice is made by, and what it costs, for each output of the first stage."""
    wanted = read_wanted(VARIABLES, form, None, 3, (), ())
    joint = np.array(world).reshape(2, 2)
    purses = [
        [replay(wanted, joint, [{"0": np.array([one, two])}, {}], [0], PureDP(EPSILON))[0] for two in OUTPUTS]
        for one in OUTPUTS
    ]
    return [[(purse.asked[0], purse.costs[1].epsilon) for purse in row] for row in purses]


def worst_ratio(law):
    worst = 0.0
    for world, outputs in law.items():
        for other in neighbours(world):
            worst = max(worst, float(np.log(outputs / law[other]).max()))
    return worst


def test_no_graph_is_likelier_than_epsilon_allows():
    """Through both stages, on all worlds of three records of two binary columns and all their neighbours."""
    honest = pipeline_law("forest")
    assert worst_ratio(honest) <= float(EPSILON) + 1e-9
    assert worst_ratio(honest) > 0.3  # the worlds do differ
    assert worst_ratio(pipeline_law("forest", stretch=9)) > float(EPSILON)  # a choice that is paid too little is caught


THREE = tuple(Variable(name, ["0", "1"]) for name in ("a", "b", "c"))


@pytest.mark.parametrize("cost", [PureDP("1"), ZCDP("0.1")], ids=["pure", "zero-concentrated"])
@pytest.mark.parametrize("form", ["tree", "forest", "tan"])
@pytest.mark.parametrize("sparse", [False, True])
def test_with_earlier_stages_frozen_only_scores_differ_between_neighbours(form, cost, sparse):
    """What is offered, in which order, at which cost, is the same for neighbours that published the same before.

    Of sparse worlds one has empty cells in tables of pairs, and its neighbour has none: nobody may leave such pairs out.
    """
    target = "c" if form == "tan" else None
    wanted = read_wanted(THREE, form, target, 3, (), ())
    generator = np.random.default_rng(1)
    joint = generator.multinomial(30, np.full(8, 1 / 8)).reshape(2, 2, 2)
    if sparse:
        joint = np.array([26, 0, 0, 1, 0, 1, 1, 1]).reshape(2, 2, 2)
    other = joint.copy()
    lost = (0, 1, 1) if sparse else tuple(np.argwhere(other)[0])
    other[lost] -= 1
    other[1, 1, 1] += 1
    first, found = replay(wanted, joint, _frozen(wanted, cost), [0, 0], cost)
    second, again = replay(wanted, other, _frozen(wanted, cost), [0, 0], cost)
    assert first.costs == second.costs
    assert found.parents == again.parents
    assert [len(scores) for scores in first.asked] == [len(scores) for scores in second.asked]
    epsilon = 1.0 if isinstance(cost, PureDP) else math.sqrt(0.8)
    for one, two in zip(first.laws, second.laws, strict=True):
        share = epsilon  # each choice costs a part of it
        assert max(abs(math.log(p / q)) for p, q in zip(one, two, strict=True)) <= share


def _frozen(wanted, cost):
    """Numbers of any size for the first stage: as many as its law has."""
    purse = FrozenPurse([_Anything()], [0, 0, 0])
    settings = settings_for(wanted)
    joint = np.full((2, 2, 2), 4)
    try:
        search(wanted, Steps(tables_for(wanted, joint), 32, 1, purse, settings.bound), cost, settings)
    except _Enough as enough:
        return [{name: np.arange(each.numbers.size).reshape(each.numbers.shape) % 5 for name, each in enough.given.items()}]
    raise AssertionError("the first step of every form is a measurement")


class _Enough(Exception):  # noqa: N818 - not an error: it brings back what was asked
    def __init__(self, given):
        super().__init__()
        self.given = given


class _Anything(dict):
    def __getitem__(self, name):
        raise KeyError(name)


@pytest.fixture(autouse=True)
def _bring_back(monkeypatch):
    """A frozen purse without numbers says what it was asked for."""
    honest = FrozenPurse.publish

    def publish(self, statistics, cost):
        if self.published and isinstance(self.published[0], _Anything):
            raise _Enough(statistics)
        return honest(self, statistics, cost)

    monkeypatch.setattr(FrozenPurse, "publish", publish)
