from fractions import Fraction

import numpy as np
import pytest

from discreet import Network, Variable
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.planning.draw_error import _POINTS, _reached, draw_error, draw_parameter_error

ONE = Network([Variable("a", ["0", "1"])])
NETWORK = Network([Variable("a", list("01")), Variable("b", list("xyz"))], {"b": ["a"]})


def simulated(rows, law, draws, generator):
    """The mean absolute error that happens, by rejection from the posterior."""
    floor, temper, errors = float(law.floor), float(law.temper), []
    for truth in (np.arange(60) + 0.5) / 60:
        for _ in range(15):
            count = generator.binomial(rows, truth)
            drawn = generator.beta(1 + temper * count, 1 + temper * (rows - count), size=900)
            kept = drawn[(drawn >= floor) & (drawn <= 1 - floor)][:draws]
            if len(kept) < draws:
                kept = np.full(draws, floor if count < rows / 2 else 1 - floor)
            errors.append(abs(kept.mean() - truth))
    return float(np.mean(errors))


@pytest.mark.parametrize(
    ("rows", "floor", "temper", "draws"), [(50, 0.25, 1.0, 1), (500, 0.05, 0.05, 10), (900, 0.4, 1, 1), (5000, 0.02, 0.4, 1)]
)
def test_the_prediction_is_near_the_error_that_happens(rows, floor, temper, draws):
    law = DrawLaw(Fraction(floor), Fraction(temper))
    happened = simulated(rows, law, draws, np.random.default_rng(rows))
    assert draw_error(ONE, rows, law, draws) == pytest.approx(happened, rel=0.3)


def test_more_records_a_higher_exponent_and_more_draws_lower_the_error():
    law = DrawLaw(Fraction(1, 64), Fraction(1, 10))
    assert draw_error(ONE, 1000, law) < draw_error(ONE, 100, law)
    assert draw_error(ONE, 1000, DrawLaw(law.floor, Fraction(1))) < draw_error(ONE, 1000, law)
    assert draw_error(ONE, 1000, law, 10) < draw_error(ONE, 1000, law)
    assert draw_error(ONE, 10**9, DrawLaw(Fraction(1, 4096), Fraction(1))) < 1e-3


def happened(rows, law, draws, node, repeats=700):
    """Draw networks, records and truncated posteriors by rejection, and look at the errors."""
    generator, floor, temper, errors = np.random.default_rng(9), float(law.floor), float(law.temper), []

    def split(first, second):
        drawn = generator.beta(first, second, size=2000)
        kept = drawn[(drawn >= floor) & (drawn <= 1 - floor)][:draws]
        return kept.mean() if len(kept) == draws else min(max(first / (first + second), floor), 1 - floor)

    for _ in range(repeats):
        root = generator.random()
        records = generator.binomial(rows, root)
        if node == "a":
            errors.append(abs(split(1 + temper * records, 1 + temper * (rows - records)) - root))
            continue
        truth = generator.dirichlet(np.ones(3))
        counts = generator.multinomial(records, truth)
        outer = split(2 + temper * (counts[0] + counts[1]), 1 + temper * counts[2])
        inner = split(1 + temper * counts[0], 1 + temper * counts[1])
        errors.append(np.abs(np.array([outer * inner, outer * (1 - inner), 1 - outer]) - truth).mean())
    return float(np.mean(errors))


@pytest.mark.parametrize(
    ("rows", "floor", "temper", "draws", "node"),
    [(200, 0.2, 1.0, 1, "a"), (500, 0.05, 0.05, 1, "b"), (300, 0.05, 0.2, 40, "b")],
)
def test_the_prediction_is_what_happens(rows, floor, temper, draws, node):
    law = DrawLaw(Fraction(floor), Fraction(temper))
    predicted = draw_parameter_error(NETWORK, rows, law, draws).nodes[node].released
    assert predicted == pytest.approx(happened(rows, law, draws, node), rel=0.12)


def test_draws_without_floor_of_many_records_are_as_good_as_the_records():
    error = draw_parameter_error(NETWORK, 10**6, DrawLaw(Fraction(0), Fraction(1)), 100)
    assert error.mean == pytest.approx(error.sampling, rel=0.1)
    assert error.mean < 0.01


def test_a_draw_lies_where_its_share_of_the_mass_is_reached():
    generator = np.random.default_rng(7)
    weights = generator.gamma(0.3, size=(_POINTS - 1, 30))
    weights[5:9, :10] = 0
    weights /= weights.sum(axis=0)
    same, luck = generator.integers(30, size=200), generator.random((200, 3))
    luck[0], luck[1] = 0, 1
    bounds = np.linspace(0, 1, _POINTS)
    found = _reached(luck, weights, same)
    for split, law in enumerate(same):
        masses = np.concatenate([[0], np.cumsum(weights[:, law])])
        told = np.interp(found[split], bounds, masses)
        np.testing.assert_allclose(told, luck[split], atol=1e-12)
