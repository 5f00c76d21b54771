"""Damage to a ledger file: what every act notices, what only reading all of it does, and that none of it gives budget back."""

from __future__ import annotations

import functools
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from support.ledgers import big_ledger, edit, old_ledger, tamper

from discreet.errors import BudgetError, LedgerError
from discreet.guarantee import ApproxDP, PureDP, exact
from discreet.kernel import ledger_file, ledger_rows
from discreet.kernel.ledger import Ledger
from discreet.kernel.ledger_entries import follow, written

PAGE = 4096


def dp(epsilon: str) -> PureDP:
    return PureDP(exact(epsilon))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic.ledger"


@functools.cache
def sound_ledger() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder, "ledger"), cap="1")
        for _ in range(5):
            ledger.charge(dp("0.1"), "release")
        return Path(folder, "ledger").read_bytes()


def five_tenths(path: Path) -> Ledger:
    path.write_bytes(sound_ledger())
    return Ledger(path)


def acts(path: Path, ledger: Ledger) -> list:
    return [
        lambda: Ledger(path),
        lambda: ledger.charge(dp("0.1"), "release"),
        lambda: ledger.check(dp("0.1")),
        lambda: ledger.spent,
        ledger.history,
        lambda: Ledger.datasets(path),
    ]


AT_THE_END = {
    "a smaller last charge": "UPDATE charges SET epsilon = '1/20' WHERE number = 5",
    "a larger last charge": "UPDATE charges SET epsilon = '5/1' WHERE number = 5",
    "another purpose of it": "UPDATE charges SET purpose = 'less' WHERE number = 5",
    "another time of it": "UPDATE charges SET at = '2030-01-01T00:00:00Z' WHERE number = 5",
    "the last charge lost": "DELETE FROM charges WHERE number = 5",
    "all charges lost": "DELETE FROM charges",
    "a charge without totals": "INSERT INTO charges VALUES ('default', 6, '1/10', NULL, NULL, 'x', '2030-01-01T00:00:00Z')",
    "the last totals lost": "DELETE FROM totals WHERE number = 5",
    "the totals before them lost": "DELETE FROM totals WHERE number = 4",
    "all totals lost": "DELETE FROM totals",
    "all totals but the first lost": "DELETE FROM totals WHERE number > 0",
    "a smaller sum": "UPDATE totals SET pure = '1/10' WHERE number = 5",
    "a smaller sum before": "UPDATE totals SET pure = '1/10' WHERE number = 4",
    "both sums smaller": "UPDATE totals SET pure = CASE number WHEN 4 THEN '0/1' ELSE '1/10' END WHERE number > 3",
    "another sum of squares": "UPDATE totals SET half_squares = '1/50' WHERE number = 5",
    "a rho from nowhere": "UPDATE totals SET rho = '1/50' WHERE number = 5",
    "an epsilon from nowhere": "UPDATE totals SET epsilon = '1/50' WHERE number = 5",
    "a delta from nowhere": "UPDATE totals SET delta = '1/50' WHERE number = 5",
    "less spent than summed": "UPDATE totals SET spent = '1/10' WHERE number = 5",
    "more spent than summed": "UPDATE totals SET spent = '9/10' WHERE number = 5",
    "another digest": "UPDATE totals SET digest = substr(digest, 2) || '0' WHERE number = 5",
    "another digest before": "UPDATE totals SET digest = substr(digest, 2) || '0' WHERE number = 4",
    "a digest that is bytes": "UPDATE totals SET digest = x'00' WHERE number = 5",
    "totals that are words": "UPDATE totals SET pure = 'little' WHERE number = 5",
    "a number that is a word": "UPDATE totals SET number = 'five' WHERE number = 5",
    "numbers that are words": "UPDATE totals SET number = 'n' || number WHERE number > 3",
    "a charge numbered by a word": "UPDATE charges SET number = 'five' WHERE number = 5",
    "a number that is no whole one": "UPDATE totals SET number = 5.5 WHERE number = 5",
    "the copy of an earlier charge": "UPDATE charges SET number = number + 5 WHERE number = 5",
    "a larger cap": "UPDATE datasets SET cap = '9/1'",
    "a delta": "UPDATE datasets SET delta = '1/100'",
}


@pytest.mark.parametrize("statement", AT_THE_END.values(), ids=AT_THE_END)
def test_damage_at_the_end_of_a_ledger_is_noticed_by_every_act(path, statement):
    ledger = five_tenths(path)
    tamper(path, statement)
    before = path.read_bytes()
    for act in acts(path, ledger):
        with pytest.raises(LedgerError, match="damaged"):
            act()
    assert path.read_bytes() == before


