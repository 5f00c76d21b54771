"""Tables that another engine holds: DuckDB relations, Ibis tables, Spark frames. They are asked, never copied."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from discreet.checks import check_path
from discreet.data.engine_files import ALL_FILES, check_no_text_reader, open_lines, records_of_lines
from discreet.data.extras import need_extra
from discreet.data.matching import missing_column
from discreet.data.source import guard
from discreet.data.table_files import are_files
from discreet.errors import DataError, FormatError, suggestion

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["ask", "engine_frame", "fetch", "fetch_batches", "is_sqlite", "numbered_columns", "spark_table", "sql_table"]

T = TypeVar("T")

_ENGINES = ("duckdb", "ibis", "pyspark", "pyspark[connect]")
_SCHEMES = ("postgresql", "postgres", "sqlite", "duckdb")
_VIEW = "discreet_records"
_BATCH_ROWS = 2**16

_FAILED = (
    "The engine that holds the table could not count it. Its own message is not shown here because it may quote a record; "
    "run the query in the engine itself to see it."
)
_NO_ANSWER = (
    "The database did not accept the connection or the query. Check both with the database's own client; its message is not "
    "shown here because it may quote a password or a record."
)


def engine_frame(data: Any) -> nw.LazyFrame[Any] | None:
    """Recognise a table that another engine holds. None for files, eager frames and Polars: those are read here."""
    if are_files(data) or isinstance(data, dict):
        return None
    import narwhals as nw

    frame = None
    with suppress(FormatError):  # such as a column that occurs twice: whoever reads the table says what is wrong with it
        frame = guard(lambda: nw.from_native(data, pass_through=True))
    if isinstance(frame, nw.LazyFrame) and str(frame.implementation.value) in _ENGINES:
        return frame
    return None


def fetch(native: Any, levels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Fetch a small result whose columns have these levels. SQLite gives each value a type of its own: its text is taken.

    Ibis would take the type of the first row for the whole column and cut the other values to it, so that one record could
    change what every other one counts as.
    """
    import narwhals as nw
    import polars as pl

    if not is_sqlite(native):
        return pl.DataFrame(nw.from_native(native).collect(backend="polars").to_native())
    cursor, names = _sqlite_cursor(native)
    return _texts(cursor.fetchall(), names, levels)


def fetch_batches(native: Any, levels: Mapping[str, Sequence[str]]) -> Iterator[pl.DataFrame]:
    """Fetch a long result as ``fetch`` does, one batch in memory at a time; from Spark all at once."""
    import polars as pl

    def parts() -> Iterator[pl.DataFrame]:
        if is_sqlite(native):
            cursor, names = _sqlite_cursor(native)
            while rows := cursor.fetchmany(_BATCH_ROWS):
                yield _texts(rows, names, levels)
        elif hasattr(native, "get_backend"):
            yield from map(pl.DataFrame, native.to_pyarrow_batches(chunk_size=_BATCH_ROWS))
        elif hasattr(native, "to_arrow_reader"):
            yield from map(pl.DataFrame, native.to_arrow_reader(_BATCH_ROWS))
        else:
            yield fetch(native, levels)

    found = parts()
    while (part := ask(lambda: next(found, None))) is not None:
        yield part


def is_sqlite(native: Any) -> bool:
    """Whether SQLite holds the table, whose values have types of their own."""
    return hasattr(native, "get_backend") and native.get_backend().name == "sqlite"


def _sqlite_cursor(native: Any) -> tuple[Any, list[str]]:
    backend = native.get_backend()
    cursor = backend.con.execute(str(backend.compile(native)))
    return cursor, [description[0] for description in cursor.description]


def _texts(rows: list[tuple[Any, ...]], names: Sequence[str], levels: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    import polars as pl

    columns = dict(zip(names, zip(*rows, strict=True), strict=False))
    texts = {name: [_text(value, levels.get(name, ())) for value in columns.get(name, ())] for name in names}
    return pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String))


def _text(value: Any, levels: Sequence[str]) -> str | None:
    """The text of one value, whatever the others are. A whole float may be written like an integer, as everywhere else.

    SQLite has no booleans: 0 and 1 stand for them where the levels are false and true.
    """
    if isinstance(value, bytes):
        raise DataError("A column of the table holds bytes, which have no levels. Convert it to text in the query.")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 and repr(value) not in levels:
        return str(int(value))
    if value in (0, 1) and isinstance(value, int) and str(value) not in levels:
        return next((level for level in levels if level.casefold() == ("false", "true")[value]), str(value))
    return None if value is None else str(value)


def ask(step: Callable[[], T], advice: str = _FAILED) -> T:
    """Ask an engine something. Its errors are replaced by one of ours, and what it logs here about them is not shown."""
    with _silent():
        return guard(step, advice)


