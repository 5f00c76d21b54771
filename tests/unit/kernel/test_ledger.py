from __future__ import annotations

import dataclasses
import os
import pickle
import shutil
import sqlite3
import sys
import tempfile
import threading
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from support.ledgers import big_ledger, edit, old_ledger, tamper

from discreet.conversion import epsilon_of_rho
from discreet.errors import BudgetError, LedgerError
from discreet.guarantee import ZCDP, ApproxDP, PureDP, exact
from discreet.kernel import ledger_file, ledger_rows
from discreet.kernel.ledger import Ledger
from discreet.kernel.ledger_entries import Terms


def dp(epsilon: str) -> PureDP:
    return PureDP(exact(epsilon))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clinic data.ledger"


# Charging


def test_a_charge_is_acknowledged_by_a_receipt_and_found_by_the_next_opener(path):
    ledger = Ledger(path, cap="1", dataset="clinic")
    receipt = ledger.charge(dp("0.3"), "first release")
    assert (receipt.number, receipt.dataset, receipt.guarantee) == (1, "clinic", dp("0.3"))
    assert (receipt.spent, receipt.cap, receipt.unlimited) == (Fraction(3, 10), Fraction(1), False)
    again = Ledger(path, dataset="clinic")
    assert (again.cap, again.spent, again.remaining) == (Fraction(1), Fraction(3, 10), Fraction(7, 10))
    assert again.charge(dp("0.2"), "second release").number == 2
    assert [(charge.number, charge.purpose, charge.spent) for charge in ledger.history()] == [
        (1, "first release", Fraction(3, 10)),
        (2, "second release", Fraction(1, 2)),
    ]


def test_the_time_of_a_charge_is_utc_to_the_second(path):
    receipt = Ledger(path, cap="1").charge(dp("0.3"), "release")
    assert receipt.at.endswith("Z")
    assert timedelta(seconds=-1) <= datetime.now(UTC) - datetime.fromisoformat(receipt.at) < timedelta(minutes=1)


@pytest.mark.parametrize("year", [1, 999, 9999])
def test_a_wrong_clock_does_not_make_a_damaged_ledger(path, monkeypatch, year):
    class Clock(datetime):
        @classmethod
        def now(cls, zone):
            return datetime(year, 2, 3, 4, 5, 6, 789, tzinfo=zone)

    monkeypatch.setattr("discreet.kernel.ledger.datetime", Clock)
    receipt = Ledger(path, cap="1").charge(dp("0.3"), "release")
    assert receipt.at == f"{year:04}-02-03T04:05:06Z"
    assert [charge.at for charge in Ledger(path).history()] == [receipt.at]


def test_a_receipt_is_frozen_and_does_not_say_where_the_ledger_lies(path):
    receipt = Ledger(path, cap="1").charge(dp("0.3"), "release")
    assert str(path.parent) not in repr(receipt)
    assert path.name not in repr(receipt)
    with pytest.raises(dataclasses.FrozenInstanceError):
        receipt.number = 7


def test_ten_tenths_are_exactly_one_and_nothing_more_is_allowed(path):
    ledger = Ledger(path, cap="1")
    for _ in range(10):
        ledger.charge(dp("0.1"), "a tenth")
    assert ledger.spent == 1
    with pytest.raises(BudgetError):
        ledger.charge(dp("1e-50"), "a little more")


def test_the_whole_cap_may_be_spent_at_once_but_not_the_least_bit_more(path):
    ledger = Ledger(path, cap="1/3")
    with pytest.raises(BudgetError):
        ledger.charge(dp("1/3").compose(dp("1e-99")), "too much")
    assert ledger.charge(dp("1/3"), "everything").spent == Fraction(1, 3)
    assert ledger.remaining == 0


def test_a_refusal_says_cap_spent_remaining_asked_and_what_to_do_and_charges_nothing(path):
    ledger = Ledger(path, cap="1", dataset="clinic")
    ledger.charge(dp("0.75"), "release")
    with pytest.raises(BudgetError, match=r"'clinic' has a cap of 1: 0.75 is spent, 0.25 remains, 0.5 was asked") as refused:
        ledger.charge(dp("0.5"), "release")
    assert "Ask for at most 0.25" in str(refused.value)
    assert len(ledger.history()) == 1
    ledger.charge(dp("0.25"), "what fits")
    with pytest.raises(BudgetError, match="no further release"):
        ledger.charge(dp("0.5"), "release")


