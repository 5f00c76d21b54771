"""The file under the ledger: SQLite, verified whenever it is opened, growing by one whole transaction at a time.

Budgets are stored as "numerator/denominator" and added as fractions, never as floats. Every operation opens the file, does
one transaction and closes it again, so that threads, forks and processes need no further care. The file is never opened
other than through SQLite: closing it would drop the locks that SQLite holds on it (POSIX).
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import LedgerError, suggestion
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from discreet.kernel.total import Total

__all__ = ["Account", "Charge", "create", "transaction"]

_APPLICATION = 0x44504C47  # "DPLG", in the header of every ledger
_VERSION = 1
_BUSY_SECONDS = 30.0
_FRACTION = re.compile(r"[1-9][0-9]{0,999}/[1-9][0-9]{0,999}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_TABLES = {
    "datasets": "name TEXT NOT NULL PRIMARY KEY, cap TEXT NOT NULL, delta TEXT",
    # Of a guarantee what it has: epsilon if it is pure, rho if zero-concentrated, epsilon and delta if approximate.
    "charges": "dataset TEXT NOT NULL, number INTEGER NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, purpose TEXT NOT NULL,"
    " at TEXT NOT NULL, PRIMARY KEY (dataset, number)",
}
_REFUSED = {
    "dataset_changed": "UPDATE ON datasets",
    "dataset_removed": "DELETE ON datasets",
    "charge_changed": "UPDATE ON charges",
    "charge_removed": "DELETE ON charges",
    # INSERT OR REPLACE removes rows without firing the triggers above.
    "dataset_repeated": "INSERT ON datasets WHEN EXISTS (SELECT 1 FROM datasets WHERE name = NEW.name)",
    "charge_not_next": "INSERT ON charges"
    " WHEN NEW.number IS NOT (SELECT COUNT(*) + 1 FROM charges WHERE dataset = NEW.dataset)",
}
_SCHEMA = (
    *(f"CREATE TABLE {name} ({columns}) WITHOUT ROWID" for name, columns in _TABLES.items()),
    *(
        f"CREATE TRIGGER {name} BEFORE {act} BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END"
        for name, act in _REFUSED.items()
    ),
)


@dataclass(frozen=True, slots=True)
class Charge:
    """One line of a ledger; ``spent`` is the dataset's total after it, which only an unlimited ledger may be unable to say."""

    number: int
    guarantee: Guarantee
    purpose: str
    spent: Fraction | None
    at: str


@dataclass(frozen=True, slots=True)
class Account:
    """All that a ledger knows of one dataset."""

    dataset: str
    cap: Fraction
    delta: Fraction | None
    """The delta at which the cap holds; None where it is a cap on pure epsilon."""
    charges: Sequence[Charge]

    @property
    def spent(self) -> Fraction:
        """The epsilon of all charges together, at the dataset's delta."""
        return (self.charges[-1].spent if self.charges else None) or Fraction(0)

    @property
    def remaining(self) -> Fraction:
        """What may still be charged; not positive when nothing may be."""
        return self.cap - self.spent


def is_label(text: object) -> bool:
    """Whether this can name a dataset or a purpose: one printable line that does not differ from another by outer spaces."""
    return isinstance(text, str) and 0 < len(text) <= 200 and text.isprintable() and text == text.strip()


