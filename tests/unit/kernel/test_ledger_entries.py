from __future__ import annotations

import math
import sqlite3
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from support.ledgers import MOMENT, big_ledger
from support.optional import need

from discreet.conversion import epsilon_of_rho
from discreet.guarantee import ZCDP, ApproxDP, PureDP, exact
from discreet.kernel.ledger import Ledger
from discreet.kernel.ledger_entries import Charge, Standing, Terms, Total, begin, follow, known_spent

TERMS = Terms("clinic", Fraction(1), Fraction(1, 10**6))
CHARGE = Charge(1, PureDP(Fraction(1, 2)), "release", Fraction(1, 2), MOMENT)
DELTA = exact("1e-6")


def test_the_digest_covers_every_word_of_the_terms_and_of_the_entry():
    start = begin(TERMS)
    other_terms = [replace(TERMS, dataset="x"), replace(TERMS, cap=Fraction(2)), replace(TERMS, delta=None)]
    other_charges = [
        replace(CHARGE, number=2),
        replace(CHARGE, guarantee=PureDP(Fraction(1, 3))),
        replace(CHARGE, guarantee=ZCDP(Fraction(1, 2))),
        replace(CHARGE, guarantee=ApproxDP(Fraction(1, 2), Fraction(1, 9))),
        replace(CHARGE, purpose="more"),
        replace(CHARGE, spent=Fraction(2, 3)),
        replace(CHARGE, at="2030-01-01T00:00:01Z"),
    ]
    before = [replace(start, digest="x"), *(replace(start, total=Total(*sums)) for sums in _one_at_a_time())]
    entries = [
        *(follow(terms, start, CHARGE) for terms in (TERMS, *other_terms)),
        *(follow(TERMS, start, charge) for charge in other_charges),
        *(follow(TERMS, standing, CHARGE) for standing in before),
    ]
    digests = [start.digest, *(begin(terms).digest for terms in other_terms), *(entry.digest for entry in entries)]
    assert len(set(digests)) == len(digests) == 21
    assert follow(TERMS, start, CHARGE) == follow(TERMS, start, CHARGE)


def _one_at_a_time():
    return [[Fraction(place == other) for other in range(5)] for place in range(5)]


def test_an_epsilon_written_too_small_is_not_believed():
    total = Total.of([PureDP(Fraction(1, 2))])
    assert known_spent(TERMS, Standing(1, total, Fraction(1, 10), "")) == Fraction(1, 2)
    assert known_spent(TERMS, Standing(1, total, Fraction(6, 10), "")) == Fraction(6, 10)
    assert known_spent(replace(TERMS, delta=None), Standing(1, Total(rho=Fraction(1)), Fraction(1), "")) is None


def steps(act) -> int:
    """How many calls Python makes and how many instructions SQLite's machine does: no clock takes part."""
    done = [0]

    class Counted(sqlite3.Connection):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.set_progress_handler(lambda: done.__setitem__(0, done[0] + 1), 1)

    real = sqlite3.connect
    sqlite3.connect = lambda *arguments, **options: real(*arguments, factory=Counted, **options)
    try:
        sys.setprofile(lambda _frame, event, _argument: done.__setitem__(0, done[0] + (event in ("call", "c_call"))))
        act()
    finally:
        sys.setprofile(None)
        sqlite3.connect = real
    return done[0]


def steps_after(charges: int, path: Path) -> list[int]:
    ledger, charge = big_ledger(path, charges), PureDP(exact("1/7"))
    acts = (lambda: ledger.charge(charge, "x"), lambda: Ledger(path).charge(charge, "x"), lambda: ledger.check(charge))
    return [steps(act) for act in acts]


def test_opening_and_charging_take_no_more_steps_after_many_charges(tmp_path):
    few, many = steps_after(10, tmp_path / "few"), steps_after(3000, tmp_path / "many")
    assert min(few) > 100
    assert all(late <= 1.1 * early for early, late in zip(few, many, strict=True)), (few, many)


def test_an_unlimited_ledger_takes_no_more_steps_after_many_charges():
    ledger = Ledger.unlimited()
    early = steps(lambda: ledger.charge(PureDP(exact("1/7")), "x"))
    for _ in range(300):
        ledger.charge(PureDP(exact("1/7")), "x")
    assert steps(lambda: ledger.charge(PureDP(exact("1/7")), "x")) <= 1.1 * early