def smuggled(guarantee, name, budget):
    """A guarantee whose budget was put in behind its back."""
    object.__setattr__(guarantee, name, budget)
    return guarantee


@pytest.mark.parametrize(
    "guarantee",
    [
        smuggled(PureDP(Fraction(1, 2)), "epsilon", Fraction(-1, 2)),
        smuggled(PureDP(Fraction(1, 2)), "epsilon", Fraction(0)),
        smuggled(PureDP(Fraction(1, 2)), "epsilon", 0.5),
        smuggled(PureDP(Fraction(1, 2)), "epsilon", "0.5"),
        smuggled(PureDP(Fraction(1, 2)), "epsilon", True),
        PureDP(Fraction(1, 10**1000)),
        PureDP(Fraction(1, 10**5000)),
        Fraction(1, 2),
        "0.5",
        None,
    ],
    ids=lambda value: str(type(getattr(value, "epsilon", value)).__name__),
)
@pytest.mark.parametrize("unlimited", [False, True])
def test_only_an_exact_positive_epsilon_can_be_charged(path, guarantee, unlimited):
    ledger = Ledger.unlimited() if unlimited else Ledger(path, cap="1")
    with pytest.raises(BudgetError):
        ledger.charge(guarantee, "release")
    assert ledger.history() == []


def test_a_subclass_cannot_charge_less_than_it_says(path):
    class Cheap(PureDP):
        pass

    with pytest.raises(BudgetError):
        Ledger(path, cap="1").charge(Cheap(Fraction(1, 2)), "release")


def test_a_sum_too_long_to_print_is_refused_before_it_is_written(path):
    ledger = Ledger(path, cap="1")
    ledger.charge(PureDP(Fraction(1, 3**1200)), "release")
    with pytest.raises(BudgetError, match="900 digits"):
        ledger.charge(PureDP(Fraction(1, 7**800)), "release")
    assert str(Ledger(path).spent) == f"1/{3**1200}"


def test_an_interruption_after_the_row_is_written_charges_nothing(path, monkeypatch):
    real = ledger_rows.append

    def interrupted(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger_rows, "append", interrupted)
    ledger = Ledger(path, cap="1")
    with pytest.raises(KeyboardInterrupt):
        ledger.charge(dp("1/2"), "release")
    monkeypatch.undo()
    assert ledger.spent == 0
    assert ledger.charge(dp("1"), "everything is still there").number == 1


@pytest.mark.parametrize("unlimited", [False, True])
def test_a_check_refuses_what_a_charge_would_and_reserves_nothing(path, unlimited):
    ledger = Ledger.unlimited() if unlimited else Ledger(path, cap="1")
    ledger.check(dp("1"))
    ledger.check(dp("1"))
    assert ledger.history() == []
    with pytest.raises(BudgetError):
        ledger.check(smuggled(PureDP(Fraction(1, 2)), "epsilon", Fraction(0)))
    ledger.charge(dp("1"), "everything")
    if not unlimited:
        with pytest.raises(BudgetError, match="no further release"):
            ledger.check(dp("1e-9"))


# Charges that are not pure


MIXED = [dp("0.1"), ZCDP(exact("0.001")), ApproxDP(exact("0.1"), exact("1e-7"))]


def test_a_ledger_with_a_delta_takes_all_kinds_and_finds_them_again(path):
    ledger = Ledger(path, cap="1", delta="1e-6", dataset="clinic")
    receipts = [ledger.charge(guarantee, "release") for guarantee in MIXED]
    assert [receipt.guarantee for receipt in receipts] == MIXED
    assert all((receipt.cap, receipt.delta) == (1, exact("1e-6")) for receipt in receipts)
    again = Ledger(path, dataset="clinic")
    assert [(charge.guarantee, charge.spent) for charge in again.history()] == [(r.guarantee, r.spent) for r in receipts]
    assert (again.delta, again.spent, again.remaining) == (exact("1e-6"), receipts[-1].spent, 1 - receipts[-1].spent)
    assert repr(again).startswith("Ledger of data set 'clinic': 0.")
    assert "of 1 spent at delta 0.000001" in repr(again)


