from fractions import Fraction

import pytest

from discreet import ZCDP, ApproxDP, PureDP, Symmetric, TablePrior, naive_bayes
from discreet.measure.strategies.draw_law import DrawLaw, keeps
from discreet.measure.strategies.lipschitz import draw_privacy
from discreet.measure.strategies.renyi import renyi_epsilon

NETWORK = naive_bayes("y", ["x1", "x2"])
FLAT = Symmetric(1.0)
LAW = DrawLaw(Fraction(1, 16), Fraction(1, 3))
OSCILLATION = draw_privacy(NETWORK, LAW.floor, LAW.temper).oscillation
FREE = DrawLaw(Fraction(0), Fraction(1, 64))
DELTA = Fraction(1, 10**6)
LITTLE = Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("law", "draws", "cost"),
    [
        (LAW, 1, PureDP(OSCILLATION)),
        (LAW, 5, PureDP(5 * OSCILLATION)),
        (LAW, 5, ZCDP(5 * OSCILLATION**2 / 8)),
        (LAW, 2, ApproxDP(2 * OSCILLATION, DELTA)),
        (FREE, 3, ApproxDP(renyi_epsilon(NETWORK, FLAT, DELTA, FREE.temper, 3), DELTA)),
    ],
    ids=str,
)
def test_a_law_that_costs_more_than_the_guarantee_is_found(law, draws, cost):
    assert keeps(law, NETWORK, FLAT, cost, draws)
    match cost:
        case PureDP(epsilon):
            cheaper = PureDP(epsilon - LITTLE)
        case ZCDP(rho):
            cheaper = ZCDP(rho - LITTLE)
        case ApproxDP(epsilon, delta):
            cheaper = ApproxDP(epsilon - LITTLE, delta)
    assert not keeps(law, NETWORK, FLAT, cheaper, draws)
    assert not keeps(law, NETWORK, FLAT, cost, draws + 1)


def test_draws_without_a_floor_are_neither_pure_nor_concentrated():
    for guarantee in (PureDP(Fraction(1000)), ZCDP(Fraction(1000))):
        assert not keeps(FREE, NETWORK, FLAT, guarantee, 1)


def test_a_power_of_which_nothing_is_left_keeps_nothing():
    plenty = PureDP(Fraction(1000))
    assert keeps(DrawLaw(LAW.floor, Fraction(1, 2**64)), NETWORK, FLAT, plenty, 1)
    for temper in (Fraction(1, 2**64) - Fraction(1, 2**80), Fraction(0), Fraction(-1)):
        assert not keeps(DrawLaw(LAW.floor, temper), NETWORK, FLAT, plenty, 1)


@pytest.mark.parametrize(
    ("cell", "kept"), [(1e-6, True), (0.99e-6, False), (1e-9, False), (1e9, True), (1.01e9, False), (1e12, False)]
)
def test_without_a_floor_every_cell_of_the_prior_has_a_size_that_draws_are_made_for(cell, kept):
    """One cell of one table is enough to refuse."""
    prior = TablePrior(NETWORK, {"y": [[1.0, 1.0]], "x1": [[1.0, 1.0], [1.0, cell]], "x2": [[1.0, 1.0], [1.0, 1.0]]})
    plenty = ApproxDP(Fraction(10**12), DELTA)
    assert keeps(DrawLaw(Fraction(0), Fraction(1)), NETWORK, prior, plenty, 1) is kept
    assert keeps(LAW, NETWORK, prior, plenty, 1)  # a floor makes up for it
