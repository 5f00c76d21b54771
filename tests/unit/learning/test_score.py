"""Scores are exact whole numbers that one record moves by no more than the sensitivity says: tried on all small tables."""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from discreet.learning.score import UNIT, Curve, divergence_curve, expected_score, public_reference, score, variation_curve

HALF = divergence_curve(Fraction(1, 2))
ONE = divergence_curve(Fraction(1))
VARIATION = variation_curve()
SHAPES = [((2, 2), 8), ((2, 3), 4), ((3, 3), 2), ((2, 2, 2), 2)]


@lru_cache(maxsize=8)
def all_tables(cells, rows):
    """All tables of so many cells and records."""
    if cells == 1:
        return ((rows,),)
    return tuple((first, *rest) for first in range(rows + 1) for rest in all_tables(cells - 1, rows - first))


def neighbours(tables):
    """All pairs of tables that differ in one record."""
    for table in tables:
        for lost, won in product(range(len(table)), repeat=2):
            if lost != won and table[lost]:
                yield table, tuple(count - (place == lost) + (place == won) for place, count in enumerate(table))


def largest_move(function, cells, rows):
    """How far one record moves a function of tables, at the most."""
    tables = all_tables(cells, rows)
    values = {table: function(np.array(table)) for table in tables}
    return max(abs(values[one] - values[two]) for one, two in neighbours(tables))


def references(cells, rows):
    """Even, lopsided, nearly empty and absurd ones."""
    generator = np.random.default_rng(cells)
    even = np.full(cells, rows / cells)
    steep = np.exp2(-np.arange(cells)) * rows
    return [even, steep, np.full(cells, 1e-9), np.full(cells, 10.0 * rows), generator.exponential(rows / cells, cells)]


@pytest.mark.parametrize(("shape", "rows"), SHAPES)
@pytest.mark.parametrize("curve", [HALF, ONE, VARIATION], ids=["half", "one", "variation"])
def test_no_neighbour_moves_a_score_by_more_than_the_sensitivity(shape, rows, curve):
    for expected in references(math.prod(shape), rows):
        reference = public_reference(expected).reshape(shape)
        moved = largest_move(lambda table, held=reference: score(table.reshape(held.shape), held, curve), reference.size, rows)
        assert moved <= curve.sensitivity()


@pytest.mark.parametrize("cells", [4, 6, 9, 8])
def test_no_neighbour_among_all_tables_of_up_to_twenty_records_does(cells):
    """A score is a sum over cells, so only the cell that loses the record and the one that wins it matter. Of fewer records
    these two hold less, so all of that is within what is tried for twenty."""
    rows = 20
    for expected in references(cells, rows):
        reference = public_reference(expected)
        value = np.array([[score(np.array([count]), held, HALF) for count in range(rows + 1)] for held in reference[:, None]])
        steps = value[:, 1:] - value[:, :-1]
        for lost, won in product(range(cells), repeat=2):
            for count in range(1, rows + 1):  # in the cell that loses; the other holds at most the rest
                if lost != won:
                    assert np.abs(steps[won, : rows - count + 1] - steps[lost, count - 1]).max() <= HALF.sensitivity()


def test_a_score_is_a_sum_over_cells():
    generator = np.random.default_rng(3)
    counts, reference = generator.integers(0, 30, (3, 5)), public_reference(generator.exponential(9, (3, 5)))
    cells = zip(counts.ravel(), reference.ravel(), strict=True)
    assert score(counts, reference, HALF) == sum(score(np.array([count]), np.array([held]), HALF) for count, held in cells)


@pytest.mark.parametrize("curve", [HALF, ONE, VARIATION], ids=["half", "one", "variation"])
def test_the_sensitivity_is_attained(curve):
    reference = public_reference(np.array([0.001, 100.0]))
    assert largest_move(lambda table: score(table, reference, curve), 2, 10) == curve.sensitivity()


def normalised_mutual_information(table):
    """A real score of a public library, 2 x 2, whose sensitivity was taken to be that of plain mutual information."""
    joint = table.reshape(2, 2) / table.sum()
    sides = joint.sum(axis=1), joint.sum(axis=0)
    terms = [p * math.log(p / (sides[0][i] * sides[1][j])) for (i, j), p in np.ndenumerate(joint) if p]
    entropies = [-sum(p * math.log(p) for p in side if p) for side in sides]
    return sum(terms) / math.sqrt(math.prod(entropies)) if all(entropies) else 0.0


