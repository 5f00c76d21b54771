"""What can go wrong, and whose turn it is.

    DiscreetError
    ├── ModelError        the public declaration (variables, graph, prior) contradicts itself
    ├── BudgetError       the ledger refuses: the release would overspend
    ├── LedgerError       the ledger file cannot be read or is not a ledger
    ├── DataError         the table cannot be used (no such column, no rows, unreadable)
    │   └── DomainError   a value lies outside the declared domain
    ├── FormatError       a network or release file is damaged, foreign or hostile
    └── QueryError        the question cannot be answered (unknown node, impossible evidence, too wide)

Every message says what to do next. No message ever contains a value read from a record: only what is public, such as the
names of columns and the declared levels.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "BudgetError",
    "DataError",
    "DiscreetError",
    "DomainError",
    "FormatError",
    "LedgerError",
    "ModelError",
    "QueryError",
    "of_kind",
    "quoted",
    "suggestion",
]


class DiscreetError(Exception):
    """Everything this package raises on purpose."""


class ModelError(DiscreetError):
    """The public declaration contradicts itself."""


class BudgetError(DiscreetError):
    """The privacy budget does not allow the release."""


class LedgerError(DiscreetError):
    """The ledger file cannot be used; nothing was written to it."""


class DataError(DiscreetError):
    """The table cannot be used as it is."""


class DomainError(DataError):
    """A column holds something outside the declared domain."""


class FormatError(DiscreetError):
    """A file is not what it should be."""


class QueryError(DiscreetError):
    """The question cannot be answered."""


def quoted(given: object) -> str:
    """What was given in place of a public word, for a message: a word as it is, of anything else only what it is.

    Somebody may hand over a table by mistake, and a message must not show what is in it.
    """
    if isinstance(given, str | bool | int | float) or given is None:
        text = str(given)
        return repr(text if len(text) <= 80 else text[:60] + "...")
    return f"<{type(given).__name__}>"


def of_kind(given: object) -> str:
    """What something is, to begin a sentence with: ``An int``, ``A DataFrame``."""
    name = type(given).__name__
    return f"{'An' if name[0].lower() in 'aeiou' else 'A'} {name}"


def suggestion(word: object, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"``, or the known words where none is close. Only for words that are public."""
    candidates = list(known)
    close = _closest(word, candidates) if isinstance(word, str) else None
    if close is not None:
        return f" Did you mean {close!r}?"
    shown = ", ".join(repr(name if len(name) <= 80 else name[:60] + "...") for name in candidates[:12])
    more = f" and {len(candidates) - 12} more" if len(candidates) > 12 else ""
    return f" Known: {shown}{more}."


def _closest(word: str, candidates: list[str]) -> str | None:
    """The known word that differs least; capitals and blanks, which people mistype first, count for nothing."""
    # Comparing words takes time that a hostile file could make long.
    if len(word) > 80:
        return None
    plain = {_without_case_and_blanks(name): name for name in reversed(candidates[:2000]) if len(name) <= 80}
    close = difflib.get_close_matches(_without_case_and_blanks(word), plain, n=1)
    return plain[close[0]] if close else None


def _without_case_and_blanks(word: str) -> str:
    return "".join(word.casefold().split())
