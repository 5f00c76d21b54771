"""Cuts of a table, drawn together: the law against a list of all sets of cuts, and what bits make of it."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from support.bits import ScriptedBits, SeededBits
from support.cut_laws import cut_sets, drawn_law, listed_law
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.draws.cut_points import draw_cuts

TABLES = [(5, 0, 3, 7, 1, 0, 0, 2, 9), (0,) * 9, (0, 0, 0, 40, 0, 0, 0, 0, 0), (1, 2, 3, 4, 5, 6, 7, 8, 9)]


@pytest.mark.parametrize("cuts", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_every_set_of_cuts_has_its_exact_probability(table, cuts):
    """A grid of eight candidates: all sets of cuts are listed."""
    for epsilon in (Fraction(1, 20), Fraction(1), Fraction(7)):
        law, expected = drawn_law(table, cuts, epsilon), listed_law(table, cuts, epsilon)
        assert law.keys() == expected.keys()
        assert all(law[each] == pytest.approx(expected[each], rel=1e-12) for each in law)


def test_parts_of_persons_count_as_persons():
    table = TABLES[0]
    parts = tuple(12 * count for count in table)
    assert drawn_law(parts, 2, Fraction(1), whole=12) == pytest.approx(drawn_law(table, 2, Fraction(1)))
    assert drawn_law(parts, 2, Fraction(1)) != pytest.approx(drawn_law(table, 2, Fraction(1)))


def test_draws_follow_the_law_and_not_one_of_another_budget():
    table, cuts, places = TABLES[0], 2, cut_sets(9, 2)
    bits = SeededBits(3)
    seen = Counter(draw_cuts(table, cuts, Fraction(1), bits) for _ in range(1500))
    counted = np.array([seen[each] for each in places])
    for epsilon, fits in ((Fraction(1), True), (Fraction(2), False), (Fraction(1, 2), False)):
        law = listed_law(table, cuts, epsilon)
        assert (chi_square_p(counted, np.array([law[each] for each in places])) > ALPHA) is fits


def test_each_cut_takes_one_uniform_number_from_right_to_left():
    """Numbers of all zeros take the first candidate of each choice, and of all ones the last."""
    for byte, found in ((b"\x00", (1, 2, 3)), (b"\xff", (2, 3, 4))):
        bits = ScriptedBits(byte * 48)
        assert draw_cuts((3, 1, 4, 1, 5), 3, Fraction(1, 1000), bits) == found
        assert bits.used == 48


def test_counts_of_64_bits_and_extreme_budgets_neither_wrap_nor_underflow():
    most = 2**60
    table = np.array([most, 0, 0, most, 0, most], dtype=np.int64)
    assert draw_cuts(table, 2, Fraction(1), SeededBits(1))[1] in (4, 5)
    assert draw_cuts(table, 2, Fraction(1), SeededBits(1))[0] in (1, 2, 3)
    assert draw_cuts((3, 1, 4, 1, 5), 1, Fraction(10) ** 100, SeededBits(1)) == (3,)
    law = drawn_law((3, 1, 4, 1, 5), 2, Fraction(1, 10**100))
    assert all(chance == pytest.approx(1 / 6) for chance in law.values())
