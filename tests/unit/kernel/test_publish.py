"""The one door, over every law of noise: what is refused costs nothing, and nothing is drawn before the charge."""

import sqlite3
from contextlib import closing
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits, WatchingBits

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, ApproxDP, PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise import gaussian, knorm, laplace
from discreet.kernel.noise.gaussian import DiscreteGaussian
from discreet.kernel.noise.knorm import KNormLaw
from discreet.kernel.noise.knorm_bodies import Interval, box, l1_ball
from discreet.kernel.noise.laplace import DiscreteLaplace, WeightedLaplace
from discreet.kernel.noise.moments import DeclaredMoments, MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.publish import PrivateNumbers, charge_and_draw, publish

ONE = PureDP(Fraction(1))
HALF_RHO = ZCDP(Fraction(1, 2))
TWO = Fraction(2)


def integers(*numbers):
    return np.array(numbers, dtype=np.int64)


def share(sensitivity, epsilon):
    """Laplace noise for a table that gets this part of epsilon."""
    return DiscreteLaplace(sensitivity / Fraction(epsilon), sensitivity)


TABLES = {"a": integers([3, 4]), "b": integers([1, 2], [0, 4])}
COUNTS = {name: PrivateNumbers(table, share(2, Fraction(1, 2))) for name, table in TABLES.items()}
SHARES = {
    "a": PrivateNumbers(TABLES["a"], share(2, Fraction(1, 3))),
    "b": PrivateNumbers(TABLES["b"], share(4, Fraction(2, 3))),
}
WEIGHTED = {"odd": PrivateNumbers(integers(3, 0, 7), WeightedLaplace((2, 1, 2), 5, Fraction(1)))}
SHAPED = {
    "signs": PrivateNumbers(integers(3, -4), KNormLaw(box([Fraction(1)] * 2), TWO, Fraction(1, 3))),
    "levels": PrivateNumbers(integers(1, 2, 0), KNormLaw(l1_ball(3), TWO, Fraction(2, 3))),
}
BLURRED = {
    "a": PrivateNumbers(integers([3, 4], [5, 6]), DiscreteGaussian(Fraction(4), 2)),
    "b": PrivateNumbers(integers(1, 2, 0), DiscreteGaussian(TWO, 1)),
}
LINE = DeclaredMoments(size=2, largest=2**20, constant=False, rows=3)
SUMS = integers(2**41, -(2**40), 2**40)
MOMENTS = {
    "box": PrivateNumbers(SUMS, MomentBox(LINE, Fraction(2 * 4**20))),
    "wishart": PrivateNumbers(SUMS, MomentWishart(LINE, Fraction(8 * 4**20))),
}
GAUSSIAN_MOMENTS = {"a": PrivateNumbers(SUMS, MomentGaussian(LINE, Fraction(4 * 16**20)))}
EVERY_LAW = {
    "counts": (COUNTS, ONE),
    "shares": (SHARES, ONE),
    "weights": (WEIGHTED, ONE),
    "body": (SHAPED, ONE),
    "rho": (BLURRED, HALF_RHO),
    "moments": (MOMENTS, ONE),
    "moments with rho": (GAUSSIAN_MOMENTS, HALF_RHO),
}
every_law = pytest.mark.parametrize(("statistics", "guarantee"), EVERY_LAW.values(), ids=EVERY_LAW)


def ledger_at(path, cap="10"):
    return Ledger(path, cap=cap, delta="1e-6")


def with_noise(statistic, **changes):
    return replace(statistic, noise=replace(statistic.noise, **changes))


@every_law
def test_the_charge_is_on_disk_before_the_first_random_byte(tmp_path, statistics, guarantee):
    bits = WatchingBits(tmp_path / "ledger")
    publish(statistics, guarantee, ledger_at(bits.ledger), "test", _bits=bits)
    assert set(bits.seen) == {1}


