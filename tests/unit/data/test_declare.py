"""A schema to fill in: names and physical types of a table's columns, whatever its records are."""

import datetime as dt
import io
import json
import sqlite3
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from support.optional import need

from discreet import (
    Category,
    Csv,
    DataError,
    DiscreetError,
    Excel,
    FormatError,
    Schema,
    SchemaColumn,
    declare,
    misfits,
    sql_table,
)
from discreet.data.declare import declare_table
from discreet.model.files.schema_file import parse_schema, schema_to_json

SECRET = "Sapphire-4711"
FRAME = pl.DataFrame(
    {
        "age": [41, 67],
        "weight": [60.5, 80.0],
        "sex": ["m", SECRET],
        "born": [dt.date(1983, 1, 1), dt.date(1957, 1, 1)],
        "smokes": [True, False],
    }
)
OTHER = pl.DataFrame({name: FRAME[name].reverse().head(1) for name in FRAME.columns})
"""Other records with the same columns."""
TYPES = {"age": "integer", "weight": "number", "sex": "string", "born": "date", "smokes": "boolean"}


def types(schema):
    return {column.name: str(column.type) for column in schema.columns}


def tables(folder, frame):
    """The same records in every form that has types of its own."""
    frame.write_parquet(folder / "table.parquet")
    frame.write_ipc(folder / "table.arrow")
    yield folder / "table.parquet"
    yield folder / "table.arrow"
    yield frame
    yield frame.lazy()
    yield frame.to_arrow()
    yield need("duckdb").sql(f"SELECT * FROM '{folder / 'table.parquet'}'")


def test_types_are_those_of_the_table_and_no_record_matters(tmp_path):
    for one, other in zip(tables(tmp_path, FRAME), tables(tmp_path, OTHER), strict=True):
        schema = declare(one)
        assert types(schema) == TYPES
        assert schema == declare(other)
        assert SECRET not in repr(schema_to_json(schema))


def test_text_has_names_and_no_types(tmp_path):
    header = ";".join(FRAME.columns)
    for content in (f"{header}\n41;60,5;{SECRET};;\n", f"{header}\n", header):
        (tmp_path / "table.csv").write_text(content)
        for table in (Csv(tmp_path / "table.csv", ";"), Csv(io.BytesIO(content.encode()), ";")):
            schema = declare(table)
            assert types(schema) == dict.fromkeys(FRAME.columns, "string")
            assert all(not column.levels for column in schema.columns)
            assert len(schema.unfinished) == 5


def test_a_workbook_has_names_and_no_types(tmp_path):
    need("fastexcel")
    with need("xlsxwriter").Workbook(str(tmp_path / "table.xlsx")) as book:
        book.add_worksheet("notes")
        sheet = book.add_worksheet("one")
        sheet.write_row(0, 0, ["age", "sex"])
        sheet.write_row(1, 0, [41, SECRET])
    schema = declare(Excel(tmp_path / "table.xlsx", "one"))
    assert types(schema) == {"age": "string", "sex": "string"}
    assert SECRET not in repr(schema)


@pytest.mark.parametrize("kind", [".sav", ".dta"])
def test_a_statistics_file_has_types_and_its_labels_are_left_alone(tmp_path, kind):
    pyreadstat = need("pyreadstat")
    frame = FRAME.select("weight", "sex", "born")
    write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}[kind]
    write(frame, str(tmp_path / f"table{kind}"), variable_value_labels={"weight": {60: "light", 80: "heavy"}})
    schema = declare(tmp_path / f"table{kind}")
    assert types(schema) == {"weight": "number", "sex": "string", "born": "date"}
    assert not schema.column("weight").levels


def test_a_pandas_frame_and_a_dict_have_types_as_far_as_they_have_them():
    pandas = need("pandas")
    frame = pandas.DataFrame({"age": [1, 2], "weight": [0.5, 1], "sex": ["m", SECRET], "smokes": [True, False]})
    wanted = {"age": "integer", "weight": "number", "sex": "string", "smokes": "boolean"}
    assert types(declare(frame)) == wanted
    arrays = {name: np.array(frame[name].tolist()) for name in frame.columns}
    assert types(declare(arrays)) == wanted
    assert types(declare({"age": [1, 2], "sex": ["m", SECRET]})) == {"age": "string", "sex": "string"}


