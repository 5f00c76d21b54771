"""The nearest agreeing tables against a general solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.networks import networks

from discreet import Network, Variable
from discreet.measure.agreement import nearest_agreeing
from discreet.measure.measurement import Margin, Statistic
from discreet.measure.observations import observations

NETWORK = Network([Variable(name, ["0", "1", "2"]) for name in "abcd"], {"b": ["a"], "c": ["a", "b"], "d": ["b"]})


OVERLAP = Network(
    [Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("012"))], {"b": ["a"], "c": ["a"]}
)


def together(network, variances=None):
    """Tables of all maximal families, with these variances of their cells or all alike."""
    families = network.maximal_families
    return observations(network, [Margin(family.members) for family in families], variances or [1.0] * len(families))


def tables(space, cells):
    return list(space.tables(cells).values())


def line(found):
    return np.concatenate([table.ravel() for table in found.values()])


def solved(space, cells, variances, rows):
    """The same quadratic programme in coordinates, by sequential quadratic programming."""
    basis = space.cells(np.eye(space.dimension))[1:].T
    base = space.cells(np.r_[float(rows), np.zeros(space.dimension - 1)])
    return minimize(
        lambda x: ((base + basis @ x - cells) ** 2 / variances).sum(),
        np.zeros(space.dimension - 1),
        jac=lambda x: 2 * basis.T @ ((base + basis @ x - cells) / variances),
        constraints={"type": "ineq", "fun": lambda x: base + basis @ x, "jac": lambda x: basis},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )


@given(st.data())
@settings(max_examples=20)
def test_the_tables_are_as_near_as_a_general_solver_finds(data):
    network = data.draw(networks(max_nodes=3, max_levels=3) | st.just(OVERLAP))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    rows = data.draw(st.integers(1, 50))
    own = [float(generator.uniform(0.2, 10)) for _ in network.maximal_families]
    measured = together(network, own)
    space = measured.space
    variances = space.each({family.node: each for family, each in zip(space.families, own, strict=True)})
    cells = generator.normal(0, 20, len(space.place))
    found = line(nearest_agreeing(measured, tables(space, cells), rows))
    assert (found >= 0).all()
    agreeing = space.cells(measured.fuse(tables(space, found), rows))
    np.testing.assert_allclose(agreeing, found, atol=1e-9 * rows + 1e-12)
    distance = ((found - cells) ** 2 / variances).sum()
    assert distance <= solved(space, cells, variances, rows).fun * (1 + 1e-4) + 1e-4


@pytest.mark.parametrize(("rows", "spread"), [(1, 1000), (30, 500), (10_000, 3000), (10_000, 10)])
def test_no_cell_is_negative_and_the_step_towards_uniform_is_tiny(rows, spread):
    measured = together(NETWORK)
    space, size = measured.space, len(measured.space.place)
    generator = np.random.default_rng(rows)
    record = space.cells(measured.fuse(tables(space, np.where(np.arange(size) == 0, rows, 0.0)), rows))
    cells = record + generator.laplace(0, spread, size)
    found = nearest_agreeing(measured, tables(space, cells), rows)
    assert (line(found) >= 0).all()
    for table in found.values():
        assert table.sum() == pytest.approx(rows, rel=1e-12)
    # Cells that want to be negative end at zero, not at a share of the uniform table.
    fused = space.cells(measured.fuse(tables(space, cells), rows))
    assert line(found).min() < 1e-6 * rows / size or (fused >= 0).all()


def test_what_is_already_non_negative_is_the_fused_table():
    measured = together(NETWORK)
    space = measured.space
    uniform = space.cells(np.r_[9000.0, np.zeros(space.dimension - 1)])
    noisy = tables(space, uniform + np.random.default_rng(3).normal(0, 5, len(uniform)))
    np.testing.assert_array_equal(line(nearest_agreeing(measured, noisy, 9000)), space.cells(measured.fuse(noisy, 9000)))


def test_the_same_noisy_tables_give_the_same_tables():
    space = together(NETWORK).space
    cells = np.random.default_rng(5).normal(0, 50, len(space.place))
    one, two = (line(nearest_agreeing(together(NETWORK), tables(space, cells), 20)) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_numbers_beyond_all_sense_still_give_finite_tables():
    space = together(NETWORK).space
    cells = np.where(np.arange(len(space.place)) % 2, 4e18, -4e18)
    found = line(nearest_agreeing(together(NETWORK), tables(space, cells), 3))
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def characters(network):
    """For each set of the downward closure its sign in each cell of the maximal families, divided by their cells."""
    sets = [gamma for gamma in sorted(network.downward_closure, key=lambda gamma: (len(gamma), sorted(gamma))) if gamma]
    columns = []
    for gamma in sets:
        column = []
        for family in network.maximal_families:
            inside = [member in gamma for member in family.members]
            signs = [(-1) ** int(np.dot(cell, inside)) for cell in np.ndindex(family.shape)]
            column += [sign / family.cells if gamma <= set(family.members) else 0.0 for sign in signs]
        columns.append(column)
    return sets, np.array(columns).T


def parities(network, phi, variances, rows):
    sets, _ = characters(network)
    asked = [Margin(tuple(sorted(gamma)), Statistic.PARITY) for gamma in sets]
    measured = observations(network, asked, [variances[gamma] for gamma in sets])
    return nearest_agreeing(measured, [np.array(phi[gamma]) for gamma in sets], rows)


@given(st.data())
@settings(max_examples=25)
def test_tables_of_parities_are_as_near_as_a_general_solver_finds(data):
    """Near in the parities themselves, each in units of its own noise."""
    network = data.draw(networks(max_nodes=4, max_levels=2))
    sets, cells = characters(network)
    generator = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    rows = data.draw(st.integers(1, 50))
    start = generator.normal(0, 40, len(sets))
    variances = generator.choice([1.0, 4.0, 100.0], len(sets))
    found = parities(network, dict(zip(sets, start, strict=True)), dict(zip(sets, variances.tolist(), strict=True)), rows)
    floor = rows / np.concatenate([np.full(family.cells, family.cells) for family in network.maximal_families])
    assert (line(found) >= 0).all()
    point, *_ = np.linalg.lstsq(cells, line(found) - floor, rcond=None)
    np.testing.assert_allclose(cells @ point + floor, line(found), atol=1e-9 * rows)  # they agree and sum to the rows
    solved = minimize(
        lambda x: ((x - start) ** 2 / variances).sum(),
        np.zeros(len(sets)),
        jac=lambda x: 2 * (x - start) / variances,
        constraints={"type": "ineq", "fun": lambda x: cells @ x + floor, "jac": lambda x: cells},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert ((point - start) ** 2 / variances).sum() <= solved.fun * (1 + 1e-4) + 1e-4


def test_what_is_known_better_moves_less():
    network = Network([Variable(name, ["0", "1"]) for name in "ya"], {"a": ["y"]})
    phi = {frozenset("y"): 60.0, frozenset("a"): 120.0, frozenset("ya"): 0.0}
    known = dict.fromkeys(phi, 100.0) | {frozenset("y"): 1.0}
    sharp, even = (parities(network, phi, variances, 100)["a"] for variances in (known, dict.fromkeys(phi, 100.0)))
    moved = [abs(float(table[0].sum() - table[1].sum()) - 60) for table in (sharp, even)]
    assert moved[0] < moved[1]