@every_law
def test_a_refused_charge_draws_no_noise(tmp_path, statistics, guarantee):
    ledger = ledger_at(tmp_path / "ledger", cap="1/2")
    with pytest.raises(BudgetError, match="cap"):
        publish(statistics, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


@every_law
def test_statistics_are_charged_once_and_as_a_whole(tmp_path, statistics, guarantee):
    ledger = ledger_at(tmp_path / "ledger")
    noisy, receipt = publish(statistics, guarantee, ledger, "test")
    (charge,) = ledger.history()
    assert charge.guarantee == receipt.guarantee == guarantee
    assert receipt.number == 1
    assert {name: table.shape for name, table in noisy.items()} == {name: s.numbers.shape for name, s in statistics.items()}
    assert list(noisy) == list(statistics)


@every_law
def test_the_private_numbers_are_left_as_they_are(statistics, guarantee):
    before = {name: each.numbers.copy() for name, each in statistics.items()}
    publish(statistics, guarantee, Ledger.unlimited(), "test")
    for name, each in statistics.items():
        np.testing.assert_array_equal(each.numbers, before[name])


@every_law
def test_something_that_only_looks_like_a_ledger_is_refused(statistics, guarantee):
    class Forgetful:
        def check(self, guarantee): ...

        def charge(self, guarantee, purpose):
            raise AssertionError("charged")

    with pytest.raises(TypeError, match="needs a Ledger"):
        publish(statistics, guarantee, Forgetful(), "test", _bits=FailingBits())


@every_law
def test_what_is_private_is_not_printed(statistics, guarantee):
    for each in statistics.values():
        shown = repr(replace(each, numbers=each.numbers + 471100))
        assert "4711" not in shown
        assert type(each.noise).__name__ in shown


@every_law
def test_a_release_of_nothing_is_refused(statistics, guarantee):
    with pytest.raises(ValueError, match="needs statistics"):
        publish({}, guarantee, Ledger.unlimited(), "test", _bits=FailingBits())


ONE_COUNT = PrivateNumbers(integers([1]), share(4, 1))
ONE_BLURRED = BLURRED["b"]
ONE_SHAPED = PrivateNumbers(integers(1), KNormLaw(Interval(), TWO, Fraction(1)))
LARGE = 2**61


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "among others"])
@pytest.mark.parametrize(
    ("others", "wrong"),
    [
        (COUNTS, with_noise(ONE_COUNT, sensitivity=0)),
        (COUNTS, with_noise(ONE_COUNT, sensitivity=1.5)),
        (COUNTS, with_noise(ONE_COUNT, scale=4.0)),
        (COUNTS, with_noise(ONE_COUNT, scale=Fraction(0))),
        (COUNTS, with_noise(ONE_COUNT, scale=Fraction(-4))),
        (COUNTS, with_noise(ONE_COUNT, scale=Fraction(2**40 + 1))),
        (COUNTS, replace(ONE_COUNT, numbers=np.array([[1.5]]))),
        (COUNTS, replace(ONE_COUNT, numbers=np.array([[1]], dtype=np.int32))),
        (COUNTS, replace(ONE_COUNT, numbers=integers([2**62]))),
        (BLURRED, with_noise(ONE_BLURRED, variance=Fraction(0))),
        (BLURRED, with_noise(ONE_BLURRED, variance=4.0)),
        (BLURRED, with_noise(ONE_BLURRED, variance=Fraction(2**79))),
        (BLURRED, with_noise(ONE_BLURRED, squared_sensitivity=0)),
        (BLURRED, with_noise(ONE_BLURRED, squared_sensitivity=0.5)),
        (BLURRED, replace(ONE_BLURRED, numbers=np.array([1.5]))),
        (BLURRED, replace(ONE_BLURRED, numbers=integers())),
        (BLURRED, replace(ONE_BLURRED, numbers=integers(0, LARGE))),
        (BLURRED, replace(ONE_BLURRED, numbers=integers(0, -LARGE))),
        (SHAPED, with_noise(ONE_SHAPED, epsilon=Fraction(0))),
        (SHAPED, with_noise(ONE_SHAPED, epsilon=0.5)),
        (SHAPED, with_noise(ONE_SHAPED, sensitivity=Fraction(0))),
        (SHAPED, with_noise(ONE_SHAPED, epsilon=Fraction(1, 2**41))),
        (SHAPED, replace(ONE_SHAPED, numbers=np.array([1.5]))),
        (SHAPED, replace(ONE_SHAPED, numbers=integers(1, 2))),
        (SHAPED, replace(ONE_SHAPED, numbers=integers(LARGE))),
        (SHAPED, replace(ONE_SHAPED, numbers=integers(-LARGE))),
        (SHAPED, PrivateNumbers(integers(0, LARGE), KNormLaw(l1_ball(2), TWO, Fraction(1)))),
        (SHAPED, PrivateNumbers(integers(0, -LARGE), KNormLaw(l1_ball(2), TWO, Fraction(1)))),
    ],
)
def test_what_cannot_be_released_is_refused_before_the_charge(tmp_path, others, wrong, alone):
    """One of several is enough. The budget would be: it is not the sum of the costs that is refused."""
    ledger = ledger_at(tmp_path / "ledger", cap="1000")
    statistics = {"wrong": wrong} if alone else {**others, "wrong": wrong}
    guarantee = ZCDP(Fraction(10)) if others is BLURRED else PureDP(Fraction(10))
    with pytest.raises((ValueError, BudgetError), match=r"A release needs|64-bit"):
        publish(statistics, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("largest", "noise", "guarantee"),
    [
        (2**62, DiscreteLaplace(Fraction(1), 1), ONE),
        (2**62, WeightedLaplace((1, 1), 1, Fraction(1)), ONE),
        (2**61, DiscreteGaussian(Fraction(1), 1), HALF_RHO),
        (2**61, KNormLaw(l1_ball(2), TWO, Fraction(1)), ONE),
    ],
    ids=["laplace", "weights", "rho", "body"],
)
def test_the_largest_numbers_are_allowed_and_no_others(largest, noise, guarantee, sign):
    """And the smallest sensitivity."""
    edge = integers(0, sign * (largest - 1))
    noisy, _ = publish({"a": PrivateNumbers(edge, noise)}, guarantee, Ledger.unlimited(), "test", _bits=SeededBits(1))
    assert np.abs(noisy["a"] - edge).max() < 100
    beyond = PrivateNumbers(edge + integers(0, sign), noise)
    with pytest.raises(ValueError, match="room for the noise"):
        publish({"a": beyond}, guarantee, Ledger.unlimited(), "test", _bits=FailingBits())