def test_a_database_says_what_it_knows(tmp_path):
    need("ibis")
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        connection.execute("CREATE TABLE people (age INTEGER, weight REAL, sex TEXT)")
        connection.execute("INSERT INTO people VALUES (41, 60.5, 'm')")
    connection.close()
    table = sql_table("SELECT * FROM people", f"sqlite:///{tmp_path / 'clinic.db'}")
    try:
        assert types(declare(table)) == {"age": "integer", "weight": "number", "sex": "string"}
    finally:
        table.get_backend().disconnect()


def test_categories_are_taken_only_where_somebody_says_that_they_were_declared(tmp_path):
    pandas = need("pandas")
    levels = ["low", "high"]
    enum = pl.DataFrame({"income": pl.Series(["low"], dtype=pl.Enum(levels)), "sex": ["m"]})
    enum.write_parquet(tmp_path / "table.parquet")
    category = pandas.DataFrame({"income": pandas.Categorical(["low"], categories=levels), "sex": ["m"]})
    for table in (enum, enum.lazy(), tmp_path / "table.parquet", category):
        assert declare(table).column("income").levels == ()
        trusted = declare(table, trust_categories=True)
        assert trusted.column("income").levels == ("low", "high")
        assert trusted.column("sex").levels == ()


def test_an_ndjson_file_has_no_header_and_is_refused(tmp_path):
    (tmp_path / "table.ndjson").write_text(f'{{"{SECRET}": 1}}\n')
    with pytest.raises(FormatError, match="no header") as caught:
        declare(tmp_path / "table.ndjson")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("header", [f"{SECRET},{SECRET}", f"{'x' * 1001},a", ",", "  "])
def test_names_that_cannot_be_declared_are_refused_and_not_shown(tmp_path, header):
    (tmp_path / "table.csv").write_text(header + "\n1,2\n")
    with pytest.raises(DiscreetError) as caught:
        declare(tmp_path / "table.csv")
    assert SECRET not in str(caught.value)


def test_a_column_without_a_name_is_left_out(tmp_path):
    """Such as the numbers that pandas writes before each record."""
    (tmp_path / "table.csv").write_text(",age,sex\n0,41,m\n")
    assert declare(tmp_path / "table.csv").names == ("age", "sex")


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match="not a table"):
        declare(42)


def test_what_is_open_is_marked_in_the_file_until_it_is_declared():
    schema = declare({"age": np.array([41]), "sex": ["m"]})
    said = schema_to_json(schema)
    assert [field["open"] for field in said["fields"]] == schema.unfinished
    said["fields"][0] |= {"cuts": ["25", "35"]}
    said["fields"][0].pop("categories")
    filled = parse_schema(json.dumps(said))
    assert filled.column("age").levels == ("<25", "[25, 35)", ">=35")
    assert "open" not in schema_to_json(filled)["fields"][0]


# Codebooks

CODEBOOK = """variable,value,label,type,minimum,maximum,cuts
sex,m,man
sex,f,woman
age,,Age in years,integer,17,90,25 35;45
weight,,,,20,200,
income,<=50K,
income,>50K,"more, much more"
other,1,one
"""
PEOPLE = {"age": np.array([41]), "sex": ["m"], "weight": np.array([60.5]), "income": ["x"], "free": ["text"]}


@pytest.fixture
def codebook(tmp_path):
    (tmp_path / "codebook.csv").write_text(CODEBOOK)
    return tmp_path / "codebook.csv"


def check_filled(schema):
    assert schema.column("sex").categories == (Category("m", "man"), Category("f", "woman"))
    assert schema.column("income").categories == (Category("<=50K"), Category(">50K", "more, much more"))
    age, weight = schema.column("age"), schema.column("weight")
    assert (age.title, age.cuts, age.minimum, age.maximum, age.type) == (
        "Age in years",
        ("25", "35", "45"),
        "17",
        "90",
        "integer",
    )
    assert weight.is_numeric
    assert [sentence.split()[0] for sentence in schema.unfinished] == ["'free'"]


