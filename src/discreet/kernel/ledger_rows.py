"""Reading and writing the rows of a ledger, trusting none: what this program cannot have written makes the file damaged."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import LedgerError, suggestion
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from discreet.kernel.ledger_entries import (
    Account,
    Charge,
    Standing,
    Terms,
    Total,
    begin,
    follow,
    is_label,
    is_moment,
    known_spent,
    written,
)

__all__ = ["append", "standing"]

_WITH_TOTALS = 2
"""The version of the file in which the sums were first written beside the charges."""
_FRACTION = re.compile(r"[1-9][0-9]{0,999}/[1-9][0-9]{0,999}")
_SUM = re.compile(r"0/1|[1-9][0-9]{0,2999}/[1-9][0-9]{0,999}")
_CHARGES = "SELECT number, epsilon, rho, delta, purpose, at FROM charges WHERE dataset = ? ORDER BY number"
_TOTALS = "SELECT number, pure, half_squares, rho, epsilon, delta, spent, digest FROM totals WHERE dataset = ? ORDER BY number"


def names(connection: sqlite3.Connection, path: Path) -> list[str]:
    """List the datasets, in order."""
    found = [name for (name,) in connection.execute("SELECT name FROM datasets ORDER BY name")]
    if not all(map(is_label, found)):
        raise damaged(path)
    return found


def find_terms(connection: sqlite3.Connection, path: Path, dataset: str) -> Terms | None:
    """What was fixed for a dataset; None if nobody named it."""
    fixed = connection.execute("SELECT cap, delta FROM datasets WHERE name = ?", (dataset,)).fetchone()
    if fixed is None:
        return None
    cap, delta = _parsed(fixed[0], path), _optional(fixed[1], path)
    if delta is not None and delta >= 1:
        raise damaged(path)
    return Terms(dataset, cap, delta)


def terms(connection: sqlite3.Connection, path: Path, dataset: str) -> Terms:
    """What was fixed for a dataset that must be there."""
    found = find_terms(connection, path, dataset)
    if found is None:
        known = names(connection, path)
        hint = suggestion(dataset, known) if known else ""
        raise LedgerError(f'{path} has no dataset {dataset!r}: give a cap, such as cap="1", to add it.{hint}')
    return found


def declare(connection: sqlite3.Connection, new: Terms) -> None:
    """Name a new dataset and fix its cap, and the delta at which it holds."""
    row = (new.dataset, written(new.cap), written(new.delta))
    connection.execute("INSERT INTO datasets (name, cap, delta) VALUES (?, ?, ?)", row)
    _write_standing(connection, new.dataset, begin(new))


def append(connection: sqlite3.Connection, path: Path, agreed: Terms, before: Standing, charge: Charge) -> Standing:
    """Write one more charge.

    Claim:      on return, whoever opens the ledger after the commit finds this charge as the last one, with these sums: it
                was read back, and not only written.
    Requires:   a transaction that writes, and ``before`` read in it.
    Checked by: tests/unit/kernel/test_ledger_damage.py::test_a_charge_that_cannot_be_read_back_is_not_committed
    """
    amounts = (written(getattr(charge.guarantee, name, None)) for name in ("epsilon", "rho", "delta"))
    row = (agreed.dataset, charge.number, *amounts, charge.purpose, charge.at)
    connection.execute(
        "INSERT INTO charges (dataset, number, epsilon, rho, delta, purpose, at) VALUES (?, ?, ?, ?, ?, ?, ?)", row
    )
    after = follow(agreed, before, charge)
    _write_standing(connection, agreed.dataset, after)
    if standing(connection, path, agreed) != after:
        raise damaged(path)
    return after


def standing(connection: sqlite3.Connection, path: Path, agreed: Terms, seen: Standing | None = None) -> Standing:
    """Where a dataset stands, from the end of the ledger.

    Claim:      the sums returned are those of the entry before plus the last charge, and the last digest covers them, the
                charge, the terms and the digest before; the last charge and the last totals have the same number. What
                ``seen`` says was committed still is. The time does not depend on the number of charges, but for a file of
                version 1, which is read as a whole.
    Requires:   a transaction of ``ledger_file``, begun after ``seen`` was known.
    Checked by: tests/unit/kernel/test_ledger_damage.py::test_damage_at_the_end_of_a_ledger_is_noticed_by_every_act
                tests/unit/kernel/test_ledger_damage.py::test_damage_in_the_middle_gives_no_budget_back_and_is_noticed_by_reading
    """
    if _version(connection) < _WITH_TOTALS:
        now = begin(agreed)
        for _, now in _entries(connection, path, agreed):  # noqa: B007 - the last one is wanted
            pass
        return _not_older(connection, path, agreed, now, seen)
    last = connection.execute(f"{_CHARGES} DESC LIMIT 1", (agreed.dataset,)).fetchone()
    stored = [_standing(row, path) for row in connection.execute(f"{_TOTALS} DESC LIMIT 2", (agreed.dataset,))]
    if not stored or (last is None) != (len(stored) == 1):
        raise damaged(path)
    if stored[-1].number == 0 and stored[-1] != begin(agreed):
        raise damaged(path)
    now = begin(agreed) if last is None else _linked(agreed, stored[1], _charge(last, stored[0].spent, path), path)
    if now != stored[0]:
        raise damaged(path)
    return _not_older(connection, path, agreed, now, seen)


def account(connection: sqlite3.Connection, path: Path, dataset: str) -> Account:
    """Read all of one dataset, following every entry from the first."""
    agreed = terms(connection, path, dataset)
    if agreed.cap is None:
        raise damaged(path)
    charges = tuple(charge for charge, _ in _entries(connection, path, agreed))
    return Account(dataset, agreed.cap, agreed.delta, charges)


def check_all_named(connection: sqlite3.Connection, path: Path) -> None:
    """Every row is about a dataset that has terms."""
    tables = ("charges",) if _version(connection) < _WITH_TOTALS else ("charges", "totals")
    for table in tables:
        query = f"SELECT 1 FROM {table} WHERE dataset NOT IN (SELECT name FROM datasets) LIMIT 1"  # noqa: S608 - constants
        if connection.execute(query).fetchone() is not None:
            raise damaged(path)


def upgrade(connection: sqlite3.Connection, path: Path, statements: tuple[str, ...]) -> None:
    """Turn a file of version 1 into one with totals, by these statements: add up all charges, write the sums beside them."""
    check_all_named(connection, path)
    datasets = [terms(connection, path, name) for name in names(connection, path)]
    found = {each: [begin(each), *(after for _, after in _entries(connection, path, each))] for each in datasets}
    for statement in statements:
        connection.execute(statement)
    for agreed, standings in found.items():
        for each in standings:
            _write_standing(connection, agreed.dataset, each)
        if standing(connection, path, agreed) != standings[-1]:
            raise damaged(path)


def damaged(path: Path) -> LedgerError:
    """Say that the file cannot be used, and what to do."""
    return LedgerError(
        f"{path} is empty, damaged or not a ledger; nothing was changed. If it was a ledger, do not start a new one for the"
        " same data, which would forget its charges: restore the latest copy, and charge again what was released since."
    )


def _entries(connection: sqlite3.Connection, path: Path, agreed: Terms) -> Iterator[tuple[Charge, Standing]]:
    """Every charge with where it left the dataset, each checked against the one before."""
    before, stored = begin(agreed), None
    if _version(connection) >= _WITH_TOTALS:
        stored = (_standing(row, path) for row in connection.execute(_TOTALS, (agreed.dataset,)))
        if next(stored, None) != before:
            raise damaged(path)
    for row in connection.execute(_CHARGES, (agreed.dataset,)):
        written_after = None if stored is None else next(stored, None)
        charge = _charge(row, None if written_after is None else written_after.spent, path)
        after = _linked(agreed, before, charge, path)
        if stored is not None and after != written_after:
            raise damaged(path)
        yield replace(charge, spent=known_spent(agreed, after)), after
        before = after
    if stored is not None and next(stored, None) is not None:
        raise damaged(path)


def _linked(agreed: Terms, before: Standing, charge: Charge, path: Path) -> Standing:
    """Where a charge that was read leaves the dataset, if it can follow. Version 1 did not write what was spent."""
    total = before.total.plus(charge.guarantee)
    least = total.spent(agreed.delta)
    so_far = before.spent or Fraction(0)
    if least is None or not total.is_short or charge.number != before.number + 1:
        raise damaged(path)
    if charge.spent is None:
        charge = replace(charge, spent=max(least, so_far))
    elif charge.spent < so_far:
        raise damaged(path)
    return follow(agreed, before, charge)


def _not_older(connection: sqlite3.Connection, path: Path, agreed: Terms, now: Standing, seen: Standing | None) -> Standing:
    """Refuse a file that is without a charge which was already seen in it: somebody put an earlier copy in its place."""
    if seen is None:
        return now
    query = "SELECT digest FROM totals WHERE dataset = ? AND number = ?"
    known = _version(connection) >= _WITH_TOTALS and connection.execute(query, (agreed.dataset, seen.number)).fetchone()
    if now.number < seen.number or (known and known[0] != seen.digest):
        raise LedgerError(
            f"{path} lacks charges that were in it before: an earlier copy seems to have taken its place. Nothing was charged."
            " Restore the latest copy, and charge again what was released since."
        )
    return now


def _write_standing(connection: sqlite3.Connection, dataset: str, now: Standing) -> None:
    row = (dataset, now.number, *map(written, now.total.sums), written(now.spent), now.digest)
    connection.execute("INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _standing(row: tuple[Any, ...], path: Path) -> Standing:
    number, *sums, spent, digest = row
    if type(number) is not int:
        raise damaged(path)
    return Standing(number, Total(*(_sum(text, path) for text in sums)), _sum(spent, path), str(digest))


def _charge(row: tuple[Any, ...], spent: Fraction | None, path: Path) -> Charge:
    number, *amounts, purpose, at = row
    guarantee = _guarantee(*(_optional(amount, path) for amount in amounts))
    if guarantee is None or not (is_label(purpose) and is_moment(at)):
        raise damaged(path)
    return Charge(number, guarantee, purpose, spent, at)


def _guarantee(epsilon: Fraction | None, rho: Fraction | None, delta: Fraction | None) -> Guarantee | None:
    """What these amounts say; None if they do not fit together."""
    match epsilon, rho, delta:
        case Fraction(), None, None:
            return PureDP(epsilon)
        case None, Fraction(), None:
            return ZCDP(rho)
        case Fraction(), None, Fraction() if delta < 1:
            return ApproxDP(epsilon, delta)
    return None


def _optional(text: object, path: Path) -> Fraction | None:
    return None if text is None else _parsed(text, path)


def _parsed(text: object, path: Path) -> Fraction:
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise damaged(path)
    return Fraction(text)


def _sum(text: object, path: Path) -> Fraction:
    if not isinstance(text, str) or not _SUM.fullmatch(text):
        raise damaged(path)
    return Fraction(text)