def refused(statistics, guarantee, message):
    ledger = Ledger.unlimited()
    with pytest.raises(BudgetError, match=message):
        publish(statistics, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.spent == 0


A_LITTLE = Fraction(1, 10**60)


@pytest.mark.parametrize("statistics", [COUNTS, SHARES, WEIGHTED, SHAPED], ids=["counts", "shares", "weights", "body"])
def test_shares_of_more_than_epsilon_are_refused_before_the_charge(statistics):
    """They sum to one exactly: the smallest bit less of guarantee, or more of cost, is refused."""
    assert sum(each.noise.cost.epsilon for each in statistics.values()) == 1
    refused(statistics, PureDP(1 - A_LITTLE), "costs")
    refused({**statistics, "more": PrivateNumbers(integers(1), share(1, Fraction(1, 10**6)))}, ONE, "costs")
    name, first = next(iter(statistics.items()))
    if isinstance(first.noise, DiscreteLaplace):
        refused({**statistics, name: with_noise(first, scale=first.noise.scale - A_LITTLE)}, ONE, "costs")
    else:
        refused({**statistics, name: with_noise(first, epsilon=first.noise.epsilon + A_LITTLE)}, ONE, "costs")


def test_costs_of_more_than_rho_are_refused_before_the_charge():
    """Costs are 2 / 8 + 1 / 4 = 1 / 2 exactly; the smallest bit less variance is too little."""
    refused({**BLURRED, "a": with_noise(BLURRED["a"], variance=Fraction(4) - A_LITTLE)}, HALF_RHO, "costs")
    refused(BLURRED, ZCDP(Fraction(1, 2) - A_LITTLE), "costs")


def test_less_than_the_guarantee_may_be_spent():
    publish(COUNTS, PureDP(TWO), Ledger.unlimited(), "test")
    publish(BLURRED, ZCDP(TWO), Ledger.unlimited(), "test")


@pytest.mark.parametrize(
    ("statistics", "guarantee"),
    [
        (BLURRED, PureDP(Fraction(100))),
        (COUNTS, ZCDP(Fraction(100))),
        (COUNTS, ApproxDP(Fraction(100), Fraction(1, 10))),
        ({**COUNTS, "rho": BLURRED["b"]}, PureDP(Fraction(100))),
        ({**COUNTS, "rho": BLURRED["b"]}, ZCDP(Fraction(100))),
    ],
    ids=["rho for epsilon", "epsilon for rho", "for delta", "mixed for epsilon", "mixed for rho"],
)
def test_costs_of_another_kind_than_the_guarantee_are_refused_before_the_charge(statistics, guarantee):
    """A number of one kind must never be compared with one of another."""
    refused(statistics, guarantee, "kind")


def asked_of(monkeypatch, module, name, noise):
    """Replace the draws of a law; returns what they are asked for."""
    asked = []

    def scripted(*arguments):
        *given, _ = arguments
        asked.append(tuple(given))
        return noise(*given)

    monkeypatch.setattr(module, name, scripted)
    return asked


def test_tables_with_the_same_noise_get_it_from_one_call_and_each_cell_its_own(monkeypatch):
    asked = asked_of(monkeypatch, laplace, "discrete_laplace", lambda scale, count: np.arange(count) * 100)
    noisy, _ = publish(COUNTS, ONE, Ledger.unlimited(), "test")
    assert asked == [(Fraction(4), 6)]
    assert {name: table.tolist() for name, table in noisy.items()} == {"a": [[3, 104]], "b": [[201, 302], [400, 504]]}


def test_tables_of_different_noise_are_never_mixed(monkeypatch):
    asked = asked_of(monkeypatch, laplace, "discrete_laplace", lambda scale, count: np.full(count, int(scale) * 100))
    shares = {"a": SHARES["a"], "b": PrivateNumbers(TABLES["b"], share(1, Fraction(1, 7))), "c": SHARES["a"]}
    noisy, _ = publish(shares, ONE, Ledger.unlimited(), "test")
    assert asked == [(Fraction(6), 4), (Fraction(7), 4)]
    assert {name: table.tolist() for name, table in noisy.items()} == {
        "a": [[603, 604]],
        "b": [[701, 702], [700, 704]],
        "c": [[603, 604]],
    }
    assert list(noisy) == ["a", "b", "c"]


def test_every_statistic_has_its_variance_exactly(monkeypatch):
    asked = asked_of(monkeypatch, gaussian, "discrete_gaussian", lambda variance, count: np.arange(count))
    noisy, receipt = publish(BLURRED, HALF_RHO, Ledger.unlimited(), "test")
    assert asked == [(Fraction(4), 4), (Fraction(2), 3)]
    assert {name: values.tolist() for name, values in noisy.items()} == {"a": [[3, 5], [7, 9]], "b": [1, 3, 2]}
    assert receipt.guarantee == HALF_RHO


def test_every_statistic_has_the_body_and_the_scale_of_its_share_exactly(monkeypatch):
    asked = asked_of(monkeypatch, knorm, "knorm_noise", lambda body, scale, count: np.full((count, body.dimension), 10))
    noisy, receipt = publish(SHAPED, ONE, Ledger.unlimited(), "test")
    assert asked == [(box([Fraction(1)] * 2), Fraction(6), 1), (l1_ball(3), Fraction(3), 1)]
    assert {name: values.tolist() for name, values in noisy.items()} == {"signs": [13, 6], "levels": [11, 12, 10]}
    assert receipt.guarantee == ONE


def test_statistics_that_share_a_radius_share_it_with_no_other(monkeypatch):
    """One call for each, though the laws are equal: one radius for both would need a sensitivity for both."""
    asked = asked_of(monkeypatch, knorm, "knorm_noise", lambda body, scale, count: np.full((count, body.dimension), 10))
    same = {name: PrivateNumbers(integers(0, 0), KNormLaw(l1_ball(2), TWO, Fraction(1, 2))) for name in "ab"}
    publish(same, ONE, Ledger.unlimited(), "test")
    assert asked == [(l1_ball(2), Fraction(4), 1)] * 2


@pytest.mark.parametrize("drawn", [integers(5), integers([1], [2], [3]), np.zeros(3)])
def test_noise_of_another_shape_or_type_is_not_stretched_over_the_numbers(monkeypatch, drawn):
    monkeypatch.setattr(DiscreteLaplace, "draw", lambda *_: drawn)
    with pytest.raises(ValueError, match="shape of the numbers"):
        publish({"a": PrivateNumbers(integers(1, 2, 3), share(2, 1))}, ONE, Ledger.unlimited(), "test")


def test_a_larger_share_means_less_noise():
    parts = {"a": Fraction(1, 10), "b": Fraction(8, 10), "c": Fraction(1, 10)}
    zeros = {name: PrivateNumbers(np.zeros((1, 2000), dtype=np.int64), share(2, part)) for name, part in parts.items()}
    noisy, _ = publish(zeros, ONE, Ledger.unlimited(), "test", _bits=SeededBits(1))
    spread = {name: float(np.abs(table).mean()) for name, table in noisy.items()}
    assert spread["a"] == pytest.approx(20, rel=0.15)
    assert spread["c"] == pytest.approx(20, rel=0.15)
    assert spread["b"] == pytest.approx(2.5, rel=0.2)
    assert not np.array_equal(noisy["a"], noisy["c"])


def test_every_cell_gets_noise_of_its_own_and_shapes_stay():
    zeros = {"a": np.zeros((40, 5), dtype=np.int64), "b": np.zeros((1, 200), dtype=np.int64)}
    statistics = {name: PrivateNumbers(table, share(50, Fraction(1, 2))) for name, table in zeros.items()}
    noisy, _ = publish(statistics, ONE, Ledger.unlimited(), "test")
    assert {name: table.shape for name, table in noisy.items()} == {"a": (40, 5), "b": (1, 200)}
    assert not np.array_equal(noisy["a"].ravel(), noisy["b"].ravel())
    assert len(np.unique(noisy["a"])) > 50  # scale 100: two hundred draws hardly ever agree


GUARANTEES = [ONE, ZCDP(Fraction(1, 100)), ApproxDP(Fraction(1, 2), Fraction(1, 10**7))]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: type(each).__name__)
def test_a_draw_is_charged_before_the_first_random_byte(tmp_path, guarantee):
    path = tmp_path / "ledger"
    seen = []

    def sampler(bits):
        with closing(sqlite3.connect(path)) as other:  # another connection sees only what is committed
            seen.append(other.execute("SELECT count(*) FROM charges").fetchone()[0])
        return bits.read(4)

    drawn, receipt = charge_and_draw(sampler, guarantee, Ledger(path, cap="1", delta="1e-6"), "test", _bits=SeededBits(1))
    assert seen == [1]
    assert drawn == SeededBits(1).read(4)
    assert (receipt.guarantee, receipt.number) == (guarantee, 1)


