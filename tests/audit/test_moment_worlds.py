"""Moments through the real door: every pair of neighbours of a small world, with the noise that their releases had.

The same random bits give the same noise whatever the records are. So the releases of two data sets with the same bits differ
by exactly what their moments differ by, and how much likelier an output is with one of them follows from the law's density.
"""

from fractions import Fraction
from itertools import product

import polars as pl
import pytest
from support.bits import SeededBits

from discreet import LinearModel, RegressionMoments
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
from discreet.measure.laws import NoiseForm

RECORDS = list(product((-1.0, -0.25, 0.0, 1.0), repeat=2))
KEPT = (0.5, -1.0)
"""The record that all data sets share."""


def release(model, record, mechanism):
    data = pl.DataFrame([KEPT, record], schema=["x", "y"], orient="row")
    return mechanism.release(data, model, ledger=Ledger.unlimited(), _bits=SeededBits(5)).posterior.released


def price(noise, differences):
    """What an output can tell about two such data sets: the largest log ratio of densities, or the divergence of order one."""
    pairs = [(row == column, abs(change)) for (row, column), change in zip(noise.triangle.places, differences, strict=True)]
    if noise.form is NoiseForm.BOX:
        return max(Fraction(change, 1 if square else 2) for square, change in pairs) / noise.scale
    assert noise.form is NoiseForm.GAUSSIAN
    squares = noise.scale * Fraction(2, noise.triangle.size + 1)
    return sum(change**2 / (2 * (squares if square else noise.scale)) for square, change in pairs)


def worst(mechanism, intercept, outside=1):
    """The dearest pair of neighbours. Records reach ``outside`` times as far as the bounds that the model declares."""
    bounds = (Fraction(-1, outside), Fraction(1, outside))
    model = LinearModel({"x": bounds}, ("y", bounds), intercept=intercept, resolution=8)
    made = [release(model, record, mechanism) for record in RECORDS]
    return max(
        price(made[0].noise, [a - b for a, b in zip(one.values, other.values, strict=True)])
        for one, other in product(made, repeat=2)
    )


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("outside", [1, 4])
@pytest.mark.parametrize("mechanism", [RegressionMoments("1/2"), RegressionMoments("1/2", "1e-6")], ids=repr)
def test_no_pair_of_neighbours_costs_more_than_was_charged(mechanism, intercept, outside):
    paid = mechanism.guarantee.epsilon if isinstance(mechanism.guarantee, PureDP) else mechanism.guarantee.rho
    assert worst(mechanism, intercept, outside) <= paid
    if outside == 1 and (isinstance(mechanism.guarantee, PureDP) or not intercept):
        assert worst(mechanism, intercept) == paid  # so a scale that is too small by anything would be seen