@pytest.mark.parametrize("guarantee", MIXED[1:])
def test_a_ledger_without_a_delta_refuses_what_is_not_pure_and_says_how_to_make_one(path, guarantee):
    ledger = Ledger(path, cap="1")
    for act in (ledger.check, lambda wanted: ledger.charge(wanted, "release")):
        with pytest.raises(BudgetError, match='delta="1e-6"'):
            act(guarantee)
    assert ledger.history() == []


def test_a_refusal_at_a_delta_says_what_it_would_come_to_and_charges_nothing(path):
    ledger = Ledger(path, cap="1", delta="1e-6")
    ledger.charge(dp("0.75"), "release")
    with pytest.raises(BudgetError, match=r"at delta 0.000001: 0.75 is spent, 0.25 remains; with rho = 0.5.*become 5"):
        ledger.charge(ZCDP(exact("0.5")), "release")
    with pytest.raises(BudgetError, match="no delta would be left"):
        ledger.charge(ApproxDP(exact("0.1"), exact("1e-5")), "release")
    assert len(ledger.history()) == 1


@pytest.mark.parametrize(
    "guarantee",
    [
        smuggled(ZCDP(Fraction(1, 2)), "rho", 0.5),
        smuggled(ZCDP(Fraction(1, 2)), "rho", Fraction(0)),
        smuggled(ZCDP(Fraction(1, 2)), "rho", Fraction(-1)),
        ZCDP(Fraction(1, 10**1000)),
        smuggled(ApproxDP(Fraction(1, 2), Fraction(1, 2)), "delta", 1e-9),
        smuggled(ApproxDP(Fraction(1, 2), Fraction(1, 2)), "delta", "1e-9"),
        smuggled(ApproxDP(Fraction(1, 2), Fraction(1, 2)), "delta", Fraction(0)),
        ApproxDP(Fraction(1, 2), Fraction(1)),
        smuggled(ApproxDP(Fraction(1, 2), Fraction(1, 10**9)), "epsilon", Fraction(-1)),
    ],
)
@pytest.mark.parametrize("unlimited", [False, True])
def test_only_exact_positive_budgets_of_any_kind_can_be_charged(path, guarantee, unlimited):
    ledger = Ledger.unlimited() if unlimited else Ledger(path, cap="100", delta="0.1")
    with pytest.raises(BudgetError):
        ledger.charge(guarantee, "release")
    assert ledger.history() == []


def test_a_delta_is_fixed_with_the_cap(path):
    Ledger(path, cap="1", delta="1e-6")
    assert Ledger(path, delta="0.000001").delta == exact("1e-6")
    with pytest.raises(LedgerError, match=r"a delta of 0.000001, not 0.00001"):
        Ledger(path, delta="1e-5")
    Ledger(path, cap="1", dataset="pure")
    with pytest.raises(LedgerError, match=r"has no delta, not 0.000001"):
        Ledger(path, delta="1e-6", dataset="pure")


@pytest.mark.parametrize("delta", ["0", "-1", "1", "2", "nan", True])
def test_a_delta_that_is_no_small_probability_creates_nothing(path, delta):
    with pytest.raises(BudgetError, match="delta"):
        Ledger(path, cap="1", delta=delta)
    assert not path.exists()


def test_an_unlimited_ledger_takes_all_kinds_and_then_cannot_say_what_was_spent():
    ledger = Ledger.unlimited()
    assert [ledger.charge(guarantee, "release").spent for guarantee in MIXED] == [exact("0.1"), None, None]
    assert (ledger.spent, ledger.remaining, ledger.delta) == (None, None, None)


def test_a_total_never_shrinks_however_the_conversion_is_rounded(path, monkeypatch):
    ledger = Ledger(path, cap="1", delta="1e-6")
    told = [ledger.charge(ZCDP(exact("0.001")), "release").spent]

    def smaller(rho, delta):  # as on a machine whose logarithms differ in the last digit
        return epsilon_of_rho(rho, delta) - Fraction(1, 10**5)

    monkeypatch.setattr("discreet.kernel.ledger_entries.epsilon_of_rho", smaller)
    told += [ledger.charge(ZCDP(Fraction(1, 10**15)), "release").spent for _ in range(2)]
    assert told == [told[0]] * 3
    assert [charge.spent for charge in ledger.history()] == told
    assert (ledger.spent, Ledger(path).spent) == (told[0], told[0])