@pytest.mark.parametrize("charges", [0, 1])
def test_a_changed_cap_is_noticed_however_short_the_ledger(path, charges):
    ledger = Ledger(path, cap="1")
    for _ in range(charges):
        ledger.charge(dp("0.1"), "release")
    tamper(path, "UPDATE datasets SET cap = '9/1'")
    for act in acts(path, ledger):
        with pytest.raises(LedgerError, match="damaged"):
            act()


def test_a_first_entry_that_is_not_the_beginning_is_noticed(path):
    ledger = Ledger(path, cap="1")
    ledger.charge(dp("0.1"), "release")
    tamper(path, "UPDATE totals SET spent = '1/50' WHERE number = 0")
    for act in acts(path, ledger):
        with pytest.raises(LedgerError, match="damaged"):
            act()


def test_an_epsilon_that_shrinks_is_noticed_even_with_a_digest_to_match(path):
    ledger = Ledger(path, cap="1", delta="1e-6")
    ledger.charge(dp("0.1"), "release")
    with ledger_file.transaction(path, write=False) as connection:
        terms = ledger_rows.terms(connection, path, "default")
        before = ledger_rows.standing(connection, path, terms)
    ledger.charge(dp("0.1"), "release")
    after = follow(terms, before, replace(ledger.history()[-1], spent=Fraction(1, 20)))
    tamper(path, f"UPDATE totals SET spent = '1/20', digest = '{after.digest}' WHERE number = 2")
    for act in acts(path, ledger):
        with pytest.raises(LedgerError, match="damaged"):
            act()


IN_THE_MIDDLE = {
    "a smaller charge": "UPDATE charges SET epsilon = '1/20' WHERE number = 2",
    "a larger charge": "UPDATE charges SET epsilon = '5/1' WHERE number = 2",
    "a charge that is a word": "UPDATE charges SET epsilon = 'little' WHERE number = 2",
    "another purpose": "UPDATE charges SET purpose = 'less' WHERE number = 2",
    "a charge lost": "DELETE FROM charges WHERE number = 2",
    "all but the last lost": "DELETE FROM charges WHERE number < 5",
    "totals changed": "UPDATE totals SET pure = '1/10' WHERE number = 2",
    "less spent": "UPDATE totals SET spent = '1/20' WHERE number = 2",
    "a digest changed": "UPDATE totals SET digest = 'less' WHERE number = 2",
    "totals lost": "DELETE FROM totals WHERE number = 2",
    "the first totals lost": "DELETE FROM totals WHERE number = 0",
    "charges of nobody": "INSERT INTO charges VALUES ('x', 1, '1/10', NULL, NULL, 'x', '2030-01-01T00:00:00Z')",
    "totals of nobody": "INSERT INTO totals VALUES ('x', 0, '0/1', '0/1', '0/1', '0/1', '0/1', '0/1', 'x')",
}


@pytest.mark.parametrize("statement", IN_THE_MIDDLE.values(), ids=IN_THE_MIDDLE)
def test_damage_in_the_middle_gives_no_budget_back_and_is_noticed_by_reading(path, statement):
    five_tenths(path)
    tamper(path, statement)
    ledger = Ledger(path)
    assert ledger.remaining == Fraction(1, 2)
    with pytest.raises(BudgetError, match=r"0.5 is spent, 0.5 remains"):
        ledger.charge(dp("0.50001"), "too much")
    assert ledger.charge(dp("0.5"), "the rest").spent == 1
    with pytest.raises(LedgerError, match="damaged"):
        Ledger.datasets(path)
    if "'x'" not in statement:
        with pytest.raises(LedgerError, match="damaged"):
            ledger.history()


def overspend(path: Path, ledger: Ledger) -> None:
    """Ask for the least bit more than there is, as who has opened the ledger before and as who opens it now."""
    too_much = PureDP(ledger.cap - Fraction(399, 7) + Fraction(1, 10**9))
    with pytest.raises((BudgetError, LedgerError)):
        ledger.charge(too_much, "too much")
    with pytest.raises((BudgetError, LedgerError)):
        Ledger(path).charge(too_much, "too much")


