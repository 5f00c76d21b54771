"""The guarantee of posterior sampling in small worlds: all data sets on a grid, all neighbours, the density at every point."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest

from discreet import LinearModel
from discreet.counts.moments import moments
from discreet.mechanisms.linear_sampler import RegressionSampler, posterior_law
from discreet.planning.linear import draw_epsilon

VALUES = (-1.0, -0.5, 0.0, 1.0)
POINTS = 401


def world(weights, radius):
    features = {f"x{i}": (-1, 1) for i in range(weights)}
    return LinearModel(features, ("y", (-1, 1)), "0.5", radius, "0.6", intercept=False, resolution=8)


def log_density(law):
    """The log density of the law of a draw on a grid over the ball, with the normaliser by summing over the grid."""
    size, radius = len(law.linear), float(law.radius_squared) ** 0.5
    points = POINTS if size == 1 else 61
    axis = radius * ((np.arange(points) + 0.5) * 2 / points - 1)
    grid = np.stack(np.meshgrid(*[axis] * size, indexing="ij"), axis=-1).reshape(-1, size)
    grid = grid[(grid**2).sum(axis=1) <= radius**2]
    precision, linear = np.array(law.precision, dtype=float), np.array(law.linear, dtype=float)
    exponent = grid @ linear - 0.5 * np.einsum("ij,jk,ik->i", grid, precision, grid)
    return exponent - np.log(np.exp(exponent - exponent.max()).sum()) - exponent.max()


def worst_ratio(model, rows, tempering):
    """The largest log ratio of densities between neighbours, over all data sets with records on the grid."""
    names = [column.name for column in model.columns]
    records = list(product(VALUES, repeat=len(names)))
    densities = {}
    for data in combinations_with_replacement(range(len(records)), rows):
        frame = pl.DataFrame([records[place] for place in data], schema=names, orient="row")
        densities[data] = log_density(posterior_law(moments(frame, model), model, tempering))
    return max(
        np.abs(density - densities[tuple(sorted((*data[:place], other, *data[place + 1 :])))]).max()
        for data, density in densities.items()
        for place in range(rows)
        for other in range(len(records))
    )


@pytest.mark.parametrize(("weights", "rows", "radius"), [(1, 1, "0.7"), (1, 2, "0.7"), (1, 2, 3), (2, 1, "1.5")])
@pytest.mark.parametrize("epsilon", ["1/2", "4"])
def test_no_draw_is_likelier_than_epsilon_allows(weights, rows, radius, epsilon):
    model = world(weights, radius)
    sampler = RegressionSampler(epsilon)
    tempering = sampler.temper(model)
    assert tempering == min(Fraction(1), Fraction(epsilon) / draw_epsilon(model))
    charged = float(sampler.cost(model).epsilon)
    worst = worst_ratio(model, rows, tempering)
    assert worst <= charged * (1 + 1e-9)
    assert worst > charged / 5  # epsilon is not overstated beyond reason
    if rows == 1:
        assert worst_ratio(model, rows, 4 * tempering) > charged  # the planted fault: records that count four times


def test_several_draws_share_epsilon():
    model = world(1, "0.7")
    one, five = RegressionSampler(1), RegressionSampler(1, draws=5)
    assert five.temper(model) == one.temper(model) / 5
    assert five.cost(model) == one.cost(model)