def numbered_columns(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> nw.LazyFrame[Any]:
    """Keep these columns, called column_0, column_1 and so on: engines disagree on quotes and dots in a name."""
    import narwhals as nw

    native = nw.to_native(frame)
    ask(lambda: check_no_text_reader(native, str(frame.implementation.value)))
    names = [str(name) for name in ask(lambda: list(native.columns))]
    for column in columns:
        if names.count(column) > 1:
            raise DataError(f"The table has the column {column!r} more than once. Keep one of them.")
        if column not in names:
            raise missing_column(column, names, "Its columns must be called as declared.", columns)
    numbered = {column: f"column_{number}" for number, column in enumerate(columns)}
    return ask(lambda: _rename(frame, native, names, numbered))


def sql_table(query: str, connection: str) -> Any:
    """Open what a query selects as an Ibis table: ``postgresql://...``, ``sqlite:///file`` or ``duckdb:///file``.

    PostgreSQL shows it as it was at this moment, whatever is written meanwhile (one transaction, repeatable read, read only).
    Close the connection with ``table.get_backend().disconnect()``.
    """
    if not isinstance(query, str) or not isinstance(connection, str):
        raise FormatError('Write sql_table("SELECT ... FROM patients", "sqlite:///clinic.db"): a query, then a connection.')
    scheme = connection.partition(":")[0].lower()
    if scheme not in _SCHEMES or "://" not in connection:
        # Not shown whole: there may be a password in it.
        raise FormatError(f"A connection is a URL such as postgresql://user@host/database.{suggestion(scheme, _SCHEMES)}")
    need_extra("ibis", "sql")
    if scheme in ("sqlite", "duckdb"):
        _check_database(connection, scheme)
    if scheme == "duckdb":
        need_extra("duckdb", "duckdb")
    single = query.strip().rstrip(";")
    if ";" in single:
        raise DataError("The query must be one statement. Leave out semicolons, also those inside quotes.")
    return ask(lambda: _sql_table(single, connection, scheme), _NO_ANSWER)


def spark_table(path: str | Path) -> Any:
    """Open a file or folder of Parquet or CSV as a Spark frame, in the running Spark session or in a new one.

    CSV is recognised by a name or a pattern that ends in .csv or .csv.gz; its values are text, and every line is one record.
    It is read once here, to refuse what is ill formed. Anything else is Parquet.
    """
    path = check_path(path)
    need_extra("pyspark", "spark")
    session = ask(_spark_session, "Spark could not be started. It needs Java 17 or newer: install one or set JAVA_HOME.")
    place = _absolute(str(path))
    is_csv = place.lower().rstrip("/").endswith((".csv", ".csv.gz"))
    advice = f"Spark cannot read {str(path)!r}. Give a file or folder of Parquet, or of CSV with a name that ends in .csv."
    if is_csv:
        lines = ask(lambda: open_lines(session, place), advice)
        return ask(lambda: records_of_lines(lines), advice)
    return ask(lambda: session.read.options(**ALL_FILES).parquet(place), advice)


def _rename(frame: nw.LazyFrame[Any], native: Any, names: list[str], numbered: dict[str, str]) -> nw.LazyFrame[Any]:
    import narwhals as nw

    engine = str(frame.implementation.value)
    if engine == "duckdb":
        chosen = ", ".join(f"{_quote(column)} AS {name}" for column, name in numbered.items())
        projected: nw.LazyFrame[Any] = nw.from_native(native.project(chosen))
        return projected
    if engine.startswith("pyspark"):  # by place, since Spark reads dots and backticks in a name
        places = [numbered.get(name, f"other_{place}") for place, name in enumerate(names)]
        placed: nw.LazyFrame[Any] = nw.from_native(native.toDF(*places))
        return placed.select(*numbered.values())
    return frame.select(nw.col(column).alias(name) for column, name in numbered.items())


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _check_database(connection: str, scheme: str) -> None:
    """A file that is not there would be made, empty."""
    path = Path(unquote(urlsplit(connection).path)[1:])
    if not path.is_file():
        raise FormatError(
            f"There is no {scheme} database at {str(path)!r}. Write {scheme}:///file, or {scheme}:////folder/file."
        )


def _sql_table(query: str, connection: str, scheme: str) -> Any:
    import ibis

    path = unquote(urlsplit(connection).path)[1:]
    opener = {"sqlite": lambda: ibis.sqlite.connect(path), "duckdb": lambda: ibis.duckdb.connect(path, read_only=True)}
    backend = opener.get(scheme, lambda: ibis.connect(connection))()
    try:
        # A view of this connection alone: Ibis would parse the query, and not every dialect of it.
        backend.con.execute(f"CREATE TEMPORARY VIEW {_VIEW} AS {query}")
        table = backend.table(_VIEW, database="temp" if scheme == "sqlite" else None)
        if scheme.startswith("postgres"):
            backend.con.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    except BaseException:
        backend.disconnect()
        raise
    return table


def _absolute(place: str) -> str:
    """Name a file here in full, since Spark may have been started in another folder. Other places stay as they are."""
    local = Path(place)
    return str(local.absolute()) if "://" not in place and (local.exists() or local.parent.is_dir()) else place


def _spark_session() -> Any:
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    builder = SparkSession.builder.appName("discreet").config("spark.ui.showConsoleProgress", "false")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # under spark-submit the cluster decides
        builder = builder.config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")  # a failed task logs the record that it failed at
    return session


@contextmanager
def _silent() -> Iterator[None]:
    """Spark logs the errors of a query as JSON on stderr, values included, before anyone can catch them; others warn."""
    loggers = _spark_loggers()
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _spark_loggers() -> list[logging.Logger]:
    """The loggers by Spark's own class: a plain one that came first would break Spark's errors from then on."""
    if "pyspark" not in sys.modules:
        return []
    with suppress(ImportError):  # before version 4 there were none
        from pyspark.logger import PySparkLogger

        return [PySparkLogger.getLogger(name) for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger")]
    return []