def test_an_old_ledger_tells_totals_that_never_shrink(path, monkeypatch):
    monkeypatch.setattr("discreet.kernel.ledger_entries.epsilon_of_rho", lambda rho, delta: Fraction(1, 10000) / rho)
    old_ledger(path, [("default", "1/1", "1/1000000")], [("default", number, None, "1/100", None) for number in (1, 2)])
    assert [charge.spent for charge in Ledger.datasets(path)[0].charges] == [Fraction(1, 100)] * 2


# Datasets and caps


def test_a_new_ledger_needs_a_cap_and_says_how_to_give_one(path):
    with pytest.raises(LedgerError, match='cap="1"'):
        Ledger(path)
    assert not path.exists()


def test_a_new_dataset_needs_a_cap_and_names_what_is_known(path):
    Ledger(path, cap="1", dataset="clinic")
    with pytest.raises(LedgerError, match=r"cap=.1.*Did you mean 'clinic'"):
        Ledger(path, dataset="clinics")


@pytest.mark.parametrize("cap", ["0.5", 0.5, "1/2", Fraction(1, 2), None])
def test_an_equal_cap_or_none_opens_the_dataset_again(path, cap):
    Ledger(path, cap="0.50")
    assert Ledger(path, cap=cap).cap == Fraction(1, 2)


def test_a_different_cap_is_refused_and_the_first_one_stays(path):
    Ledger(path, cap="1")
    with pytest.raises(LedgerError, match="fixed when the dataset is first named"):
        Ledger(path, cap="2")
    assert Ledger(path).cap == 1


@pytest.mark.parametrize("cap", ["0", "-1", "nan", "inf", "", "1/0", True, float("nan"), float("inf")])
def test_a_cap_that_is_not_a_positive_number_creates_nothing(path, cap):
    with pytest.raises(BudgetError, match="cap"):
        Ledger(path, cap=cap)
    assert not path.exists()


@pytest.mark.parametrize(("cap", "delta"), [(10**1000, None), (Fraction(1, 10**1000), None), ("1", Fraction(1, 10**1000))])
def test_a_limit_too_long_to_be_read_again_creates_nothing(path, cap, delta):
    limit = cap if isinstance(cap, str | Fraction) else Fraction(cap)
    with pytest.raises(BudgetError, match="900 digits"):
        Ledger(path, cap=limit, delta=delta)
    assert not path.exists()


def test_datasets_have_separate_budgets_and_are_all_listed_without_a_name_or_cap(path):
    Ledger(path, cap="2", dataset="survey")
    Ledger(path, cap="1", dataset="clinic").charge(dp("1"), "everything")
    assert Ledger(path, dataset="survey").remaining == 2
    clinic, survey = Ledger.datasets(path)
    assert (clinic.dataset, clinic.cap, clinic.spent, clinic.remaining) == ("clinic", 1, 1, 0)
    assert [charge.purpose for charge in clinic.charges] == ["everything"]
    assert (survey.dataset, survey.cap, survey.spent, survey.remaining, len(survey.charges)) == ("survey", 2, 0, 2, 0)


BAD_LABELS = [
    "",
    " ",
    " clinic",
    "clinic ",
    "a\nb",
    "a\x00b",
    "a\x1b[2Jb",
    "a\u202eb",
    "\ud800",
    "x" * 201,
    None,
    7,
    b"clinic",
]


@pytest.mark.parametrize("label", BAD_LABELS, ids=ascii)
def test_a_dataset_or_purpose_is_one_printable_line(path, label):
    with pytest.raises(LedgerError, match="1 to 200 printable"):
        Ledger(path, cap="1", dataset=label)
    assert not path.exists()
    ledger = Ledger(path, cap="1")
    with pytest.raises(LedgerError, match="1 to 200 printable"):
        ledger.charge(dp("0.1"), label)
    assert ledger.spent == 0


def test_two_ways_to_write_an_accent_name_one_dataset(path):
    Ledger(path, cap="1", dataset="caf\u00e9").charge(dp("1"), "x" * 200)
    assert Ledger(path, dataset="cafe\u0301").remaining == 0


