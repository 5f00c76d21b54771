"""Text files, before Polars reads them: their header lines, and whether their records can be told apart.

The number of records is published, so one person's record must not be able to change it. Polars reads a CSV file with a
misplaced quotation mark as well as it can, and then a mark in one record may make one record out of several lines; of an
NDJSON file it leaves out blank lines. In a file that keeps the rules checked here, a record ends where it ends by itself.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["check_csv", "check_ndjson", "common_header", "header_fields"]

_BLOCK = 2**20
_MARK, _COMMA, _FEED, _RETURN = b'",\n\r'
_BYTE_ORDER = b"\xef\xbb\xbf"
_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")
"""How files begin that Polars unpacks whatever they are called: gzip, zlib and Zstandard."""
_FOREIGN = (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error)
"""What reading may raise. The messages may quote a line, so ours is raised after the handler has ended."""

_MISPLACED = (
    "has a quotation mark out of place. A field with a quotation mark in it stands between quotation marks and doubles its "
    "own; otherwise one record could swallow the next. Write the file with a CSV writer, or convert it to Parquet."
)
_LOOSE_RETURN = (
    "has a carriage return that does not end a line. Let lines end in a line feed, with or without a carriage return before "
    "it, or convert the file to Parquet."
)
_OPEN_END = (
    "does not end in a line break. In a file of one column nobody could tell whether a last record is missing its value or "
    "is not there. Add a line break at its end."
)
_BLANK_LINE = re.compile(rb"\n[\x00-\x20]*\n|\n[\x00-\x20]+\Z")
_BLANK = "has a blank line. Every line is a record: write {} for one that is missing altogether, and nothing after the last."
_UNSAID = "is compressed, and its name does not say so. Let its name end in .gz if gzip packed it; otherwise unpack it."
_ZERO = "has a zero byte in it: it is not text in UTF-8. Save it as CSV in UTF-8."


def header_fields(line: str) -> list[str]:
    """The names that a header line of one line holds; none if its quotation marks are out of place."""
    with suppress(csv.Error):
        return next(csv.reader([line], strict=True), [])
    return []


def common_header(paths: Iterable[Path], columns: tuple[str, ...]) -> list[str]:
    """The header line that all files share: columns in another order would be mixed up silently."""
    first: list[str] | None = None
    for path in paths:
        header = _header(path, columns)
        if first is not None and header != first:
            raise DataError(
                f"{path.name!r} has another header line than the files before it. Give all files the same columns."
            )
        first = header
    return first or []


def check_csv(path: Path, width: int) -> None:
    """Refuse a CSV file in which a record could be read as a part of another one.

    Quotation marks open a field at its begin and close it at its end, or are doubled within; a carriage return outside of
    them stands before a line feed. Then a record has an even number of marks and ends at the first line feed before which
    their number is even: no other record changes where it begins and ends. Of one column, a record without its value is
    a blank line, which only a line break shows.
    """
    _refuse(path, partial(_csv_problem, width=width))


def check_ndjson(path: Path) -> None:
    """Refuse an NDJSON file with a blank line, which Polars would leave out."""
    _refuse(path, _ndjson_problem)


def _refuse(path: Path, search: Callable[[IO[bytes]], str | None]) -> None:
    problem: str | None = "cannot be read to its end. It is damaged, or not of the kind that its name says."
    with suppress(*_FOREIGN), path.open("rb") as packed, _unpacked(packed, path) as stream:
        # What is checked must be what Polars reads, and that does not go by the name.
        problem = _UNSAID if stream is packed and packed.peek(4).startswith(_COMPRESSED) else search(stream)
    if problem is not None:
        raise FormatError(f"{path.name!r} {problem} Its content is not shown here because it is private.")


def _unpacked(packed: IO[bytes], path: Path) -> IO[bytes]:
    return gzip.open(packed, "rb") if path.name.lower().endswith(".gz") else packed  # type: ignore[return-value]


def _header(path: Path, columns: tuple[str, ...]) -> list[str]:
    """Read the header line; refuse an empty file and a column that occurs twice, which Polars would silently rename."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    header: list[str] | None = None
    with suppress(*_FOREIGN), opener(path, "rt", encoding="utf-8-sig", newline="") as lines:
        header = next(csv.reader(lines), [])
    if header is None:
        raise FormatError(f"{path.name!r} cannot be read as a CSV file in UTF-8. Check that it is one.")
    if not header:
        raise DataError(f"{path.name!r} is empty. It needs a header line and at least one record.")
    for column in columns:
        if header.count(column) > 1:
            raise DataError(f"The table has the column {column!r} more than once. Keep one of them.")
    return header


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, many at a time, without the mark at the begin of a file that says how its bytes are ordered."""
    block = stream.read(_BLOCK).removeprefix(_BYTE_ORDER)
    while block:
        yield block + stream.readline()
        block = stream.read(_BLOCK)


def _csv_problem(stream: IO[bytes], width: int) -> str | None:
    """What is wrong with a file, in words that hold nothing of it."""
    inside, ended = False, True
    for block in _blocks(stream):
        if b"\0" in block:
            return _ZERO
        marks = np.flatnonzero(np.frombuffer(block, np.uint8) == _MARK) if b'"' in block else np.empty(0, np.intp)
        if len(marks) and _misplaced(block, marks, inside):
            return _MISPLACED
        if b"\r" in block and _loose_return(block, marks, inside):
            return _LOOSE_RETURN
        inside ^= bool(len(marks) % 2)
        ended = block.endswith(b"\n")
    if inside:
        return _MISPLACED
    return _OPEN_END if width == 1 and not ended else None


def _ndjson_problem(stream: IO[bytes]) -> str | None:
    return _BLANK if any(_BLANK_LINE.search(b"\n" + block) for block in _blocks(stream)) else None


def _misplaced(block: bytes, marks: npt.NDArray[np.intp], inside: bool) -> bool:
    """Whether a mark that opens does not follow the end of a field, or one that closes is not followed by it.

    Marks take turns. Two next to each other, of which the first closes and the second opens, are one mark within a field.
    """
    padded = np.frombuffer(b"\n" + block + b"\n", np.uint8)
    opening, closing = marks[int(inside) :: 2], marks[1 - int(inside) :: 2]
    before, after = padded[opening], padded[closing + 2]
    opened = (before == _COMMA) | (before == _FEED) | (before == _MARK)
    closed = (after == _COMMA) | (after == _FEED) | (after == _MARK) | (after == _RETURN)
    return not (opened.all() and closed.all())


def _loose_return(block: bytes, marks: npt.NDArray[np.intp], inside: bool) -> bool:
    """Whether a carriage return outside of quotation marks is not followed by a line feed."""
    letters = np.frombuffer(block + b" ", np.uint8)
    returns = np.flatnonzero(letters == _RETURN)
    returns = returns[letters[returns + 1] != _FEED]
    return bool(((np.searchsorted(marks, returns) + int(inside)) % 2 == 0).any())
