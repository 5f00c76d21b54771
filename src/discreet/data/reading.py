"""Reading raw values where they are: each column with a declared reading becomes the codes of its levels.

The same expressions run on files, in frames and in engines; SQLite, whose values have types of their own, calls ``read_value``
for each. Nothing is fetched for it. A value has the same code whatever the type of its column is, since that may depend on
other records; where a type leaves that open, the column is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from discreet.data.engines import is_sqlite
from discreet.data.reading_expressions import GAP, Read, is_text, read_booleans, read_floats, read_numbers, read_texts
from discreet.errors import DataError
from discreet.model.read_value import MISFIT, read_value
from discreet.model.reading import Reading, ValueKind, codes_of_texts
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["GAP", "read_columns"]


def read_columns(frame: Any, columns: Mapping[str, Variable], beside: Sequence[str] = ()) -> Any:
    """The frame with these columns alone, called as the keys say; those with a reading hold codes of levels, GAP or MISFIT.

    Columns ``beside`` them stay as they are.

    Claim:      the code of a value is that of ``read_value``, in every engine and whatever the type of its column is, unless
                the column is refused; it depends on no other record.
    Requires:   a Narwhals frame whose columns are called as the keys say.
    Checked by: tests/engines/test_readings.py::test_every_engine_reads_every_value_alike
                tests/property/test_readings.py::test_a_value_is_read_alike_whatever_the_other_records_are
    """
    import narwhals as nw

    if not any(variable.reading for variable in columns.values()):
        return frame.select(*columns, *beside)
    native = nw.to_native(frame)
    if is_sqlite(native):
        return nw.from_native(_read_in_sqlite(native, columns, beside))
    schema = frame.collect_schema()
    prepared: list[nw.Expr] = []
    codes: list[nw.Expr] = []
    for place, (name, variable) in enumerate(columns.items()):
        if variable.reading is None:
            prepared.append(nw.col(name))
            codes.append(nw.col(name))
            continue
        read = _way(variable, schema[name])(f"read_{place}", nw.col(name), variable, schema[name])
        prepared += read.prepared
        codes.append(read.code.alias(name))
    return frame.select(*prepared, *beside).select(*codes, *beside)


def _way(variable: Variable, dtype: nw.dtypes.DType) -> Callable[..., Read]:
    """How a column of this type is read; refused where another type could give a value another code."""
    import narwhals as nw

    reading = variable.reading or Reading()
    numeric = dtype.is_integer() or dtype.is_float() or dtype.is_decimal()
    dated = dtype == nw.Date or (dtype == nw.Datetime and getattr(dtype, "time_zone", None) is None)
    if is_text(dtype):
        return read_texts if reading.kind is ValueKind.TEXT else read_numbers
    if (reading.kind is ValueKind.NUMBER and numeric) or (reading.kind is ValueKind.DATE and dated):
        return read_numbers
    if reading.kind is ValueKind.TEXT and dtype.is_integer():
        return read_texts
    if reading.kind is ValueKind.TEXT and dtype.is_float() and reading.other is None:
        return read_floats
    if reading.kind is ValueKind.TEXT and dtype == nw.Boolean and _knows_booleans(variable):
        return read_booleans
    raise DataError(
        f"The column {variable.column!r} is declared to hold {reading.kind.value}s and has another type in the table, "
        "which the declaration does not say how to read. Declare the type that it has, or convert it to text (a date without "
        "a time zone)."
    )


def _knows_booleans(variable: Variable) -> bool:
    """Whether a boolean is read like its text, which it would be in a column with some word in it."""
    reading = variable.reading or Reading()
    if reading.other is None:  # then a text that is read otherwise is refused
        return True
    codes = codes_of_texts(reading, variable.levels)
    other = variable.levels.index(reading.other)
    return all(read_value(variable, value) == codes.get(str(value), other) for value in (False, True))


def _read_in_sqlite(native: Any, columns: Mapping[str, Variable], beside: Sequence[str]) -> Any:
    """Each value by itself: SQLite runs in this process, and calls back."""
    backend = native.get_backend()
    chosen, types = list(beside), {name: native.schema()[name] for name in beside}
    for place, (name, variable) in enumerate(columns.items()):
        types[name] = native.schema()[name]
        if variable.reading is None:
            chosen.append(name)
            continue
        function = f"discreet_read_{place}"
        backend.con.create_function(function, 1, partial(_read_stored, variable), deterministic=True)
        chosen.append(f"{function}({name}) AS {name}")
        types[name] = "int64"
    held = backend.compile(native.select(*columns, *beside))
    return backend.sql(f"SELECT {', '.join(chosen)} FROM ({held}) AS held", schema=types)  # noqa: S608 - our names


def _read_stored(variable: Variable, value: Any) -> int:
    """The code of a value as SQLite stores it. It has no booleans: 0 and 1 stand for them where no level is 0 or 1."""
    reading = variable.reading or Reading()
    if isinstance(value, bytes):
        return MISFIT
    words = codes_of_texts(reading, variable.levels) if reading.kind is ValueKind.TEXT else {"0": 0, "1": 0}
    stands_for_boolean = isinstance(value, int) and value in (0, 1) and str(value) not in words
    code = read_value(variable, bool(value) if stands_for_boolean else value)
    return GAP if code is None else code
