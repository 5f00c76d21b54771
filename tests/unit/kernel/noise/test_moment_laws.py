"""Laws for moments at the kernel's door: what they cost follows from the declared bounds, and nobody else says it."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits

from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.gaussian import rounded_gaussian
from discreet.kernel.noise.knorm import knorm_vector
from discreet.kernel.noise.knorm_bodies import box
from discreet.kernel.noise.moments import DeclaredMoments, MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.noise.wishart import wishart_difference
from discreet.kernel.publish import PrivateNumbers, publish


def integers(*numbers):
    return np.array(numbers, dtype=np.int64)


DECLARED = DeclaredMoments(size=3, largest=4, constant=True, rows=5)
NUMBERS = integers(3, -20, 80, -80, 7)
"""At the places (0, 1), (0, 2), (1, 1), (1, 2), (2, 2): five records in steps of a quarter have at most 80."""
LAWS = [
    (MomentBox(DECLARED, Fraction(16)), PureDP(Fraction(1))),
    (MomentWishart(DECLARED, Fraction(96)), PureDP(Fraction(1))),
    (MomentWishart(DECLARED, Fraction(288), 2), PureDP(Fraction(1))),
    (MomentGaussian(DECLARED, Fraction(48**2, 2)), ZCDP(Fraction(1))),
]
every_law = pytest.mark.parametrize(("law", "guarantee"), LAWS, ids=["box", "wishart", "weighted", "gaussian"])


def refused(numbers, law, guarantee, error=(ValueError, TypeError), match="A release of moments needs"):
    ledger = Ledger.unlimited()
    with pytest.raises(error, match=match):
        publish({"moments": PrivateNumbers(numbers, law)}, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.history() == []


def with_scale(law, scale):
    return replace(law, **{"variance" if isinstance(law, MomentGaussian) else "scale": scale})


def scale_of(law):
    return law.variance if isinstance(law, MomentGaussian) else law.scale


@every_law
def test_the_cost_is_what_the_declared_bounds_say(law, guarantee):
    assert law.cost == guarantee
    publish({"moments": PrivateNumbers(NUMBERS, law)}, guarantee, Ledger.unlimited(), "test")


@every_law
def test_a_scale_too_small_for_the_bounds_is_refused_before_the_charge(law, guarantee):
    """Planted: too small by next to nothing; made for half the bounds; made for fewer coordinates; the guarantee too small."""
    more = "sum to more than the guarantee"
    greedy = with_scale(law, scale_of(law) - Fraction(1, 10**60))
    refused(NUMBERS, greedy, guarantee, BudgetError, more)
    wider = replace(law, declared=replace(DECLARED, largest=8))
    refused(NUMBERS, wider, guarantee, BudgetError, more)
    if not isinstance(law, MomentBox):  # one radius for all costs the same whatever their number
        refused(np.zeros(9, np.int64), replace(law, declared=replace(DECLARED, size=4)), guarantee, BudgetError, more)
    less = Fraction(1) - Fraction(1, 10**60)
    refused(NUMBERS, law, PureDP(less) if isinstance(guarantee, PureDP) else ZCDP(less), BudgetError, more)


@every_law
def test_the_kind_of_the_guarantee_is_that_of_the_law(law, guarantee):
    other = ZCDP(Fraction(100)) if isinstance(guarantee, PureDP) else PureDP(Fraction(100))
    refused(NUMBERS, law, other, BudgetError, "kind of the guarantee")


@every_law
@pytest.mark.parametrize(
    "numbers",
    [
        NUMBERS[:-1],  # one too few
        np.append(NUMBERS, 0),
        NUMBERS.reshape(1, 5),
        NUMBERS.astype(float),
        NUMBERS.astype(np.int32),
        NUMBERS.astype(object),
        NUMBERS + integers(81, 0, 0, 0, 0),  # more than the sum of five columns in bounds
        NUMBERS + integers(0, 0, 1, 0, 0),
        NUMBERS - integers(0, 0, 0, 1, 0),
        NUMBERS - integers(0, 0, 0, 0, 8),  # a square below zero
    ],
    ids=range(10),
)
def test_moments_of_other_records_than_declared_are_refused(law, guarantee, numbers):
    refused(numbers, law, guarantee)


@every_law
def test_moments_of_more_records_fit_more_records(law, guarantee):
    more = replace(law, declared=replace(DECLARED, rows=6))
    publish({"moments": PrivateNumbers(NUMBERS + integers(0, 0, 1, 0, 0), more)}, guarantee, Ledger.unlimited(), "test")


@every_law
@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 0}, {"size": 3.0}, {"largest": 0}, {"largest": -4}, {"largest": 4.0}, {"largest": Fraction(4)},
        {"rows": 0}, {"rows": True}, {"constant": 1}, {"size": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_declaration_without_meaning_is_refused(law, guarantee, wrong):
    refused(NUMBERS, replace(law, declared=replace(DECLARED, **wrong)), guarantee)


@every_law
@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-96), 96.0, 96])
def test_a_scale_that_is_none_is_refused(law, guarantee, scale):
    refused(NUMBERS, with_scale(law, scale), guarantee)


@every_law
def test_a_declaration_that_says_less_of_itself_is_refused(law, guarantee):
    """Planted: a subclass that tells the law a smaller sensitivity."""

    class Modest(DeclaredMoments):
        @property
        def square(self):
            return 1

    modest = replace(law, declared=Modest(3, 4, True, 5))
    refused(integers(0, 0, 0, 0, 0), modest, guarantee, TypeError, "declared about the records")


@pytest.mark.parametrize("weight", [0, -2, True, 1.5, "2"])
def test_a_weight_that_is_none_is_refused(weight):
    """Planted: a weight of nothing would make records look short."""
    refused(NUMBERS, MomentWishart(DECLARED, Fraction(10**6), weight), PureDP(Fraction(1)))


@every_law
def test_a_law_that_only_looks_like_one_is_refused(law, guarantee):
    """Planted: the same law, said to cost nothing."""

    @dataclass(frozen=True)
    class Cheap(type(law)):
        @property
        def cost(self):
            return type(guarantee)(Fraction(1, 1000))

    refused(NUMBERS, Cheap(DECLARED, scale_of(law)), guarantee, TypeError, "a law that the kernel knows")


@every_law
@pytest.mark.parametrize(
    "drawn", [np.zeros(5, np.int64), np.zeros(1, object), np.full(5, 1.5, object), np.zeros((5, 1), object)]
)
def test_noise_of_another_shape_or_type_is_not_added(law, guarantee, drawn, monkeypatch):
    monkeypatch.setattr(type(law), "draw", lambda *_: drawn)
    with pytest.raises(ValueError, match="shape of the numbers"):
        publish({"moments": PrivateNumbers(NUMBERS, law)}, guarantee, Ledger.unlimited(), "test")


@pytest.mark.parametrize("constant", [True, False])
def test_noise_is_drawn_with_the_scale_that_was_paid_for(constant):
    declared = replace(DECLARED, constant=constant)
    places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)][int(constant) :]
    assert declared.places == places
    squares = [row == column for row, column in places]
    widths, variances = [Fraction(1 if each else 2) for each in squares], [Fraction(50 if each else 100) for each in squares]
    wishart = wishart_difference(3, Fraction(100), SeededBits(1))[int(constant) :]
    first = 2 if constant else 1
    divided = {(0, 0): 1, (0, 1): first, (0, 2): 2 * first, (1, 1): 1, (1, 2): 2, (2, 2): 4}
    weighted = [number // divided[place] for number, place in zip(wishart, places, strict=True)]
    expected = {
        MomentBox(declared, Fraction(100)): knorm_vector(box(widths), Fraction(100), SeededBits(1)),
        MomentWishart(declared, Fraction(100)): wishart,
        MomentWishart(declared, Fraction(100), 2): weighted,
        MomentGaussian(declared, Fraction(100)): rounded_gaussian(variances, SeededBits(1)),
    }
    for law, noise in expected.items():
        assert law.draw((len(places),), SeededBits(1)).tolist() == noise


@every_law
def test_two_statistics_with_one_law_are_paid_for_twice_and_get_noise_of_their_own(law, guarantee):
    """From a call of its own: a law knows how many numbers it is for, and one call for both would fail after the charge."""
    both = {name: PrivateNumbers(NUMBERS, law) for name in "ab"}
    paid = PureDP(Fraction(2)) if isinstance(guarantee, PureDP) else ZCDP(Fraction(2))
    noisy, _ = publish(both, paid, Ledger.unlimited(), "test", _bits=SeededBits(3))
    bits = SeededBits(3)
    for name in "ab":
        assert (noisy[name] - NUMBERS).tolist() == law.draw(NUMBERS.shape, bits).tolist()
    ledger = Ledger.unlimited()
    with pytest.raises(BudgetError, match="sum to more than the guarantee"):
        publish(both, guarantee, ledger, "test", _bits=FailingBits())
    assert ledger.history() == []


@every_law
def test_noise_of_any_size_is_added_in_whole_numbers(law, guarantee):
    noisy, _ = publish(
        {"moments": PrivateNumbers(NUMBERS, with_scale(law, scale_of(law) * 2**200))},
        guarantee,
        Ledger.unlimited(),
        "test",
        _bits=SeededBits(2),
    )
    assert {type(value) for value in noisy["moments"]} == {int}
    assert max(map(abs, noisy["moments"])) > 2**90


@every_law
def test_what_is_private_is_neither_printed_nor_said(law, guarantee):
    numbers = NUMBERS + integers(0, 0, 471100, 0, 0)
    assert "4711" not in repr(PrivateNumbers(numbers, law))
    with pytest.raises(ValueError, match="declared bounds") as caught:
        publish({"moments": PrivateNumbers(numbers, law)}, guarantee, Ledger.unlimited(), "test", _bits=FailingBits())
    assert "4711" not in str(caught.value)
