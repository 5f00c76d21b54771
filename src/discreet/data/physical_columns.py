"""What a table says about its columns before any record is read: their names and physical types, and nothing else.

Levels are never among it, unless somebody says that they were declared and not collected from the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from discreet.data.engines import ask, engine_frame
from discreet.data.open_files import csv_files, open_files
from discreet.data.source import guard, not_a_table
from discreet.data.statistics_files import statistics_metadata, statistics_type
from discreet.data.table_files import Csv, Excel, are_files, find_files, kind_of_files
from discreet.data.text_files import common_header
from discreet.data.workbooks import sheet_header
from discreet.errors import DataError, FormatError
from discreet.model.schema_column import ColumnType, SchemaColumn
from discreet.model.variable import LENGTH_LIMIT

__all__ = ["physical_columns"]

_Named: TypeAlias = tuple[str, ColumnType, Sequence[str]]

_NO_HEADER = (
    "An NDJSON file has no header: the names of its columns stand in its records. Write the schema by hand, or convert the "
    "file. In Polars: pl.read_ndjson({name}, infer_schema_length=None).write_parquet('records.parquet')"
)
_ODD_NAMES = (
    "Two columns of the table have the same name, or one has a name that is too long. Rename or drop one. The names are not "
    "shown: in a file without a header line they are somebody's record."
)


def physical_columns(table: Any, trust_categories: bool = False) -> list[SchemaColumn]:
    """The columns of a table, open: names and types only. Columns without a name cannot be declared and are left out.

    With ``trust_categories`` the categories of pandas, and the Enum of Polars, are taken for declared levels.
    """
    named: list[_Named]
    if isinstance(table, dict):
        named = [(str(name), _array_type(values), ()) for name, values in table.items()]
    elif are_files(table):
        named = guard(lambda: _of_files(table, trust_categories))
    else:
        named = _of_frame(table, trust_categories)
    kept = [(name, kind, levels) for name, kind, levels in named if name.strip()]
    names = [name for name, _, _ in kept]
    if len(set(names)) < len(names) or any(len(name) > LENGTH_LIMIT for name in names):
        raise DataError(_ODD_NAMES)
    if not kept:
        raise DataError("The table has no columns with names. A CSV file needs a header line.")
    return [SchemaColumn(name, kind, categories=levels) for name, kind, levels in kept]


def _of_files(table: Any, trust: bool) -> list[_Named]:
    paths = () if isinstance(table, Csv) else find_files(table.files if isinstance(table, Excel) else table)
    kind = "csv" if isinstance(table, Csv) else "excel" if isinstance(table, Excel) else kind_of_files(paths)
    if kind == "csv":
        return _texts(common_header(csv_files(table if isinstance(table, Csv) else Csv(list(paths))), ()))
    if kind == "excel":
        return _texts(sheet_header(paths[0], table.sheet if isinstance(table, Excel) else None))
    if kind == "ndjson":
        raise FormatError(_NO_HEADER.format(name=repr(paths[0].name)))
    if kind == "statistics":
        said = statistics_metadata(paths[0])
        return [(name, statistics_type(said, name), ()) for name in said.column_names]
    import narwhals as nw

    return _of_schema(nw.from_native(open_files(table, ()).frame).collect_schema(), trust)


def _texts(names: Iterable[str]) -> list[_Named]:
    return [(name, ColumnType.STRING, ()) for name in names]


def _of_frame(table: Any, trust: bool) -> list[_Named]:
    """The schema of a frame, or of a table that an engine holds: what the engine knows without reading a record."""
    import narwhals as nw

    frame = engine_frame(table) or guard(lambda: nw.from_native(table, pass_through=True))
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise not_a_table(table)
    found = _of_schema(ask(lambda: frame.collect_schema()), trust)
    if not trust or not nw.dependencies.is_pandas_dataframe(table):
        return found
    held = {name: table[name].cat.categories for name, _, _ in found if hasattr(table[name], "cat")}
    return [(name, kind, [str(level) for level in held.get(name, levels)]) for name, kind, levels in found]


def _of_schema(schema: Any, trust: bool) -> list[_Named]:
    def levels(dtype: Any) -> Sequence[str]:
        return list(getattr(dtype, "categories", ())) if trust else ()

    return [(str(name), _type(dtype), levels(dtype)) for name, dtype in schema.items()]


def _type(dtype: Any) -> ColumnType:
    import narwhals as nw

    if dtype.is_integer():
        return ColumnType.INTEGER
    if dtype.is_numeric():
        return ColumnType.NUMBER
    if dtype == nw.Boolean:
        return ColumnType.BOOLEAN
    return ColumnType.DATE if dtype in (nw.Date, nw.Datetime) else ColumnType.STRING


def _array_type(values: Any) -> ColumnType:
    """The type of a column of a dict: an array has one. A list has none but that of its values, which are not looked at."""
    kinds = {"i": ColumnType.INTEGER, "u": ColumnType.INTEGER, "f": ColumnType.NUMBER, "b": ColumnType.BOOLEAN}
    return kinds.get(getattr(getattr(values, "dtype", None), "kind", ""), ColumnType.STRING)
