"""The metric of steps: the largest curvatures of what is known, with one law of impulses and speeds."""

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.some_cells import AllCells, SomeCells
from discreet.chains.stiff_directions import Metric, _upright, find_directions
from discreet.measure.laws import GaussianNoise

STAR = Network(
    [Variable("y", list("012")), *(Variable(name, list("0123")) for name in "abcd")], {name: ["y"] for name in "abcd"}
)


@pytest.fixture(scope="module")
def world():
    """Four tables that are tied to the margin of y, which one more measurement knows well."""
    generator = np.random.default_rng(3)
    tables_of = {name: generator.multinomial(4000, generator.dirichlet(np.ones(12))).reshape(3, 4) for name in "abcd"}
    measured = [counts("y" + name, GaussianNoise(900.0), table) for name, table in tables_of.items()]
    tables = lay_out(STAR, [*measured, counts("y", GaussianNoise(16.0), np.array([1500, 1500, 1000]))], 4000, 0.5)
    cells = AllCells(tables, 4000)
    mean = np.concatenate(
        [tables_of[family.node].ravel() if family.parents else np.array([1500, 1500, 1000]) for family in tables.families]
    )
    return tables, cells, mean.astype(float)


def exact_curvature(tables, cells, mean, widths, spread):
    """Of what is known of numbers and sums, dense, by the formula."""
    growth = widths * (1 - np.exp(-mean / widths))
    same = tables.family_of_cell[:, None] == tables.family_of_cell
    jacobian = np.diag(growth) - (mean / 4000)[:, None] * same * growth
    matrix, sums = cells.matrix.toarray(), cells.sums
    weights = np.diag(
        np.concatenate([np.where(tables.rates > 0, 1 / tables.spreads**2, 0)[tables.part], sums.precision[:, 0]])
    )
    first = len(tables.noisy) + sums.first
    rest = np.eye(len(matrix))
    rest[first:, first:] -= (sums.margin[:, None] == sums.margin) / sums.copies[sums.margin, 0]
    whole = np.array([1 / (4000 * spread[family]) ** 2 for family in tables.family_of_cell])
    return jacobian.T @ matrix.T @ rest.T @ weights @ rest @ matrix @ jacobian + same * np.outer(growth, growth) * whole


def test_they_are_the_largest_curvatures_of_what_is_known(world):
    tables, cells, mean = world
    widths, spread = np.full(len(mean), 40.0), np.full(len(tables.families), 0.05)
    found = find_directions(cells, mean, widths, spread, 4000)
    exact = exact_curvature(tables, cells, mean, widths, spread)
    root = found.root.astype(float)
    exact += np.diag(1 - np.minimum(_diagonal(tables, cells, mean, widths, spread), 1))
    values, vectors = np.linalg.eigh(exact / np.outer(root, root))
    number = len(found.excess)
    assert number > 3
    assert values[-1] > 4
    np.testing.assert_allclose(np.sort(found.excess)[::-1], values[::-1][:number] - 1, rtol=1e-3)
    assert (values[: len(values) - number] < 2.01).all()
    alike = np.linalg.svd(vectors[:, -number:].T @ found.directions, compute_uv=False)
    np.testing.assert_allclose(alike, 1, atol=1e-3)


def _diagonal(tables, cells, mean, widths, spread):
    """Of each cell by itself, without what it takes from others."""
    growth = widths * (1 - np.exp(-mean / widths))
    weights = np.concatenate([np.where(tables.rates > 0, 1 / tables.spreads**2, 0)[tables.part], cells.sums.precision[:, 0]])
    squares = np.square(cells.matrix.toarray()).T @ weights
    return growth**2 * (squares + 1 / (4000 * spread[tables.family_of_cell]) ** 2)


def metric_of(world, moving):
    tables, cells, mean = world
    stiff = find_directions(cells, mean, np.full(len(mean), 40.0), np.full(len(tables.families), 0.05), 4000)
    taken = np.arange(len(mean))
    some = SomeCells.of(cells, taken, np.zeros(moving.shape))
    return stiff, Metric(stiff, some, moving)


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_impulses_and_speeds_have_one_metric_in_each_chain(world, share):
    """Among the cells that move speeds are the inverse of the metric times impulses; drawn impulses have it as covariances."""
    size = len(world[2])
    moving = (np.random.default_rng(5).random((size, 3)) < share).astype(float)
    stiff, metric = metric_of(world, moving)
    unit = np.eye(size)
    for chain in range(3):
        on = moving[:, chain] > 0
        whole = np.eye(size) + (stiff.directions * stiff.excess) @ stiff.directions.T
        wanted = (stiff.root[:, None] * whole * stiff.root)[np.ix_(on, on)]
        turned = np.array([metric.turn(np.repeat(each[:, None], 3, axis=1) * moving)[:, chain] for each in unit[on]])
        np.testing.assert_allclose(turned[:, on] @ wanted, np.eye(on.sum()), atol=2e-4)
        assert (turned[:, ~on] == 0).all()
    generator = np.random.default_rng(6)
    drawn = np.array([metric.draw(generator)[:, 0] for _ in range(20_000)])
    on = moving[:, 0] > 0
    wanted = (stiff.root[:, None] * whole * stiff.root)[np.ix_(on, on)]
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    np.testing.assert_allclose((drawn.T @ drawn / len(drawn))[np.ix_(on, on)] / scale, wanted / scale, atol=0.04)
    assert not np.allclose(wanted, np.diag(np.diag(wanted)), atol=0.05)
    energy = metric.energy(np.repeat(drawn[:1].T, 3, axis=1).astype(np.float32) * moving)
    impulse = drawn[0][on]
    assert energy[0] == pytest.approx(impulse @ np.linalg.solve(wanted, impulse) / 2, rel=1e-3)


@pytest.mark.parametrize("independent", [1, 3, 40])
def test_columns_that_follow_from_others_are_no_obstacle(independent):
    """Where few directions are stiff, all columns soon point along them, but for what is lost in rounding."""
    generator = np.random.default_rng(independent)
    columns = generator.standard_normal((500, independent)) @ generator.standard_normal((independent, 40)) * 1e6
    found = _upright(columns)
    assert np.isfinite(found).all()
    first = found[:, :independent]
    np.testing.assert_allclose(first.T @ first, np.eye(independent), atol=1e-4)
    np.testing.assert_allclose(first @ (first.T @ columns), columns, atol=1e-3 * np.abs(columns).max())
