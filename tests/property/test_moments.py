"""How far one record moves the moments: all neighbours of small worlds, random records, and the records that attain it."""

from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import LinearModel
from discreet.counts.moments import moments
from discreet.kernel.noise.moments import DeclaredMoments

VALUES = st.one_of(st.sampled_from([-1.0, 1.0, 0.0, -0.0, 1e-9, -2.0, 5.0]), st.floats(-1e6, 1e6))


def declared(columns, intercept, resolution=16):
    features = {f"x{i}": (-1, 1) for i in range(columns - 1)}
    return LinearModel(features, ("y", (-1, 1)), intercept=intercept, resolution=resolution)


def vector(model, records):
    """The moments as one vector of integers in steps of 4^-resolution, and which of its entries are squares."""
    names = [column.name for column in model.columns]
    found = moments(pl.DataFrame(np.atleast_2d(records), schema=names), model)
    count = len(names)
    sums = [int(entry) << model.resolution for entry in found.sums] if model.intercept else []
    pairs = [(row, column) for row in range(count) for column in range(row, count)]
    squares = [False] * len(sums) + [row == column for row, column in pairs]
    return sums + [int(found.products[pair]) for pair in pairs], squares


def moves(model, one, other):
    """By how much the entries differ between two data sets; whether entries are squares."""
    (first, squares), (second, _) = vector(model, one), vector(model, other)
    return [a - b for a, b in zip(first, second, strict=True)], squares


def claimed(model, rows=1):
    """What the kernel says of such records."""
    return DeclaredMoments(len(model.columns) + int(model.intercept), 2**model.resolution, model.intercept, rows)


def weighted(differences, squares, size):
    """The sum of squares of the differences in which sums of squares count (size + 1) / 2 times."""
    pairs = zip(differences, squares, strict=True)
    return sum((Fraction(size + 1, 2) if square else 1) * d * d for d, square in pairs)


def assert_within(model, differences, squares):
    bound = claimed(model)
    assert max(map(abs, differences)) <= bound.change
    assert max((abs(d) for d, square in zip(differences, squares, strict=True) if square), default=0) <= bound.square
    assert weighted(differences, squares, bound.size) <= bound.length**2


@given(st.data())
def test_replacing_one_record_moves_the_moments_no_further_than_claimed(data):
    columns = data.draw(st.integers(2, 6))
    model = declared(columns, data.draw(st.booleans()), data.draw(st.sampled_from([4, 10, 16, 20])))
    rows = data.draw(st.integers(1, 4))
    records = np.array(data.draw(st.lists(st.lists(VALUES, min_size=columns, max_size=columns), min_size=rows, max_size=rows)))
    replaced = records.copy()
    replaced[data.draw(st.integers(0, rows - 1))] = data.draw(st.lists(VALUES, min_size=columns, max_size=columns))
    assert_within(model, *moves(model, records, replaced))
    largest, squares = vector(model, records)
    most = rows * claimed(model, rows).square
    assert all((0 if square else -most) <= entry <= most for entry, square in zip(largest, squares, strict=True))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("columns", [2, 3])
def test_no_pair_of_records_on_a_grid_moves_the_moments_further(columns, intercept):
    """Brute force: every pair of records with values in steps of 1/4, and the claimed norms are nearly reached."""
    model = declared(columns, intercept)
    grid = np.array(list(product(np.linspace(-1, 1, 9), repeat=columns)))
    whole = np.column_stack([np.ones(len(grid)), grid]) if intercept else grid
    rows, cols = np.triu_indices(whole.shape[1])
    entries = whole[:, rows] * whole[:, cols]
    differences = np.abs(entries[:, None, :] - entries[None, :, :])
    bound, unit = claimed(model), 4**model.resolution
    assert differences.max() == bound.change / unit
    assert differences[..., (rows == cols)].max() == bound.square / unit
    assert (whole**2).sum(axis=1).max() == bound.length / unit
    weights = np.where(rows == cols, (bound.size + 1) / 2, 1)
    assert 0.85 * bound.length**2 / unit**2 <= (weights * differences**2).sum(axis=2).max() <= bound.length**2 / unit**2


@pytest.mark.parametrize("columns", [2, 3, 4, 7, 15])
def test_the_sensitivities_are_attained(columns):
    with_intercept, without = declared(columns, True, 20), declared(columns, False, 20)
    ones = np.ones(columns)
    assert weighted(*moves(without, ones, 0 * ones), columns) == claimed(without).length ** 2
    for model in (with_intercept, without):
        size = columns + int(model.intercept)
        flipped = np.where(np.arange(columns) < size // 2, -1.0, 1.0)
        expected = claimed(model).length ** 2 * Fraction(size**2 - size % 2, size**2)
        assert weighted(*moves(model, ones, flipped), size) == expected


def test_the_diagonal_moves_so_it_needs_noise():
    """Software exists that adds noise to X'X off the diagonal only; the squares of a column tell about a record too."""
    model = declared(3, True)
    differences, squares = moves(model, [[1, 1, 1.0]], [[0, 1, 1.0]])
    assert [d for d, square in zip(differences, squares, strict=True) if square] == [4**16, 0, 0]


def test_records_outside_the_bounds_move_the_moments_no_further_than_those_inside():
    """Software exists that takes the covariance of data that were never clipped."""
    model = declared(3, True)
    differences, squares = moves(model, [[1e9, -1e12, 1e300]], [[-1e200, 4.0, -1e9]])
    assert_within(model, differences, squares)
    assert moves(model, [[1e9, -1e12, 1e300]], [[1, -1, 1.0]])[0] == [0] * 9


def test_a_claim_that_is_too_small_would_be_noticed():
    """Planted faults: bounds of one unit less, and squares that count a little more."""
    model = declared(4, False, 20)
    ones = np.ones(4)
    differences, squares = moves(model, ones, [-1, -1, 1, 1])
    assert max(map(abs, differences)) > claimed(model).change - 1
    assert weighted(differences, squares, 4) > claimed(model).length ** 2 - 1
    differences, squares = moves(model, ones, 0 * ones)
    assert weighted(differences, squares, Fraction(41, 10)) > claimed(model).length ** 2
