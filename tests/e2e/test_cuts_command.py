"""`discreet cuts`: from a table and bounds to a schema with cuts that were paid for, and a release made with it."""

import json

import polars as pl
import pytest

import discreet as dc

SCHEMA = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 17, "maximum": 90}},
        {"name": "income", "categories": ["low", "high"]},
    ]
}
WORDS = ("people.csv", "--schema", "people.schema.json", "--column", "age", "--parts", 4, "--ledger", "people.ledger")


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.schema.json").write_text(json.dumps(SCHEMA))
    rows = {"id": [place // 2 for place in range(4000)], "age": [17 + place % 74 for place in range(4000)]}
    pl.DataFrame(rows).with_columns(
        income=pl.when(pl.col("age") > 50).then(pl.lit("high")).otherwise(pl.lit("low"))
    ).write_csv("people.csv")
    return tmp_path


def test_cuts_are_paid_for_written_and_told_by_the_release(discreet, people):
    done = discreet("cuts", *WORDS, "--epsilon", "1", "--cap", 3, "-o", "cut.schema.json")
    assert (done.code, done.out) == (0, "")
    found = dc.read_schema("cut.schema.json").column("age")
    assert f"Cuts of age: {', '.join(found.cuts)}." in done.err
    assert f"Paid: {found.receipt}." in done.err
    assert all(abs(int(cut) - right) <= 3 for cut, right in zip(found.cuts, (35.5, 54, 72.5), strict=True))
    words = ("--schema", "cut.schema.json", "--target", "income", "--epsilon", "1", "--ledger", "people.ledger")
    made = discreet("release", "people.csv", *words, "-o", "people.json")
    assert made.code == 0
    assert "The cuts of 'age' were chosen privately from records." in made.err
    assert found.receipt in made.err
    shown = next(
        each["text"] for each in discreet("show", "people.json", "--json").json["caveats"] if each["name"] == "chosen-cuts"
    )
    assert found.receipt in shown
    assert dc.Ledger("people.ledger").history()[0].purpose == "cuts of age"


def test_the_same_as_json(discreet, people):
    done = discreet("cuts", *WORDS, "--epsilon", "1", "--cap", 1, "--grid", "30, 50, 70", "-o", "cut.schema.json", "--json")
    assert done.json["cuts"] == ["30", "50", "70"]
    assert done.json["levels"] == ["[17, 30)", "[30, 50)", "[50, 70)", "[70, 90]"]
    assert set(done.json) == {"output", "column", "cuts", "levels", "receipt"}


def test_persons_are_protected(discreet, people):
    words = ("--person", "id", "--rows-per-person", "average", "--grid", "5")
    done = discreet("cuts", *WORDS, "--epsilon", "0.5", "--cap", 1, *words, "-o", "cut.schema.json")
    assert done.code == 0
    assert "protects one person, represented by the average of at most 12 records" in done.err
    assert all(int(cut) % 5 == 0 for cut in dc.read_schema("cut.schema.json").column("age").cuts)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--epsilon", "2", "-o", "cut.schema.json"), 3, "cap"),
        (("--epsilon", "0", "-o", "cut.schema.json"), 2, "greater than zero"),
        (("--epsilon", "1", "-o", "cut.txt"), 5, "ends in .json"),
        (("--epsilon", "1", "-o", "people.schema.json"), 2, "also an input"),
        (("--epsilon", "1", "--column", "income", "-o", "cut.schema.json"), 2, "only numbers and dates have cuts"),
        (("--epsilon", "1", "--parts", "1", "-o", "cut.schema.json"), 2, "at least 2"),
        (("--epsilon", "1", "--grid", "60", "-o", "cut.schema.json"), 2, "can be cut into 2 to 2 parts"),
        (("--epsilon", "1", "--schema", "people.csv", "-o", "cut.schema.json"), 2, "is a table of records"),
        (("--epsilon", "1", "--rows", "7", "-o", "cut.schema.json"), 4, "declared number of records"),
    ],
)
def test_what_is_refused_costs_nothing_and_says_what_to_do(discreet, people, words, code, said):
    dc.Ledger("people.ledger", cap="1")
    done = discreet("cuts", *WORDS, *words)
    assert done.code == code
    assert said in done.err.replace("\n", " ")
    assert dc.Ledger("people.ledger").history() == []
    assert not (people / "cut.schema.json").exists()
