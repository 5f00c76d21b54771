"""Noise for all pairs of columns: what one record moves is worked out from the numbers of levels, and tried on all records."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.noise.pairs import PairedColumns, PairGaussian, PairWishart, contrasts_of
from tests.support.bits import SeededBits

LEVELS = [(2,), (2, 2), (2, 3), (3, 3, 2), (2, 2, 2, 2), (4, 1, 3)]


def vector(record, levels):
    return [1, *(int(each) for value, size in zip(record, levels, strict=True) for each in contrasts_of(size)[value])]


def records(levels):
    return list(product(*(range(size) for size in levels)))


@pytest.mark.parametrize("levels", range(1, 7))
def test_contrasts_are_an_orthonormal_coding_of_levels(levels):
    table = contrasts_of(levels)
    assert table.shape == (levels, levels - 1)
    assert not table.sum(axis=0).any()
    squares = [number * (number + 1) for number in range(1, levels)]
    np.testing.assert_array_equal(table.T @ table, np.diag(squares))
    for one, two in product(range(levels), repeat=2):
        inner = sum((Fraction(int(a * b), h) for a, b, h in zip(table[one], table[two], squares, strict=True)), Fraction(0))
        assert inner == (one == two) - Fraction(1, levels)


@pytest.mark.parametrize("levels", LEVELS)
def test_every_record_has_the_length_that_is_claimed(levels):
    columns = PairedColumns(levels, 1)
    for record in records(levels):
        squares = zip(vector(record, levels), columns.squares, strict=True)
        assert sum(Fraction(number**2, square) for number, square in squares) == columns.length


def squared_change(one, two, levels):
    """How far replacing a record moves the published numbers, in units of h."""
    columns = PairedColumns(levels, 1)
    u, v, h = vector(one, levels), vector(two, levels), columns.squares
    return sum((Fraction((u[i] * u[j] - v[i] * v[j]) ** 2, h[i] * h[j]) for i, j in columns.places), Fraction(0))


@pytest.mark.parametrize("levels", LEVELS)
def test_no_neighbour_moves_the_pairs_further_than_claimed(levels):
    most = max((squared_change(one, two, levels) for one, two in combinations(records(levels), 2)), default=0)
    assert most <= PairedColumns(levels, 1).squared_change


@pytest.mark.parametrize("levels", LEVELS)
def test_the_largest_change_is_attained(levels):
    most = max(squared_change(one, two, levels) for one, two in combinations(records(levels), 2))
    assert most == PairedColumns(levels, 1).squared_change


def test_a_change_that_forgets_a_column_is_caught():
    levels = (3, 3, 2)
    most = max(squared_change(one, two, levels) for one, two in combinations(records(levels), 2))
    assert most > PairedColumns(levels[:2], 1).squared_change


def test_costs_are_exact():
    columns = PairedColumns((2, 3), 10)
    assert columns.length == 1 + Fraction(1, 2) + Fraction(2, 3)
    assert PairWishart(columns, 2 * columns.length / Fraction(1, 3)).cost == PureDP("1/3")
    assert PairGaussian(columns, columns.squared_change * 50).cost == ZCDP("0.01")


@pytest.mark.fast("False")
@pytest.mark.parametrize("pure", [True, False])
def test_noise_of_pairs_has_the_claimed_spread(pure):
    columns, bits = PairedColumns((2, 3, 2), 10), SeededBits(4)
    law = PairWishart(columns, Fraction(400)) if pure else PairGaussian(columns, Fraction(90_000))
    drawn = np.array([law.draw((len(columns.places),), bits).astype(float) for _ in range(1500)])
    widths = np.array([math.sqrt(columns.squares[one] * columns.squares[two]) for one, two in columns.places])
    spread = 400 * math.sqrt((len(columns.squares) + 1) / 2) if pure else 300
    assert np.abs((drawn / widths).std(axis=0) / spread - 1).max() < 0.15
    assert np.abs((drawn / widths).mean(axis=0)).max() < 0.15 * spread


def test_parts_of_persons_get_so_many_times_the_noise():
    one = PairWishart(PairedColumns((2, 2), 10), Fraction(400)).draw((3,), SeededBits(1)).astype(float)
    many = PairWishart(PairedColumns((2, 2), 10, 60), Fraction(400)).draw((3,), SeededBits(1)).astype(float)
    np.testing.assert_allclose(many / 60, one, atol=1)


def test_what_does_not_belong_to_the_columns_is_refused():
    law = PairWishart(PairedColumns((2, 3), 10), Fraction(10))
    law.check(np.zeros(5, dtype=np.int64))
    for numbers in (np.zeros(4, dtype=np.int64), np.zeros(5), np.zeros((5, 1), dtype=np.int64)):
        with pytest.raises(ValueError, match="64-bit integer"):
            law.check(numbers)
    with pytest.raises(ValueError, match="scale"):
        PairWishart(PairedColumns((2, 3), 10), Fraction(0)).check(np.zeros(5, dtype=np.int64))
    with pytest.raises(BudgetError, match="too large"):
        PairWishart(PairedColumns((2, 3), 10), Fraction(2**50)).check(np.zeros(5, dtype=np.int64))
    with pytest.raises(TypeError, match="levels"):
        PairWishart(PairedColumns((2, 0), 10), Fraction(10)).check(np.zeros(1, dtype=np.int64))