def test_a_draw_that_is_refused_never_starts(tmp_path):
    def sampler(bits):
        raise AssertionError("drawn")

    ledger = Ledger(tmp_path / "ledger", cap="1/2")
    for guarantee in GUARANTEES:  # too much, and two kinds that a ledger without a delta does not know
        with pytest.raises(BudgetError):
            charge_and_draw(sampler, guarantee, ledger, "test")
    with pytest.raises(TypeError, match="needs a Ledger"):
        charge_and_draw(sampler, ONE, None, "test")
    assert ledger.history() == []


def test_draws_come_from_the_operating_system_unless_scripted():
    first, _ = charge_and_draw(lambda bits: bits.read(16), ONE, Ledger.unlimited(), "test")
    second, _ = charge_and_draw(lambda bits: bits.read(16), ONE, Ledger.unlimited(), "test")
    assert first != second


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_a_draw_that_fails_says_what_was_charged(tmp_path, error):
    def sampler(bits):
        raise error

    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(error) as caught:
        charge_and_draw(sampler, PureDP(Fraction(1, 4)), ledger, "test")
    (note,) = caught.value.__notes__
    (charge,) = ledger.history()
    assert f"charge 1 of data set 'default' at {charge.at}: epsilon 0.25; 0.25 of 1 spent, 0.75 remains" in note
    assert str(tmp_path / "ledger") in note


