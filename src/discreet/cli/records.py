"""Where the steward's records are: in a file, or in an engine that is asked and keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import typer

__all__ = ["check_one", "open_records", "places"]


def check_one(data: Path | None, sql: str | None, connection: str | None, spark: str | None) -> None:
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
def open_records(data: Path | None, sql: str | None, connection: str | None, spark: str | None) -> Iterator[Any]:
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
