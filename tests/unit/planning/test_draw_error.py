from fractions import Fraction

import numpy as np
import pytest

from discreet import Network, Variable
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.planning.draw_error import draw_error

ONE = Network([Variable("a", ["0", "1"])])


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