def test_a_refused_charge_mentions_none(tmp_path):
    with pytest.raises(BudgetError) as caught:
        charge_and_draw(lambda bits: None, ONE, Ledger(tmp_path / "ledger", cap="1/2"), "test")
    assert not hasattr(caught.value, "__notes__")


class Modest(DiscreteLaplace):
    """Planted: noise that says itself what it costs."""

    @property
    def cost(self):
        return PureDP(Fraction(1, 10**9))


class Silent:
    """Planted: no noise at all."""

    cost = PureDP(Fraction(1, 10**9))

    def check(self, numbers):
        pass

    def draw(self, shape, bits):
        return np.zeros(shape, dtype=np.int64)


@pytest.mark.parametrize("noise", [Modest(Fraction(1, 100), 2), Silent()])
def test_only_laws_that_the_kernel_knows_are_noise(tmp_path, noise):
    ledger = ledger_at(tmp_path / "ledger")
    with pytest.raises(TypeError, match="a law that the kernel knows"):
        publish({"a": PrivateNumbers(TABLES["a"], noise)}, ONE, ledger, "release", _bits=FailingBits())
    assert ledger.history() == []


class Turncoat:
    """Planted: shows enough noise while it is checked, and next to none when it is drawn."""

    def __init__(self, honest, asked):
        self.numbers, self.honest, self.asked = honest.numbers, honest.noise, asked

    @property
    def noise(self):
        self.asked -= 1
        return self.honest if self.asked >= 0 else DiscreteLaplace(Fraction(1, 100), 2)


