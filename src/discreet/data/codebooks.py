"""Codebooks: the levels and labels of columns, from a table of them, from labels of SPSS, Stata and SAS, or another schema.

A codebook is public, so messages may quote it. Of a statistics file only what it says about its columns is read.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from discreet.checks import check_path
from discreet.data.open_files import csv_files
from discreet.data.source import guard
from discreet.data.statistics_files import statistics_metadata, statistics_type
from discreet.data.table_files import Csv, Excel, are_files, find_files
from discreet.data.text_encodings import UTF8
from discreet.data.text_files import check_csv, common_header
from discreet.data.workbooks import read_workbooks
from discreet.errors import FormatError, ModelError
from discreet.model.files.schema_file import read_schema
from discreet.model.schema import Schema
from discreet.model.schema_column import Category, ColumnType, SchemaColumn

__all__ = ["read_codebook"]

_WORDS = {
    "variable": ("variable", "name", "column", "field"),
    "value": ("value", "code", "level"),
    "label": ("label", "meaning", "description"),
    "type": ("type",),
    "minimum": ("minimum",),
    "maximum": ("maximum",),
    "cuts": ("cuts",),
}
"""What the columns of a codebook may be called, in capitals or not."""
_SIGNS = (",", ";", "\t", "|")
_STATISTICS = (".sav", ".zsav", ".dta", ".sas7bdat")
_CATALOG = ".sas7bcat"
_DAMAGED = "{!r} cannot be read: it is damaged, or not what its name says."
_MISSING = "missing"
"""The level of values that a statistics file declares to be missing."""


def read_codebook(given: Any, types: Mapping[str, str], table: Any = None) -> dict[str, SchemaColumn]:
    """Variable -> what is declared about it. ``types`` are those of the table's columns, where the codebook says none.

    A catalog of SAS has labels for formats; which column has which format only the ``table`` says.
    """
    if isinstance(given, Schema):
        return {column.column or column.name: column for column in given.columns}
    if isinstance(given, Csv | Excel):
        return _from_rows(list(_rows(given)), types)
    path = Path(check_path(given))
    ending = path.name.lower().removesuffix(".gz")
    if ending.endswith(".json"):
        return read_codebook(read_schema(path), types)
    if ending.endswith((*_STATISTICS, _CATALOG)):
        find_files(path)  # says what is wrong with the path
    if ending.endswith(_STATISTICS):
        return _from_labels(guard(lambda: statistics_metadata(path), _DAMAGED.format(path.name)))
    if ending.endswith(_CATALOG):
        return _from_labels(_with_catalog(table, path))
    if ending.endswith((".csv", ".tsv", ".xlsx")):
        return read_codebook(Excel(path) if ending.endswith(".xlsx") else _text_codebook(path), types)
    raise FormatError(
        f"{path.name!r} is not a codebook. Give a .csv, .tsv or .xlsx with variable, value, label; a .sav, .dta or "
        ".sas7bcat; or a schema (.json)."
    )


def _text_codebook(path: Path) -> Csv:
    """A codebook is public, so how it is written may be guessed: from its header line, and Windows' letters if not UTF-8."""
    if not path.is_file() or path.name.lower().endswith(".gz"):
        return Csv(path)
    content = guard(path.read_bytes, _DAMAGED.format(path.name))
    encoding = "utf-16" if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else UTF8
    try:
        text = content.decode(encoding)
    except UnicodeError:
        encoding = "windows-1252"
        text = content.decode(encoding, errors="ignore")
    header = (text.splitlines() or [""])[0]
    delimiter = max(_SIGNS, key=header.count)  # the comma, where there is none
    return Csv(path, delimiter, encoding)


def _with_catalog(table: Any, catalog: Path) -> Any:
    """What a file of SAS says about its columns, with the labels of a catalog."""
    files = find_files(table) if are_files(table) and not isinstance(table, Csv | Excel) else ()
    if not files or files[0].suffix.lower() != ".sas7bdat":
        raise FormatError(
            f"{catalog.name!r} has labels for formats, and only a .sas7bdat says which column has which format: declare that."
        )
    return guard(lambda: statistics_metadata(files[0], catalog), _DAMAGED.format(catalog.name))


