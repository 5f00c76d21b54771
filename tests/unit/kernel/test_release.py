import sqlite3
from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits, WatchingBits

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, ApproxDP, PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.release import Share, release_counts, release_draw, release_shares, release_weighted

TABLES = {"a": np.array([[3, 4]], dtype=np.int64), "b": np.array([[1, 2], [0, 4]], dtype=np.int64)}
ONE = PureDP(Fraction(1))


def test_the_charge_is_on_disk_before_the_first_random_byte(tmp_path):
    bits = WatchingBits(tmp_path / "ledger")
    release_counts(TABLES, 4, ONE, Ledger(bits.ledger, cap="1"), "test", _bits=bits)
    assert set(bits.seen) == {1}


def test_a_refused_charge_draws_no_noise(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1/2")
    with pytest.raises(BudgetError):
        release_counts(TABLES, 4, ONE, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize(
    ("tables", "sensitivity", "epsilon"),
    [
        ({}, 4, 1),
        (TABLES, 0, 1),
        ({"a": np.array([[1.5]])}, 4, 1),
        ({"a": np.array([[2**62]], dtype=np.int64)}, 4, 1),
        (TABLES, 4, Fraction(1, 2**40)),
    ],
    ids=["no tables", "no sensitivity", "floats", "overflow", "scale"],
)
def test_what_cannot_be_released_is_refused_before_the_charge(tables, sensitivity, epsilon):
    ledger = Ledger.unlimited()
    with pytest.raises((ValueError, BudgetError)):
        release_counts(tables, sensitivity, PureDP(Fraction(epsilon)), ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


HALVES = {"a": Share(2, Fraction(1, 3)), "b": Share(4, Fraction(2, 3))}


def test_every_table_has_the_scale_of_its_share_exactly():
    noisy = release_shares(TABLES, HALVES, ONE, Ledger.unlimited(), "test")
    assert noisy.scales == {"a": Fraction(6), "b": Fraction(6)}
    other = release_shares(TABLES, HALVES | {"b": Share(1, Fraction(1, 7))}, ONE, Ledger.unlimited(), "test")
    assert other.scales == {"a": Fraction(6), "b": Fraction(7)}
    assert list(other.tables) == ["a", "b"]


def test_shares_are_charged_once_and_as_a_whole(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="2")
    noisy = release_shares(TABLES, HALVES, ONE, ledger, "test")
    assert ledger.spent == 1
    assert (noisy.guarantee, noisy.receipt.number) == (ONE, 1)


@pytest.mark.parametrize(
    "shares",
    [
        HALVES | {"a": Share(2, Fraction(1, 3) + Fraction(1, 10**60))},
        HALVES | {"a": Share(2, Fraction(0))},
        {"a": Share(2, Fraction(-1)), "b": Share(2, Fraction(1))},
        HALVES | {"a": Share(0, Fraction(1, 3))},
        {"a": Share(2, Fraction(1))},
        HALVES | {"c": Share(2, Fraction(1, 10**6))},
        HALVES | {"a": Share(2, Fraction(1, 2**50))},
    ],
    ids=["too much", "nothing", "negative", "no sensitivity", "a table without", "a share without", "scale"],
)
def test_shares_of_more_than_epsilon_are_refused_before_the_charge(shares):
    ledger = Ledger.unlimited()
    with pytest.raises((ValueError, BudgetError)):
        release_shares(TABLES, shares, ONE, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_a_larger_share_means_less_noise():
    zeros = {name: np.zeros((1, 2000), dtype=np.int64) for name in ("a", "b", "c")}
    shares = {"a": Share(2, Fraction(1, 10)), "b": Share(2, Fraction(8, 10)), "c": Share(2, Fraction(1, 10))}
    noisy = release_shares(zeros, shares, ONE, Ledger.unlimited(), "test", _bits=SeededBits(1)).tables
    spread = {name: float(np.abs(table).mean()) for name, table in noisy.items()}
    assert spread["a"] == pytest.approx(20, rel=0.15)
    assert spread["c"] == pytest.approx(20, rel=0.15)
    assert spread["b"] == pytest.approx(2.5, rel=0.2)
    assert not np.array_equal(noisy["a"], noisy["c"])


NUMBERS = np.array([3, 0, 7], dtype=np.int64)


def test_every_number_has_the_scale_of_its_weight_exactly(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="2")
    noisy = release_weighted(NUMBERS, (2, 1, 2), 5, PureDP(Fraction(3, 10)), ledger, "test")
    assert noisy.scales == (Fraction(25, 3), Fraction(50, 3), Fraction(25, 3))
    assert (ledger.spent, noisy.receipt.number) == (Fraction(3, 10), 1)


def test_numbers_keep_their_places_among_weights():
    values = np.array([10**9, -(10**9), 5 * 10**9, 0], dtype=np.int64)
    noisy = release_weighted(values, (1, 3, 1, 3), 3, ONE, Ledger.unlimited(), "test").values
    assert np.abs(noisy - values).max() < 1000


def test_a_larger_weight_means_less_noise():
    zeros = np.zeros(4000, dtype=np.int64)
    noisy = release_weighted(zeros, (1, 10) * 2000, 20, ONE, Ledger.unlimited(), "test", _bits=SeededBits(1)).values
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
    ],
    ids=["few", "zero", "negative", "fraction", "heavy", "rational", "none", "shape", "nothing", "floats", "scale"],
)
def test_weights_that_cannot_be_are_refused_before_the_charge(values, weights, sensitivity):
    ledger = Ledger.unlimited()
    with pytest.raises((ValueError, BudgetError)):
        release_weighted(values, weights, sensitivity, ONE, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


def test_something_that_only_looks_like_a_ledger_is_refused():
    class Forgetful:
        def check(self, guarantee): ...

        def charge(self, guarantee, purpose):
            raise AssertionError("charged")

    with pytest.raises(TypeError, match="needs a Ledger"):
        release_counts(TABLES, 4, ONE, Forgetful(), "test", _bits=FailingBits())


def test_every_cell_gets_noise_of_its_own_and_shapes_stay():
    zeros = {"a": np.zeros((40, 5), dtype=np.int64), "b": np.zeros((1, 200), dtype=np.int64)}
    noisy = release_counts(zeros, 100, ONE, Ledger.unlimited(), "test").tables
    assert {name: table.shape for name, table in noisy.items()} == {"a": (40, 5), "b": (1, 200)}
    assert not np.array_equal(noisy["a"].ravel(), noisy["b"].ravel())
    assert len(np.unique(noisy["a"])) > 50  # scale 100: two hundred draws hardly ever agree


def test_the_scale_is_sensitivity_over_epsilon_exactly():
    assert release_counts(TABLES, 7, PureDP(Fraction(3, 10)), Ledger.unlimited(), "test").scale == Fraction(70, 3)


@pytest.mark.parametrize("largest", [2**62 - 1, -(2**62) + 1])
def test_the_smallest_sensitivity_and_the_largest_numbers_are_allowed_and_no_others(largest):
    edge = {"a": np.array([[0, largest]], dtype=np.int64)}
    noisy = release_counts(edge, 1, ONE, Ledger.unlimited(), "test", _bits=SeededBits(1))
    assert noisy.scale == 1
    assert abs(int(noisy.tables["a"][0, 1]) - largest) < 100
    beyond = {"a": edge["a"] + (1 if largest > 0 else -1) * np.array([[0, 1]])}
    with pytest.raises(ValueError, match="room for the noise"):
        release_counts(beyond, 1, ONE, Ledger.unlimited(), "test", _bits=FailingBits())


def test_the_private_tables_are_left_as_they_are():
    before = {name: table.copy() for name, table in TABLES.items()}
    release_counts(TABLES, 4, ONE, Ledger.unlimited(), "test")
    for name, table in TABLES.items():
        np.testing.assert_array_equal(table, before[name])


GUARANTEES = [ONE, ZCDP(Fraction(1, 100)), ApproxDP(Fraction(1, 2), Fraction(1, 10**7))]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: type(each).__name__)
def test_a_draw_is_charged_before_the_first_random_byte(tmp_path, guarantee):
    path = tmp_path / "ledger"
    seen = []

    def draw(bits):
        with sqlite3.connect(path) as other:  # another connection sees only what is committed
            seen.append(other.execute("SELECT count(*) FROM charges").fetchone()[0])
        return bits.read(4)

    drawn, receipt = release_draw(draw, guarantee, Ledger(path, cap="1", delta="1e-6"), "test", _bits=SeededBits(1))
    assert seen == [1]
    assert drawn == SeededBits(1).read(4)
    assert (receipt.guarantee, receipt.number) == (guarantee, 1)


def test_a_draw_that_is_refused_never_starts(tmp_path):
    def draw(bits):
        raise AssertionError("drawn")

    ledger = Ledger(tmp_path / "ledger", cap="1/2")
    for guarantee in GUARANTEES:  # too much, and two kinds that a ledger without a delta does not know
        with pytest.raises(BudgetError):
            release_draw(draw, guarantee, ledger, "test")
    with pytest.raises(TypeError, match="needs a Ledger"):
        release_draw(draw, ONE, None, "test")
    assert ledger.history() == []


def test_draws_come_from_the_operating_system_unless_scripted():
    first, _ = release_draw(lambda bits: bits.read(16), ONE, Ledger.unlimited(), "test")
    second, _ = release_draw(lambda bits: bits.read(16), ONE, Ledger.unlimited(), "test")
    assert first != second


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_a_draw_that_fails_says_what_was_charged(tmp_path, error):
    def draw(bits):
        raise error

    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(error) as caught:
        release_draw(draw, PureDP(Fraction(1, 4)), ledger, "test")
    (note,) = caught.value.__notes__
    (charge,) = ledger.history()
    assert f"charge 1 of data set 'default' at {charge.at}: epsilon 0.25; 0.25 of 1 spent, 0.75 remains" in note
    assert str(tmp_path / "ledger") in note


def test_a_refused_charge_mentions_none(tmp_path):
    with pytest.raises(BudgetError) as caught:
        release_draw(lambda bits: None, ONE, Ledger(tmp_path / "ledger", cap="1/2"), "test")
    assert not hasattr(caught.value, "__notes__")
