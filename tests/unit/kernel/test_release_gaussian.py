from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, WatchingBits

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP
from discreet.kernel import release_gaussian as door
from discreet.kernel.ledger import Ledger
from discreet.kernel.release_gaussian import Blurred, release_gaussian

RHO = ZCDP(Fraction(1, 2))
STATISTICS = {
    "a": Blurred(np.array([[3, 4], [5, 6]], dtype=np.int64), 2, Fraction(4)),
    "b": Blurred(np.array([1, 2, 0], dtype=np.int64), 1, Fraction(2)),
}


def ledger_at(path):
    return Ledger(path, cap="10", delta="1e-6")


def test_the_charge_is_on_disk_before_the_first_random_byte(tmp_path):
    bits = WatchingBits(tmp_path / "ledger")
    release_gaussian(STATISTICS, RHO, ledger_at(bits.ledger), "test", _bits=bits)
    assert set(bits.seen) == {1}


def test_every_statistic_has_its_variance_exactly(monkeypatch):
    asked = []

    def scripted(variance, count, bits):
        asked.append((variance, count))
        return np.arange(count, dtype=np.int64)

    monkeypatch.setattr(door, "discrete_gaussian", scripted)
    noisy, receipt = release_gaussian(STATISTICS, RHO, Ledger.unlimited(), "test")
    assert asked == [(Fraction(4), 4), (Fraction(2), 3)]
    assert {name: values.tolist() for name, values in noisy.items()} == {"a": [[3, 5], [7, 9]], "b": [1, 3, 2]}
    assert receipt.guarantee == RHO


def test_costs_of_more_than_rho_are_refused_before_the_charge(tmp_path):
    """Costs are 2 / 8 + 1 / 4 = 1 / 2 exactly; the smallest bit less variance is too little."""
    ledger = ledger_at(tmp_path / "ledger")
    more = {**STATISTICS, "a": replace(STATISTICS["a"], variance=Fraction(4) - Fraction(1, 10**30))}
    with pytest.raises(BudgetError, match="costs"):
        release_gaussian(more, RHO, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_a_refused_charge_draws_no_noise(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1/2", delta="1e-6")
    with pytest.raises(BudgetError):
        release_gaussian(STATISTICS, RHO, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_what_is_private_is_not_printed():
    shown = repr(Blurred(np.array([4711, 815], dtype=np.int64), 2, Fraction(4)))
    assert "4711" not in shown
    assert "815" not in shown


@pytest.mark.parametrize("others", [{}, STATISTICS], ids=["alone", "among others"])
@pytest.mark.parametrize(
    "statistics",
    [
        {"a": replace(STATISTICS["b"], variance=Fraction(0))},
        {"a": replace(STATISTICS["b"], squared_sensitivity=0)},
        {"a": replace(STATISTICS["b"], numbers=np.array([1.5]))},
        {"a": replace(STATISTICS["b"], numbers=np.array([], dtype=np.int64))},
        {"a": replace(STATISTICS["b"], numbers=np.array([0, 2**61], dtype=np.int64))},
        {"a": replace(STATISTICS["b"], numbers=np.array([0, -(2**61)], dtype=np.int64))},
        {"a": replace(STATISTICS["b"], variance=Fraction(2**79))},
    ],
    ids=["no variance", "no sensitivity", "floats", "empty", "overflow", "below", "variance"],
)
def test_what_cannot_be_released_is_refused_before_the_charge(tmp_path, statistics, others):
    """One of several is enough. The budget would be: it is not the costs that are refused."""
    ledger = Ledger(tmp_path / "ledger", cap="1000", delta="1e-6")
    with pytest.raises((ValueError, BudgetError), match=r"sensitivities|64-bit"):
        release_gaussian({**others, **statistics}, ZCDP(Fraction(10)), ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_a_release_of_nothing_is_refused():
    with pytest.raises(ValueError, match="needs statistics"):
        release_gaussian({}, RHO, Ledger.unlimited(), "test", _bits=FailingBits())


def test_the_smallest_sensitivity_and_the_largest_numbers_are_allowed():
    largest = np.array([2**61 - 1, -(2**61) + 1], dtype=np.int64)
    noisy, _ = release_gaussian({"a": Blurred(largest, 1, Fraction(1))}, RHO, Ledger.unlimited(), "test")
    assert np.abs(noisy["a"] - largest).max() < 100
