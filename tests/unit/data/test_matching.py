"""The likely cause of a missing column is named, in words that are declared: a first line may be somebody's record."""

import re
import traceback

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet import DataError, LinearModel
from discreet.counts import family_counts
from discreet.counts.moments import moments
from discreet.data import code_batches
from discreet.data.matching import missing_column
from discreet.model.network import Network
from discreet.model.variable import Variable

NETWORK = Network([Variable("sex", ["f", "m"]), Variable("age group", ["young", "old"])])
MODEL = LinearModel({"sex": (0, 1)}, ("age group", (0, 1)))
SECRET = "Sapphire"
HEADERS = {
    "Sex,age group": "differs from 'sex' only in capitals",
    "SEX,AGE GROUP": "differs from 'sex' only in capitals",
    "sex, age group": "differs from 'age group' only in capitals, or in blanks",
    "sex ,age group": "differs from 'sex' only in capitals, or in blanks",
    "'sex','age group'": "differs from 'sex' only in capitals, or in blanks or quotation marks",
    f"{SECRET};sex;age group": "separated by semicolons",
    f'"{SECRET}";"sex";"age group"': "separated by semicolons",
    f"sex;age group;income, {SECRET}": "separated by semicolons",
    "Sex; Age Group": "separated by semicolons",
    f"sex\tage group\t{SECRET}": "separated by tabs",
    f"sex|{SECRET}|age group": "separated by vertical bars",
    f"sex {SECRET}": "separated by blanks",
    f"sex birth {SECRET},age group": "A CSV file needs a header line",
    f"{SECRET},m,old": "A CSV file needs a header line",
    f"{SECRET};m;old": "A CSV file needs a header line",
}


def shown(error):
    return "".join(traceback.format_exception(error)) + repr(error.__context__)


def refusals(table):
    """What is said about a table that lacks a column, to all who read tables."""
    for read in (
        lambda: family_counts(table, NETWORK),
        lambda: list(code_batches(table, NETWORK)),
        lambda: moments(table, MODEL),
    ):
        with pytest.raises(DataError) as caught:
            read()
        yield caught.value


@pytest.mark.parametrize(("header", "cause"), HEADERS.items(), ids=HEADERS.keys())
def test_the_cause_is_named_and_no_other_word_of_the_first_line(tmp_path, header, cause):
    path = tmp_path / "records.csv"
    path.write_text(f"{header}\nm,old\n")
    for error in refusals(path):
        assert cause in str(error)
        assert SECRET not in shown(error)
        undeclared = set(re.findall(r"\w+", header)) - {"sex", "age", "group", "m"}  # "m" as in "seem"
        assert not [word for word in undeclared if word in str(error)]


@pytest.mark.parametrize("header", ["sexx,age group", "sex,age gruop", "sex,agegroup"])
def test_a_slip_of_the_pen_is_told_without_the_word_that_was_found(tmp_path, header):
    path = tmp_path / "records.csv"
    path.write_text(f"{header}\nm,old\n")
    for error in refusals(path):
        assert re.fullmatch(
            r"The table has no column '(sex|age group)'\. One of its columns is nearly called so: check how it is spelled\.",
            str(error),
        )


def test_a_declared_column_is_no_slip_of_the_pen_for_another():
    network = Network([Variable("drug1", ["0", "1"]), Variable("drug2", ["0", "1"])])
    model = LinearModel({"drug1": (0, 1)}, ("drug2", (0, 1)))
    frame = pl.DataFrame({"drug1": [0, 1]})
    for read in (lambda: family_counts(frame, network), lambda: moments(frame, model)):
        with pytest.raises(DataError, match="A CSV file needs a header line"):
            read()


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table])
@pytest.mark.parametrize("found", ["Age Group", " age group", "age group "])
def test_records_that_may_lack_columns_may_not_have_them_under_nearly_the_same_name(make, found):
    table = make({"sex": ["f"], found: ["old"]})
    with pytest.raises(DataError, match=r"no column 'age group'\. It has one that differs from 'age group' only in capitals"):
        list(code_batches(table, NETWORK, partial=True))


def test_nodes_that_are_called_alike_may_each_be_absent():
    network = Network([Variable("Sex", ["f", "m"]), Variable("sex", ["f", "m"])])
    (codes,) = code_batches(pl.DataFrame({"sex": ["f"]}), network, partial=True)
    assert list(codes) == ["sex"]


TABLES = {
    "Polars": pl.DataFrame,
    "lazy Polars": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "PyArrow": pa.table,
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES.keys())
def test_the_cause_is_named_for_other_tables(make):
    for error in refusals(make({"Sex ": [0, 1], SECRET: [0, 1]})):
        assert "differs from 'sex' only in capitals, or in blanks" in str(error)
        assert SECRET not in shown(error)
    for error in refusals(make({f"sex;{SECRET};age group": ["0;0;1"]})):
        assert "separated by semicolons" in str(error)
        assert SECRET not in shown(error)


def test_the_cause_is_named_for_parquet_files(tmp_path):
    pl.DataFrame({"SEX": [0], "age group": [1]}).write_parquet(tmp_path / "records.parquet")
    for error in refusals(tmp_path / "records.parquet"):
        assert "differs from 'sex' only in capitals" in str(error)


def test_an_engine_names_the_cause_too():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        for error in refusals(connection.sql(f"""SELECT 0 AS "Sex ", 1 AS "age group", 2 AS {SECRET}""")):
            assert "differs from 'sex' only in capitals, or in blanks" in str(error)
            assert SECRET not in shown(error)


def test_a_table_with_a_column_alike_and_the_declared_one_is_read():
    frame = pl.DataFrame({"sex": ["f"], "Sex": ["m"], "age group": ["old"]})
    assert family_counts(frame, NETWORK)["sex"].tolist() == [[1, 0]]


@pytest.mark.parametrize("found", ["Straße", "STRASSE", "ＳＴＲＡＳＳＥ", "\ufeffstrasse"])
def test_letters_that_are_written_in_several_ways_are_compared(found):
    assert "differs from 'strasse' only" in str(missing_column("strasse", [found], "Called so."))


def test_records_with_none_of_the_columns_get_the_cause_where_gaps_are_allowed():
    with pytest.raises(DataError, match="separated by semicolons"):
        list(code_batches(pl.DataFrame({"sex;age group": ["f;old"]}), NETWORK, partial=True))
    with pytest.raises(DataError, match=r"None of the table's columns .* differs from 'sex' only in capitals"):
        list(code_batches(pl.DataFrame({"Sex": ["f"]}), NETWORK, partial=True))
