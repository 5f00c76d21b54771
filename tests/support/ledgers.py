"""Ledger files that are long, old or tampered with."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from discreet.guarantee import PureDP
from discreet.kernel import ledger_file, ledger_rows
from discreet.kernel.ledger import Ledger
from discreet.kernel.ledger_entries import Charge

MOMENT = "2030-01-01T00:00:00Z"


def edit(path: Path, *statements: str) -> None:
    """Change the file behind the ledger's back, as SQLite allows anybody to."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("PRAGMA synchronous = OFF", *statements):
            connection.execute(statement)


def tamper(path: Path, *statements: str) -> None:
    """Edit rows without leaving a trace in the schema: drop the triggers, edit, create them again, free no page."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    changes = (*(f"DROP TRIGGER {name}" for name, _ in triggers), *statements, *(sql for _, sql in triggers))
    edit(path, "BEGIN", *changes, "COMMIT", "VACUUM")


def big_ledger(path: Path, charges: int = 399, cap: int = 1000) -> Ledger:
    """A ledger with so many charges of a seventh, written in one transaction."""
    ledger = Ledger(path, cap=cap)
    with ledger_file.transaction(path, write=True) as connection:
        terms = ledger_rows.terms(connection, path, "default")
        now = ledger_rows.standing(connection, path, terms)
        for number in range(1, charges + 1):
            charge = Charge(number, PureDP(Fraction(1, 7)), "release" * 20, Fraction(number, 7), MOMENT)
            now = ledger_rows.append(connection, path, terms, now, charge)
    assert ledger.spent == Fraction(charges, 7)
    return ledger


# Word for word what version 1 wrote; not made from today's schema, which may change.
_OLD = """
CREATE TABLE datasets (name TEXT NOT NULL PRIMARY KEY, cap TEXT NOT NULL, delta TEXT) WITHOUT ROWID
CREATE TABLE charges (dataset TEXT NOT NULL, number INTEGER NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, purpose TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (dataset, number)) WITHOUT ROWID
CREATE TRIGGER dataset_changed BEFORE UPDATE ON datasets BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
CREATE TRIGGER dataset_removed BEFORE DELETE ON datasets BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
CREATE TRIGGER charge_changed BEFORE UPDATE ON charges BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
CREATE TRIGGER charge_removed BEFORE DELETE ON charges BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
CREATE TRIGGER dataset_repeated BEFORE INSERT ON datasets WHEN EXISTS (SELECT 1 FROM datasets WHERE name = NEW.name) BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
CREATE TRIGGER charge_not_next BEFORE INSERT ON charges WHEN NEW.number IS NOT (SELECT COUNT(*) + 1 FROM charges WHERE dataset = NEW.dataset) BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
"""  # noqa: E501


def old_ledger(path: Path, datasets: Iterable[tuple], charges: Iterable[tuple] = ()) -> None:
    """A ledger of version 1: rows of (name, cap, delta), and of (dataset, number, epsilon, rho, delta)."""
    identity = ("PRAGMA application_id = 1146113095", "PRAGMA user_version = 1")
    edit(path, "BEGIN", *identity, *_OLD.strip().splitlines(), "COMMIT")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.executemany("INSERT INTO datasets VALUES (?, ?, ?)", datasets)
        rows = [(*charge, "release", MOMENT) for charge in charges]
        connection.executemany("INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