def _rows(given: Csv | Excel) -> Iterator[dict[str, str]]:
    if isinstance(given, Excel):
        frame = read_workbooks(find_files(given.files), given.sheet, ())
        places = _places(frame.columns)
        yield from ({word: row[place] or "" for word, place in places.items()} for row in frame.iter_rows())
        return
    files = csv_files(given)
    header = common_header(files, ())
    places = _places(header)
    for file in files:
        check_csv(file, len(header))
        with io.TextIOWrapper(file.open(), encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, delimiter=file.separator, strict=True)
            next(rows, None)
            for row in rows:
                yield {word: row[place] if place < len(row) else "" for word, place in places.items()}


def _places(header: Iterable[str]) -> dict[str, int]:
    plain = [name.strip().casefold() for name in header]
    found = {word: plain.index(name) for word, names in _WORDS.items() for name in names[::-1] if name in plain}
    if "variable" not in found or not {"value", "cuts", "minimum"} & set(found):
        raise FormatError(
            "A codebook has a header line with variable, value and label; type, minimum, maximum and cuts may follow."
        )
    return found


def _from_rows(rows: list[dict[str, str]], types: Mapping[str, str]) -> dict[str, SchemaColumn]:
    """A row for each level; one without a value says what holds for the whole variable: its title, type, bounds, cuts."""
    held: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if row["variable"].strip():
            held.setdefault(row["variable"], []).append(row)
    return {name: _from_own_rows(name, own, types.get(name, ColumnType.STRING)) for name, own in held.items()}


def _from_own_rows(name: str, rows: list[dict[str, str]], physical: str) -> SchemaColumn:
    levels = [Category(row["value"], row.get("label") or None) for row in rows if row.get("value")]
    whole = [row for row in rows if not row.get("value")]
    said = {
        word: next((row[word].strip() for row in whole if row.get(word, "").strip()), None)
        for word in ("label", "type", "minimum", "maximum", "cuts")
    }
    numeric = said["cuts"] or said["minimum"] or said["maximum"]
    usual = ColumnType.NUMBER if numeric and physical == ColumnType.STRING else physical
    kind = said["type"] or usual
    return _column(
        name,
        kind,
        categories=() if kind == ColumnType.BOOLEAN else levels,
        minimum=said["minimum"],
        maximum=said["maximum"],
        cuts=(said["cuts"] or "").replace(";", " ").split(),
        title=said["label"],
    )


def _from_labels(said: Any) -> dict[str, SchemaColumn]:
    """The labels that a statistics file has for values. Codes that it declares to be missing become one level for all."""
    found = {}
    for name in said.column_names:
        physical = statistics_type(said, name)
        labels, missing, is_gap = _split_labels(said, name, physical)
        title = said.column_names_to_labels.get(name)
        if not labels and not title and not is_gap:
            continue
        gaps: dict[str, Any] = {"missing": _MISSING, "missing_values": ("", *missing)} if is_gap else {}
        found[name] = _column(
            name,
            _label_type(labels) if labels else physical,
            categories=[Category(_code(code), str(label) or None) for code, label in labels.items()],
            ordered=bool(labels) and said.variable_measure.get(name) == "ordinal",
            title=title or None,
            **gaps,
        )
    return found


def _split_labels(said: Any, name: str, physical: ColumnType) -> tuple[dict[Any, str], list[str], bool]:
    """The labels of values, the codes that mean missing, and whether any do. Letters of numbers do, too: Stata's .a."""
    labels, ranges = said.variable_value_labels.get(name, {}), said.missing_ranges.get(name, ())
    single = [each["lo"] for each in ranges if each["lo"] == each["hi"]]
    letters = [code for code in labels if isinstance(code, str) and physical != ColumnType.STRING]
    codes = [code for code in dict.fromkeys([*labels, *single]) if code not in letters and _is_missing(code, ranges)]
    kept = {code: label for code, label in labels.items() if code not in codes and code not in letters}
    return kept, [_code(code) for code in codes], bool(codes or letters)


def _label_type(codes: Iterable[Any]) -> ColumnType:
    numbers = [code for code in codes if isinstance(code, int | float)]
    if not numbers:
        return ColumnType.STRING
    return ColumnType.INTEGER if all(float(code).is_integer() for code in numbers) else ColumnType.NUMBER


def _code(code: Any) -> str:
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _is_missing(code: Any, ranges: Iterable[Mapping[str, Any]]) -> bool:
    return any(type(code) is type(each["lo"]) and each["lo"] <= code <= each["hi"] for each in ranges)


def _column(name: str, kind: str, **said: Any) -> SchemaColumn:
    try:
        return SchemaColumn(name, kind, **said)
    except ModelError as error:
        raise FormatError(f"The codebook contradicts itself or the table: {error}") from None
