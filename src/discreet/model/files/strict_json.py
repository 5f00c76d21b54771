"""Files that may be hostile: bounded reading, strict JSON, and its parts, each checked to be what it should be.

Whatever is wrong becomes a FormatError.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import zlib
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from discreet.checks import check_path, is_table
from discreet.errors import FormatError, suggestion

__all__ = [
    "FRACTION_PATTERN",
    "LARGEST_INTEGER",
    "LONGEST_FRACTION",
    "SIZE_LIMIT",
    "decode_text",
    "json_fraction",
    "json_list",
    "json_object",
    "json_text",
    "parse_json",
    "read_limited",
    "show_text",
]

SIZE_LIMIT = 128 * 2**20
"""Most bytes that a file may have, after decompression: a small compressed file can unfold to any size."""
_ITEM_LIMIT = 2**24
"""Most items that a JSON text may hold; each takes far more memory than its text."""

_GZIP_MAGIC = b"\x1f\x8b"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
LARGEST_INTEGER = 2**62
"""Integers in files stay below this in size, so that 64 bits hold them, and the sum of two."""
LONGEST_FRACTION = 2000
FRACTION_PATTERN = "[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?"


def show_text(text: str) -> str:
    """Quote a word from a file for a message, shortened: a hostile file must not choose how long a message is."""
    return repr(text) if len(text) <= 80 else f"{text[:60]!r}..."


def read_limited(path: str | os.PathLike[str]) -> bytes:
    """Read a file, plain or gzip (told by its first bytes), of at most SIZE_LIMIT bytes."""
    path = check_path(path)
    if is_table(path):  # before a parser can quote from it
        raise FormatError(f"{path}: this is a table of records, not the file of a release, a network or a linear model.")
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(SIZE_LIMIT + 1)
        if content.startswith(_GZIP_MAGIC):
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
                content = unpacked.read(SIZE_LIMIT + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise FormatError(f"{path}: the compressed file is damaged or cut short; get it again.") from None
    except OSError as error:
        raise FormatError(f"{path}: the file cannot be read ({error.strerror or 'input error'}); check the path.") from None
    except ValueError:
        raise FormatError("The path of the file contains a null character; check the path.") from None
    if len(content) > SIZE_LIMIT:
        raise FormatError(f"{path}: the file has more than {SIZE_LIMIT:,} bytes (after decompression); use a smaller one.")
    return content


def decode_text(content: str | bytes) -> str:
    """Text from UTF-8 bytes, with or without a byte order mark."""
    try:
        if isinstance(content, bytes):
            return content.decode("utf-8-sig")
        content.encode("utf-8")
    except UnicodeError:
        raise FormatError("The file is not UTF-8 text; save it as UTF-8.") from None
    return content


def parse_json(content: str | bytes) -> object:
    """Parse JSON and refuse what is not: NaN and infinities, keys given twice, broken Unicode, extreme nesting and numbers."""
    text = decode_text(content)
    if sum(text.count(mark) for mark in "[{,") > _ITEM_LIMIT:
        raise FormatError(f"The JSON holds more than {_ITEM_LIMIT:,} items; this is not one of our files.")
    try:
        parsed: object = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite_float, object_pairs_hook=_unique_keys
        )
        if _SURROGATE.search(text):  # half a surrogate pair parses, but can be neither written nor printed
            json.dumps(parsed, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise FormatError(f"This is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise FormatError("The JSON is nested too deeply; this is not one of our files.") from None
    except UnicodeError:
        raise FormatError("The JSON contains half of a surrogate pair; write the character in full.") from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise FormatError("The JSON contains an integer with too many digits.") from None
    except MemoryError:
        raise FormatError("The JSON does not fit into memory.") from None
    return parsed


def _refuse_constant(name: str) -> NoReturn:
    raise FormatError(f"The JSON contains {name}, which is not a number.")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise FormatError("The JSON contains a number too large for a float.")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise FormatError(f"The JSON gives the key {show_text(twice)} twice in one object; keep one.")
    return mapping


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
