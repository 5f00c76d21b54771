"""The file under the ledger: SQLite, growing by one whole transaction at a time.

Budgets are stored as "numerator/denominator" and added as fractions, never as floats. Every operation opens the file, does
one transaction and closes it again, so that threads, forks and processes need no further care. The file is never opened
other than through SQLite: closing it would drop the locks that SQLite holds on it (POSIX).

Its tables have triggers that let them grow and nothing else. Version 1 had no ``totals``: whoever opened a ledger added up
all of its charges, and a trigger counted them.

Two depths of checking:
- *Every opening* looks at the end of the ledger, at a cost that does not depend on its length: header, tables and triggers,
  that no page is missing or free, and that the last charge, the last totals and the totals before them fit together
  (``ledger_entries``), with the terms inside their digest. It notices a cut file, a lost or older page at the end of
  ``charges`` or of ``totals`` (they lie on different pages), an edited cap or delta, and any edit of the last entry.
- *Reading all charges* (``Ledger.history``, ``Ledger.datasets``, the command ``discreet ledger``) checks every page and
  follows every entry from the first. Only this notices damage to entries and pages in the middle, and rows without terms.

Damage in the middle makes no room for an overspend: sums are only ever taken from the last entry, which was written when
those before it were sound and is tied to its neighbour by arithmetic and digest, and no charge is committed before it has
been read back as the last entry. Adding up all charges each time, as version 1 did, refused more damaged files at the
moment of a charge, but believed an edited amount or cap, and a last page older than the rest. What neither notices:
- the ends of both tables replaced by those of one earlier moment, as when the whole file is an earlier copy of itself
  (a ``Ledger`` that has seen the later one refuses);
- entries written by hand with digests to match. Forging the last two totals is enough to mislead a charge, where version 1
  had to be given other charges; reading all charges notices the first, and nothing notices the second.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from discreet.errors import LedgerError
from discreet.kernel.ledger_rows import damaged, upgrade

__all__ = ["create", "transaction"]

_BUSY_SECONDS = 30.0
_APPLICATION = 0x44504C47
"""The letters "DPLG", in the header of every ledger."""
_OLDEST, _VERSION = 1, 2

_TABLES = {
    "datasets": "name TEXT NOT NULL PRIMARY KEY, cap TEXT NOT NULL, delta TEXT",
    # Of a guarantee what it has: epsilon if it is pure, rho if zero-concentrated, epsilon and delta if approximate.
    "charges": "dataset TEXT NOT NULL, number INTEGER NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, purpose TEXT NOT NULL,"
    " at TEXT NOT NULL, PRIMARY KEY (dataset, number)",
}
# After each charge, and after none: the exact sums of ``Total``, the epsilon that they come to, and a digest.
_TOTALS = (
    "dataset TEXT NOT NULL, number INTEGER NOT NULL, pure TEXT NOT NULL, half_squares TEXT NOT NULL, rho TEXT NOT NULL,"
    " epsilon TEXT NOT NULL, delta TEXT NOT NULL, spent TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (dataset, number)"
)
_REFUSED = {
    "dataset_changed": "UPDATE ON datasets",
    "dataset_removed": "DELETE ON datasets",
    "charge_changed": "UPDATE ON charges",
    "charge_removed": "DELETE ON charges",
    # INSERT OR REPLACE removes rows without firing the triggers above.
    "dataset_repeated": "INSERT ON datasets WHEN EXISTS (SELECT 1 FROM datasets WHERE name = NEW.name)",
}
_COUNTED = "SELECT COUNT(*) + 1 FROM charges WHERE dataset = NEW.dataset"
_NOT_NEXT = "charge_not_next"


def _table(name: str, columns: str) -> str:
    return f"CREATE TABLE {name} ({columns}) WITHOUT ROWID"


def _trigger(name: str, act: str) -> str:
    return f"CREATE TRIGGER {name} BEFORE {act} BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END"


def _last(table: str, none: int) -> str:
    """The number of a dataset's last row, from the end of the index; ``none`` where there is no row."""
    return f"COALESCE((SELECT MAX(number) FROM {table} WHERE dataset = NEW.dataset), {none})"  # noqa: S608 - constants