def test_a_codebook_fills_in_levels_labels_bounds_and_cuts(codebook, tmp_path):
    declared = declare_table(PEOPLE, codebook)
    check_filled(declared.schema)
    assert declared.unused == ("other",)
    (tmp_path / "table.csv").write_text(",".join(PEOPLE) + "\n")
    check_filled(declare(tmp_path / "table.csv", codebook))


def test_a_codebook_may_have_other_words_another_delimiter_and_other_capitals(tmp_path):
    (tmp_path / "codebook.txt").write_bytes(
        "Name;Code;Bedeutung;LABEL\nSEX;m;x;männlich\nSEX;f;x;weiblich\n".encode("latin-1")
    )
    schema = declare({"sex": ["m"]}, Csv(tmp_path / "codebook.txt", ";", "latin-1"))
    assert schema.column("sex").categories == (Category("m", "männlich"), Category("f", "weiblich"))


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "windows-1252", "utf-16"])
def test_how_a_codebook_is_written_need_not_be_said(tmp_path, sign, encoding):
    """It is public: what looks at it looks at nobody."""
    rows = [("Variable", "Code", "Meaning"), ("sex", "m", "Männer"), ("sex", "f", "Fräulein, Frauen; alle|beide")]
    written = "\r\n".join(sign.join(f'"{word}"' if set(word) & set(";,|") else word for word in row) for row in rows)
    (tmp_path / "codebook.csv").write_bytes(written.encode(encoding))
    labels = [each.label for each in declare({"sex": ["m"]}, tmp_path / "codebook.csv").column("sex").categories]
    assert labels == ["Männer", "Fräulein, Frauen; alle|beide"]


def test_a_workbook_may_be_a_codebook(tmp_path):
    need("fastexcel")
    with need("xlsxwriter").Workbook(str(tmp_path / "codebook.xlsx")) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate([["variable", "value", "label"], ["sex", 1, "man"], ["sex", 2, "woman"]]):
            sheet.write_row(place, 0, row)
    assert declare({"sex": ["1"]}, tmp_path / "codebook.xlsx").column("sex").levels == ("1", "2")


@pytest.mark.parametrize("kind", [".sav", ".dta"])
def test_labels_of_a_statistics_file_are_a_codebook(tmp_path, kind):
    pyreadstat = need("pyreadstat")
    write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}[kind]
    more = {"missing_ranges": {"sex": [-9]}} if kind == ".sav" else {}
    labels = {"sex": {1: "man", 2: "woman", -9: "refused"}}
    frame = pl.DataFrame({"sex": [1.0], "name": [SECRET]})
    write(frame, str(tmp_path / f"labels{kind}"), variable_value_labels=labels, column_labels={"sex": "Sex"}, **more)
    column = declare({"sex": ["1"], "name": ["x"]}, tmp_path / f"labels{kind}").column("sex")
    assert column.title == "Sex"
    assert column.type == "integer"
    if kind == ".sav":
        assert column.levels == ("1", "2", "missing")
        assert column.missing_values == ("", "-9")
    else:
        assert set(column.levels) == {"1", "2", "-9"}


def test_labels_of_spss_say_the_order_and_which_codes_mean_missing(tmp_path):
    pyreadstat, path = need("pyreadstat"), tmp_path / "table.sav"
    frame = pl.DataFrame({"trust": [1.0], "weight": [60.0]})
    pyreadstat.write_sav(
        frame,
        str(path),
        variable_value_labels={"trust": {1: "none", 2: "some"}},
        missing_ranges={"trust": [-8], "weight": [-9]},
        variable_measure={"trust": "ordinal", "weight": "scale"},
    )
    trust, weight = declare(path, path).columns
    assert trust.ordered
    assert (trust.levels, trust.missing_values) == (("1", "2", "missing"), ("", "-8"))
    assert (weight.type, weight.ordered, weight.missing_values) == ("number", False, ("", "-9"))
    assert weight.unfinished