@pytest.mark.parametrize("asked", range(8))
def test_only_private_numbers_are_published(tmp_path, asked):
    ledger = ledger_at(tmp_path / "ledger")
    with pytest.raises(TypeError, match="plain array"):
        publish({"a": Turncoat(COUNTS["a"], asked)}, ONE, ledger, "release", _bits=FailingBits())
    assert ledger.history() == []


class Deaf(np.ndarray):
    """Planted: nothing can be added to it."""

    def __add__(self, other):
        return np.asarray(self)


@every_law
def test_numbers_that_would_not_take_noise_are_refused(statistics, guarantee):
    """A masked array keeps its numbers where the mask hides them, and they are in what would be published."""
    for name, each in statistics.items():
        masked = np.ma.array(each.numbers, mask=np.arange(each.numbers.size).reshape(each.numbers.shape) == 0)
        for numbers in (masked, np.ma.array(each.numbers), each.numbers.view(Deaf), each.numbers.tolist()):
            ledger = Ledger.unlimited()
            with pytest.raises(TypeError, match="plain array"):
                publish({**statistics, name: replace(each, numbers=numbers)}, guarantee, ledger, "test", _bits=FailingBits())
            assert ledger.history() == []


class Flattering(Fraction):
    """Planted: a scale that is next to nothing, and by which everything divides to less."""

    def __mul__(self, other):
        return self

    def __rtruediv__(self, other):
        return Fraction(1, 10**9)

    def __truediv__(self, other):
        return Fraction(10**9)

    __rmul__ = __mul__


@every_law
def test_a_scale_that_only_looks_like_a_fraction_is_refused(statistics, guarantee):
    ledger = Ledger.unlimited()
    for each in statistics.values():
        (field,) = {"scale", "variance", "epsilon"} & {part.name for part in fields(each.noise)}
        flattered = with_noise(each, **{field: Flattering(1, 100)})
        with pytest.raises(ValueError, match="exact fraction"):
            publish({"a": flattered}, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.history() == []


@every_law
def test_fractions_of_integers_that_wrap_around_are_refused_before_the_charge(statistics, guarantee):
    """NumPy's integers in a fraction: products with it are modulo 2^64, or fail after the charge."""
    ledger = Ledger.unlimited()
    for each in statistics.values():
        (field,) = {"scale", "variance", "epsilon"} & {part.name for part in fields(each.noise)}
        for parts in ((np.int64(7), 1), (1, np.int64(7))):
            with pytest.raises(ValueError, match="exact fraction"):
                publish({"a": with_noise(each, **{field: Fraction(*parts)})}, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.history() == []