def test_no_overwritten_page_gives_budget_back_and_reading_notices_each(tmp_path, path):
    ledger = big_ledger(path)
    sound = path.read_bytes()
    assert len(sound) > 30 * PAGE
    for start in range(0, len(sound), PAGE):
        for junk in (b"\xa5" * PAGE, bytes(PAGE)):
            path.write_bytes(sound[:start] + junk + sound[start + PAGE :])
            overspend(path, ledger)
            with pytest.raises(LedgerError):
                Ledger.datasets(path)


@pytest.mark.parametrize("earlier", [250, 380, 398])
def test_no_page_of_an_earlier_copy_gives_budget_back(tmp_path, path, earlier):
    ledger = big_ledger(path)
    latest = path.read_bytes()
    big_ledger(tmp_path / "earlier", earlier)
    old = (tmp_path / "earlier").read_bytes()
    changed = [start for start in range(PAGE, len(old), PAGE) if old[start:][:PAGE] != latest[start:][:PAGE]]
    assert len(changed) >= 2
    for start in changed:
        path.write_bytes(latest[:start] + old[start:][:PAGE] + latest[start + PAGE :])
        overspend(path, ledger)
    path.write_bytes(old)  # whole, it is what it was
    assert Ledger(path).spent == Fraction(earlier, 7)


