from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits

from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.weighted_laplace import WeightedLaplace
from discreet.kernel.publish import PrivateNumbers, publish

ONE = PureDP(Fraction(1))
NUMBERS = np.array([3, 0, 7], dtype=np.int64)


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
    from discreet.kernel.noise import weighted_laplace

    monkeypatch.setattr(
        weighted_laplace, "discrete_laplace", lambda scale, count, bits: int(100 * scale) + np.arange(count, dtype=np.int64)
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
