"""The chain where something is declared impossible, against the sum over all tables without it."""

import numpy as np
import pytest
from scipy.special import gammaln
from support.chains import run_chain
from support.measurements import counts as counted
from support.true_tables import (
    LARGEST_Z,
    all_tables,
    all_together,
    deviation,
    joint_logs,
    lay_out,
    parameter_grid,
)  # fmt: skip

from discreet import Gaussian, KNorm, Laplace, Network, Variable
from discreet.chains.dirichlet import dirichlet_draws
from discreet.chains.family_chain import Effort
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.measure.known_zeros import known_numbers
from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import fill, number_shape
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
TIED = {
    "a chain": Network(
        [Variable(name, list("01")) for name in "abc"],
        {"b": ["a"], "c": ["b"]},
        impossible=[{"a": "0", "b": "1"}, {"b": "1", "c": "0"}],
    ),
    "a star": Network(
        [Variable("y", list("01")), Variable("x", list("012")), Variable("z", list("01"))],
        {"x": ["y"], "z": ["y"]},
        impossible=[{"y": "0", "x": "1"}, {"y": "1", "x": "2"}, {"y": "1", "z": "0"}],
    ),
    "a closed row": CLOSED_ROW,
}
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


@pytest.mark.fast("x of three-0.5")
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
    logs += tables.row_margins.logs(listed.T).sum(axis=0)
    for row in range(family.configurations):
        cells = slice(row * family.levels, (row + 1) * family.levels)
        total = weight * possible[cells].sum()
        logs -= gammaln(listed[:, cells].sum(axis=1) + total) if total else 0
    weights = np.exp(logs - logs.max())
    kept = visited(tables, 100).counts
    assert (kept[:, ~possible] == 0).all()
    assert deviation(kept, listed, weights / weights.sum()) < LARGEST_Z


@pytest.mark.slow
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


def possible_together(tables, rows):
    """Every combination of possible tables of all families, and how probable it is: what is impossible is not in the list."""
    listed = all_together(tables, rows)
    empty = np.concatenate([empty_cells(family).ravel() for family in tables.families])
    listed = listed[(listed[:, empty] == 0).all(axis=1)]
    logs = joint_logs(tables, listed.T, tables.prior[:, None])
    weights = np.exp(logs - logs.max())
    return listed, weights / weights.sum(), ~empty


def measured(network, mechanism, generator):
    """What a mechanism measures, with numbers that noise could have made; zero where it is known."""
    asked = mechanism.measurements(network)
    drawn = [generator.integers(-2, 5, number_shape(network, each)) for each in asked]
    return fill(asked, [np.where(known_numbers(network, each), 0, own) for each, own in zip(asked, drawn, strict=True)])


@pytest.mark.fast("a chain-KNorm*")
@pytest.mark.parametrize("mechanism", [KNorm("2"), Gaussian(rho="1/2"), Laplace("3")], ids=repr)
@pytest.mark.parametrize("network", TIED.values(), ids=TIED)
def test_tied_tables_are_visited_together_as_if_the_impossible_cells_did_not_exist(network, mechanism):
    """Families that share nodes, zeros in several of them, and noise as the mechanisms really give it."""
    rows = 3
    tables = lay_out(network, measured(network, mechanism, np.random.default_rng(6)), rows, 0.5)
    assert tables.sums.copies.max() > 1
    listed, weights, possible = possible_together(tables, rows)
    start = np.repeat(listed[:1].T, CHAINS, axis=1)
    kept = run_chain(tables, start, FixedRows(tables), Effort(CHAINS, 30, 100), np.random.default_rng(7)).counts
    assert (kept[:, ~possible] == 0).all()
    assert deviation(kept, listed, weights) < LARGEST_Z
