"""Whether every record of a table fits a schema: for the steward's eyes, before a release, and never for publication.

It says of each column how many different values fit nothing, and whether values are missing. It never says which.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discreet.data.encoding import advise_on_gaps, advise_on_misfits
from discreet.data.engines import ask, engine_frame, fetch, numbered_columns
from discreet.data.source import batches, guard, open_table
from discreet.display import Display, Displayed, counted
from discreet.errors import ModelError, of_kind
from discreet.model.exact_values import decimal_fraction
from discreet.model.read_value import MISFIT, read_value
from discreet.model.schema import Schema
from discreet.model.schema_column import SchemaColumn

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NOT_PUBLIC", "ColumnMisfits", "Misfits", "misfits"]

MOST_COUNTED = 1000
"""Different values of a column that are counted, at the most."""
NOT_PUBLIC = "This answer is about the private records themselves. It is for the steward's eyes: do not publish it."


@dataclass(frozen=True, slots=True)
class ColumnMisfits:
    """What does not fit in a column: that it is absent, how many different values are not declared, that some are missing.

    ``advice`` says what to do about it. It goes by what is declared.
    """

    name: str
    absent: bool = False
    undeclared: int = 0
    missing: bool = False
    advice: str = ""

    def words(self) -> str:
        """A sentence without any value."""
        if self.absent:
            return "the table has no such column"
        some = f"{'at least ' if self.undeclared >= MOST_COUNTED else ''}{counted(self.undeclared, 'different value')}"
        said = [f"{some} that {'is' if self.undeclared == 1 else 'are'} not declared"] if self.undeclared else []
        return " and ".join([*said, *(["missing values, for which no level is declared"] if self.missing else [])])


@dataclass(frozen=True, slots=True, repr=False)
class Misfits(Displayed):
    """The columns in which something does not fit, and those that are open, of which nothing can be said."""

    columns: tuple[ColumnMisfits, ...]
    unfinished: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether every record fits, and every column is declared."""
        return not self.columns and not self.unfinished

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, column by column."""
        return tuple(f"{each.name!r}: {each.advice}" for each in self.columns if each.advice)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"fits": self.fits, "columns": [asdict(each) for each in self.columns], "unfinished": list(self.unfinished)}

    def _display(self) -> Display:
        title = "Every record fits" if self.fits else "Something does not fit"
        rows = [(each.name, each.words()) for each in self.columns]
        said = (*self.unfinished, *self.advice, NOT_PUBLIC)
        return Display(title, (), ("column", "what does not fit") if rows else (), rows, said)


def misfits(table: Any, schema: Schema) -> Misfits:
    """What of a table does not fit a schema: columns and kinds of misfit, never a value.

    The answer depends on the records without any noise. It is for the steward, to mend the schema or the table with.
    """
    if not isinstance(schema, Schema):
        raise ModelError(f"{of_kind(schema)} is not a schema. Write misfits(table, schema).")
    judges = {column: _judge(column) for column in schema.columns if column.unfinished is None}
    wrong: dict[SchemaColumn, set[object]] = {column: set() for column in judges}
    absent = set(judges)
    for column, values in _distinct(table, list(judges)):
        absent.discard(column)
        judged = guard(lambda column=column, values=values: list(map(judges[column], values)))  # type: ignore[misc]
        wrong[column] |= {each for each in judged if each is not _FITS}
        if len(wrong[column]) > MOST_COUNTED + 1:
            wrong[column] = set(list(wrong[column])[:MOST_COUNTED]) | (wrong[column] & {None})
    found = [_found(column, column in absent, wrong[column]) for column in judges]
    return Misfits(tuple(each for each in found if each.words()), tuple(schema.to_add))


_FITS = object()


def _found(column: SchemaColumn, absent: bool, wrong: set[object]) -> ColumnMisfits:
    undeclared, missing = min(len(wrong - {None}), MOST_COUNTED), None in wrong
    return ColumnMisfits(column.name, absent, undeclared, missing, _advise(column, bool(undeclared), missing))


def _advise(column: SchemaColumn, undeclared: bool, missing: bool) -> str:
    if column.is_numeric:  # for a linear model
        return ""
    variable = column.variable()
    said = [advise_on_misfits(variable)] if undeclared else []
    return " ".join([*said, *([advise_on_gaps(variable)] if missing else [])])


def _judge(column: SchemaColumn) -> Callable[[Any], object]:
    """What a value of the column is: ``_FITS``, None if it is missing and no level is declared for that, or itself."""
    if column.is_numeric:
        return _judge_number
    variable = column.variable()

    def judge(value: Any) -> object:
        if isinstance(value, list | dict | bytes):
            return repr(value)
        code = read_value(variable, value)
        return None if code is None else value if code == MISFIT else _FITS

    return judge


def _judge_number(value: Any) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return value if decimal_fraction(value) is None else _FITS
    return repr(value) if isinstance(value, list | dict | bytes) or not math.isfinite(value) else _FITS


def _distinct(table: Any, columns: list[SchemaColumn]) -> Iterator[tuple[SchemaColumn, Iterable[Any]]]:
    """Different values of each column that the table has, some of them more than once."""
    import polars as pl

    frame = engine_frame(table)
    if frame is not None:
        yield from _distinct_in_engine(frame, columns)
        return
    source = open_table(table, [_source(column) for column in columns])
    held = guard(lambda: source.frame.collect_schema())
    present = [column for column in columns if _source(column) in held]
    if not present:
        return
    yield from ((column, ()) for column in present)
    for batch in batches(source, [pl.col(_source(column)) for column in present]):
        for column in present:
            yield column, _values(batch[_source(column)])


def _distinct_in_engine(frame: Any, columns: list[SchemaColumn]) -> Iterator[tuple[SchemaColumn, Iterable[Any]]]:
    import narwhals as nw

    names = ask(lambda: [str(name) for name in nw.to_native(frame).columns])
    for column in columns:
        if _source(column) in names:
            one = numbered_columns(frame, [_source(column)])
            found = ask(lambda one=one, column=column: fetch(nw.to_native(one.unique()), {"column_0": column.levels}))  # type: ignore[misc]
            yield column, _values(found["column_0"])


def _values(series: pl.Series) -> Iterable[Any]:
    import polars as pl

    if series.dtype == pl.Float32:  # a short float means the shortest decimal that is read as it
        series = series.cast(pl.String)
    return series.to_list() if series.dtype.is_nested() or series.dtype == pl.Object else series.unique().to_list()


def _source(column: SchemaColumn) -> str:
    return column.column or column.name
