from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, ScriptedBits, SeededBits

from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise import laplace
from discreet.kernel.noise.laplace import LARGEST_SCALE, DiscreteLaplace, WeightedLaplace, discrete_laplace
from discreet.kernel.publish import PrivateNumbers, publish

ONE = PureDP(Fraction(1))
NUMBERS = np.array([3, 0, 7], dtype=np.int64)


def test_a_digit_above_the_usual_ones_is_reached():
    """All-zero blocks make every coin show heads until the tail coin is told to stop: the sum exceeds the usual digits."""
    scale = Fraction(1)
    places = 4  # 12 has four binary digits

    class Script:
        def __init__(self):
            self.calls = 0

        def read(self, count):
            self.calls += 1
            return bytes(count) if self.calls <= places + 2 else b"\xff" * count

    # The first geometric gets ones in all digits and a tail of one; then the tail coin and the second geometric get zeros.
    assert discrete_laplace(scale, 1, Script())[0] == (2**places - 1) + 2**places


@pytest.mark.parametrize("tail", [0, 1, 2, 3, 7])
def test_the_tail_goes_on_as_long_as_its_coin_says(tail):
    """Nothing is cut off: all digits are ones, and the tail coin shows heads so many times before it stops."""
    places = 4

    class Script:
        """Digits take one read each. The tail coin is rarer than 2^-16, so heads takes two reads, of zeros."""

        def __init__(self):
            self.calls = 0

        def read(self, count):
            self.calls += 1
            return bytes(count) if self.calls <= places + 2 * tail else b"\xff" * count

    assert discrete_laplace(Fraction(1), 1, Script())[0] == (2**places - 1) + tail * 2**places


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(LARGEST_SCALE + 1)])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(BudgetError, match="epsilon"):
        discrete_laplace(scale, 1, SeededBits(1))


def test_no_value_is_drawn_for_no_cells():
    assert discrete_laplace(Fraction(3), 0, ScriptedBits(b"")).shape == (0,)


def test_the_largest_scale_still_fits():
    draws = discrete_laplace(Fraction(LARGEST_SCALE), 1000, SeededBits(5))
    assert 2**38 < np.abs(draws).mean() < 2**42


@pytest.mark.parametrize(
    ("scale", "sensitivity", "epsilon"), [(Fraction(70, 3), 7, Fraction(3, 10)), (Fraction(6), 4, Fraction(2, 3))]
)
def test_the_cost_is_sensitivity_over_scale_exactly(scale, sensitivity, epsilon):
    assert DiscreteLaplace(scale, sensitivity).cost == PureDP(epsilon)


def published(numbers, weights, sensitivity, guarantee=ONE, ledger=None, bits=None):
    statistics = {"a": PrivateNumbers(numbers, WeightedLaplace(weights, sensitivity, guarantee.epsilon))}
    noisy, _ = publish(statistics, guarantee, ledger or Ledger.unlimited(), "test", _bits=bits)
    return noisy["a"]


def test_every_number_has_the_scale_of_its_weight_exactly(tmp_path):
    noise = WeightedLaplace((2, 1, 2), 5, Fraction(3, 10))
    assert noise.scales == (Fraction(25, 3), Fraction(50, 3), Fraction(25, 3))
    assert noise.cost == PureDP(Fraction(3, 10))
    ledger = Ledger(tmp_path / "ledger", cap="2")
    _, receipt = publish({"a": PrivateNumbers(NUMBERS, noise)}, noise.cost, ledger, "test")
    assert (ledger.spent, receipt.number) == (Fraction(3, 10), 1)


def test_every_number_gets_noise_of_its_scale(monkeypatch):
    """Each number's noise is a hundred times its scale, and its place among those of the same weight."""
    monkeypatch.setattr(
        laplace, "discrete_laplace", lambda scale, count, bits: int(100 * scale) + np.arange(count, dtype=np.int64)
    )
    noise = WeightedLaplace((2, 1, 4, 2), 4, Fraction(1)).draw((4,), None)
    assert noise.tolist() == [200, 400, 100, 201]


def test_numbers_keep_their_places_among_weights():
    values = np.array([10**9, -(10**9), 5 * 10**9, 0], dtype=np.int64)
    assert np.abs(published(values, (1, 3, 1, 3), 3) - values).max() < 1000


def test_a_larger_weight_means_less_noise():
    zeros = np.zeros(4000, dtype=np.int64)
    noisy = published(zeros, (1, 10) * 2000, 20, bits=SeededBits(1))
    assert np.abs(noisy[::2]).mean() == pytest.approx(20, rel=0.15)
    assert np.abs(noisy[1::2]).mean() == pytest.approx(1.92, rel=0.15)  # 1 / sinh(1 / 2)


@pytest.mark.parametrize(
    ("values", "weights", "sensitivity"),
    [
        (NUMBERS, (1, 1), 3),
        (NUMBERS, (1, 0, 1), 3),
        (NUMBERS, (1, -1, 1), 3),
        (NUMBERS, (1, 0.5, 1), 3),
        (NUMBERS, (1, 4, 1), 3),
        (NUMBERS, (1, 1, 1), 2.5),
        (NUMBERS, (1, 1, 1), 0),
        (NUMBERS.reshape(1, 3), (1,), 3),
        (NUMBERS[:0], (), 1),
        (NUMBERS.astype(np.float64), (1, 1, 1), 3),
        (NUMBERS, (1, 1, 1), 2**41),
        (NUMBERS, (1, 1024, 1024), 2**41),
    ],
    ids=["few", "zero", "negative", "fraction", "heavy", "rational", "none", "shape", "nothing", "floats", "scale", "light"],
)
def test_weights_that_cannot_be_are_refused_before_the_charge(values, weights, sensitivity):
    ledger = Ledger.unlimited()
    with pytest.raises((ValueError, BudgetError)):
        published(values, weights, sensitivity, ledger=ledger, bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), 0.5, "1"])
def test_an_epsilon_that_is_no_exact_positive_number_is_refused_before_the_charge(epsilon):
    ledger = Ledger.unlimited()
    statistics = {"a": PrivateNumbers(NUMBERS, WeightedLaplace((1, 1, 1), 3, epsilon))}
    with pytest.raises(ValueError, match="greater than zero"):
        publish(statistics, ONE, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0