def create(path: Path) -> None:
    """Build a whole, empty ledger in a scratch folder and link it to its name.

    Claim:      the ledger appears at once and replaces nothing: whoever looks finds no file, or a whole one.
    Requires:   a file system with hard links (checked: without them nothing is created).
    Checked by: tests/e2e/test_ledger_crashes.py::test_every_acknowledged_charge_survives_kills_at_random_moments
                tests/e2e/test_ledger_crashes.py::test_processes_creating_one_ledger_with_different_caps_agree_on_the_first
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".ledger-", dir=path.parent) as scratch:
            draft = Path(scratch, "draft")
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                identity = (f"PRAGMA application_id = {_APPLICATION}", f"PRAGMA user_version = {_VERSION}")
                for statement in ("PRAGMA synchronous = EXTRA", "BEGIN IMMEDIATE", *identity, *_SCHEMA, "COMMIT"):
                    connection.execute(statement)
            with suppress(FileExistsError):  # somebody else was first: theirs is the ledger
                os.link(draft, path)
        if os.name == "posix":  # elsewhere a folder cannot be synced
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except (OSError, ValueError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise LedgerError(
            f"No ledger can be created at {path} ({reason}). Choose an existing folder that you may write to, on a local disk"
            " whose file system has hard links."
        ) from error


@contextmanager
def transaction(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """Do the block on a verified ledger.

    Claim:      what the block wrote is durable once the block has ended, and undone, by closing, if anything is raised.
    Requires:   a disk on which SQLite's locks and syncs work.
    Checked by: tests/e2e/test_ledger_crashes.py::test_a_kill_at_any_statement_leaves_whole_charges_only
                tests/unit/kernel/test_ledger.py::test_an_interruption_after_the_row_is_written_charges_nothing
    """
    _require_file(path)
    try:
        # mode=rw never creates a file. Readers use it too, as a crash may have left a commit half done for SQLite to undo.
        address = f"{path.as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, uri=True)) as connection:
            for pragma in ("synchronous = EXTRA", "fullfsync = ON", f"query_only = {'OFF' if write else 'ON'}"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            _verify(connection, path)
            yield connection
            connection.execute("COMMIT")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter from messages that quote a damaged file
        raise _explained(path, error) from error


def declare(connection: sqlite3.Connection, dataset: str, cap: Fraction, delta: Fraction | None = None) -> None:
    """Name a new dataset and fix its cap, and the delta at which it holds."""
    row = (dataset, _written(cap), _written(delta))
    connection.execute("INSERT INTO datasets (name, cap, delta) VALUES (?, ?, ?)", row)


def append(connection: sqlite3.Connection, dataset: str, charge: Charge) -> None:
    """Write one more charge."""
    amounts = (_written(getattr(charge.guarantee, name, None)) for name in ("epsilon", "rho", "delta"))
    row = (dataset, charge.number, *amounts, charge.purpose, charge.at)
    columns = "dataset, number, epsilon, rho, delta, purpose, at"
    connection.execute(f"INSERT INTO charges ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608 - a constant


def names(connection: sqlite3.Connection, path: Path) -> list[str]:
    """List the datasets, in order."""
    found = [name for (name,) in connection.execute("SELECT name FROM datasets ORDER BY name")]
    if not all(map(is_label, found)):
        raise _damaged(path)
    return found


def account(connection: sqlite3.Connection, path: Path, dataset: str) -> Account:
    """Read one dataset, trusting no row: what cannot have been written by this program makes the file damaged."""
    fixed = connection.execute("SELECT cap, delta FROM datasets WHERE name = ?", (dataset,)).fetchone()
    if fixed is None:
        known = names(connection, path)
        hint = suggestion(dataset, known) if known else ""
        raise LedgerError(f'{path} has no dataset {dataset!r}: give a cap, such as cap="1", to add it.{hint}')
    cap, delta = _parsed(fixed[0], path), _optional(fixed[1], path)
    if delta is not None and delta >= 1:
        raise _damaged(path)
    return Account(dataset, cap, delta, tuple(_charges(connection, path, dataset, delta)))


def _charges(connection: sqlite3.Connection, path: Path, dataset: str, delta: Fraction | None) -> Iterator[Charge]:
    columns = "number, epsilon, rho, delta, purpose, at"
    query = f"SELECT {columns} FROM charges WHERE dataset = ? ORDER BY number"  # noqa: S608 - a constant
    total, spent = Total(), Fraction(0)
    for expected, (number, *amounts, purpose, at) in enumerate(connection.execute(query, (dataset,)), start=1):
        guarantee = _guarantee(*(_optional(amount, path) for amount in amounts))
        if guarantee is None or number != expected or not (is_label(purpose) and _MOMENT.fullmatch(str(at))):
            raise _damaged(path)
        total = total.plus(guarantee)
        after = total.spent(delta)
        if after is None or not total.is_short:
            raise _damaged(path)
        spent = max(spent, after)
        yield Charge(number, guarantee, purpose, spent, at)


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


def _written(value: Fraction | None) -> str | None:
    return None if value is None else f"{value.numerator}/{value.denominator}"


def _optional(text: object, path: Path) -> Fraction | None:
    return None if text is None else _parsed(text, path)


def _parsed(text: object, path: Path) -> Fraction:
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise _damaged(path)
    return Fraction(text)


def _require_file(path: Path) -> None:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise LedgerError(f'There is no ledger at {path}. Give a cap, such as cap="1", to create one.') from None
    except (OSError, ValueError) as error:
        raise LedgerError(f"The ledger {path} cannot be read ({error}). Check the path and its permissions.") from error
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(f"{path} is not a file. Choose the path of a ledger file.")
    if status.st_size == 0:
        raise _damaged(path)


def _verify(connection: sqlite3.Connection, path: Path) -> None:
    def single(query: str) -> Any:
        return connection.execute(query).fetchone()[0]

    if single("PRAGMA application_id") != _APPLICATION:
        raise LedgerError(f"{path} is not a ledger. Choose another path; nothing was changed.")
    if single("PRAGMA user_version") > _VERSION:
        raise LedgerError(f"{path} was written by a newer version of discreet. Upgrade discreet; nothing was changed.")
    schema = sorted(str(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))
    if single("PRAGMA user_version") != _VERSION or schema != sorted(_SCHEMA) or single("PRAGMA quick_check(1)") != "ok":
        raise _damaged(path)


def _damaged(path: Path) -> LedgerError:
    return LedgerError(
        f"{path} is empty, damaged or not a ledger; nothing was changed. If it was a ledger, do not start a new one for the"
        " same data, which would forget its charges: restore the latest copy, and charge again what was released since."
    )


def _explained(path: Path, error: Exception) -> LedgerError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerError(f"{path} stayed in use by another process. Nothing was charged; try again when it has finished.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(path)
    return LedgerError(
        f"{path} cannot be used ({error}). Check permissions and free space, and look at the charges before trying again."
    )