_COMMON = (*(_table(*item) for item in _TABLES.items()), *(_trigger(*item) for item in _REFUSED.items()))
_NEW = (
    _trigger(_NOT_NEXT, f"INSERT ON charges WHEN NEW.number IS NOT {_last('charges', 0)} + 1"),
    _table("totals", _TOTALS),
    _trigger("total_changed", "UPDATE ON totals"),
    _trigger("total_removed", "DELETE ON totals"),
    _trigger("total_not_next", f"INSERT ON totals WHEN NEW.number IS NOT {_last('totals', -1)} + 1"),
)
_IDENTITY = (f"PRAGMA application_id = {_APPLICATION}", f"PRAGMA user_version = {_VERSION}")
"""What writes into the header which kind of file this is."""
_SCHEMAS = {
    1: (*_COMMON, _trigger(_NOT_NEXT, f"INSERT ON charges WHEN NEW.number IS NOT ({_COUNTED})")),
    2: (*_COMMON, *_NEW),
}
"""Every statement that makes the tables and triggers of a version, word for word as the file keeps them."""
_UPGRADE = (f"DROP TRIGGER {_NOT_NEXT}", *_NEW, f"PRAGMA user_version = {_VERSION}")
"""What turns a file of version 1 into one of version 2, but for the rows of ``totals``."""


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
                making = ("BEGIN IMMEDIATE", *_IDENTITY, *_SCHEMAS[_VERSION], "COMMIT")
                for statement in ("PRAGMA synchronous = EXTRA", *making):
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
def transaction(path: Path, *, write: bool, whole: bool = False) -> Iterator[sqlite3.Connection]:
    """Do the block on a ledger whose header, tables and triggers are sound; with ``whole``, all of its pages.

    Claim:      what the block wrote is durable once the block has ended, and undone, by closing, if anything is raised. A
                block that writes finds a file of the newest version: an older one is read as a whole and turned into one
                first, in a transaction of its own that leaves the old file or the new one.
    Requires:   a disk on which SQLite's locks and syncs work.
    Checked by: tests/e2e/test_ledger_crashes.py::test_a_kill_at_any_statement_leaves_whole_charges_only
                tests/e2e/test_ledger_crashes.py::test_a_kill_at_any_statement_of_an_upgrade_leaves_the_old_ledger_or_the_new
                tests/unit/kernel/test_ledger.py::test_an_interruption_after_the_row_is_written_charges_nothing
    """
    _require_file(path)
    start = "BEGIN IMMEDIATE" if write else "BEGIN"
    try:
        # mode=rw never creates a file. Readers use it too, as a crash may have left a commit half done for SQLite to undo.
        address = f"{path.as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, uri=True)) as connection:
            for pragma in ("synchronous = EXTRA", "fullfsync = ON", f"query_only = {'OFF' if write else 'ON'}"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(start)
            if _verify(connection, path, whole) < _VERSION and write:
                upgrade(connection, path, _UPGRADE)
                connection.execute("COMMIT")
                connection.execute(start)
                _verify(connection, path, whole)
            yield connection
            connection.execute("COMMIT")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter from messages that quote a damaged file
        raise _explained(path, error) from error


def _require_file(path: Path) -> int:
    """Return the size of a file that is there and not empty."""
    try:
        status = path.stat()
    except FileNotFoundError:
        if path.is_symlink():  # perhaps to a disk that is not there at the moment: a new ledger would forget the charges on it
            raise LedgerError(
                f"{path} is a link to {path.readlink()}, where there is no ledger. Bring back what it points to, or remove the"
                " link if there never was a ledger."
            ) from None
        raise LedgerError(f'There is no ledger at {path}. Give a cap, such as cap="1", to create one.') from None
    except (OSError, ValueError) as error:
        raise LedgerError(f"The ledger {path} cannot be read ({error}). Check the path and its permissions.") from error
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(f"{path} is not a file. Choose the path of a ledger file.")
    if status.st_size == 0:
        raise damaged(path)
    return status.st_size


def _verify(connection: sqlite3.Connection, path: Path, whole: bool) -> int:
    """Return the version of a ledger that looks sound."""

    def single(query: str) -> Any:
        return connection.execute(query).fetchone()[0]

    if single("PRAGMA application_id") != _APPLICATION:
        raise LedgerError(f"{path} is not a ledger. Choose another path; nothing was changed.")
    version: int = single("PRAGMA user_version")
    if version > _VERSION:
        raise LedgerError(f"{path} was written by a newer version of discreet. Upgrade discreet; nothing was changed.")
    found = sorted(str(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))
    if version < _OLDEST or found != sorted(_SCHEMAS[version]):
        raise damaged(path)
    # Rows are never removed, so no page is ever free. If one seems to be, a new row could be written over an old one.
    # SQLite notices a missing page, but takes one that is cut for one that ends in zeros.
    if single("PRAGMA freelist_count") or _require_file(path) < single("PRAGMA page_count") * single("PRAGMA page_size"):
        raise damaged(path)
    if (whole or version < _VERSION) and single("PRAGMA quick_check(1)") != "ok":
        raise damaged(path)
    return version


def _explained(path: Path, error: Exception) -> LedgerError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerError(f"{path} stayed in use by another process. Nothing was charged; try again when it has finished.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT):  # a sound ledger refuses no row
        return damaged(path)
    return LedgerError(
        f"{path} cannot be used ({error}). Check permissions and free space, and look at the charges before trying again."
    )
