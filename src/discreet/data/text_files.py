"""Text files, before Polars reads them: their header lines, and whether their records can be told apart.

The number of records is published, so one person's record must not be able to change it. Polars reads a CSV file with a
misplaced quotation mark as well as it can, and then a mark in one record may make one record out of several lines; of an
NDJSON file it leaves out blank lines. In a file that keeps the rules checked here, a record ends where it ends by itself.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from discreet.data.text_encodings import UTF8, to_utf8
from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["TextFile", "check_csv", "check_ndjson", "common_header", "header_fields", "text_file"]

_BLOCK = 2**20
_MARK, _FEED, _RETURN = b'"\n\r'
_BYTE_ORDER = b"\xef\xbb\xbf"
_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")
"""How files begin that Polars unpacks whatever they are called: gzip, zlib and Zstandard."""
_FOREIGN = (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error)
"""What reading may raise. The messages may quote a line, so ours is raised after the handler has ended."""

_MISPLACED = (
    "has a quotation mark out of place. A field with a quotation mark in it stands between quotation marks and doubles its "
    "own; otherwise one record could swallow the next. Write the file with a CSV writer, or, where marks are letters like any "
    "other, convert it. In Polars: "
    "pl.read_csv({name}, separator={separator}, quote_char=None, infer_schema=False).write_parquet('records.parquet')"
)
_LOOSE_RETURN = (
    "has a carriage return that does not end a line. Let lines end in a line feed, with or without a carriage return before "
    "it. Where every line ends in a carriage return alone, convert the file. In Polars: "
    "pl.read_csv({name}, separator={separator}, eol_char='\\r', infer_schema=False).write_parquet('records.parquet')"
)
_OPEN_END = (
    "does not end in a line break. In a file of one column nobody could tell whether a last record is missing its value or "
    "is not there. Add a line break at its end."
)
_BLANK_LINE = re.compile(rb"\n[\x00-\x20]*\n|\n[\x00-\x20]+\Z")
_BLANK = (
    "has a blank line. Every line is a record: write {{}} for one that is missing altogether, and nothing after the last. "
    "Where blank lines are no records, convert the file. In Polars: "
    "pl.read_ndjson({name}, infer_schema_length=None).write_parquet('records.parquet')"
)
_UNSAID = "is compressed, and its name does not say so. Let its name end in .gz if gzip packed it; otherwise unpack it."
_ZERO = (
    'has a zero byte in it: it is not text in UTF-8. If it is UTF-16, as a spreadsheet\'s "Unicode text" is, say so: '
    'encoding="utf-16".'
)
_PRIVATE = "Its content is not shown here because it is private."
_UNDECODED = 'is not text in the encoding {encoding}. Say which one it has, such as encoding="latin-1".'


def header_fields(line: str) -> list[str]:
    """The names that a header line of one line holds; none if its quotation marks are out of place."""
    with suppress(csv.Error):
        return next(csv.reader([line], strict=True), [])
    return []


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as it is read: its name, and where it is, or what is in it where that had to be read into memory."""

    name: str
    place: Path | bytes
    separator: str = ","

    def open(self) -> IO[bytes]:
        """Its bytes, unpacked, in UTF-8."""
        if isinstance(self.place, bytes):
            return io.BytesIO(self.place)
        return gzip.open(self.place, "rb") if self._is_packed() else self.place.open("rb")  # type: ignore[return-value]

    def begins_packed(self) -> bool:
        """Whether Polars would unpack it although its name does not say so."""
        if self._is_packed():
            return False
        with self.open() as stream:
            return stream.read(4).startswith(_COMPRESSED)

    def _is_packed(self) -> bool:
        return isinstance(self.place, Path) and self.place.name.lower().endswith(".gz")


def text_file(place: Path | bytes, name: str, separator: str, encoding: str) -> TextFile:
    """A file of this encoding. One that is not UTF-8 is read into memory and decoded: no copy of it is left on a disk."""
    if encoding == UTF8:
        return TextFile(name, place, separator)
    content: bytes | None = None
    with suppress(*_FOREIGN), TextFile(name, place).open() as stream:
        content = to_utf8(stream.read(), encoding)
    if content is None:
        raise FormatError(f"{name!r} {_UNDECODED.format(encoding=encoding)} {_PRIVATE}")
    return TextFile(name, content, separator)