def test_sums_stay_short_whatever_the_denominators_of_the_charges():
    """A third and two thirds make one, but the sum of their squares keeps the denominator, and so on for every prime."""
    total, exactly = Total(), Fraction(0)
    for below in range(2001, 2601, 2):
        for epsilon in (Fraction(1, below), Fraction(below - 1, below)):
            total, exactly = total.plus(PureDP(epsilon)), exactly + epsilon**2 / 2
    assert total.pure == 300
    assert exactly.denominator.bit_length() > 3000
    assert max(value.denominator.bit_length() for value in total.sums) <= 3000
    assert exactly < total.half_squares < exactly + Fraction(1, 10**70)


def test_charges_with_denominators_up_to_two_thousand_are_never_too_long():
    assert Total.of(PureDP(Fraction(1, below)) for below in range(1, 2001)).is_short


def pure(epsilon: str) -> PureDP:
    return PureDP(exact(epsilon))


def concentrated(rho: str) -> ZCDP:
    return ZCDP(exact(rho))


def approximate(epsilon: str, delta: str) -> ApproxDP:
    return ApproxDP(exact(epsilon), exact(delta))


MIXTURES = {
    "normals": [concentrated("0.02")] * 3,
    "many small pure ones": [pure("0.05")] * 60,
    "a large pure one and normals": [pure("1"), concentrated("0.02"), concentrated("0.05")],
    "small pure ones and a normal": [*[pure("0.02")] * 20, concentrated("0.1")],
    "approximate and pure": [approximate("0.3", "2e-7"), pure("0.5"), approximate("0.1", "8e-7")],
    "all kinds": [approximate("0.2", "5e-7"), pure("0.3"), concentrated("0.03")],
}


def worst_cases(guarantee):
    """Losses of a mechanism that uses its guarantee up, as an accountant of loss distributions describes them."""
    pld = need("dp_accounting").pld
    options = {"value_discretization_interval": 1e-3}
    if isinstance(guarantee, ZCDP):
        deviation = math.sqrt(1 / (2 * float(guarantee.rho)))
        return pld.privacy_loss_distribution.from_gaussian_mechanism(deviation, **options)
    delta = float(getattr(guarantee, "delta", 0))
    parameters = pld.common.DifferentialPrivacyParameters(float(guarantee.epsilon), delta)
    return pld.privacy_loss_distribution.from_privacy_parameters(parameters, **options)


@pytest.mark.parametrize("charges", MIXTURES.values(), ids=MIXTURES)
def test_the_total_agrees_with_an_independent_accountant(charges):
    """No mechanisms lose more than the total says, and the worst ones lose not much less."""
    losses = worst_cases(charges[0])
    for charge in charges[1:]:
        losses = losses.compose(worst_cases(charge))
    known = losses.get_epsilon_for_delta(float(DELTA))
    total = float(Total.of(charges).spent(DELTA))
    assert known * 0.999 <= total <= known * 1.35


def test_pure_charges_cost_their_sum_where_that_is_the_least():
    assert Total.of([pure("0.5"), pure("0.25")]).spent(DELTA) == Fraction(3, 4)
    assert Total.of([pure("0.5"), pure("0.25")]).spent(None) == Fraction(3, 4)


def test_many_small_pure_charges_cost_less_than_their_sum_at_a_delta():
    many = Total.of([pure("0.01")] * 1000)
    assert many.spent(None) == 10
    assert many.spent(DELTA) == epsilon_of_rho(Fraction(1, 20), DELTA) < 2


def test_one_large_pure_charge_does_not_make_normals_dear():
    total = Total.of([pure("3"), concentrated("0.01")])
    assert total.spent(DELTA) == 3 + epsilon_of_rho(exact("0.01"), DELTA) < epsilon_of_rho(exact("4.51"), DELTA)


def test_approximate_charges_leave_less_delta_for_the_others():
    total = Total.of([concentrated("0.1"), approximate("0.2", "9e-7")])
    assert total.spent(DELTA) == exact("0.2") + epsilon_of_rho(exact("0.1"), exact("1e-7"))


def test_the_whole_delta_may_go_to_approximate_charges_but_then_normals_cannot_be_paid():
    whole = Total.of([approximate("0.2", "1e-6"), pure("0.5")])
    assert whole.spent(DELTA) == exact("0.7")
    assert whole.plus(concentrated("1e-9")).spent(DELTA) is None
    assert whole.plus(approximate("0.1", "1e-30")).spent(DELTA) is None


def test_without_a_delta_only_pure_charges_have_a_total():
    assert Total.of([pure("0.5"), concentrated("0.1")]).spent(None) is None
    assert Total.of([pure("0.5"), approximate("0.1", "1e-9")]).spent(None) is None
    assert Total().spent(None) == Total().spent(DELTA) == 0