def test_a_cut_file_is_refused_by_every_act(path):
    ledger = big_ledger(path)
    sound = path.read_bytes()
    for length in (len(sound) - 1, len(sound) - PAGE, len(sound) // 2, PAGE, 100):
        path.write_bytes(sound[:length])
        for act in acts(path, ledger):
            with pytest.raises(LedgerError, match="damaged"):
                act()


def add_a_page_that_nothing_uses(path: Path) -> None:
    content = bytearray(path.read_bytes() + bytes(PAGE))
    content[28:32] = (len(content) // PAGE).to_bytes(4, "big")
    path.write_bytes(content)


def test_reading_all_charges_checks_every_page(path):
    ledger = five_tenths(path)
    add_a_page_that_nothing_uses(path)
    assert ledger.charge(dp("0.1"), "release").number == 6
    for read in (ledger.history, lambda: Ledger.datasets(path)):
        with pytest.raises(LedgerError, match="damaged"):
            read()


def test_every_page_of_an_old_ledger_is_checked_by_every_act(path):
    old_ledger(path, [("default", "1/1", None)], [("default", 1, "1/10", None, None)])
    ledger = Ledger(path)
    add_a_page_that_nothing_uses(path)
    for act in acts(path, ledger):
        with pytest.raises(LedgerError, match="damaged"):
            act()


def test_a_page_that_seems_to_be_free_is_damage(path):
    ledger = big_ledger(path)
    content = bytearray(path.read_bytes())
    content[32:40] = (5).to_bytes(4, "big") + (1).to_bytes(4, "big")  # the first free page, and how many there are
    path.write_bytes(content)
    for act in acts(path, ledger):
        with pytest.raises(LedgerError, match="damaged"):
            act()


def test_an_earlier_copy_of_the_file_is_refused_by_whoever_saw_the_later_one(path, tmp_path):
    ledger = five_tenths(path)
    shutil.copy(path, tmp_path / "copy")
    ledger.charge(dp("0.1"), "release")
    path.unlink()
    shutil.copy(tmp_path / "copy", path)
    for act in acts(path, ledger)[1:4]:
        with pytest.raises(LedgerError, match=r"an earlier copy.*Nothing was charged"):
            act()
    Ledger(path).charge(dp("0.2"), "another history")  # who comes anew cannot know
    for act in acts(path, ledger)[1:4]:
        with pytest.raises(LedgerError, match="an earlier copy"):
            act()
    assert Ledger(path).spent == Fraction(7, 10)


def test_charges_of_others_in_the_meantime_are_no_earlier_copy(path):
    ledger, other = five_tenths(path), Ledger(path)
    other.charge(dp("0.1"), "release")
    assert ledger.spent == other.spent == Fraction(6, 10)
    assert ledger.charge(dp("0.1"), "release").number == 7
    assert other.charge(dp("0.1"), "release").number == 8


def test_a_charge_that_cannot_be_read_back_is_not_committed(path, monkeypatch):
    ledger = five_tenths(path)
    before = path.read_bytes()
    real = ledger_rows._write_standing

    def mistaken(connection, dataset, now):
        total = replace(now.total, pure=now.total.pure - Fraction(1, 100))
        real(connection, dataset, replace(now, total=total))

    monkeypatch.setattr(ledger_rows, "_write_standing", mistaken)
    with pytest.raises(LedgerError, match="damaged"):
        ledger.charge(dp("0.1"), "release")
    assert path.read_bytes() == before


def test_forged_totals_with_digests_to_match_are_noticed_by_reading_all_charges(path):
    five_tenths(path)
    with ledger_file.transaction(path, write=False) as connection:
        terms = ledger_rows.terms(connection, path, "default")
        last = ledger_rows.account(connection, path, "default").charges[-1]
        forged = [replace(ledger_rows.standing(connection, path, terms), number=4)]
    forged[0] = replace(forged[0], total=replace(forged[0].total, pure=Fraction(1, 50)), spent=Fraction(1, 50))
    forged.append(follow(terms, forged[0], replace(last, spent=Fraction(12, 100))))
    changes = [
        f"UPDATE totals SET pure = '{written(now.total.pure)}', half_squares = '{written(now.total.half_squares)}',"
        f" spent = '{written(now.spent)}', digest = '{now.digest}' WHERE number = {now.number}"
        for now in forged
    ]
    tamper(path, *changes)
    assert Ledger(path).spent == Fraction(12, 100)  # the owner of the file can mislead a charge, as ever
    for read in (lambda: Ledger.datasets(path), Ledger(path).history):
        with pytest.raises(LedgerError, match="damaged"):
            read()


def test_a_dataset_whose_terms_were_lost_cannot_be_named_again(path):
    five_tenths(path)
    tamper(path, "DELETE FROM datasets")
    with pytest.raises(LedgerError, match="damaged"):
        Ledger(path, cap="9")
    with pytest.raises(LedgerError, match="no dataset 'default'"):
        Ledger(path)


# Ledgers of version 1


OLD_DATASETS = [("clinic", "1/1", None), ("empty", "2/1", "1/100"), ("survey", "3/1", "1/1000000")]
OLD_CHARGES = [
    ("clinic", 1, "1/3", None, None),
    ("clinic", 2, "1/6", None, None),
    ("survey", 1, None, "1/100", None),
    ("survey", 2, "1/10", None, "1/10000000"),
    ("survey", 3, "1/5", None, None),
]


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def test_an_old_ledger_is_read_as_it_is_and_not_changed(path):
    old_ledger(path, OLD_DATASETS, OLD_CHARGES)
    before = path.read_bytes()
    clinic, empty, survey = Ledger.datasets(path)
    assert [charge.guarantee for charge in clinic.charges] == [dp("1/3"), dp("1/6")]
    assert (clinic.spent, empty.spent, len(survey.charges)) == (Fraction(1, 2), 0, 3)
    ledger = Ledger(path, dataset="clinic")
    assert (ledger.spent, ledger.remaining, len(ledger.history())) == (Fraction(1, 2), Fraction(1, 2), 2)
    ledger.check(dp("1/2"))
    assert (version(path), path.read_bytes()) == (1, before)


def test_the_first_charge_brings_an_old_ledger_up_to_date_and_keeps_every_charge(path):
    old_ledger(path, OLD_DATASETS, OLD_CHARGES)
    before = Ledger.datasets(path)
    ledger = Ledger(path, dataset="clinic")
    assert ledger.charge(dp("1/4"), "release").spent == Fraction(3, 4)
    assert version(path) == 2
    after = Ledger.datasets(path)
    assert after[1:] == before[1:]
    assert after[0].charges[:2] == before[0].charges
    assert [charge.spent for charge in after[0].charges] == [Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)]
    with pytest.raises(BudgetError, match=r"0.25 remains"):
        Ledger(path, dataset="clinic").charge(dp("0.26"), "release")
    with pytest.raises(sqlite3.IntegrityError, match="only grows"):
        edit(path, "INSERT INTO charges VALUES ('clinic', 9, '1/9', NULL, NULL, 'a gap', '2030-01-01T00:00:00Z')")


def test_a_refused_charge_brings_an_old_ledger_up_to_date_too(path):
    old_ledger(path, OLD_DATASETS, OLD_CHARGES)
    before = Ledger.datasets(path)
    with pytest.raises(BudgetError):
        Ledger(path, dataset="clinic").charge(dp("5"), "release")
    assert (version(path), Ledger.datasets(path)) == (2, before)


def test_a_new_dataset_in_an_old_ledger_brings_it_up_to_date(path):
    old_ledger(path, OLD_DATASETS, OLD_CHARGES)
    Ledger(path, cap="1", dataset="another").charge(dp("1/2"), "release")
    assert [(account.dataset, len(account.charges)) for account in Ledger.datasets(path)] == [
        ("another", 1),
        ("clinic", 2),
        ("empty", 0),
        ("survey", 3),
    ]


def test_a_long_old_ledger_is_brought_up_to_date_without_a_free_page(path):
    old_ledger(path, [("clinic", "9999/1", None)], [("clinic", number, "1/7", None, None) for number in range(1, 2001)])
    assert Ledger(path, dataset="clinic").charge(dp("1/7"), "release").spent == Fraction(2001, 7)
    assert len(Ledger.datasets(path)[0].charges) == 2001


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE charges SET epsilon = '-1/3' WHERE number = 1",
        "UPDATE charges SET number = 7 WHERE dataset = 'clinic' AND number = 2",
        "DELETE FROM charges WHERE number = 1",
        "UPDATE charges SET purpose = char(27)",
        "UPDATE datasets SET cap = 'lots'",
        "DELETE FROM datasets WHERE name = 'survey'",
    ],
)
def test_an_old_ledger_that_is_damaged_is_refused_and_not_brought_up_to_date(path, statement):
    old_ledger(path, OLD_DATASETS, OLD_CHARGES)
    ledger = Ledger(path, dataset="clinic")
    tamper(path, statement)
    before = path.read_bytes()
    for act in (lambda: ledger.charge(dp("0.1"), "release"), lambda: Ledger.datasets(path)):
        with pytest.raises(LedgerError, match="damaged"):
            act()
    assert path.read_bytes() == before