def test_a_normalised_score_with_the_sensitivity_of_another_is_caught():
    rows = 20
    claimed = math.log(rows) / rows + (rows - 1) / rows * math.log(rows / (rows - 1))
    assert largest_move(normalised_mutual_information, 4, rows) > 4 * claimed


def test_a_curve_that_lies_about_its_slopes_is_caught():
    class Flat(Curve):
        @property
        def steepest(self):
            return max(self.slopes) // 2

    reference = public_reference(np.full(4, 1.0))
    lying = Flat(HALF.slopes, HALF.drops)
    assert largest_move(lambda table: score(table, reference, lying), 4, 4) > lying.sensitivity()


def test_lines_may_lie_anywhere():
    generator = np.random.default_rng(5)
    wild = Curve(HALF.slopes, tuple(generator.integers(-(10**6), 10**6, len(HALF.drops)).tolist()))
    reference = public_reference(references(4, 12)[4])
    assert largest_move(lambda table: score(table, reference, wild), 4, 12) <= wild.sensitivity()


@pytest.mark.parametrize("bound", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_the_score_is_the_clipped_divergence(bound):
    generator = np.random.default_rng(2)
    counts = generator.integers(0, 400, 12).reshape(3, 4)
    reference = public_reference(generator.exponential(150, (3, 4)))
    expected = reference / 2**10
    slope = np.clip(np.log(np.maximum(counts, 1e-300) / expected), -float(bound), float(bound))
    exact = (slope * counts - np.expm1(slope) * expected).sum()
    assert score(counts, reference, divergence_curve(bound)) / UNIT == pytest.approx(exact, abs=expected.sum() / 2**14 + 0.01)


def test_parts_of_persons_score_as_persons_do():
    counts = np.array([[3, 0], [5, 12]])
    reference = public_reference(np.array([[4.0, 2.0], [6.0, 8.0]]))
    assert score(counts * 60, reference, HALF, parts=60) == 60 * score(counts, reference, HALF)
    assert HALF.sensitivity(60) == 60 * HALF.sensitivity()


def test_numbers_that_leave_64_bits_are_scored_exactly():
    counts, parts = np.array([2**50, 2**55]), 232_792_560
    reference = public_reference(np.array([2.0**20, 2.0**30]))
    lines = [[s * 2**24 * int(c) - d * parts * int(q) for s, d in zip(HALF.slopes, HALF.drops, strict=True)]
             for c, q in zip(counts, reference, strict=True)]  # fmt: skip
    assert score(counts, reference, HALF, parts) == sum(map(max, lines))


def test_a_reference_is_positive():
    assert public_reference(np.array([0.0, -3.0, math.nan, math.inf, 2.0])).tolist() == [1, 1, 1, 1, 2048]


def test_noise_alone_scores_what_is_expected_of_it():
    generator = np.random.default_rng(0)
    reference, deviation = np.array([50.0, 400.0, 5.0]), np.array([8.0, 8.0, 8.0])
    noisy = np.maximum(reference + deviation * generator.standard_normal((20000, 3)), 0)
    slope = np.clip(np.log(np.maximum(noisy, 1e-12) / reference), -0.5, 0.5)
    simulated = (slope * noisy - np.expm1(slope) * reference).sum(axis=1).mean()
    assert expected_score(reference, deviation, 0.5) == pytest.approx(simulated, rel=0.05)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="multiple"):
        divergence_curve(Fraction(1, 3))
    with pytest.raises(ValueError, match="same shape"):
        score(np.zeros(3, dtype=np.int64), np.ones(4, dtype=np.int64), HALF)


def test_half_of_the_distance_is_the_total_variation():
    counts, expected = np.array([[3, 0], [5, 12]]), np.array([[4.5, 1.0], [9.25, 5.25]])
    assert score(counts, public_reference(expected), VARIATION) == UNIT * np.abs(counts - expected).sum() / 2
    assert score(3 * counts, public_reference(expected), VARIATION, 3) == 3 * UNIT * np.abs(counts - expected).sum() / 2
    assert VARIATION.sensitivity() == UNIT  # one record
