"""The chain where something is declared impossible, against the sum over all tables without it."""

import numpy as np
import pytest
from scipy.special import gammaln
from support.measurements import counts as counted
from support.true_tables import LARGEST_Z, all_tables, deviation, lay_out, parameter_grid

from discreet import Network, Variable
from discreet.chains.dirichlet import dirichlet_draws
from discreet.chains.family_chain import Effort, run_chain
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.measure.laws import LaplaceNoise
from discreet.model.family import empty_cells
from discreet.model.prior import Hierarchical

CHAINS, ROWS, SCALE = 256, 5, 1.5
THREE = Network(
    [Variable("y", list("01")), Variable("x", list("012"))],
    {"x": ["y"]},
    impossible=[{"y": "0", "x": "1"}, {"y": "1", "x": "2"}],
)
CLOSED_ROW = Network(
    [Variable(name, list("01")) for name in "abc"], {"b": ["a"], "c": ["a", "b"]}, impossible=[{"a": "1", "b": "0"}]
)
PAIR = Network([Variable("y", list("012")), Variable("x", list("01"))], {"x": ["y"]}, impossible=[{"y": "1", "x": "1"}])
NOISY = {
    "x of three": (THREE, "yx", np.array([[3, 0, -1], [2, 2, 0]])),
    "c with a closed row": (CLOSED_ROW, "abc", np.array([[[2, -1], [1, 3]], [[0, 0], [2, 0]]])),
}


def visited(tables, rounds, prior=None, generator=None):
    start = np.zeros((len(tables.prior), CHAINS))
    start[tables.cell_starts] = ROWS
    generator = np.random.default_rng(2) if generator is None else generator
    return run_chain(tables, start, prior or FixedRows(tables), Effort(CHAINS, 30, rounds), generator)


def possible_tables(family):
    listed = all_tables(family.cells, ROWS)
    return listed[(listed[:, empty_cells(family).ravel()] == 0).all(axis=1)]


def log_of_rows(family, listed, spread):
    """What the counts of rows are worth: of those that are possible."""
    rows = listed.reshape(len(listed), family.configurations, family.levels).sum(axis=2)
    return gammaln(rows + spread)[:, (~empty_cells(family)).any(axis=1)].sum(axis=1)


@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.parametrize("name", NOISY)
def test_tables_are_visited_as_often_as_if_the_impossible_cells_did_not_exist(name, weight):
    network, nodes, noisy = NOISY[name]
    family = network.family(nodes[-1])
    tables = lay_out(network, [counted(nodes, LaplaceNoise(SCALE), noisy)], ROWS, weight, [family.node])
    listed = possible_tables(family)
    possible = ~empty_cells(family).ravel()
    logs = log_of_rows(family, listed, tables.row_spread) - np.abs(noisy.ravel() - listed).sum(axis=1) / SCALE
    logs += (gammaln(listed + weight) - gammaln(listed + 1))[:, possible].sum(axis=1)
    for row in range(family.configurations):
        cells = slice(row * family.levels, (row + 1) * family.levels)
        total = weight * possible[cells].sum()
        logs -= gammaln(listed[:, cells].sum(axis=1) + total) if total else 0
    weights = np.exp(logs - logs.max())
    kept = visited(tables, 100).counts
    assert (kept[:, ~possible] == 0).all()
    assert deviation(kept, listed, weights / weights.sum()) < LARGEST_Z


def test_learned_parameters_are_learned_from_the_rows_that_have_their_level():
    """Of three rows one lacks a level, so it tells nothing of the parameters: an integral over the other two says the law."""
    prior, noisy = Hierarchical(), np.array([[5.0, -1.0], [2.0, 0.0], [1.0, 1.0]])
    tables = lay_out(PAIR, [counted("yx", LaplaceNoise(SCALE), noisy)], ROWS, 0.0, ["x"])
    family = PAIR.family("x")
    listed = possible_tables(family)
    sums = []
    for table in listed.reshape(-1, 3, 2):
        strength, centre, _, weights = parameter_grid(prior, table[[0, 2]])
        factor = np.exp(
            -gammaln(table[1, 0] + 1)
        )  # a row of one level is certain given its count; parameter_grid counts cells
        of_row = np.exp(gammaln(table[1].sum() + 1)) * factor
        sums.append([of_row * weights.sum(), of_row * (weights * strength).sum(), of_row * (weights * centre).sum()])
    sums = np.array(sums)
    rows = listed.reshape(-1, 3, 2).sum(axis=2)
    given = gammaln(rows + tables.row_spread).sum(axis=1) - np.abs(noisy.ravel() - listed).sum(axis=1) / SCALE
    given -= gammaln(rows[:, 1] + 1)  # the row of one level is certain given its count
    weights = np.array(sums) * np.exp(given - given.max())[:, None]
    means = weights.sum(axis=0) / weights[:, 0].sum()
    generator = np.random.default_rng(3)
    found = visited(tables, 100, LearnedRows(tables, prior, CHAINS, generator), generator)
    assert (found.counts[:, 3] == 0).all()
    assert deviation(found.counts, listed, weights[:, 0] / weights[:, 0].sum()) < LARGEST_Z
    total = np.log(np.exp(found.logs).sum(axis=1))
    for seen, expected in ((total, means[1]), (np.exp(found.logs[:, 0] - total), means[2])):
        of_chain = seen.mean(axis=0)
        assert abs(of_chain.mean() - expected) < LARGEST_Z * of_chain.std() / np.sqrt(CHAINS)


def test_a_parameter_of_zero_is_a_probability_of_zero():
    drawn = dirichlet_draws(np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 1e-5]]), np.random.default_rng(1), 4000)
    assert (drawn[:, 0, 1] == 0).all()
    assert (drawn[:, 1] == [0, 0, 1]).all()
    assert abs(drawn[:, 0, 0].mean() - 0.4) < 5 * 0.2 / np.sqrt(4000)