# The file


def test_making_a_ledger_leaves_one_file_and_no_scratch(path):
    Ledger(path, cap="1").charge(dp("0.5"), "release")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_ledger_keeps_its_file_when_the_working_folder_changes(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(path.name, cap="1")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    ledger.charge(dp("0.5"), "release")
    assert Ledger(path).spent == Fraction(1, 2)


def test_reading_neither_creates_nor_alters_a_file(path):
    with pytest.raises(LedgerError, match="There is no ledger"):
        Ledger.datasets(path)
    assert not path.exists()
    ledger = Ledger(path, cap="1")
    ledger.charge(dp("0.5"), "release")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert Ledger.datasets(path)[0].spent == ledger.spent == Ledger(path, cap="1").spent == ledger.history()[0].spent
    with pytest.raises(BudgetError):
        ledger.charge(dp("2"), "release")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_reader_cannot_write_even_by_mistake(path):
    Ledger(path, cap="1")
    with pytest.raises(LedgerError), ledger_file.transaction(path, write=False) as connection:
        ledger_rows.declare(connection, Terms("survey", Fraction(1), None))
    assert [account.dataset for account in Ledger.datasets(path)] == ["default"]


def test_a_ledger_removed_at_the_moment_of_opening_is_not_created_empty(path, monkeypatch):
    ledger = Ledger(path, cap="1")
    real = ledger_file._require_file

    def too_early(file):
        real(file)
        file.unlink()

    monkeypatch.setattr(ledger_file, "_require_file", too_early)
    with pytest.raises(LedgerError, match="cannot be used"):
        ledger.charge(dp("0.5"), "release")
    assert list(path.parent.iterdir()) == []


def test_a_ledger_removed_between_opening_and_looking_is_an_error_that_says_so(path, monkeypatch):
    ledger = Ledger(path, cap="1")
    real = sqlite3.connect

    def too_early(*arguments, **options):
        connection = real(*arguments, **options)
        connection.execute("SELECT * FROM charges").fetchall()
        path.unlink()
        return connection

    monkeypatch.setattr(sqlite3, "connect", too_early)
    with pytest.raises(LedgerError, match=r"There is no ledger|cannot be used"):
        ledger.charge(dp("0.5"), "release")
    assert list(path.parent.iterdir()) == []


def test_a_ledger_removed_while_in_use_is_not_silently_begun_again(path):
    ledger = Ledger(path, cap="1")
    path.unlink()
    with pytest.raises(LedgerError, match="There is no ledger"):
        ledger.charge(dp("0.5"), "release")
    assert not path.exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE datasets SET cap = '9/1'",
        "UPDATE datasets SET name = 'other'",
        "DELETE FROM datasets",
        "INSERT OR REPLACE INTO datasets VALUES ('default', '9/1', NULL)",
        "UPDATE charges SET epsilon = '1/9'",
        "UPDATE charges SET dataset = 'other'",
        "DELETE FROM charges",
        "INSERT OR REPLACE INTO charges VALUES ('default', 1, '1/9', NULL, NULL, 'less', '2030-01-01T00:00:00Z')",
        "INSERT INTO charges VALUES ('default', 3, '1/9', NULL, NULL, 'a gap', '2030-01-01T00:00:00Z')",
        "UPDATE totals SET pure = '1/9'",
        "DELETE FROM totals WHERE number = 1",
        "INSERT OR REPLACE INTO totals VALUES ('default', 1, '1/9', '0/1', '0/1', '0/1', '0/1', '1/9', 'less')",
        "INSERT INTO totals VALUES ('default', 3, '1/9', '0/1', '0/1', '0/1', '0/1', '1/9', 'a gap')",
    ],
)
def test_the_file_itself_refuses_to_change_what_is_written(path, statement):
    Ledger(path, cap="1").charge(dp("1/2"), "release")
    before = Ledger.datasets(path)
    with pytest.raises(sqlite3.IntegrityError, match="a ledger only grows"):
        edit(path, statement)
    assert Ledger.datasets(path) == before


