"""`discreet declare`: a schema to fill in, filled in from a codebook, and whether every record fits."""

import json
from pathlib import Path

import polars as pl
import pytest

import discreet as dc

SECRET = "Sapphire-4711"


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(f"age,sex,free\n41,m,{SECRET}\n23,f,x\n")
    Path("codebook.csv").write_text("variable,value,label,cuts\nage,,,25 35\nsex,m,man\nsex,f,woman\nheight,1,tall\n")
    return tmp_path


def test_a_skeleton_has_the_names_and_says_what_is_open(people, discreet):
    done = discreet("declare", "people.csv", "-o", "people.schema.json")
    assert done.code == 0
    assert done.out == ""
    assert "3 columns, 3 open" in done.err
    assert done.err.count("Open: ") == 1
    assert "Open: age, sex, free: each has no levels: add categories" in done.err.replace("'", "")
    assert "name it with --person" in done.err
    assert "if that is a record and no header line, delete the schema" in done.err
    assert dc.read_schema("people.schema.json").names == ("age", "sex", "free")
    assert SECRET not in Path("people.schema.json").read_text() + done.err


def test_a_codebook_fills_it_in_and_what_it_has_beyond_is_told(people, discreet):
    done = discreet("declare", "people.csv", "--codebook", "codebook.csv", "-o", "people.schema.json")
    assert done.code == 0
    assert done.err.count("Open: ") == 1
    assert "variables that the table has not: height" in done.err
    assert dc.read_schema("people.schema.json").column("age").levels == ("<25", "[25, 35)", ">=35")
    fields = json.loads(Path("people.schema.json").read_text())["fields"]
    assert ["open" in field for field in fields] == [False, False, True]


def test_without_a_file_to_write_the_schema_is_printed(people, discreet):
    done = discreet("declare", "people.csv")
    assert [field["name"] for field in done.json["fields"]] == ["age", "sex", "free"]


def test_a_schema_that_exists_is_replaced_only_if_asked(people, discreet):
    Path("people.schema.json").write_text("{}")
    assert discreet("declare", "people.csv", "-o", "people.schema.json").code != 0
    assert discreet("declare", "people.csv", "-o", "people.schema.json", "--force").code == 0
    assert discreet("declare", "people.csv", "-o", "people.csv", "--force").code == 2
    assert discreet("declare", "people.csv", "--codebook", "codebook.csv", "-o", "codebook.csv", "--force").code == 2


def test_categories_are_trusted_only_where_asked_and_it_says_what_that_means(people, discreet):
    pl.DataFrame({"sex": pl.Series(["m"], dtype=pl.Enum(["m", "f"]))}).write_parquet("people.parquet")
    plain = discreet("declare", "people.parquet")
    assert plain.json["fields"][0]["categories"] == []
    assert "first line" not in plain.err
    trusted = discreet("declare", "people.parquet", "--trust-categories")
    assert trusted.json["fields"][0]["categories"] == ["m", "f"]
    assert "the categories of sex were taken" in trusted.err
    assert "If they were collected from the records" in trusted.err


def test_trust_without_categories_says_that_nothing_was_trusted(people, discreet):
    done = discreet("declare", "people.csv", "--trust-categories")
    assert "changed nothing" in done.err
    assert "collected from the records" not in done.err


def test_the_folder_that_one_is_in_may_be_the_table(people, discreet):
    (people / "codebook.csv").unlink()
    assert discreet("declare", ".", "-o", "schema.json", "--force").code == 2  # it would lie among the records
    done = discreet("declare", ".")
    assert [field["name"] for field in done.json["fields"]] == ["age", "sex", "free"]


@pytest.fixture
def declared(people, discreet):
    Path("few.csv").write_text(Path("people.csv").read_text())
    assert discreet("declare", "people.csv", "--codebook", "codebook.csv", "-o", "open.json").code == 0
    schema = dc.read_schema("open.json").select(["age", "sex"])
    dc.write_schema(schema, "people.schema.json")
    return people


def test_records_that_fit_are_said_to_fit_for_the_steward_alone(declared, discreet):
    done = discreet("declare", "--check", "people.csv", "people.schema.json")
    assert done.code == 0
    assert "Every record fits" in done.err
    assert "do not publish" in done.err
    assert discreet("declare", "--check", "people.csv", "people.schema.json", "--json").json["fits"] is True


def test_a_misfit_is_a_column_and_a_kind_and_never_a_value(declared, discreet):
    Path("people.csv").write_text(f"age,sex\n{SECRET},m\n23,\n")
    for more in ((), ("--json",)):
        done = discreet("declare", "--check", "people.csv", "people.schema.json", *more)
        assert done.code == 4
        assert "do not publish" in done.err
        assert SECRET not in done.out + done.err
    done = discreet("declare", "--check", "people.csv", "people.schema.json")
    assert "1 different value that is not declared" in done.out
    assert "missing values, for which no level is declared" in done.out


def test_several_files_and_options_of_text_are_for_checks_too(declared, discreet):
    Path("1.txt").write_text("age;sex\n1,5;m\n")
    Path("2.txt").write_text("age;sex\n60;f\n")
    words = ("1.txt", "2.txt", "people.schema.json", "--delimiter", ";")
    assert discreet("declare", "--check", *words, "--decimal", ",").code == 0
    refused = discreet("declare", "--check", *words)
    assert refused.code == 4
    assert "--decimal ," in refused.err


@pytest.mark.parametrize(
    "words",
    [("people.csv",), ("people.schema.json",), (), ("people.csv", "people.schema.json", "-o", "x.json")],
    ids=["no schema", "no table", "nothing", "output"],
)
def test_a_check_needs_a_table_and_a_schema(declared, discreet, words):
    assert discreet("declare", "--check", *words).code == 2
