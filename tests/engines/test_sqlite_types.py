"""SQLite gives every value a type of its own; no record may decide what the others count as."""

import sqlite3

import pytest
from support.optional import need

from discreet import Unit
from discreet.counts import family_counts
from discreet.counts.persons import person_family_counts
from discreet.data import code_batches, sql_table
from discreet.errors import DataError, DomainError
from discreet.kernel.bits import OperatingSystemBits
from discreet.model.network import Network
from discreet.model.reading import Reading
from discreet.model.variable import Variable

NETWORK = Network([Variable("dose", ["0", "0.5", "1"])])


def counts(folder, values, query="SELECT coalesce(dose, 0) AS dose FROM t", declared=""):
    return asked(folder, values, query, declared, lambda table: family_counts(table, NETWORK)["dose"].tolist())


def asked(folder, values, query, declared, question):
    need("ibis")
    path = folder / "doses.db"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE t (dose {declared})")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
    connection.close()
    table = sql_table(query, f"sqlite:///{path}")
    try:
        return question(table)
    finally:
        table.get_backend().disconnect()


def test_the_first_record_does_not_decide_what_the_others_count_as(tmp_path):
    assert counts(tmp_path, [0.5] * 100) == [[0, 100, 0]]
    assert counts(tmp_path, [None] + [0.5] * 99) == [[1, 99, 0]]
    assert counts(tmp_path, [1] + [0.5] * 99) == [[0, 99, 1]]


@pytest.mark.parametrize("first", [0, 0.5, "1", None])
def test_the_first_record_does_not_decide_how_the_others_are_encoded(tmp_path, first):
    def codes(table):
        return [batch["dose"].tolist() for batch in code_batches(table, NETWORK, partial=True)]

    found = asked(tmp_path, [first, 0.5, 1], "SELECT coalesce(dose, NULL) AS dose FROM t", "", codes)
    assert found == [[{0: 0, 0.5: 1, "1": 2, None: 3}[first], 1, 2]]


def test_a_value_is_not_cut_to_the_declared_type_of_its_column(tmp_path):
    with pytest.raises(DomainError):
        counts(tmp_path, [1, 1.9], "SELECT dose FROM t", "INTEGER")
    assert counts(tmp_path, [1, 0, 0.5], "SELECT dose FROM t", "INTEGER") == [[1, 1, 1]]


def test_bytes_are_refused(tmp_path):
    with pytest.raises(DataError, match="bytes"):
        counts(tmp_path, ["0", b"secret"], "SELECT dose FROM t")


def test_a_second_statement_is_refused(tmp_path):
    with pytest.raises(DataError, match="one statement"):
        counts(tmp_path, [1], "SELECT dose FROM t; DROP TABLE t")


def test_values_are_read_with_persons_as_they_are_without(tmp_path):
    """Where 0 and 1 stand for words, and a float for a text, they do so whoever is protected."""
    texts = Reading(spellings=(("1.0", "one"),), other="?", missing="gap")
    network = Network([Variable("dose", ["false", "true", "one", "?", "gap"], texts)])

    def both(table):
        of_persons = person_family_counts(table, network, Unit.person("id"), OperatingSystemBits().read)
        return [found["dose"].tolist() for found in (family_counts(table, network), of_persons)]

    values = [1, 0, 1.0, "true", None, 7]
    assert asked(tmp_path, values, "SELECT rowid AS id, dose FROM t", "", both) == [[[1, 2, 1, 1, 1]]] * 2
