"""Tables as people have them, through the command: the same records in another form give the same posterior."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from support.optional import need

RELEASE = ("--network", "clinic.bif", "--epsilon", "0.1", "--ledger", "clinic.ledger", "-o", "new.json")


def updated(discreet, *words):
    """What `update` makes of the records: exact counts, so that equal records give equal files."""
    done = discreet("update", "clinic.json", *words, "-o", "updated.json", "--force")
    assert done.code == 0, done.err
    document = json.loads(Path("updated.json").read_text())
    return {name: value for name, value in document.items() if name not in ("digest", "created", "at")}


@pytest.fixture
def forms(clinic, discreet):
    """The records as they are, and in other forms."""
    text = Path("patients.csv").read_text()
    Path("semicolons.csv").write_text(text.replace(",", ";"))
    Path("tabs.tsv").write_text(text.replace(",", "\t"))
    Path("wide.txt").write_bytes(text.replace(",", "|").encode("utf-16"))
    frame = pl.read_csv("patients.csv", infer_schema=False)
    frame.write_ipc("patients.arrow")
    Path("parts").mkdir()
    frame[:700].write_parquet("parts/1.parquet")
    frame[700:].write_parquet("parts/2.parquet")
    return updated(discreet, "patients.csv")


@pytest.mark.parametrize(
    "words",
    [
        ("semicolons.csv", "--delimiter", ";"),
        ("semicolons.csv", "--delimiter", ";", "--decimal", ",", "--encoding", "latin-1"),
        ("tabs.tsv",),
        ("wide.txt", "--delimiter", "|", "--encoding", "utf-16"),
        ("patients.arrow",),
        ("parts",),
        ("parts/1.parquet", "parts/2.parquet"),
        ("parts/*.parquet",),
    ],
    ids=" ".join,
)
def test_the_same_records_in_another_form_are_the_same(forms, discreet, words):
    assert updated(discreet, *words) == forms


def test_records_come_from_standard_input(forms, discreet, monkeypatch):
    content = Path("semicolons.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert updated(discreet, "-", "--delimiter", ";") == forms
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert discreet("release", "-", "--delimiter", ";", *RELEASE, "--rows", "2000").code == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path("patients.csv").read_bytes())))
    done = discreet("predict", "clinic.json", "-", "--target", "lung")
    assert done.out.count("\n") == 2001


def test_release_and_predict_take_the_same_options(forms, discreet):
    assert discreet("release", "semicolons.csv", "--delimiter", ";", *RELEASE, "--rows", "2000").code == 0
    plain = discreet("predict", "clinic.json", "patients.csv", "--target", "lung")
    other = discreet("predict", "clinic.json", "wide.txt", "--delimiter", "|", "--encoding", "utf-16", "--target", "lung")
    assert plain.out == other.out


def test_a_delimiter_that_is_missing_is_named_as_the_option(forms, discreet):
    done = discreet("release", "semicolons.csv", *RELEASE)
    assert done.code == 4
    assert "separated by semicolons. Say so: --delimiter ';'" in done.err
    assert not Path("new.json").exists()


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("patients.csv", "--delimiter", "ab"), "A delimiter is one of"),
        (("patients.csv", "--encoding", "utf-7"), "This encoding cannot be read"),
        (("patients.csv", "--decimal", ","), "between fields and before decimals"),
        (("patients.csv", "--sheet", "one", "--decimal", ","), "A workbook has no delimiter"),
        (("--sql", "SELECT 1", "--connection", "sqlite:///x.db", "--delimiter", ";"), "about DATA, which is not given"),
    ],
)
def test_options_that_cannot_be_meant_are_wrong_usage(clinic, discreet, words, advice):
    done = discreet("release", *words, *RELEASE)
    assert done.code == 2
    assert advice in " ".join(done.err.split())


def test_no_file_that_is_read_is_written_over(forms, discreet):
    for inputs, output in ((("parts/1.parquet", "parts/2.parquet"), "parts/2.parquet"), (("parts",), "parts/new.parquet")):
        done = discreet("predict", "clinic.json", *inputs, "--target", "lung", "-o", output, "--force")
        assert done.code == 2
        assert "is also an input" in done.err


def test_a_workbook_with_several_sheets_names_the_option(clinic, discreet):
    need("fastexcel")
    with need("xlsxwriter").Workbook("table.xlsx") as book:
        book.add_worksheet("notes")
        pl.read_csv("patients.csv").write_excel(book, "2024")
    done = discreet("release", "table.xlsx", *RELEASE)
    assert done.code == 5
    assert "Say which one holds the records: --sheet NAME" in done.err
    assert discreet("release", "table.xlsx", "--sheet", "2024", *RELEASE, "--rows", "2000").code == 0
