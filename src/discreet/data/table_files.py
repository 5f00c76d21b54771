"""Tables that are files: which files are meant, of which kind they are, and how those of text are written.

How a text file is written is said, never found out from what is in it: a guess from the records would let one record decide
how all others are read. Only the ending of a name says something by itself, such as .tsv.
"""

from __future__ import annotations

import glob
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from discreet.checks import TABLE_ENDINGS
from discreet.data.text_encodings import check_encoding
from discreet.errors import DataError, FormatError, of_kind

__all__ = ["Csv", "Excel", "are_files", "are_workbooks", "find_files", "has_header_line", "kind_of_files"]

_SUPPORTED = (
    "Use .csv, .tsv, .ndjson, .parquet, .feather, .arrow, .xlsx, .sav, .dta or .sas7bdat, with or without .gz behind text, or "
    "a pandas, Polars or PyArrow table."
)
_DELIMITERS = ",;\t|:^~ \x1f"
_DELIMITER_WORDS = {"tab": "\t", "\\t": "\t"}
_MENDED = {
    ".json": "pl.read_json({!r}).write_parquet('records.parquet')",
    ".xls": "pl.read_excel({!r}, infer_schema_length=0).write_parquet('records.parquet')",
    ".ods": "pl.read_ods({!r}).write_parquet('records.parquet')",
    ".avro": "pl.read_avro({!r}).write_parquet('records.parquet')",
}
"""Kinds of files that are not read here, and the line of Polars that makes a file of them that is."""