def test_letters_of_stata_for_missing_values_are_no_levels(tmp_path):
    pyreadstat, path = need("pyreadstat"), tmp_path / "table.dta"
    held = need("pandas").DataFrame({"trust": [1, "a"]})
    labels = {"trust": {1: "none", 2: "some", "a": "refused"}}
    pyreadstat.write_dta(held, str(path), variable_value_labels=labels, missing_user_values={"trust": ["a"]})
    schema = declare(path, path)
    assert schema.columns[0].levels == ("1", "2", "missing")
    assert misfits(path, schema).fits


def test_a_catalog_of_sas_has_labels_for_the_columns_of_its_table(tmp_path, monkeypatch):
    """No package here writes files of SAS: what pyreadstat says of one stands in for it."""
    pyreadstat, asked = need("pyreadstat"), []

    def read(path, catalog_file=None, **options):
        asked.append((path, catalog_file, options["metadataonly"]))
        said = {
            "column_names": ["SEX"],
            "readstat_variable_types": {"SEX": "string"},
            "original_variable_types": {"SEX": "$A"},
            "column_names_to_labels": {"SEX": "sex at birth"},
            "variable_value_labels": {"SEX": {"1": "man", "2": "woman"}} if catalog_file else {},
            "missing_ranges": {},
            "variable_measure": {},
        }
        return pl.DataFrame(), SimpleNamespace(**said)

    monkeypatch.setattr(pyreadstat, "read_sas7bdat", read)
    table, catalog = tmp_path / "table.sas7bdat", tmp_path / "formats.sas7bcat"
    for path in (table, catalog):
        path.touch()
    column = declare(table, catalog).columns[0]
    assert column.categories == (Category("1", "man"), Category("2", "woman"))
    assert asked[-1] == (str(table), str(catalog), True)
    assert declare(table, table).columns[0].title == "sex at birth"
    with pytest.raises(FormatError, match="which column has which format"):
        declare({"SEX": ["1"]}, catalog)


@pytest.mark.parametrize("ending", [".sav", ".dta", ".sas7bdat"])
def test_a_damaged_codebook_is_refused_in_our_words(tmp_path, ending):
    need("pyreadstat")
    path = tmp_path / f"codebook{ending}"
    with pytest.raises(FormatError, match="There is no file"):
        declare({"SEX": ["1"]}, path)
    path.write_text(SECRET)
    with pytest.raises(FormatError, match="damaged") as caught:
        declare({"SEX": ["1"]}, path)
    assert caught.value.__context__ is None


def test_another_schema_is_a_codebook():
    other = Schema([SchemaColumn("sex", categories=["m", "f"]), SchemaColumn("years", "integer", cuts=["25"], column="age")])
    schema = declare(PEOPLE, other)
    assert schema.column("sex").levels == ("m", "f")
    assert schema.column("years") == other.column("years")


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ("a,b\n1,2\n", "A codebook has a header line"),
        ("variable,value\nsex,m\nsex,m\n", "more than once"),
        ("variable,value\nage,young\nage,old\n", "is no integer"),
        ("variable,value,type\nage,,colour\n", "The type of 'age'"),
        ("variable,value,cuts\nage,,35 25\n", "codebook contradicts itself"),
        ('variable,value\nsex,"m\n', "quotation mark"),
    ],
)
def test_a_codebook_that_cannot_be_is_refused(tmp_path, content, advice):
    (tmp_path / "codebook.csv").write_text(content)
    with pytest.raises(DiscreetError, match=advice):
        declare(PEOPLE, tmp_path / "codebook.csv")


def test_a_file_that_is_no_codebook_is_refused(tmp_path):
    (tmp_path / "codebook.pdf").write_bytes(b"%PDF")
    for wrong in (tmp_path / "codebook.pdf", 7):
        with pytest.raises(FormatError):
            declare(PEOPLE, wrong)
