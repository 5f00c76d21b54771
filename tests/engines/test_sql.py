"""Queries of databases by a URL: what is opened, what is refused, and what is never shown."""

import contextlib
import sqlite3
import traceback

import polars as pl
import pytest
from support.databases import PASSWORD, fill_postgres, sqlite_file
from support.optional import need

from discreet.counts import family_counts
from discreet.data import engines, extras, sql_table
from discreet.errors import DataError, DiscreetError, DomainError, FormatError
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
NETWORK = Network([Variable("smoke", ["no", "yes"]), Variable("visits", ["0", "1", "2"])], {"visits": ["smoke"]})
RECORDS = pl.DataFrame({"smoke": ["yes", "no", "no"], "visits": [2, 0, 1], "name": [SECRET] * 3})


def shown(error):
    return "".join(traceback.format_exception(error)) + repr(error.__context__) + repr(error.__cause__)


@contextlib.contextmanager
def opened(query, connection):
    table = sql_table(query, connection)
    try:
        yield table
    finally:
        table.get_backend().disconnect()


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def held(request, tmp_path):
    """Records in each kind of database: its URL and the name of the table."""
    need("ibis")
    if request.param == "sqlite":
        return f"sqlite:///{sqlite_file(tmp_path / 'a file.db', RECORDS)}", "held"
    if request.param == "duckdb":
        duckdb = need("duckdb")
        arrow = RECORDS.to_arrow()  # noqa: F841 - DuckDB finds it by its name
        with duckdb.connect(str(tmp_path / "records.duckdb")) as connection:
            connection.execute("CREATE TABLE held AS SELECT * FROM arrow")
        return f"duckdb:///{tmp_path / 'records.duckdb'}", "held"
    url = request.getfixturevalue("postgres")
    return url, fill_postgres(url, RECORDS)


def test_a_query_is_counted_in_its_database(held):
    url, table = held
    with opened(f"WITH half AS (SELECT * FROM {table}) SELECT visits, smoke FROM half WHERE visits < 2;", url) as records:
        assert family_counts(records, NETWORK)["visits"].tolist() == [[1, 1, 0], [0, 0, 0]]


def test_a_column_that_the_query_computes_is_counted(held):
    url, table = held
    query = f"SELECT CASE WHEN visits > 1 THEN 'yes' ELSE 'no' END AS smoke, 2 - visits AS visits FROM {table}"
    with opened(query, url) as records:
        assert family_counts(records, NETWORK)["visits"].tolist() == [[0, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("query", ["SELECT nothing FROM nowhere", "SELEKT 1", "", f"SELECT '{SECRET}' + FROM x"])
def test_a_query_that_the_database_refuses_is_an_error_of_ours(held, query):
    with pytest.raises(FormatError, match="did not accept") as caught:
        sql_table(query, held[0])
    assert PASSWORD not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_an_error_in_the_middle_of_a_query_shows_no_record(postgres):
    name = fill_postgres(postgres, RECORDS)
    with opened(f"SELECT smoke, name::int AS visits FROM {name}", postgres) as records, pytest.raises(DiscreetError) as caught:
        family_counts(records, NETWORK)
    assert SECRET not in shown(caught.value)


def test_a_wrong_password_and_a_server_that_is_not_there_are_errors_that_show_neither(postgres):
    need("ibis")
    for url in (postgres.replace(PASSWORD, "Wrong-0815"), f"postgresql://steward:{PASSWORD}@127.0.0.1:1/postgres"):
        with pytest.raises(FormatError, match="did not accept the connection") as caught:
            sql_table("SELECT 1", url)
        assert "0815" not in str(caught.value)
        assert caught.value.__context__ is None


def test_a_query_cannot_write_to_postgresql_while_it_is_counted(postgres):
    psycopg = need("psycopg")
    need("ibis")
    refused = pytest.raises(psycopg.errors.ReadOnlySqlTransaction)
    with opened("SELECT 'no' AS smoke, 1 AS visits", postgres) as records, refused:
        records.get_backend().con.execute("CREATE TABLE made (x int)")


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_database_that_is_not_there_is_not_made(tmp_path, scheme):
    need("ibis")
    with pytest.raises(FormatError, match=f"There is no {scheme} database"):
        sql_table("SELECT 1", f"{scheme}:///{tmp_path / 'nothing.db'}")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(FormatError, match=r'pip install "discreet\[sql\]"'):
        sql_table("SELECT 1", "postgresql://host/database")
    with pytest.raises(FormatError, match=r'pip install "discreet\[spark\]"'):
        engines.spark_table("records.parquet")


def nocase(frame):
    return "smoke TEXT COLLATE NOCASE, visits BIGINT"


def test_a_collation_that_ignores_capitals_cannot_mix_levels_up(tmp_path):
    """SQLite would show 'yes' or 'YES' for the whole group, whichever record it met: one record would move all counts."""
    need("ibis")
    records = pl.DataFrame({"smoke": ["YES", "yes", "yes", "no"], "visits": [0, 0, 0, 0]})
    url = f"sqlite:///{sqlite_file(tmp_path / 'records.db', records, types=nocase)}"
    both = Network([Variable("smoke", ["no", "yes", "YES"]), Variable("visits", ["0", "1"])])
    with opened("SELECT * FROM held", url) as table:
        distinct = table.get_backend().con.execute("SELECT count(DISTINCT smoke) FROM held").fetchone()
        assert distinct == (2,)  # the hazard is real
        with pytest.raises(DataError, match="differ only in capitals"):
            family_counts(table, both)


def test_a_text_in_a_sqlite_column_of_numbers_is_refused_and_not_shown(tmp_path):
    """SQLite keeps any value in a column of any type."""
    need("ibis")
    path = sqlite_file(tmp_path / "records.db", RECORDS)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE held SET visits = ? WHERE visits = 0", [SECRET])
        connection.commit()
    with opened("SELECT * FROM held", f"sqlite:///{path}") as table, pytest.raises(DiscreetError) as caught:
        family_counts(table, NETWORK)
    assert SECRET not in shown(caught.value)


def test_a_column_that_occurs_twice_is_refused():
    duckdb = need("duckdb")
    with duckdb.connect() as connection, pytest.raises(DataError, match="'smoke' more than once"):
        family_counts(connection.sql("SELECT 'no' AS smoke, 'yes' AS smoke, 1 AS visits"), NETWORK)


def test_an_enum_of_postgresql_and_an_undeclared_value_of_it(postgres):
    psycopg = need("psycopg")
    need("ibis")
    name = fill_postgres(postgres, RECORDS)
    with psycopg.connect(postgres) as connection:
        connection.execute(f"CREATE TYPE answer_{name} AS ENUM ('yes', 'no', '{SECRET}')")
        connection.execute(f"ALTER TABLE {name} ALTER smoke TYPE answer_{name} USING smoke::answer_{name}")
    with opened(f"SELECT * FROM {name}", postgres) as table:
        assert family_counts(table, NETWORK)["smoke"].tolist() == [[2, 1]]
    with psycopg.connect(postgres) as connection:
        connection.execute(f"UPDATE {name} SET smoke = '{SECRET}' WHERE visits = 0")
    with opened(f"SELECT * FROM {name}", postgres) as table, pytest.raises(DomainError, match="'smoke'") as caught:
        family_counts(table, NETWORK)
    assert SECRET not in shown(caught.value)