@dataclass(frozen=True, slots=True)
class Csv:
    """Text files of one table, and how they are written.

    ``files`` is a path, a pattern with ``*``, a folder, a list of paths, or a binary stream such as ``sys.stdin.buffer``,
    which is read to its end into memory. ``delimiter`` stands between fields; a comma unless said, a tab in .tsv.
    ``encoding`` is a name such as ``latin-1`` or ``utf-16``; a file that is not UTF-8 is held in memory. ``decimal`` is the
    sign before the decimals of a number: with a comma 0,5 is read as 0.5, and 1.234 is no number.
    """

    files: Any
    delimiter: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    content: bytes | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be meant; read a stream."""
        object.__setattr__(self, "delimiter", _checked_delimiter(self.delimiter))
        object.__setattr__(self, "encoding", check_encoding(self.encoding))
        if self.decimal not in (".", ","):
            raise FormatError("The decimal sign is '.' or ','.")
        if self.decimal == self.delimiter or (self.decimal == "," and self.delimiter is None and not _named_tsv(self.files)):
            raise FormatError("A comma cannot stand between fields and before decimals. Say the delimiter, too, such as ';'.")
        if hasattr(self.files, "read"):
            object.__setattr__(self, "content", _read_stream(self.files))
            object.__setattr__(self, "files", "standard input")
        elif not _are_paths(self.files):
            raise DataError(f"{of_kind(self.files)} is not a file. Give a path, a list of paths, or a binary stream.")

    def separator(self, name: str) -> str:
        """What stands between the fields of the file with this name."""
        return self.delimiter or ("\t" if name.lower().endswith((".tsv", ".tsv.gz")) else ",")


@dataclass(frozen=True, slots=True)
class Excel:
    """A sheet of a workbook; ``sheet`` is its name, and may be left out where the workbook has only one."""

    files: Any
    sheet: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if not _are_paths(self.files):
            raise DataError(f"{of_kind(self.files)} is not a file. Give the path of a workbook (.xlsx).")
        if self.sheet is not None and not isinstance(self.sheet, str):
            raise FormatError("A sheet is named by a text, such as sheet='2024'.")


_TEXTS = ("", ".txt", ".dat", ".tab", ".asc")
"""Endings of text files that do not say how the text is written."""


def are_files(data: Any) -> bool:
    """Whether records are given as files: a path, a list of paths, or one of the values above."""
    return isinstance(data, Csv | Excel) or _are_paths(data)


def are_workbooks(data: Any) -> bool:
    """Whether records are given as workbooks, whose numbers come here rounded."""
    if isinstance(data, Csv | Excel):
        return isinstance(data, Excel)
    return are_files(data) and kind_of_files(find_files(data)) == "excel"


def has_header_line(data: Any) -> bool:
    """Whether the names of the columns are the first line of a file, which nobody can tell from a record."""
    if isinstance(data, Csv | Excel):
        return True
    return are_files(data) and kind_of_files(find_files(data)) in ("csv", "excel")


def find_files(given: Any) -> tuple[Path, ...]:
    """The files that are meant, each once, in the order of a list or else of their names."""
    if isinstance(given, list | tuple):
        paths = tuple(path for one in given for path in find_files(one))
    else:
        paths = _find(os.fspath(given))
    if len({(state.st_dev, state.st_ino) for state in map(os.stat, paths)}) != len(paths):  # also under two names
        raise DataError("A file is given more than once: its records would be counted more than once. Give each file once.")
    if not paths:
        raise FormatError("The list of files is empty. Give at least one.")
    return paths


def kind_of_files(paths: tuple[Path, ...]) -> str:
    """The kind of all of these files, by the endings of their names."""
    kinds = {_kind(path) for path in paths}
    kind = kinds.pop()
    if kind is None or kinds:
        mended = _MENDED.get(paths[0].suffix.lower())
        line = f" In Polars: {mended.format(paths[0].name)}" if mended else ""
        if paths[0].suffix.lower() in _TEXTS:
            line = ' If it is text with a header line, say what separates its fields: Csv(path, delimiter="tab").'
        raise FormatError(
            f"{paths[0].name!r} is not a kind of table that can be read, or not all files are. {_SUPPORTED}{line}"
        )
    return kind


def _are_paths(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return all(isinstance(path, str | os.PathLike) for path in data)
    return isinstance(data, str | os.PathLike)


def _named_tsv(files: Any) -> bool:
    names = files if isinstance(files, list | tuple) else [files]
    return _are_paths(files) and all(os.fsdecode(name).lower().endswith((".tsv", ".tsv.gz")) for name in names)


def _checked_delimiter(given: object) -> str | None:
    if given is None:
        return None
    delimiter = _DELIMITER_WORDS.get(given, given) if isinstance(given, str) else ""
    if len(delimiter) != 1 or delimiter not in _DELIMITERS:
        raise FormatError("A delimiter is one of , ; | : ^ ~ a blank, or the word tab.")
    return delimiter


def _read_stream(stream: IO[bytes]) -> bytes:
    if isinstance(stream, io.TextIOBase):
        raise DataError("A stream of records must be binary: give sys.stdin.buffer, or open(path, 'rb').")
    content = stream.read()
    if not isinstance(content, bytes):
        raise DataError("A stream of records must be binary: give sys.stdin.buffer, or open(path, 'rb').")
    return content


def _find(given: str) -> tuple[Path, ...]:
    """The files of a path, a folder or a pattern. A file is what it is called, even if its name looks like a pattern."""
    place = Path(given)
    if place.is_file():
        return (place,)
    if place.is_dir():
        return _in_folder(place)
    names = sorted(glob.glob(given, recursive=True))  # noqa: PTH207 - Path.glob refuses absolute patterns
    paths = tuple(Path(name) for name in names if Path(name).is_file())
    if not paths:
        raise FormatError(f"There is no file {given!r}. Check the path. {_SUPPORTED}")
    return paths


def _in_folder(folder: Path) -> tuple[Path, ...]:
    """All files of a folder but those that programs leave for themselves, such as _SUCCESS; folders in it are refused."""
    held = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    if any(path.is_dir() for path in held):
        raise DataError(
            f"{folder.name!r} has folders in it, whose records would be left out. Give a pattern such as "
            f"{str(folder / '**' / '*.parquet')!r} for all of them, or one folder."
        )
    if not held:
        raise FormatError(f"There is no file in the folder {str(folder)!r}.")
    return tuple(held)


def _kind(path: Path) -> str | None:
    return next((kind for kind, endings in TABLE_ENDINGS.items() if path.name.lower().endswith(endings)), None)
