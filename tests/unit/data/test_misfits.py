"""Whether every record fits: columns and kinds of misfit, for the steward, and never a value."""

import sqlite3
import traceback

import polars as pl
import pytest
from support.optional import need

from discreet import DiscreetError, DomainError, ModelError, Network, Schema, SchemaColumn, misfits, sql_table
from discreet.counts import family_counts

SECRET = "Sapphire-4711"
SCHEMA = Schema(
    [
        SchemaColumn("sex", categories=["m", "f"]),
        SchemaColumn("age", "integer", cuts=["25", "35"], minimum="0", maximum="120"),
        SchemaColumn("town", categories=["Bern"], other="elsewhere", missing="unknown"),
        SchemaColumn("weight", "number", minimum="0", maximum="300"),
    ]
)
GOOD = {"sex": ["m", "f"], "age": ["24", "120"], "town": [SECRET, None], "weight": ["60.5", "1e2"]}
BAD = {
    "sex": ["m", SECRET, "M", SECRET, None],
    "age": ["24", "121", "old", "old", "7"],
    "town": ["Bern"] * 5,
    "weight": ["1", "2", SECRET, "3", "4"],
}


def said(found):
    return {each.name: (each.absent, each.undeclared, each.missing) for each in found.columns}


def forms(folder, rows):
    """The same texts in every engine."""
    frame = pl.DataFrame(rows)
    frame.write_csv(folder / "table.csv")
    frame.write_parquet(folder / "table.parquet")
    yield folder / "table.csv"
    yield folder / "table.parquet"
    yield frame
    yield rows
    yield need("duckdb").sql(f"SELECT * FROM '{folder / 'table.parquet'}'")


def test_records_that_fit_are_said_to_fit(tmp_path):
    for table in forms(tmp_path, GOOD):
        found = misfits(table, SCHEMA)
        assert found.fits
        assert "Every record fits" in repr(found)


def test_different_values_that_fit_nothing_are_counted_and_not_shown(tmp_path):
    for table in forms(tmp_path, BAD):
        found = misfits(table, SCHEMA)
        assert said(found) == {"sex": (False, 2, True), "age": (False, 2, False), "weight": (False, 1, False)}
        assert not found.fits
        assert SECRET not in repr(found) + repr(found.to_dict()) + found._repr_html_()
        assert "do not publish it" in " ".join(repr(found).split())


def test_numbers_and_gaps_of_a_typed_table_are_judged_by_their_meaning():
    frame = pl.DataFrame({"sex": ["m", "f"], "age": [24.0, None], "town": ["x", "y"], "weight": [float("inf"), 1]})
    assert said(misfits(frame, SCHEMA)) == {"age": (False, 0, True), "weight": (False, 1, False)}
    short = pl.DataFrame({"x": pl.Series([0.1, 0.3], dtype=pl.Float32)})
    assert misfits(short, Schema([SchemaColumn("x", "number", categories=["0.1", "0.3"])])).fits


def test_a_column_of_lists_fits_nothing():
    frame = pl.DataFrame({**GOOD, "sex": [["m"], [SECRET]], "weight": [[1.0], [2.0]]})
    assert said(misfits(frame, SCHEMA)) == {"sex": (False, 2, False), "weight": (False, 2, False)}


def test_a_column_that_is_not_there_is_named(tmp_path):
    for table in forms(tmp_path, {name: values for name, values in GOOD.items() if name != "age"}):
        assert said(misfits(table, SCHEMA)) == {"age": (True, 0, False)}


def test_of_a_column_that_is_open_nothing_is_said_but_that_it_is():
    found = misfits({"sex": [SECRET]}, Schema([SchemaColumn("sex")]))
    assert not found.fits
    assert found.columns == ()
    assert found.unfinished[0].startswith("'sex' has no levels")


def test_a_column_is_read_under_the_name_that_tables_have_for_it():
    schema = Schema([SchemaColumn("sex", categories=["m", "f"], column="SEX")])
    assert misfits({"SEX": ["m"]}, schema).fits
    assert said(misfits({"sex": ["m"]}, schema)) == {"sex": (True, 0, False)}


def test_very_many_different_values_are_counted_up_to_a_thousand():
    frame = pl.DataFrame({"sex": [str(number) for number in range(5000)] + [None]})
    found = misfits(frame, Schema([SchemaColumn("sex", categories=["m", "f"])]))
    assert said(found) == {"sex": (False, 1000, True)}
    assert "at least 1,000 different values" in found.columns[0].words()


def test_a_database_is_asked_for_different_values(tmp_path):
    need("ibis")
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        connection.execute("CREATE TABLE people (sex, age, town, weight)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", [("m", 24, "x", 1), (SECRET, 130, None, 2.5)])
    connection.close()
    table = sql_table("SELECT * FROM people", f"sqlite:///{tmp_path / 'clinic.db'}")
    try:
        assert said(misfits(table, SCHEMA)) == {"sex": (False, 1, False), "age": (False, 1, False)}
    finally:
        table.get_backend().disconnect()


def test_a_table_that_cannot_be_read_shows_none_of_itself(tmp_path):
    (tmp_path / "table.csv").write_text(f'sex,age\n"{SECRET},1\n')
    with pytest.raises(DiscreetError) as caught:
        misfits(tmp_path / "table.csv", SCHEMA)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_what_is_no_schema_is_refused():
    with pytest.raises(ModelError, match="is not a schema"):
        misfits({"sex": ["m"]}, {"sex": ["m", "f"]})


DAYS = Schema(
    [
        SchemaColumn("day", "date", column="Tag", cuts=["2023-07-01"]),
        SchemaColumn("pay", "number", cuts=["10", "20"]),
        SchemaColumn("sex", categories=["m", "f"], fold=True),
    ]
)
MESSY = {"Tag": ["29.02.2024", "2024-02-29"], "pay": ["12,5", "12.5"], "sex": ["m", None]}
ADVICE = {"day": "pl.col('Tag').str.to_date('%d.%m.%Y')", "pay": 'decimal=","', "sex": '"missing": "unknown"'}


def test_each_misfit_comes_with_what_to_do_about_it():
    found = misfits(MESSY, DAYS)
    assert {each.name for each in found.columns} == set(ADVICE)
    for each in found.columns:
        assert ADVICE[each.name] in each.advice
        assert ADVICE[each.name] in " ".join(repr(found).split())
    assert "29.02.2024" not in "".join(each.advice.replace("of days written 29.02.2024", "") for each in found.columns)


def test_a_release_that_is_refused_gives_the_same_advice():
    for name, line in ADVICE.items():
        network = Network(Schema([column for column in DAYS.columns if column.name == name]))
        with pytest.raises(DomainError) as refused:
            family_counts(MESSY, network)
        assert line in str(refused.value)


def test_the_line_that_mends_days_mends_them():
    german = pl.DataFrame(MESSY)[:1]
    assert "day" in {each.name for each in misfits(german, DAYS).columns}
    mended = german.with_columns(pl.col("Tag").str.to_date("%d.%m.%Y"))
    assert "day" not in {each.name for each in misfits(mended, DAYS).columns}
