"""A purse pays for private steps under one charge, and for no more than was charged."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.noise.laplace import DiscreteLaplace
from discreet.kernel.publish import PrivateNumbers
from discreet.kernel.stages import Purse, selection_epsilon
from tests.support.bits import SeededBits
from tests.support.selection import choice_law


class CountedBits(SeededBits):
    """Counts what was drawn."""

    drawn = 0

    def read(self, count):
        self.drawn += count
        return super().read(count)


def numbers(epsilon):
    return {"table": PrivateNumbers(np.array([5, 7]), DiscreteLaplace(2 / Fraction(epsilon), 2))}


def test_a_purse_pays_for_no_more_than_it_holds():
    bits = CountedBits(1)
    purse = Purse(PureDP("1"), bits)
    purse.publish(numbers("0.5"), PureDP("0.5"))
    purse.select([3, 4], 1, PureDP("0.4"))
    assert purse.left == Fraction(1, 10)
    drawn = bits.drawn
    with pytest.raises(BudgetError, match="more than is left"):
        purse.select([3, 4], 1, PureDP("0.2"))
    with pytest.raises(BudgetError, match="more than is left"):
        purse.publish(numbers("0.2"), PureDP("0.2"))
    with pytest.raises(BudgetError, match="kind of budget"):
        purse.select([3, 4], 1, ZCDP("0.01"))
    assert bits.drawn == drawn
    assert purse.left == Fraction(1, 10)


def test_a_step_whose_noise_is_too_small_for_its_cost_is_refused_unpaid():
    purse = Purse(PureDP("1"), SeededBits(1))
    with pytest.raises(BudgetError, match="more than the guarantee"):
        purse.publish(numbers("0.5"), PureDP("0.4"))
    assert purse.left == 1


@pytest.mark.parametrize("cost", [PureDP("1"), ZCDP("0.125")], ids=["pure", "zero-concentrated"])
def test_selections_follow_the_exact_law(cost):
    scores, rounds = [0, 3, 4], 4000
    bits = SeededBits(1)
    found = Counter(Purse(cost, bits).select(scores, 1, cost) for _ in range(rounds))
    expected = choice_law(scores, 1, 1, pure=isinstance(cost, PureDP))
    for place, chance in enumerate(expected):
        spread = math.sqrt(chance * (1 - chance) / rounds)
        assert abs(found[place] / rounds - chance) < 5 * spread
    wrong = choice_law(scores, 2, 1, pure=isinstance(cost, PureDP))  # a sensitivity of half
    assert max(abs(found[place] / rounds - chance) for place, chance in enumerate(wrong)) > 0.1


@pytest.mark.parametrize("rho", ["0.125", "0.01", "1/3", "1e-9", "7"])
def test_the_epsilon_of_a_rho_is_never_too_large(rho):
    cost = ZCDP(rho)
    epsilon = selection_epsilon(cost)
    assert epsilon**2 <= 8 * cost.rho < (epsilon + Fraction(2, 2**40)) ** 2


def test_scores_are_whole_numbers():
    purse = Purse(PureDP("1"), SeededBits(1))
    for scores in ([], [1.5], [np.int64(3)]):
        with pytest.raises(ValueError, match="whole scores"):
            purse.select(scores, 1, PureDP("1"))
    assert purse.left == 1
