"""`discreet release` and `discreet confidence` on records that stay in a database or in Spark."""

import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from support.databases import PASSWORD, fill_postgres, sqlite_file
from support.optional import need

from discreet import Ledger, load, write_network
from discreet.cli import main
from discreet.model.network import Network
from discreet.model.variable import Variable

CLINIC = """network clinic { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
probability ( smoke ) { table 0.4, 0.6; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
"""
SECRET = "Sapphire-4711"
RECORDS = pl.DataFrame({"smoke": ["yes", "no"] * 50, "lung": ["no"] * 99 + ["yes"], "name": [SECRET] * 100})
JUDGED = ("--target", "lung", "--epsilon", "1/4", "--ledger", "clinic.ledger", "-o", "trust.json")
WORDS = ("--network", "clinic.bif", "--epsilon", "1/2", "--ledger", "clinic.ledger", "--cap", "1", "-o", "out.json")


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_CONNECTION", raising=False)
    Path("clinic.bif").write_text(CLINIC, encoding="utf-8")
    RECORDS.write_csv("patients.csv")
    return tmp_path


def assert_released(capfd, *source):
    """The records were released, and confidence is measured on the same ones, where they are."""
    rows = load("out.json").plugin.released.rows
    assert rows == 100
    assert main(["confidence", "out.json", *source, *JUDGED]) == 0
    assert load("trust.json").plugin.released.rows == 100
    assert Ledger("clinic.ledger").spent == Fraction(3, 4)
    output = "".join(capfd.readouterr())
    assert SECRET not in output
    assert PASSWORD not in output


def test_a_query_of_sqlite_is_released(clinic, capfd):
    need("ibis")
    sqlite_file("clinic.db", RECORDS, "patients")
    source = ("--sql", "SELECT * FROM patients", "--connection", "sqlite:///clinic.db")
    assert main(["release", *source, *WORDS]) == 0
    assert_released(capfd, *source)


@pytest.mark.slow
def test_a_query_of_duckdb_is_released(clinic, capfd):
    need("ibis")
    with need("duckdb").connect("clinic.duckdb") as connection:
        connection.execute("CREATE TABLE patients AS FROM read_csv('patients.csv', all_varchar = true)")
    source = ("--sql", "SELECT * FROM patients", "--connection", "duckdb:///clinic.duckdb")
    assert main(["release", *source, *WORDS]) == 0
    assert_released(capfd, *source)


def test_a_query_of_postgresql_is_released_with_the_connection_from_the_environment(clinic, postgres, monkeypatch, capfd):
    need("ibis")
    monkeypatch.setenv("DISCREET_CONNECTION", postgres)
    name = fill_postgres(postgres, RECORDS)
    source = ("--sql", f"SELECT smoke, lung FROM {name}")
    assert main(["release", *source, *WORDS, "--json"]) == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)["rows"] == 100
    assert PASSWORD not in captured.out + captured.err
    assert_released(capfd, *source)


def test_files_are_released_with_spark(clinic, spark, capfd):
    RECORDS.write_parquet("patients.parquet")
    source = ("--spark", "patients.parquet")
    assert main(["release", *source, *WORDS]) == 0
    assert_released(capfd, *source)


@pytest.mark.slow
def test_a_blank_line_is_released_as_a_record_with_spark_as_without(clinic, spark, capfd):
    """The number of records is published: it must not depend on whether one of them has a missing value."""
    Path("one.csv").write_text("smoke\nyes\n\nyes\n")
    write_network(Network([Variable("smoke", ["yes", "no", "na"])]), "one.json")
    words = ("--network", "one.json", "--missing", "na", "--epsilon", "1/2", "--ledger", "clinic.ledger", "--cap", "1")
    for number, source in enumerate([("one.csv",), ("--spark", "one.csv")]):
        assert main(["release", *source, *words, "-o", f"{number}.json"]) == 0
    assert [load(f"{number}.json").plugin.released.rows for number in (0, 1)] == [3, 3]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("patients.csv", "--spark", "patients.csv"),
        ("patients.csv", "--sql", "SELECT 1", "--connection", "sqlite:///clinic.db"),
        ("--sql", "SELECT 1", "--connection", "sqlite:///clinic.db", "--spark", "patients.csv"),
        ("--sql", "SELECT 1"),
        ("--connection", "sqlite:///clinic.db"),
    ],
)
def test_the_records_are_given_exactly_once(clinic, capfd, words):
    assert main(["release", *words, *WORDS]) == 2
    assert main(["confidence", "out.json", *words, *JUDGED]) == 2
    assert not Path("out.json").exists()
    assert not Path("clinic.ledger").exists()


def test_a_refused_password_and_an_undeclared_value_cost_nothing_and_show_nothing(clinic, postgres, capfd):
    need("ibis")
    wrong = postgres.replace(PASSWORD, f"Wrong-{PASSWORD}")
    assert main(["release", "--sql", "SELECT 1", "--connection", wrong, *WORDS]) == 5
    name = fill_postgres(postgres, RECORDS)
    query = f"SELECT name AS smoke, lung FROM {name}"
    assert main(["release", "--sql", query, "--connection", postgres, *WORDS]) == 4
    output = "".join(capfd.readouterr())
    assert "'smoke' holds a value that is not declared" in output
    assert PASSWORD not in output
    assert SECRET not in output
    assert not Path("out.json").exists()
    assert Ledger("clinic.ledger").spent == 0


def test_an_undeclared_value_in_a_database_is_not_judged_and_not_shown(clinic, capfd):
    need("ibis")
    sqlite_file("clinic.db", RECORDS, "patients")
    assert main(["release", "patients.csv", *WORDS]) == 0
    source = ("--sql", "SELECT name AS smoke, lung FROM patients", "--connection", "sqlite:///clinic.db")
    assert main(["confidence", "out.json", *source, *JUDGED]) == 4
    output = "".join(capfd.readouterr())
    assert "'smoke' holds a value that is not declared" in output
    assert SECRET not in output
    assert not Path("trust.json").exists()
    assert Ledger("clinic.ledger").spent == Fraction(1, 2)
