"""What is read and written: where the steward's records are, and the files that results go to.

Records are in a file, or in an engine that is asked and keeps them. Output files are checked before anything is spent on them,
and written whole or not at all.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import typer

from discreet.cli.render import write_text
from discreet.output_file import BESIDE_DATABASES, OutputFile, write_atomically

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_one", "check_output", "check_table_output", "open_records", "places", "write_table"]

_TABLES = (".csv", ".parquet")
_SLICE_ROWS = 2**16


def check_output(output: Path, *, force: bool, inputs: tuple[Path, ...] = ()) -> None:
    """Refuse an output file that exists, that cannot be written, or that is an input.

    A release that cannot be saved would cost budget for nothing, so this is asked before the ledger is. An input may be a
    pattern, a folder, or a database with files beside it that come and go.
    """
    if any(_is_of(output, path) for path in inputs):
        raise typer.BadParameter(f"{str(output)!r} is also an input; choose another file.", param_hint="--output")
    OutputFile(output, overwrite=force).close()


def check_table_output(output: Path | None, *, force: bool, inputs: tuple[Path, ...] = ()) -> None:
    """Refuse an output file for a table as above, or one of a kind that cannot be written. Stdout is always fine."""
    if output is None:
        return
    if output.suffix.lower() not in _TABLES:
        raise typer.BadParameter("The name of a table must end in .csv or .parquet.", param_hint="--output")
    check_output(output, force=force, inputs=inputs)


def write_table(frame: pl.DataFrame, output: Path | None) -> None:
    """Write a table as CSV to stdout, or as what the name of the output file says."""
    if output is None:
        for text in _csv(frame):
            write_text(text)
    elif output.suffix.lower() == ".csv":
        write_atomically(output, "".join(_csv(frame)))
    else:
        import io

        content = io.BytesIO()
        frame.write_parquet(content)
        write_atomically(output, content.getvalue())


def _is_of(output: Path, given: Path) -> bool:
    """Whether the output is an input, lies in it, or is one of the files that a database keeps beside itself."""
    beside = [given.with_name(given.name + ending) for ending in BESIDE_DATABASES if given.name]  # "." has none
    matching = [Path(name) for name in glob.glob(str(given), recursive=True)]  # noqa: PTH207 - Path.glob refuses absolute ones
    inside = given.is_dir() and Path(os.path.realpath(given)) in Path(os.path.realpath(output)).parents
    return inside or any(_same(output, path) for path in (given, *matching, *beside))


def _same(one: Path, other: Path) -> bool:
    """Whether two names mean one file, now or as soon as it exists."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def _csv(frame: pl.DataFrame) -> Iterator[str]:
    """Pieces of a CSV text, so that a reader who has seen enough can stop early."""
    yield frame.head(0).write_csv()
    for piece in frame.iter_slices(_SLICE_ROWS):
        yield piece.write_csv(include_header=False)


def check_one(data: Any, sql: str | None, connection: str | None, spark: str | None) -> None:
    """Refuse no place and several."""
    if sum(given is not None for given in (data, sql, spark)) != 1:
        raise typer.BadParameter("Give the records once: as DATA, with --sql and --connection, or with --spark.")
    if sql is not None and connection is None:
        raise typer.BadParameter("Say where to ask: --sql needs --connection URL.", param_hint="--sql")


def places(*given: object, connection: str | None = None) -> tuple[Path, ...]:
    """The files among what a command was given, also that of a database: none of them may be written over."""
    database = "" if connection is None else urlsplit(connection).path
    return tuple(Path(str(path)) for path in (*given, database, database.removeprefix("/")) if path not in (None, ""))


@contextmanager
def open_records(data: Any, sql: str | None, connection: str | None, spark: str | None) -> Iterator[Any]:
    """Open the records; close the connection to a database afterwards."""
    from discreet.data import spark_table, sql_table

    if sql is None or connection is None:
        yield data if spark is None else spark_table(spark)
        return
    table = sql_table(sql, connection)
    try:
        yield table
    finally:
        table.get_backend().disconnect()
