from __future__ import annotations

import sqlite3
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from support.ledgers import MOMENT, big_ledger

from discreet.guarantee import ZCDP, ApproxDP, PureDP, exact
from discreet.kernel.ledger import Ledger
from discreet.kernel.ledger_entries import Charge, Standing, Terms, begin, follow, known_spent
from discreet.kernel.total import Total

TERMS = Terms("clinic", Fraction(1), Fraction(1, 10**6))
CHARGE = Charge(1, PureDP(Fraction(1, 2)), "release", Fraction(1, 2), MOMENT)


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
