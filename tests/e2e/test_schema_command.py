"""A release of raw values by the schema of their columns, without a network file; and what its holder does with it."""

import json
from pathlib import Path

import polars as pl
import pytest

import discreet as dc

SCHEMA = {
    "fields": [
        {
            "name": "age",
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 120},
            "cuts": ["25", "45"],
            "other": "(other)",
        },
        {
            "name": "work",
            "categories": [{"value": "state", "spellings": ["State-gov", "Federal-gov"]}, "private"],
            "fold": True,
        },
        {"name": "income", "categories": [{"value": "low", "spellings": ["<=50K"]}, {"value": "high", "spellings": [">50K"]}]},
    ]
}


@pytest.fixture
def census(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adult.schema.json").write_text(json.dumps(SCHEMA))
    rows = {
        "age": [17 + place % 60 for place in range(2000)],
        "work": [("State-gov", " private", "Private")[place % 3] for place in range(2000)],
        "income": [">50K" if place % 60 > 30 else "<=50K" for place in range(2000)],
    }
    pl.DataFrame(rows).write_csv("adult.csv")
    return tmp_path


WORDS = ("--schema", "adult.schema.json", "--target", "income", "--epsilon", "1")
LEDGER = ("--ledger", "adult.ledger", "--cap", "2")


def test_a_schema_and_a_target_need_no_network_file(discreet, census):
    done = discreet("release", "adult.csv", *WORDS, *LEDGER, "-o", "adult.json")
    assert done.code == 0
    assert "No graph was declared. This is naive Bayes" in done.err
    release = dc.load("adult.json")
    assert "assumed-graph" in [caveat.name for caveat in release.caveats]
    assert release.value.network == dc.naive_bayes(dc.read_schema("adult.schema.json"), "income")


def test_setting_a_level_of_an_assumed_graph_needs_somebody_who_answers_for_it(discreet, census):
    assert discreet("release", "adult.csv", *WORDS, *LEDGER, "-o", "adult.json").code == 0
    for words in (("query", "adult.json", "income"), ("probability", "adult.json", "income=high")):
        refused = discreet(*words, "--do", "work=private")
        assert refused.code == 2
        assert "Nobody has declared the arrows" in refused.err
        assert discreet(*words, "--do", "work=private", "--arrows-are-causes").code == 0
        assert discreet(*words, "--given", "work=private").code == 0


def test_a_plan_page_names_the_target_in_what_is_copied(discreet, census):
    assert discreet("plan", *WORDS[:4], "--rows", "2000", "--html", "plan.html").code == 0
    assert '"assumed":"income"' in Path("plan.html").read_text().replace(": ", ":")


@pytest.mark.slow
def test_the_holder_of_the_file_predicts_from_raw_values(discreet, census):
    """The reading is in the release file: nobody has to cut ages or to recode work again."""
    assert discreet("release", "adult.csv", *WORDS, *LEDGER, "-o", "adult.json").code == 0
    pl.DataFrame({"age": [20, 70], "work": ["private", "FEDERAL-GOV "]}).write_csv("new.csv")
    found = discreet("predict", "adult.json", "new.csv", "--target", "income")
    assert found.out.split() == ["income", "low", "high"]
    posterior = dc.load("adult.json").value
    assert posterior.query("income", given={"age": 70}).probability.argmax() == 1
    updated = dc.load("adult.json").update("adult.csv")
    assert updated.value.network == posterior.network


def test_the_library_takes_a_schema_where_it_takes_a_network(census):
    schema = dc.read_schema("adult.schema.json")
    made = dc.release("adult.csv", schema, epsilon="1", ledger=dc.Ledger("a.ledger", cap="1"), target="income")
    by_path = dc.release("adult.csv", "adult.schema.json", epsilon="1", ledger=dc.Ledger("b.ledger", cap="1"), target="income")
    assert made.value.network == by_path.value.network
    assert [caveat.name for caveat in made.caveats].count("assumed-graph") == 1


def test_a_plan_needs_the_schema_alone(discreet, census):
    assert "fourier" in discreet("plan", *WORDS, "--rows", "2000").out


def test_a_network_file_that_refers_to_the_schema_is_released(discreet, census):
    content = {
        "format": "discreet-network",
        "version": 1,
        "schema": "adult.schema.json",
        "parents": {"income": ["age", "work"]},
    }
    (census / "adult.network.json").write_text(json.dumps(content))
    words = ("--network", "adult.network.json", "--epsilon", "1", *LEDGER, "-o", "adult.json")
    assert discreet("release", "adult.csv", *words).code == 0
    assert dc.load("adult.json").value.network.parents["income"] == ("age", "work")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--schema", "adult.schema.json"), "--schema and --target go together"),
        (("--target", "income", "--network", "adult.schema.json"), "go together"),
        ((), "Declare what the records are about, once"),
        (("--schema", "adult.csv", "--target", "income"), "table of records"),
    ],
)
def test_a_declaration_that_is_not_one_is_wrong_usage(discreet, census, words, message):
    done = discreet("release", "adult.csv", *words, "--epsilon", "1", *LEDGER, "-o", "adult.json")
    assert done.code == 2
    assert message in " ".join(done.err.split())