def common_header(files: Iterable[TextFile], columns: tuple[str, ...]) -> list[str]:
    """The header line that all files share: columns in another order would be mixed up silently."""
    first, common = "", None
    for file in files:
        header = _header(file, columns)
        if common is not None and header != common:
            raise DataError(
                f"{file.name!r} has another header line than the files before it. Give all files the same columns, or make "
                "one table of them. In Polars: "
                f"pl.concat([pl.read_csv(path, separator={file.separator!r}, infer_schema=False) for path in "
                f"[{first!r}, {file.name!r}]], how='diagonal').write_parquet('records.parquet')"
            )
        first, common = first or file.name, header
    return common or []


def check_csv(file: TextFile, width: int) -> None:
    """Refuse a CSV file in which a record could be read as a part of another one.

    Quotation marks open a field at its begin and close it at its end, or are doubled within; a carriage return outside of
    them stands before a line feed. Then a record has an even number of marks and ends at the first line feed before which
    their number is even: no other record changes where it begins and ends. Of one column, a record without its value is
    a blank line, which only a line break shows.
    """
    _refuse(file, partial(_csv_problem, width=width, separator=ord(file.separator)))


def check_ndjson(file: TextFile) -> None:
    """Refuse an NDJSON file with a blank line, which Polars would leave out."""
    _refuse(file, _ndjson_problem)


def _refuse(file: TextFile, search: Callable[[IO[bytes]], str | None]) -> None:
    problem: str | None = "cannot be read to its end. It is damaged, or not of the kind that its name says."
    with suppress(*_FOREIGN), file.open() as stream:
        # What is checked must be what Polars reads, and that does not go by the name.
        problem = _UNSAID if file.begins_packed() else search(stream)
    if problem is not None:
        words = problem.format(name=repr(file.name), separator=repr(file.separator))
        raise FormatError(f"{file.name!r} {words} {_PRIVATE}")


def _header(file: TextFile, columns: tuple[str, ...]) -> list[str]:
    """Read the header line; refuse an empty file and a column that occurs twice, which Polars would silently rename."""
    header: list[str] | None = None
    with suppress(*_FOREIGN), io.TextIOWrapper(file.open(), encoding="utf-8-sig", newline="") as lines:
        header = next(csv.reader(lines, delimiter=file.separator), [])
    if header is None:
        raise FormatError(
            f"{file.name!r} cannot be read as a CSV file in UTF-8. If it has another encoding, say which, such as "
            'encoding="latin-1".'
        )
    if not header:
        raise DataError(f"{file.name!r} is empty. It needs a header line and at least one record.")
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


def _csv_problem(stream: IO[bytes], width: int, separator: int) -> str | None:
    """What is wrong with a file, in words that hold nothing of it."""
    inside, ended = False, True
    for block in _blocks(stream):
        if b"\0" in block:
            return _ZERO
        marks = np.flatnonzero(np.frombuffer(block, np.uint8) == _MARK) if b'"' in block else np.empty(0, np.intp)
        if len(marks) and _misplaced(block, marks, inside, separator):
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


def _misplaced(block: bytes, marks: npt.NDArray[np.intp], inside: bool, separator: int) -> bool:
    """Whether a mark that opens does not follow the end of a field, or one that closes is not followed by it.

    Marks take turns. Two next to each other, of which the first closes and the second opens, are one mark within a field.
    """
    padded = np.frombuffer(b"\n" + block + b"\n", np.uint8)
    opening, closing = marks[int(inside) :: 2], marks[1 - int(inside) :: 2]
    before, after = padded[opening], padded[closing + 2]
    opened = (before == separator) | (before == _FEED) | (before == _MARK)
    closed = (after == separator) | (after == _FEED) | (after == _MARK) | (after == _RETURN)
    return not (opened.all() and closed.all())


def _loose_return(block: bytes, marks: npt.NDArray[np.intp], inside: bool) -> bool:
    """Whether a carriage return outside of quotation marks is not followed by a line feed."""
    letters = np.frombuffer(block + b" ", np.uint8)
    returns = np.flatnonzero(letters == _RETURN)
    returns = returns[letters[returns + 1] != _FEED]
    return bool(((np.searchsorted(marks, returns) + int(inside)) % 2 == 0).any())
