"""A variable: its name and its levels, declared, never read off the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from discreet.display import Display, Displayed, listed
from discreet.errors import ModelError

__all__ = ["LENGTH_LIMIT", "Variable", "is_writable"]

LENGTH_LIMIT = 1000
"""Most characters of a name or level: they are shown in messages, and may come from a hostile file."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Variable(Displayed):
    """A categorical variable with at least two levels, in the order in which tables list them."""

    name: str
    levels: tuple[str, ...]

    def __init__(self, name: str, levels: Iterable[object]) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError("A variable needs a name: a text that is not empty.")
        if not is_writable(name):
            raise ModelError(
                f"The name {name[:30]!r}... is too long or not valid Unicode; give at most {LENGTH_LIMIT} characters."
            )
        texts = _level_texts(name, levels)
        if len(texts) < 2:
            raise ModelError(f"{name!r} has {len(texts)} level(s); declare at least two.")
        if any(not text.strip() for text in texts):
            raise ModelError(f"{name!r} has an empty level; give every level a name.")
        if not all(is_writable(text) for text in texts):
            raise ModelError(
                f"{name!r} has a level that is too long or not valid Unicode; use at most {LENGTH_LIMIT} characters."
            )
        if len(set(texts)) < len(texts):
            twice = min(text for text, count in Counter(texts).items() if count > 1)
            raise ModelError(f"{name!r} declares level {twice!r} more than once; keep one.")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "levels", texts)

    @property
    def size(self) -> int:
        """How many levels there are."""
        return len(self.levels)

    def _display(self) -> Display:
        return Display(f"{self.name}: {listed(self.levels, 12)}")

    def __repr__(self) -> str:
        more = "" if self.size <= 12 else f", ... ({self.size:,} levels)"
        return f"Variable({self.name!r}, [{', '.join(map(repr, self.levels[:12]))}{more}])"


def _level_texts(name: str, levels: Iterable[object]) -> tuple[str, ...]:
    if isinstance(levels, (str, bytes)):
        raise ModelError(f"The levels of {name!r} are one text; give a list such as ['no', 'yes'].")
    if isinstance(levels, (set, frozenset)):  # tables would differ from one run to the next
        raise ModelError(f"The levels of {name!r} are a set, which has no order; give a list.")
    try:
        return tuple(str(level) for level in levels)
    except TypeError:
        raise ModelError(f"The levels of {name!r} are not a list; give one such as ['no', 'yes'].") from None


def is_writable(text: str) -> bool:
    """Whether a file can hold the text: half a surrogate pair cannot be encoded."""
    try:
        return len(text) <= LENGTH_LIMIT and bool(text.encode("utf-8"))
    except UnicodeError:
        return False
