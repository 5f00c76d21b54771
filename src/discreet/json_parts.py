"""Parts of a parsed JSON file, each checked to be what it should be. Whatever is not becomes a FormatError."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from discreet.errors import FormatError, suggestion
from discreet.strict_json import shown

__all__ = ["json_list", "json_object", "json_text"]


def json_object(content: object, what: str, keys: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """An object with all of these keys and no others but the optional ones."""
    required = tuple(keys)
    known = {*required, *optional}
    if not isinstance(content, dict):
        raise FormatError(f"{what} must be an object.")
    for key in required:
        if key not in content:
            raise FormatError(f"{what} has no {shown(key)}; the file is damaged, or is something else.")
    for key in content:
        if key not in known:
            raise FormatError(f"{what} has an unknown entry {shown(str(key))}.{suggestion(str(key), sorted(known))}")
    return content


def json_list(content: object, what: str) -> list[Any]:
    """A list of anything."""
    if not isinstance(content, list):
        raise FormatError(f"{what} must be a list.")
    return content


def json_text(content: object, what: str, longest: int) -> str:
    """A text that is not too long."""
    if not isinstance(content, str) or len(content) > longest:
        raise FormatError(f"{what} must be a text of at most {longest:,} characters.")
    return content
