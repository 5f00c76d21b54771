"""A table that changes between two statements is refused, or counted as it was when it was opened; one sees one snapshot."""

import polars as pl
import pytest
from support.databases import fill_postgres, sqlite_file
from support.optional import need

from discreet.counts import family_counts
from discreet.data import groupings, sql_table
from discreet.errors import DataError
from discreet.model.network import Network
from discreet.model.variable import Variable

# Thirteen children of one node: two groups of families, which share that node.
CHILDREN = [f"child{number}" for number in range(13)]
NETWORK = Network([Variable(node, ["0", "1"]) for node in ["hub", *CHILDREN]], {child: ["hub"] for child in CHILDREN})
RECORDS = pl.DataFrame({node: [0, 1, 1, 0, 1] for node in NETWORK.nodes})


@pytest.fixture
def connection():
    duckdb = need("duckdb")
    need("pyarrow")
    arrow = RECORDS.to_arrow()  # noqa: F841 - DuckDB finds it by its name
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE held AS SELECT * FROM arrow")
        yield connection


@pytest.fixture
def two_statements(monkeypatch):
    """As many statements as groups, as in a network of more groups than one statement counts."""
    monkeypatch.setattr(groupings, "_MOST_GROUPINGS", 1)


def once(action):
    """A progress function that acts after the first statement."""
    waiting = [action]

    def progress(rows):
        if waiting:
            waiting.pop()()

    return progress


def test_an_unchanged_table_is_counted(connection):
    assert family_counts(connection.table("held"), NETWORK)["hub"].tolist() == [[2, 3]]


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO held SELECT * FROM held LIMIT 1",
        "DELETE FROM held WHERE rowid = 0",
        "UPDATE held SET hub = 1 - hub WHERE rowid = 0",  # as many records as before
    ],
)
def test_a_change_between_two_statements_is_refused(connection, two_statements, change):
    with pytest.raises(DataError, match="changed while it was being counted"):
        family_counts(connection.table("held"), NETWORK, progress=once(lambda: connection.execute(change)))


SAMPLE = "SELECT * FROM held USING SAMPLE 50 PERCENT (bernoulli)"


def test_a_view_that_samples_is_refused_by_two_statements(connection, two_statements):
    connection.execute("INSERT INTO held SELECT held.* FROM held, range(2000)")
    with pytest.raises(DataError, match="A view that samples"):
        family_counts(connection.sql(SAMPLE), NETWORK)


def test_one_statement_sees_one_sample(connection):
    connection.execute("INSERT INTO held SELECT held.* FROM held, range(2000)")
    tables = family_counts(connection.sql(SAMPLE), NETWORK)
    hub = tables["hub"][0].tolist()
    assert sum(hub) < 10_000
    assert all(tables[child].tolist() == [[hub[0], 0], [0, hub[1]]] for child in CHILDREN)


def test_one_statement_of_sqlite_sees_one_snapshot(tmp_path, monkeypatch):
    """Both groups are in one statement, so there is no moment between them at which somebody could write."""
    need("ibis")
    asked = []
    fetch = groupings.fetch
    monkeypatch.setattr(groupings, "fetch", lambda *words: asked.append(words) or fetch(*words))
    table = sql_table("SELECT * FROM held", f"sqlite:///{sqlite_file(tmp_path / 'records.db', RECORDS)}")
    try:
        assert family_counts(table, NETWORK)["child12"].tolist() == [[2, 0], [0, 3]]
    finally:
        table.get_backend().disconnect()
    assert len(asked) == 1


def test_a_query_in_postgresql_is_counted_as_it_was_when_it_was_opened(postgres, two_statements):
    psycopg = need("psycopg")
    name = fill_postgres(postgres, RECORDS)
    table = sql_table(f"SELECT * FROM {name}", postgres)

    def add_a_record():
        with psycopg.connect(postgres) as other:
            other.execute(f"INSERT INTO {name} SELECT * FROM {name} LIMIT 1")

    try:
        assert family_counts(table, NETWORK, progress=once(add_a_record))["child12"].tolist() == [[2, 0], [0, 3]]
    finally:
        table.get_backend().disconnect()
    with psycopg.connect(postgres) as other:
        assert other.execute(f"SELECT count(*) FROM {name}").fetchone() == (6,)


def test_a_table_in_postgresql_without_a_snapshot_is_refused_if_it_changes(postgres, two_statements):
    ibis, psycopg = need("ibis"), need("psycopg")
    name = fill_postgres(postgres, RECORDS)

    def add_a_record():
        with psycopg.connect(postgres) as other:
            other.execute(f"INSERT INTO {name} SELECT * FROM {name} LIMIT 1")

    backend = ibis.connect(postgres)
    try:
        with pytest.raises(DataError, match="changed while it was being counted"):
            family_counts(backend.table(name), NETWORK, progress=once(add_a_record))
    finally:
        backend.disconnect()
