"""Texts, numbers and lists in YAML, as far as a file that people go on to edit needs it.

Every text is quoted, or a block between its own line breaks, so that no reader takes a word for a number, a date or a switch.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from discreet.display import printable

__all__ = ["Entries", "write_yaml"]

Value: TypeAlias = "str | int | Fraction | Sequence[str] | Entries"
Entries: TypeAlias = Mapping[str, Value]

_LINE = 110
_SHORT = 80
"""Characters up to which a text stands on the line of its name."""
_DIGITS = 12


def write_yaml(entries: Entries) -> str:
    """The entries as YAML: names are plain words, fractions become decimals that are nowhere below them."""
    return "".join(f"{line}\n" for line in _lines(entries, 0))


def _lines(entries: Entries, depth: int) -> Iterator[str]:
    indent = "  " * depth
    for name, value in entries.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, depth + 1)
        elif isinstance(value, str):
            yield from _text(f"{indent}{name}:", value, "  " * (depth + 1))
        elif isinstance(value, int | Fraction):
            yield f"{indent}{name}: {_number(value)}"
        else:
            yield f"{indent}{name}:"
            yield from (f"{indent}  - {_quoted(text)}" for text in value)


def _text(start: str, text: str, indent: str) -> Iterator[str]:
    """A short text in quotation marks; a long one as a block, with lines broken between words and paragraphs kept."""
    if len(text) <= _SHORT and "\n" not in text:
        yield f"{start} {_quoted(text)}"
        return
    yield f"{start} |"
    for place, paragraph in enumerate(printable(text).split("\n\n")):
        if place:
            yield ""
        for line in textwrap.wrap(paragraph, _LINE, break_long_words=False, break_on_hyphens=False):
            yield indent + line


def _quoted(text: str) -> str:
    return '"' + printable(text).replace("\n", " ").replace("\\", "\\\\").replace('"', '\\"') + '"'


def _number(value: int | Fraction) -> str:
    """A decimal that is at least the value, and exact where twelve digits can be. With a point, which readers want to see."""
    if isinstance(value, int):
        return str(value)
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    if -7 < decimal.adjusted() < _DIGITS:
        text = f"{decimal:f}"
        return text if "." in text else f"{text}.0"
    digits, _, exponent = f"{decimal:e}".partition("e")
    return f"{digits if '.' in digits else f'{digits}.0'}e{int(exponent):+d}"