def test_an_old_ledger_whose_sums_are_too_long_to_print_is_damaged(path):
    charges = [("clinic", 1, f"1/{3**1200}", None, None), ("clinic", 2, f"1/{7**800}", None, None)]
    old_ledger(path, OLD_DATASETS, charges)
    for act in (lambda: Ledger(path, dataset="clinic"), lambda: Ledger.datasets(path)):
        with pytest.raises(LedgerError, match="damaged"):
            act()


def test_an_old_copy_of_a_ledger_that_was_brought_up_to_date_is_noticed(path, tmp_path):
    old_ledger(path, OLD_DATASETS, OLD_CHARGES)
    shutil.copy(path, tmp_path / "copy")
    ledger = Ledger(path, dataset="clinic")
    ledger.charge(dp("1/4"), "release")
    shutil.copy(tmp_path / "copy", path)
    for act in acts(path, ledger)[1:4]:
        with pytest.raises(LedgerError, match="an earlier copy"):
            act()


def test_short_budgets_whose_sum_is_long_are_charged_and_read_again(path):
    """Each sum is short enough; the epsilon that they come to together has twice as many digits."""
    ledger = Ledger(path, cap="5", delta="1e-5")
    charges = [PureDP(Fraction(1, 10) + Fraction(1, 10**800 + 1)), ApproxDP(Fraction(1, 10) + Fraction(1, 7**900), "1e-7")]
    for charge in charges:
        ledger.check(charge)
        ledger.charge(charge, "release")
    exact_sum = sum(charge.epsilon for charge in charges)
    assert 0 < ledger.spent - exact_sum < Fraction(1, 2**250)
    assert [charge.guarantee for charge in Ledger(path).history()] == charges


def test_an_old_ledger_of_short_budgets_whose_sum_is_long_can_be_charged(path):
    pure, other = Fraction(1, 10) + Fraction(1, 10**800 + 1), Fraction(1, 10) + Fraction(1, 7**900)
    rows = [("default", 1, str(pure), None, None), ("default", 2, str(other), None, "1/10000000")]
    old_ledger(path, [("default", "5/1", "1/100000")], rows)
    ledger = Ledger(path)
    assert ledger.charge(dp("0.1"), "release").number == 3
    assert 0 < ledger.spent - (pure + other + Fraction(1, 10)) < Fraction(1, 2**250)


def test_what_one_thread_saw_is_not_forgotten_for_what_another_saw_before(path, monkeypatch):
    """A commits the first charge and is held up, B commits the second: an earlier copy of the file must still be noticed."""
    ledger = Ledger(path, cap="1")
    remember, copies = Ledger._remember, []

    def held_up(self, now):
        monkeypatch.setattr(Ledger, "_remember", remember)
        copies.append(path.read_bytes())
        self.charge(dp("0.1"), "release")
        remember(self, now)

    monkeypatch.setattr(Ledger, "_remember", held_up)
    ledger.charge(dp("0.1"), "release")
    path.write_bytes(copies[0])
    with pytest.raises(LedgerError, match="lacks charges"):
        ledger.charge(dp("0.1"), "release")
