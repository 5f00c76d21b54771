"""All pairs at once on worlds that are small enough for exact laws: no output is likelier than the guarantee allows."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad

from discreet.counts.pairs import pair_numbers
from discreet.kernel.noise.pairs import PairedColumns, PairGaussian, PairWishart
from tests.support.bits import SeededBits

ROWS = 3


def density(value, scale):
    """Of the only number of one binary column: root of two times half a scale times the difference of two Gamma(3) numbers."""
    unit = math.sqrt(2) * scale / 2
    size = abs(value) / unit
    return math.exp(-size) * (3 + 3 * size + size**2) / (16 * unit)


def law(true, scale):
    """The probabilities of all outputs near the true number."""
    return {k: quad(density, k - true - 0.5, k - true + 0.5, args=(scale,))[0] for k in range(-30, 31)}


def worst_ratio(epsilon, scale):
    """The largest log-ratio of an output's probability between neighbours: numbers of three records differ by two."""
    laws = {number: law(number, scale) for number in (-3, -1, 1, 3)}
    pairs = [(one, two) for one, two in product(laws, repeat=2) if abs(one - two) == 2]
    return max(math.log(laws[one][k] / laws[two][k]) for one, two in pairs for k in laws[one]) / epsilon


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_no_number_is_likelier_than_epsilon_allows(epsilon):
    columns = PairedColumns((2,), ROWS)
    scale = 2 * columns.length / Fraction(epsilon)
    assert float(PairWishart(columns, scale).cost.epsilon) == epsilon
    assert worst_ratio(epsilon, float(scale)) <= 1 + 1e-9
    assert worst_ratio(epsilon, float(scale) / 2) > 1.5  # the same detector, with half of the noise


def test_the_law_above_is_the_law_of_the_draws():
    noise, bits = PairWishart(PairedColumns((2,), ROWS), Fraction(3)), SeededBits(2)
    drawn = np.array([int(noise.draw((1,), bits)[0]) for _ in range(6000)])
    for number, chance in law(0, 3.0).items():
        assert abs((drawn == number).mean() - chance) < 5 * math.sqrt(chance / 6000) + 1e-3
    assert max(abs((drawn == number).mean() - chance) for number, chance in law(0, 4.0).items()) > 0.02


LEVELS = {"a": 2, "b": 3}


def numbers_of(counts):
    table = np.array(counts, dtype=np.int64).reshape(2, 3)
    return pair_numbers({"a": table.sum(axis=1), "b": table.sum(axis=0)}, lambda _: table)


def worlds(cells, rows):
    if cells == 1:
        return [(rows,)]
    return [(first, *rest) for first in range(rows + 1) for rest in worlds(cells - 1, rows - first)]


def test_gaussian_pairs_diverge_no_further_than_rho_allows():
    columns = PairedColumns(tuple(LEVELS.values()), 2)
    noise = PairGaussian(columns, Fraction(20))
    widths = np.array([columns.squares[one] * columns.squares[two] for one, two in columns.places])
    worst = 0.0
    for world in worlds(6, 2):
        for lost, won in product(range(6), repeat=2):
            if lost != won and world[lost]:
                other = tuple(count - (place == lost) + (place == won) for place, count in enumerate(world))
                moved = numbers_of(world) - numbers_of(other)
                worst = max(worst, float((moved**2 / widths).sum()) / (2 * 20))  # of order a, divided by a
    assert worst == pytest.approx(float(noise.cost.rho))
