from fractions import Fraction

import pytest

from discreet import ZCDP, ApproxDP, PureDP, Symmetric, naive_bayes
from discreet.bounds.draw_law import DrawLaw, keeps
from discreet.bounds.lipschitz import draw_privacy
from discreet.bounds.renyi import renyi_epsilon

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