def test_a_charge_is_synced_to_disk_and_journalled(path, monkeypatch):
    seen = []
    real = ledger_rows.append

    def spy(connection, *rest):
        names = ("synchronous", "fullfsync", "journal_mode", "query_only", "busy_timeout")
        seen.extend(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
        return real(connection, *rest)

    monkeypatch.setattr(ledger_rows, "append", spy)
    Ledger(path, cap="1").charge(dp("1/2"), "release")
    assert seen == [3, 1, "delete", 0, 30_000]


def test_every_connection_is_closed_even_when_the_charge_is_refused(path, monkeypatch):
    opened = []
    real = sqlite3.connect

    def remember(*arguments, **options):
        opened.append(real(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", remember)
    ledger = Ledger(path, cap="1")
    for epsilon in ("1", "2"):
        try:
            ledger.charge(dp(epsilon), "release")
        except BudgetError:
            assert epsilon == "2"
    assert len(opened) >= 4
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


# What is not a ledger, or no longer one


def foreign_database(path: Path) -> None:
    edit(path, "CREATE TABLE charges (dataset, number, epsilon, purpose, at)", "CREATE TABLE datasets (name, cap)")


def newer_ledger(path: Path) -> None:
    Ledger(path, cap="1")
    edit(path, "PRAGMA user_version = 3")


def older_ledger(path: Path) -> None:
    Ledger(path, cap="1")
    edit(path, "PRAGMA user_version = 0")


def half_ledger(path: Path) -> None:
    big_ledger(path)
    os.truncate(path, path.stat().st_size // 2)


UNUSABLE = {
    "text": (lambda path: path.write_text("cap = 1\n" * 1000), "damaged or not a ledger"),
    "empty": (lambda path: path.touch(), "empty, damaged.*do not start a new one"),
    "zeros": (lambda path: path.write_bytes(bytes(8192)), "damaged or not a ledger"),
    "foreign database": (foreign_database, "is not a ledger. Choose another path"),
    "newer": (newer_ledger, "Upgrade discreet"),
    "older": (older_ledger, "damaged"),
    "truncated": (half_ledger, "damaged.*restore"),
    "without a trigger": (lambda path: (Ledger(path, cap="1"), edit(path, "DROP TRIGGER charge_removed")), "damaged"),
    "with another table": (lambda path: (Ledger(path, cap="1"), edit(path, "CREATE TABLE more (x)")), "damaged"),
}


@pytest.mark.parametrize(("make", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_what_is_not_a_sound_ledger_is_refused_and_left_alone(path, make, message):
    make(path)
    before = path.read_bytes()
    for act in (lambda: Ledger(path, cap="1"), lambda: Ledger(path), lambda: Ledger.datasets(path)):
        with pytest.raises(LedgerError, match=message):
            act()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


ROWS = {
    "a cap that is a word": "UPDATE datasets SET cap = 'lots'",
    "a cap that is a float": "UPDATE datasets SET cap = '1.5'",
    "a negative cap": "UPDATE datasets SET cap = '-1/1'",
    "a cap that is bytes": "UPDATE datasets SET cap = x'312f31'",
    "a cap that is not UTF-8": "UPDATE datasets SET cap = CAST(x'ff' AS TEXT)",
    "a negative epsilon": "UPDATE charges SET epsilon = '-1/2' WHERE number = 2",
    "a zero epsilon": "UPDATE charges SET epsilon = '0/1' WHERE number = 2",
    "an infinite epsilon": "UPDATE charges SET epsilon = '1/0' WHERE number = 2",
    "an endless epsilon": "UPDATE charges SET epsilon = '1/1' || substr(hex(zeroblob(999)), 1, 990) WHERE number = 2",
    "an epsilon and a rho": "UPDATE charges SET rho = '1/2' WHERE number = 2",
    "a charge of nothing": "UPDATE charges SET epsilon = NULL WHERE number = 2",
    "a rho that is a float": "UPDATE charges SET epsilon = NULL, rho = '0.5' WHERE number = 2",
    "a rho and a delta": "UPDATE charges SET epsilon = NULL, rho = '1/2', delta = '1/9' WHERE number = 2",
    "a rho without a delta to state it at": "UPDATE charges SET epsilon = NULL, rho = '1/2' WHERE number = 2",
    "a charged delta of one": "UPDATE charges SET delta = '1/1' WHERE number = 2",
    "a delta that is a word": "UPDATE datasets SET delta = 'small'",
    "a delta of one": "UPDATE datasets SET delta = '1/1'",
    "a last charge that is missing": "DELETE FROM charges WHERE number = 2",
    "all charges missing": "DELETE FROM charges",
    "a charge numbered twice": "UPDATE charges SET number = 7 WHERE number = 2",
    "a purpose that moves the cursor": "UPDATE charges SET purpose = char(27) || '[2J' WHERE number = 2",
    "a time that is a word": "UPDATE charges SET at = 'yesterday' WHERE number = 2",
}


@pytest.mark.parametrize("statement", ROWS.values(), ids=ROWS)
def test_rows_that_this_program_cannot_have_written_make_the_ledger_unusable(path, statement):
    ledger = Ledger(path, cap="100")
    ledger.charge(dp("1/2"), "one")
    ledger.charge(dp("1/2"), "two")
    tamper(path, statement)
    before = path.read_bytes()
    acts = (lambda: Ledger(path), lambda: Ledger.datasets(path), ledger.history, lambda: ledger.charge(dp("1/9"), "three"))
    for act in acts:
        with pytest.raises(LedgerError, match="damaged"):
            act()
    assert path.read_bytes() == before


def test_a_dataset_name_that_this_program_cannot_have_written_is_refused(path):
    Ledger(path, cap="1")
    tamper(path, "INSERT INTO datasets VALUES (char(27), '1/1', NULL)")
    with pytest.raises(LedgerError, match="damaged"):
        Ledger.datasets(path)


def test_the_tampering_of_these_tests_is_itself_invisible(path):
    Ledger(path, cap="1").charge(dp("1/2"), "release")
    tamper(path)
    assert Ledger(path).spent == Fraction(1, 2)


def test_a_folder_a_missing_folder_a_pipe_and_a_null_character_are_no_ledgers(tmp_path):
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger(tmp_path, cap="1")
    with pytest.raises(LedgerError, match="Choose an existing folder"):
        Ledger(tmp_path / "missing" / "clinic.ledger", cap="1")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger(tmp_path / "pipe", cap="1")
    for cap in (None, "1"):
        with pytest.raises(LedgerError):
            Ledger(tmp_path / "a\0b", cap=cap)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for cap in (None, "1"):
        with pytest.raises(LedgerError, match=r"link is a link to .*nowhere, where there is no ledger\. Bring back what"):
            Ledger(tmp_path / "link", cap=cap)
    assert not (tmp_path / "nowhere").exists()


def test_a_read_only_ledger_can_be_read_but_not_charged():
    folder = Path(tempfile.mkdtemp())
    path = folder / "clinic.ledger"
    Ledger(path, cap="1")
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        with _as_nobody():  # root may write everywhere
            ledger = Ledger(path, cap="1")
            assert ledger.spent == 0
            with pytest.raises(LedgerError, match="Check permissions"):
                ledger.charge(dp("0.5"), "release")
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@contextmanager
def _as_nobody():
    """Give up root's powers for a while, if this process has them."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_system_without_hard_links_is_refused_and_left_clean(path, monkeypatch):
    def link(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(LedgerError, match=r"Operation not permitted.*hard links"):
        Ledger(path, cap="1")
    assert list(path.parent.iterdir()) == []


def test_whoever_creates_second_uses_what_the_first_one_made(path, monkeypatch):
    real = ledger_file.create

    def race(target):
        real(target)
        Ledger(path, dataset="first", cap="3")
        real(target)  # a second creation must not replace the first

    monkeypatch.setattr(ledger_file, "create", race)
    Ledger(path, cap="1", dataset="second")
    assert [(account.dataset, account.cap) for account in Ledger.datasets(path)] == [("first", 3), ("second", 1)]


# Several at once


def test_a_ledger_that_stays_locked_is_an_error_that_says_to_try_again(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "_BUSY_SECONDS", 0.05)
    ledger = Ledger(path, cap="1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="try again"):
            ledger.charge(dp("0.5"), "release")
    assert ledger.spent == 0


def at_once(acts) -> None:
    """Run each act in a thread of its own, all from the same moment, with threads switched as often as possible."""
    start = threading.Barrier(len(acts))
    threads = [threading.Thread(target=lambda act=act: (start.wait(), act())) for act in acts]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)


def test_of_eight_threads_racing_for_the_last_budget_exactly_one_wins(path):
    ledger = Ledger(path, cap="1/2")
    won, lost = [], []

    def race():
        try:
            won.append(ledger.charge(dp("1/2"), "the last budget"))
        except BudgetError:
            lost.append(1)

    at_once([race] * 8)
    assert (len(won), len(lost), ledger.spent) == (1, 7, Fraction(1, 2))


def test_an_unlimited_ledger_counts_every_charge_of_racing_threads():
    ledger = Ledger.unlimited()
    numbers = []
    at_once([lambda: numbers.extend(ledger.charge(dp("1/2"), "race").number for _ in range(50))] * 8)
    assert sorted(numbers) == list(range(1, 401))
    assert ledger.spent == 200


def test_threads_that_name_one_dataset_with_different_caps_agree_on_the_winner(path):
    Ledger(path, cap="1")
    caps, refused = [], []

    def name(cap):
        try:
            caps.append(Ledger(path, cap=cap, dataset="clinic").cap)
        except LedgerError:
            refused.append(cap)

    at_once([lambda cap=cap: name(cap) for cap in range(1, 7)])
    assert (len(caps), len(refused)) == (1, 5)
    assert [Ledger(path, dataset="clinic").cap] == caps


def test_a_dataset_named_by_somebody_else_in_the_meantime_is_simply_opened(path, monkeypatch):
    Ledger(path, cap="1", dataset="clinic")
    answers = [None]  # the first look comes too early
    real = ledger_rows.find_terms
    monkeypatch.setattr(ledger_rows, "find_terms", lambda *arguments: answers.pop() if answers else real(*arguments))
    assert Ledger(path, cap="1", dataset="clinic").cap == 1
    assert answers == []


def test_a_charge_locks_the_file_before_it_reads_what_is_spent(path, monkeypatch):
    ledger = Ledger(path, cap="1")
    real, tried = ledger_rows.standing, []

    def standing(*arguments):
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
            tried.append(1)
        return real(*arguments)

    monkeypatch.setattr(ledger_rows, "standing", standing)
    ledger.charge(dp("1/2"), "release")
    assert tried == [1, 1]  # before the charge is written, and when it is read back


def test_a_ledger_can_be_sent_to_another_process_but_an_unlimited_one_cannot(path):
    ledger = pickle.loads(pickle.dumps(Ledger(path, cap="1")))
    assert ledger.charge(dp("1/2"), "release").spent == Fraction(1, 2)
    with pytest.raises(TypeError):
        pickle.dumps(Ledger.unlimited())


def test_an_unlimited_ledger_counts_without_a_cap_and_its_receipts_say_so():
    ledger = Ledger.unlimited()
    assert (ledger.spent, ledger.cap, ledger.remaining, ledger.history()) == (0, None, None, [])
    receipt = ledger.charge(dp("1000"), "an experiment on public data")
    assert (receipt.number, receipt.unlimited, receipt.cap, receipt.spent) == (1, True, None, 1000)
    assert [charge.purpose for charge in ledger.history()] == ["an experiment on public data"]
    assert Ledger.unlimited().spent == 0


def test_a_ledger_shows_its_budget_but_not_its_path(path):
    ledger = Ledger(path, cap="0.5", dataset="<clinic>")
    assert repr(ledger) == "Ledger of data set '<clinic>': 0 of 0.5 spent, 0.5 remains"
    ledger.charge(dp("0.125"), "release")
    assert repr(ledger) == "Ledger of data set '<clinic>': 0.125 of 0.5 spent, 0.375 remains"
    assert (
        ledger._repr_html_() == "<pre>Ledger of data set &#x27;&lt;clinic&gt;&#x27;: 0.125 of 0.5 spent, 0.375 remains</pre>"
    )
    assert repr(Ledger.unlimited()) == "Ledger of data set 'unlimited': 0 spent, no cap"


def test_a_ledger_whose_file_is_gone_still_shows_itself(path):
    ledger = Ledger(path, cap="0.5", dataset="clinic")
    path.unlink()
    assert repr(ledger) == "Ledger of data set 'clinic': its file cannot be read"