def test_an_unfinished_schema_is_refused_with_what_to_add_and_nothing_is_charged(discreet, census):
    opened = {"fields": [*SCHEMA["fields"], {"name": "ward"}]}
    (census / "adult.schema.json").write_text(json.dumps(opened))
    done = discreet("release", "adult.csv", *WORDS, *LEDGER, "-o", "adult.json")
    assert done.code != 0
    assert "'ward' has no levels: add categories" in " ".join(done.err.split())
    assert not (census / "adult.ledger").exists()
    assert not (census / "adult.json").exists()


def test_a_misfit_is_refused_before_the_charge_and_the_value_is_not_told(discreet, census):
    with (census / "adult.csv").open("a") as table:
        table.write("33,Sapphire-4711,<=50K\n")
    done = discreet("release", "adult.csv", *WORDS, *LEDGER, "-o", "adult.json")
    assert done.code == 4
    assert "'work'" in done.err
    assert "4711" not in done.err
    assert dc.Ledger("adult.ledger").remaining == 2


def test_a_decimal_comma_that_nobody_spoke_of_is_named_as_the_option(tmp_path, monkeypatch, discreet):
    monkeypatch.chdir(tmp_path)
    Path("t.schema.json").write_text(
        '{"fields": [{"name": "x", "type": "number", "cuts": ["1"]}, {"name": "y", "categories": [1, 2]}]}'
    )
    Path("t.csv").write_text("x;y\n0,5;1\n1,5;2\n")
    words = ("release", "t.csv", "--delimiter", ";", "--schema", "t.schema.json", "--target", "y", "--epsilon", "1")
    more = ("--ledger", "t.ledger", "--cap", "1", "-o", "t.json", "--one-row-per-person")
    refused = discreet(*words, *more)
    assert refused.code == 4
    assert "--decimal ," in refused.err
    assert dc.Ledger("t.ledger").remaining == 1
    assert discreet(*words, *more, "--decimal", ",").code == 0


def test_labels_of_a_survey_reach_its_reader(tmp_path, monkeypatch, discreet):
    monkeypatch.chdir(tmp_path)
    trust = {
        "name": "q1",
        "title": "trust in parliament",
        "type": "integer",
        "categories": [1, {"value": 2, "label": "a lot"}],
    }
    sex = {"name": "sex", "categories": [{"value": "1", "label": "man"}, {"value": "2", "label": "woman"}]}
    Path("survey.schema.json").write_text(json.dumps({"fields": [trust, sex]}))
    pl.DataFrame({"q1": [1, 2] * 50, "sex": [1, 1, 2, 2] * 25}).write_csv("survey.csv")
    words = ("--schema", "survey.schema.json", "--target", "sex", "--epsilon", "1", "--one-row-per-person")
    assert discreet("release", "survey.csv", *words, "--ledger", "s.ledger", "--cap", "1", "-o", "survey.json").code == 0
    shown = discreet("show", "survey.json").out
    assert "q1 (trust in parliament)   1, 2 (a lot)" in shown
    assert "1 (man)" in discreet("show", "survey.json", "sex").out
    asked = discreet("query", "survey.json", "sex", "--given", "q1=2", "--plugin")
    assert "2 (woman)" in asked.out
    assert [row["levels"] for row in discreet("query", "survey.json", "sex", "--plugin", "--json").json["distribution"]] == [
        {"sex": "1"},
        {"sex": "2"},
    ]
    assert "2 (woman)" in discreet("query", "survey.json", "sex", "--given", "q1=2", "--against", "q1=1", "--plugin").out
    assert discreet("report", "survey.json", "-o", "report.md").code == 0
    report = Path("report.md").read_text().replace("\\", "")
    assert "| q1 (trust in parliament) | 1 |" in report
    assert "| 2 (woman) | 2 (a lot) |" in report
    refused = discreet("query", "survey.json", "q1", "--given", "sex=Woman")
    assert refused.code == 2
    assert "That is the label of '2': name the level." in refused.err
