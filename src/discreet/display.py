"""How things show themselves to people: as text at a prompt, and as a small table in a notebook.

A thing says what there is to show, once, as a ``Display``. Names come from files and are never obeyed: in HTML they are
escaped, at a prompt their control characters are. The HTML asks nobody for anything, and takes its colours from the notebook,
so that it can be read on light and on dark ground.
"""

from __future__ import annotations

import textwrap
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from html import escape

from discreet.guarantee import decimal

__all__ = ["MOST_ROWS", "Display", "Displayed", "call_text", "counted", "listed", "printable"]

MOST_ROWS = 20
"""Rows of a table that are shown; of longer ones the number of the others is told."""
_LONGEST_CELL = 60
_LINE = 100
"""Characters of a line at a prompt, where text is broken between words."""
_CELL = "padding:0.15em 0.8em 0.15em 0;vertical-align:top;border:none;background:none"


@dataclass(frozen=True, slots=True)
class Display:
    """What is shown of a thing: a title, facts about it, a table, and notes below."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    numbers: int = 0
    """How many columns of the table, the last ones, are aligned to the right."""

    def text(self) -> str:
        """Lines for a prompt."""
        lines = [printable(self.title), *_write_facts(self.facts)]
        if self.headings:
            lines += _align([self.headings, *self._choose_rows()], self.numbers)
        for note in filter(None, (self._left_out(), *self.notes)):
            lines += _wrap(note, "  ")
        return "\n".join(lines)

    def html(self) -> str:
        """A fragment for a notebook."""
        parts = [f"<div><strong>{_escape(self.title)}</strong>"]
        if self.facts:
            parts.append(_html_table([f"{_cell(name, 'opacity:0.7')}{_cell(fact)}" for name, fact in self.facts]))
        if self.headings:
            first = len(self.headings) - self.numbers
            align = [f"text-align:{'left' if place < first else 'right'}" for place in range(len(self.headings))]
            head = "".join(
                _cell(heading, f"{side};opacity:0.7", "th") for heading, side in zip(self.headings, align, strict=True)
            )
            body = ("".join(_cell(text, side) for text, side in zip(row, align, strict=True)) for row in self._choose_rows())
            parts.append(_html_table([head, *body]))
        notes = [self._left_out(), *self.notes]
        return "".join([*parts, *(_html_note(note) for note in notes if note), "</div>"])

    def _choose_rows(self) -> Sequence[Sequence[str]]:
        return [[_shorten(text) for text in row] for row in self.rows[:MOST_ROWS]]

    def _left_out(self) -> str:
        return f"... and {len(self.rows) - MOST_ROWS:,} more" if len(self.rows) > MOST_ROWS else ""


class Displayed:
    """A thing that shows itself at a prompt and in a notebook, by what its ``_display`` says."""

    __slots__ = ()

    @abstractmethod
    def _display(self) -> Display:
        """What there is to show. Must be quick, and must not fail."""

    def __repr__(self) -> str:
        return self._display().text()

    def _repr_html_(self) -> str:
        return self._display().html()


def call_text(thing: object) -> str:
    """A dataclass as one would write it: ``Laplace(epsilon='0.5', tables='all')``. Budgets are exact text."""

    def word(value: object) -> str:
        match value:
            case Fraction():
                return repr(decimal(value))
            case Enum():
                return repr(value.value)
        return repr(value)

    parts = ((part.name, getattr(thing, part.name)) for part in fields(thing) if part.repr)  # type: ignore[arg-type]
    return f"{type(thing).__name__}({', '.join(f'{name}={word(value)}' for name, value in parts if value is not None)})"


def counted(number: int, what: str) -> str:
    """``1 node``, ``8 nodes``."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def listed(words: Sequence[str], most: int = 6) -> str:
    """Words with commas between them; of many the first ones, and how many there are."""
    return ", ".join(words) if len(words) <= most else f"{', '.join(words[: most - 1])}, ... ({len(words):,})"


def printable(text: object) -> str:
    """Escape control characters: a name from a foreign file must not steer the terminal."""
    return "".join(
        character if character.isprintable() or character == "\n" else character.encode("unicode_escape").decode("ascii")
        for character in str(text)
    )


def _write_facts(facts: Sequence[tuple[str, str]]) -> list[str]:
    """Facts beside their names, broken between words where the line ends."""
    width = max((len(name) for name, _ in facts), default=0) + 4
    found: list[str] = []
    for name, fact in facts:
        first, *rest = _wrap(fact, " " * width)
        found += [f"  {printable(name)}".ljust(width) + first[width:], *rest]
    return found


def _wrap(text: str, indent: str) -> list[str]:
    # Not at hyphens: mechanisms and data sets are called by names that have some.
    lines = textwrap.wrap(
        _one_line(text), _LINE, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return lines or [indent]


def _one_line(text: str) -> str:
    return printable(text).replace("\n", "\\n")


def _align(rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    cells = [[_one_line(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = ["<" if place < len(widths) - numbers else ">" for place in range(len(widths))]
    lines = ("  ".join(f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths, strict=True)) for row in cells)
    return [f"  {line}".rstrip() for line in lines]


def _html_table(rows: Iterable[str]) -> str:
    return f'<table style="border-collapse:collapse;border:none">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _html_note(note: str) -> str:
    """A line; HTML drops blanks at its begin, so they become a margin."""
    text = note.lstrip()
    margin = f' style="margin-left:{(len(note) - len(text)) / 2:g}em"' if len(text) < len(note) else ""
    return f"<div{margin}>{_escape(text)}</div>"


def _cell(text: str, style: str = "text-align:left", tag: str = "td") -> str:
    return f'<{tag} style="{_CELL};{style}">{_escape(text)}</{tag}>'


def _escape(text: str) -> str:
    return escape(printable(text))


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 3]}..."
