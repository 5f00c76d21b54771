import math
from fractions import Fraction

import numpy as np
import pytest
from support.balls import logarithm
from support.networks import all_rows

from discreet import Network, Variable
from discreet.measure.strategies.lipschitz import candidate_oscillation

NETWORK = Network([Variable("a", ["0", "1"]), Variable("b", ["x", "y", "z"])], {"b": ["a"]})


def random_candidates(seed, count=4):
    generator = np.random.default_rng(seed)
    return [{"a": generator.dirichlet([2, 2], size=1), "b": generator.dirichlet([2, 2, 2], size=2)} for _ in range(count)]


def log_likelihood(tables, row):
    first = NETWORK.level_index("a", row["a"])
    return math.log(tables["a"][0, first]) + math.log(tables["b"][first, NETWORK.level_index("b", row["b"])])


@pytest.mark.parametrize("seed", range(20))
def test_the_oscillation_covers_every_replacement(seed):
    candidates = random_candidates(seed)
    bound = float(candidate_oscillation(NETWORK, candidates))
    rows, worst = all_rows(NETWORK), 0.0
    for old in rows:
        for new in rows:
            moved = [log_likelihood(tables, old) - log_likelihood(tables, new) for tables in candidates]
            worst = max(worst, max(moved) - min(moved))
    assert worst <= bound
    assert worst >= 0.3 * bound


def test_two_opposite_points_of_one_node_are_covered_exactly():
    network = Network([Variable("a", ["0", "1"])])
    candidates = [{"a": np.array([[0.1, 0.9]])}, {"a": np.array([[0.9, 0.1]])}]
    assert float(candidate_oscillation(network, candidates)) == pytest.approx(2 * math.log(9))


def test_the_oscillation_is_rounded_up_and_hardly():
    """A hair less would be an exponent that is a hair too large."""
    network = Network([Variable("a", ["0", "1"])])
    points = [(0.1, 0.9), (0.7, 0.3), (1 / 3, 2 / 3)]
    found = candidate_oscillation(network, [{"a": np.array([point])} for point in points])
    exact = sum(logarithm(Fraction(max(cell)) / Fraction(min(cell))) for cell in zip(*points, strict=True))
    assert 0 < found - exact < Fraction(1, 2**62)
