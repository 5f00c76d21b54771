"""The private steps: measured as releases are, and asked for by what was published alone."""

from fractions import Fraction

import numpy as np
import pytest

from discreet import ZCDP, Network, PureDP, Variable
from discreet.counts.statistics import statistics
from discreet.kernel.stages import Purse
from discreet.learning.search import search, tables_of
from discreet.learning.settings import settings_for
from discreet.learning.steps import Candidate, PrivateTables, Steps
from discreet.learning.wanted import read_wanted
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.knorm import KNorm
from discreet.model.tables import TableSet
from tests.support.bits import SeededBits
from tests.support.selection import FrozenPurse

SIZES = {"a": 2, "b": 3, "c": 2}
VARIABLES = tuple(Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items())


def private(joint, sets):
    counted = TableSet.of(VARIABLES, sets)
    counts = {}
    for family, nodes in zip(counted.families, counted.sets, strict=True):
        left = tuple(axis for axis, node in enumerate(SIZES) if node not in nodes)
        counts[family.node] = joint.sum(axis=left).reshape(-1, family.levels)
    return PrivateTables(counted, counts)


JOINT = np.arange(12).reshape(2, 3, 2)
ALL = [("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]


def test_a_table_has_the_axes_that_are_asked_for():
    tables = private(JOINT, ALL)
    np.testing.assert_array_equal(tables.table(("c", "a")), JOINT.sum(axis=1).T)
    np.testing.assert_array_equal(tables.table(("b",)), JOINT.sum(axis=(0, 2)))
    assert "11" not in repr(tables)


@pytest.mark.parametrize("cost", [PureDP("1"), ZCDP("0.1")])
def test_a_stage_is_measured_as_a_release_is(cost):
    network = Network(VARIABLES, {"b": ["a"]})
    mechanism = KNorm(cost.epsilon) if isinstance(cost, PureDP) else Gaussian(rho=cost.rho)
    steps = Steps(private(JOINT, ALL), 66, 1, Purse(cost, SeededBits(1)), Fraction(1, 2))
    steps.measure(network, cost)
    [stage] = steps.stages
    wanted = mechanism.measurements(network)
    assert [(each.nodes, each.statistic, each.law) for each in stage.measurements] == [
        (each.nodes, each.statistic, each.law) for each in wanted
    ]
    counts = private(JOINT, ALL).families(network)
    exact = statistics(counts, network, wanted)
    assert any((each.numbers != true).any() for each, true in zip(stage.measurements, exact, strict=True))
    assert steps.left == 0


@pytest.mark.parametrize("cost", [PureDP("1"), ZCDP("0.1")])
@pytest.mark.parametrize(("parent", "child"), [("b", "a"), ("a", "c"), ("a", "b")])
def test_a_pair_is_measured_for_exactly_its_cost(parent, child, cost):
    """Near the truth where noise is small, and no more is paid for than the law of the noise says."""
    network = Network([variable for variable in VARIABLES if variable.name in (parent, child)], {child: [parent]})
    large = PureDP("1000") if isinstance(cost, PureDP) else ZCDP("100000")
    for paid in (cost, large):
        steps = Steps(private(JOINT, ALL), 66, 1, Purse(paid, SeededBits(1)), Fraction(1, 2))
        steps.measure_pair(network, paid)
        assert steps.left == 0
        [measured] = steps.stages[0].measurements
        law = measured.law
        assert (law.bundle.epsilon if isinstance(cost, PureDP) else 1 / law.parameter) == (
            paid.epsilon if isinstance(cost, PureDP) else paid.rho
        )
    table = JOINT.sum(axis=tuple(axis for axis, node in enumerate(SIZES) if node not in measured.nodes))
    table = table if list(SIZES).index(measured.nodes[0]) < list(SIZES).index(measured.nodes[1]) else table.T
    if isinstance(cost, PureDP) and SIZES[child] == 2:
        table = table[:, 0] - table[:, 1]
    np.testing.assert_array_equal(measured.published, table)


def test_the_furthest_candidate_is_chosen_and_a_penalty_counts():
    def chosen(*penalties):
        steps = Steps(private(JOINT, ALL), 66, 1, Purse(PureDP("1000"), SeededBits(1)), Fraction(1, 2))
        even = np.full((2, 3), 11.0)
        found = [Candidate(("a", "b"), JOINT.sum(axis=2) + 0.0, penalties[0]), Candidate(("a", "b"), even, penalties[1])]
        taken = steps.choose(found, PureDP("1000"), may_stop=True)
        return None if taken is None else found.index(taken)

    assert chosen(0, 0) == 1
    assert chosen(0, 1000) is None
    assert chosen(-50, 1000) == 0


def test_nothing_to_choose_from_costs_nothing():
    steps = Steps(private(JOINT, ALL), 66, 1, Purse(PureDP("1"), SeededBits(1)), Fraction(1, 2))
    assert steps.choose([], PureDP("1"), may_stop=False) is None
    assert steps.left == 1


def test_what_is_asked_for_depends_on_what_was_published_alone():
    """Two quite different tables, the same published numbers: the same candidates are scored against the same references."""
    wanted = read_wanted(VARIABLES, "tree", None, 3, (), ())
    asked = []
    for joint in (JOINT, JOINT[::-1, ::-1].copy()):
        purse = FrozenPurse([{"0": np.array([3, 20, 22, 24, -5])}], [0, 0])
        seen = []
        steps = Steps(private(joint, tables_of(wanted)), 66, 1, purse, Fraction(1, 2))
        honest = steps.choose

        def watched(candidates, cost, *, may_stop, seen=seen, honest=honest):
            seen.append([(each.nodes, each.expected.tolist(), each.penalty) for each in candidates])
            return honest(candidates, cost, may_stop=may_stop)

        steps.choose = watched
        search(wanted, steps, PureDP("1"), settings_for(wanted))
        asked.append(seen)
        assert purse.asked
    assert asked[0] == asked[1]
