"""Parts of a parsed JSON file, each checked to be what it should be. Whatever is not becomes a FormatError."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from discreet.errors import FormatError, suggestion
from discreet.model.files.strict_json import show_text

__all__ = [
    "FRACTION_PATTERN",
    "LARGEST_INTEGER",
    "LONGEST_FRACTION",
    "json_fraction",
    "json_list",
    "json_object",
    "json_text",
]

LARGEST_INTEGER = 2**62
"""Integers in files stay below this in size, so that 64 bits hold them, and the sum of two."""
LONGEST_FRACTION = 2000
FRACTION_PATTERN = "[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?"


def json_object(content: object, what: str, keys: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """An object with all of these keys and no others but the optional ones."""
    required = tuple(keys)
    known = {*required, *optional}
    if not isinstance(content, dict):
        raise FormatError(f"{what} must be an object.")
    for key in required:
        if key not in content:
            raise FormatError(f"{what} has no {show_text(key)}; the file is damaged, or is something else.")
    for key in content:
        if key not in known:
            raise FormatError(f"{what} has an unknown entry {show_text(str(key))}.{suggestion(str(key), sorted(known))}")
    return content


def json_list(content: object, what: str) -> list[Any]:
    """A list of anything."""
    if not isinstance(content, list):
        raise FormatError(f"{what} must be a list.")
    return content


def json_fraction(content: object, what: str) -> Fraction:
    """An exact positive number, as long as any that a ledger can hold, and so as any that was ever charged."""
    text = json_text(content, what, LONGEST_FRACTION)
    if not re.fullmatch(FRACTION_PATTERN, text):
        raise FormatError(f"{what} must hold a positive number such as 1/2.")
    return Fraction(text)


def json_text(content: object, what: str, longest: int) -> str:
    """A text that is not too long."""
    if not isinstance(content, str) or len(content) > longest:
        raise FormatError(f"{what} must be a text of at most {longest:,} characters.")
    return content
