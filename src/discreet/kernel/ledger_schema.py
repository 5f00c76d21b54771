"""The tables of a ledger file, the triggers that let them grow and nothing else, and how an older file becomes a newer one.

Version 1 had no ``totals``: whoever opened a ledger added up all of its charges, and a trigger counted them.
"""

from __future__ import annotations

__all__ = ["APPLICATION", "OLDEST", "UPGRADE", "VERSION"]

APPLICATION = 0x44504C47
"""The letters "DPLG", in the header of every ledger."""
OLDEST, VERSION = 1, 2

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
_SCHEMAS = {
    1: (*_COMMON, _trigger(_NOT_NEXT, f"INSERT ON charges WHEN NEW.number IS NOT ({_COUNTED})")),
    2: (*_COMMON, *_NEW),
}

UPGRADE = (f"DROP TRIGGER {_NOT_NEXT}", *_NEW, f"PRAGMA user_version = {VERSION}")
"""What turns a file of version 1 into one of version 2, but for the rows of ``totals``."""


def schema(version: int) -> tuple[str, ...]:
    """Every statement that makes the tables and triggers of this version, word for word as the file keeps them."""
    return _SCHEMAS[version]


def identity(version: int) -> tuple[str, ...]:
    """The statements that write what kind of file this is into its header."""
    return f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {version}"
