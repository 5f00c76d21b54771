"""The search uses up its budget: what choices do not need is spent on measuring."""

from fractions import Fraction

import numpy as np

from discreet import PureDP, Variable
from discreet.errors import BudgetError
from discreet.kernel.stages import Purse
from discreet.learning.search import search, tables_of
from discreet.learning.settings import settings_for
from discreet.learning.steps import PrivateTables, Steps
from discreet.learning.wanted import read_wanted
from discreet.model.tables import TableSet
from tests.support.bits import SeededBits

VARIABLES = tuple(Variable(name, ["0", "1"]) for name in "abcd")


def run(form, joint):
    wanted = read_wanted(VARIABLES, form, None, 3, (), ())
    counted = TableSet.of(VARIABLES, tables_of(wanted))
    counts = {}
    for family, nodes in zip(counted.families, counted.sets, strict=True):
        left = tuple(axis for axis, variable in enumerate(VARIABLES) if variable.name not in nodes)
        counts[family.node] = joint.sum(axis=left).reshape(-1, family.levels)
    purse = Purse(PureDP("1"), SeededBits(3))
    settings = settings_for(wanted)
    steps = Steps(PrivateTables(counted, counts), int(joint.sum()), 1, purse, settings.bound)
    return search(wanted, steps, PureDP("1"), settings), purse


def test_what_choices_leave_is_spent_on_measuring():
    found, purse = run("forest", np.full((2, 2, 2, 2), 100))
    assert not any(found.parents.values())
    assert len(found.stages) == 2
    assert purse.left == 0
    assert found.stages[1].cost.epsilon >= Fraction(1, 2)


def test_a_tree_leaves_nothing():
    found, purse = run("tree", np.full((2, 2, 2, 2), 100))
    assert sum(map(len, found.parents.values())) == 3
    assert purse.left == 0


def test_a_directed_graph_measures_all_pairs_at_once():
    found, purse = run("dag", np.full((2, 2, 2, 2), 100))
    assert purse.left == 0
    [stage] = found.stages
    assert stage.pairs is found.pairs.pairs


def test_a_last_measurement_that_no_file_could_hold_costs_no_graph(monkeypatch):
    """The margins come first; what would be measured at the end is left out, and the graph is there."""
    measure, asked = Steps.measure, []

    def fail_at_the_end(steps, network, cost):
        asked.append(cost)
        if len(asked) > 1:
            raise BudgetError("The noise is too large for 64-bit integers.")
        measure(steps, network, cost)

    monkeypatch.setattr(Steps, "measure", fail_at_the_end)
    found, _ = run("forest", np.full((2, 2, 2, 2), 100))
    assert len(asked) == 2
    assert len(found.stages) == 1
    assert set(found.parents) == set("abcd")
