from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, WatchingBits

from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel import release_shaped as door
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.body import Interval, box, l1_ball
from discreet.kernel.release_shaped import Shaped, release_shaped

ONE = PureDP(Fraction(1))
TWO = Fraction(2)
STATISTICS = {
    "signs": Shaped(np.array([3, -4], dtype=np.int64), box([Fraction(1)] * 2), TWO, Fraction(1, 3)),
    "levels": Shaped(np.array([1, 2, 0], dtype=np.int64), l1_ball(3), TWO, Fraction(2, 3)),
}


def test_the_charge_is_on_disk_before_the_first_random_byte(tmp_path):
    bits = WatchingBits(tmp_path / "ledger")
    release_shaped(STATISTICS, ONE, Ledger(bits.ledger, cap="1"), "test", _bits=bits)
    assert set(bits.seen) == {1}


def test_every_statistic_has_the_body_and_the_scale_of_its_share_exactly(monkeypatch):
    asked = []

    def scripted(body, scale, count, bits):
        asked.append((body, scale, count))
        return np.full((count, body.dimension), 10, dtype=np.int64)

    monkeypatch.setattr(door, "knorm_noise", scripted)
    noisy, receipt = release_shaped(STATISTICS, ONE, Ledger.unlimited(), "test")
    assert asked == [(box([Fraction(1)] * 2), Fraction(6), 1), (l1_ball(3), Fraction(3), 1)]
    assert {name: values.tolist() for name, values in noisy.items()} == {"signs": [13, 6], "levels": [11, 12, 10]}
    assert receipt.guarantee == ONE


def test_shares_of_more_than_epsilon_are_refused_before_the_charge(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    more = {**STATISTICS, "signs": replace(STATISTICS["signs"], epsilon=Fraction(1, 3) + Fraction(1, 10**30))}
    with pytest.raises(BudgetError, match="shares"):
        release_shaped(more, ONE, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_a_refused_charge_draws_no_noise(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1/2")
    with pytest.raises(BudgetError):
        release_shaped(STATISTICS, ONE, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


ONE_NUMBER = Shaped(np.array([1], dtype=np.int64), Interval(), TWO, Fraction(1))


def test_what_is_private_is_not_printed():
    assert "4711" not in repr(replace(ONE_NUMBER, numbers=np.array([4711], dtype=np.int64)))


@pytest.mark.parametrize("others", [{}, STATISTICS], ids=["alone", "among others"])
@pytest.mark.parametrize(
    "statistics",
    [
        {"a": replace(ONE_NUMBER, epsilon=Fraction(0))},
        {"a": replace(ONE_NUMBER, sensitivity=Fraction(0))},
        {"a": replace(ONE_NUMBER, numbers=np.array([1.5]))},
        {"a": replace(ONE_NUMBER, numbers=np.array([1, 2], dtype=np.int64))},
        {"a": replace(ONE_NUMBER, numbers=np.array([2**61], dtype=np.int64))},
        {"a": replace(ONE_NUMBER, numbers=np.array([-(2**61)], dtype=np.int64))},
        {"a": Shaped(np.array([0, 2**61], dtype=np.int64), l1_ball(2), TWO, Fraction(1))},
        {"a": Shaped(np.array([0, -(2**61)], dtype=np.int64), l1_ball(2), TWO, Fraction(1))},
        {"a": replace(ONE_NUMBER, epsilon=Fraction(1, 2**41))},
    ],
    ids=["no share", "no sensitivity", "floats", "shape", "overflow", "below", "one above", "one below", "scale"],
)
def test_what_cannot_be_released_is_refused_before_the_charge(tmp_path, statistics, others):
    """One of several is enough. The budget would be: it is not the sum of the shares that is refused."""
    ledger = Ledger(tmp_path / "ledger", cap="1000")
    with pytest.raises((ValueError, BudgetError)):
        release_shaped({**others, **statistics}, PureDP(Fraction(10)), ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_a_release_of_nothing_is_refused():
    with pytest.raises(ValueError, match="needs statistics"):
        release_shaped({}, ONE, Ledger.unlimited(), "test", _bits=FailingBits())


def test_the_largest_numbers_are_allowed():
    largest = np.array([2**61 - 1, -(2**61) + 1], dtype=np.int64)
    noisy, _ = release_shaped({"a": Shaped(largest, l1_ball(2), TWO, Fraction(1))}, ONE, Ledger.unlimited(), "test")
    assert np.abs(noisy["a"] - largest).max() < 1000
