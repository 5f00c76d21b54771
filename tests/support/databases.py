"""Databases for tests: filling them, and starting a PostgreSQL server."""

import contextlib
import itertools
import os
import pwd
import shutil
import socket
import sqlite3
from pathlib import Path

import polars as pl
import pytest

from support.optional import need

PASSWORD = "Turquoise-0815"
SQL_TYPES = {pl.String: "TEXT", pl.Int64: "BIGINT", pl.Float64: "DOUBLE PRECISION", pl.Boolean: "BOOLEAN"}
NUMBERS = itertools.count()


def absent(reason):
    if os.environ.get("DISCREET_REQUIRE_ALL"):
        pytest.fail(reason)
    pytest.skip(reason)


def postgres_programs():
    """The folder with initdb and pg_ctl; Debian keeps it off the path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next(
        (folder for folder in reversed(folders) if (folder / "initdb").exists() and (folder / "postgres").exists()), None
    )


def server_user():
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return "nobody"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def columns_of(frame):
    return ", ".join(f"{quoted(name)} {SQL_TYPES[dtype.base_type()]}" for name, dtype in frame.schema.items())


def sqlite_file(path, frame, table="held", types=columns_of):
    """Write a frame into a SQLite database."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} ({types(frame)})")
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * frame.width)})", frame.rows())
        connection.commit()
    return path


def fill_postgres(url, frame):
    """Copy a frame into a new table of the server; return its name."""
    psycopg = need("psycopg")
    name = f"held_{next(NUMBERS)}"
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} ({columns_of(frame)})")
        with cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in frame.iter_rows():
                copy.write_row(row)
    return name
