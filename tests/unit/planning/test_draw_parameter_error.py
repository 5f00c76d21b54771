from fractions import Fraction

import numpy as np
import pytest

from discreet import Network, Variable
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.planning.draw_parameter_error import draw_parameter_error

NETWORK = Network([Variable("a", list("01")), Variable("b", list("xyz"))], {"b": ["a"]})


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
