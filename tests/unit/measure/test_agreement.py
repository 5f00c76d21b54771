"""The nearest agreeing tables against a general solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.networks import networks

from discreet import Network, Variable
from discreet.measure.agreement import nearest_agreeing
from discreet.measure.residuals import residual_space

NETWORK = Network([Variable(name, ["0", "1", "2"]) for name in "abcd"], {"b": ["a"], "c": ["a", "b"], "d": ["b"]})


OVERLAP = Network(
    [Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("012"))], {"b": ["a"], "c": ["a"]}
)


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
    space = residual_space(network)
    generator = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    rows = data.draw(st.integers(1, 50))
    variances = space.each({family.node: float(generator.uniform(0.2, 10)) for family in space.families})
    cells = generator.normal(0, 20, len(space.place))
    found = nearest_agreeing(space, cells, variances, rows)
    assert (found >= 0).all()
    np.testing.assert_allclose(space.cells(space.fuse(found, variances, rows)), found, atol=1e-9 * rows + 1e-12)
    distance = ((found - cells) ** 2 / variances).sum()
    assert distance <= solved(space, cells, variances, rows).fun * (1 + 1e-4) + 1e-4


@pytest.mark.parametrize(("rows", "spread"), [(1, 1000), (30, 500), (10_000, 3000), (10_000, 10)])
def test_no_cell_is_negative_and_the_step_towards_uniform_is_tiny(rows, spread):
    space = residual_space(NETWORK)
    generator = np.random.default_rng(rows)
    ones = np.ones(len(space.place))
    record = space.cells(space.fuse(np.where(np.arange(len(ones)) == 0, rows, 0.0), ones, rows))
    cells = record + generator.laplace(0, spread, len(ones))
    found = nearest_agreeing(space, cells, ones, rows)
    assert (found >= 0).all()
    for table in space.tables(found).values():
        assert table.sum() == pytest.approx(rows, rel=1e-12)
    # Cells that want to be negative end at zero, not at a share of the uniform table.
    assert found.min() < 1e-6 * rows / len(ones) or (space.cells(space.fuse(cells, ones, rows)) >= 0).all()


def test_what_is_already_non_negative_is_the_fused_table():
    space = residual_space(NETWORK)
    generator = np.random.default_rng(3)
    ones = np.ones(len(space.place))
    uniform = space.cells(np.r_[9000.0, np.zeros(space.dimension - 1)])
    cells = uniform + generator.normal(0, 5, len(ones))
    np.testing.assert_array_equal(nearest_agreeing(space, cells, ones, 9000), space.cells(space.fuse(cells, ones, 9000)))


def test_the_same_noisy_tables_give_the_same_tables():
    space = residual_space(NETWORK)
    cells = np.random.default_rng(5).normal(0, 50, len(space.place))
    one, two = (nearest_agreeing(space, cells, np.ones(len(cells)), 20) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_numbers_beyond_all_sense_still_give_finite_tables():
    space = residual_space(NETWORK)
    cells = np.where(np.arange(len(space.place)) % 2, 4e18, -4e18)
    found = nearest_agreeing(space, cells, np.ones(len(cells)), 3)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
