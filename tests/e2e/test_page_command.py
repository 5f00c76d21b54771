"""`discreet page` and `discreet report`, through files."""

import json
import re

import pytest


def content(path):
    text = path.read_text("utf-8")
    return json.loads(re.search(r'<script type="application/json" id="release">(.*?)</script>', text, re.DOTALL)[1])


def test_page_writes_one_file_about_the_release(discreet, clinic):
    done = discreet("page", "clinic.json", "-o", "clinic.html")
    assert (done.code, done.out) == (0, "")
    assert "open it in a browser" in done.err
    found = content(clinic / "clinic.html")
    assert [node["name"] for node in found["nodes"]] == ["smoke", "lung", "xray"]
    assert found["digest"] == json.loads((clinic / "clinic.json").read_text())["digest"]
    assert found["file"] == "clinic.json"
    assert (found["outer"], found["inner"]) == (500, 2)


@pytest.mark.slow
def test_the_same_release_gives_the_same_page(discreet, clinic):
    for name in ("one.html", "two.html"):
        assert discreet("page", "clinic.json", "-o", name).code == 0
    assert (clinic / "one.html").read_bytes() == (clinic / "two.html").read_bytes()


@pytest.mark.slow
def test_page_with_a_prior_or_longer_chains_of_ones_own_is_another_page(discreet, clinic):
    for name, words in {"file.html": [], "own.html": ["--prior", "jeffreys"], "long.html": ["--rounds", "200"]}.items():
        assert discreet("page", "clinic.json", "-o", name, *words).code == 0
    pages = [content(clinic / name) for name in ("file.html", "own.html", "long.html")]
    assert len({page["means"] for page in pages}) == 3
    assert any("prior" in fact for _, fact in pages[1]["facts"])


def test_report_is_html_or_markdown_by_its_name(discreet, clinic):
    assert discreet("report", "clinic.json", "-o", "report.html").code == 0
    assert discreet("report", "clinic.json", "-o", "report.md").code == 0
    assert (clinic / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert (clinic / "report.md").read_text("utf-8").startswith("# smoke, lung, xray")


def test_other_names_and_files_that_exist_are_refused_before_any_chain_runs(discreet, clinic):
    for command, name, said in (("page", "a.pdf", ".html or .htm"), ("page", "a.md", ".html"), ("report", "a.txt", ".md")):
        refused = discreet(command, "clinic.json", "-o", name)
        assert refused.code == 2
        assert said in refused.err
    (clinic / "mine.html").write_text("mine")
    assert discreet("page", "clinic.json", "-o", "mine.html").code == 5
    assert (clinic / "mine.html").read_text() == "mine"
    assert discreet("page", "clinic.json", "-o", "mine.html", "--force").code == 0
    assert discreet("page", "clinic.bif", "-o", "new.html").code == 5
    assert not (clinic / "new.html").exists()


def test_a_plan_is_written_as_a_page_without_touching_data(discreet, clinic):
    done = discreet("plan", "clinic.bif", "--rows", 2000, "--html", "plan.html", "--ledger", "clinic.ledger")
    assert (done.code, done.out) == (0, "")
    assert "no data was touched" in done.err
    found = content(clinic / "plan.html")
    assert (found["kind"], found["rows"], found["file"]) == ("plan", 2000, "clinic.bif")
    assert [node["name"] for node in found["nodes"]] == ["smoke", "lung", "xray"]
    assert found["dataset"] == "default"
    assert found["points"][0]["remaining"] is not None
    assert "Nothing was charged" in found["points"][-1]["refused"]


@pytest.mark.slow
def test_a_plan_page_of_a_question_and_of_other_declarations(discreet, clinic):
    asked = ("--question", "lung given smoke=yes", "--width", "0.1")
    assert discreet("plan", "clinic.bif", "--rows", 2000, "--html", "asked.html", *asked).code == 0
    assert content(clinic / "asked.html")["question"]["title"] == "P(lung | smoke=yes)"
    (clinic / "weight.toml").write_text("[features]\nheight = [140, 210]\n[target]\nweight = [40, 140]\n")
    assert discreet("plan", "--model", "weight.toml", "--rows", 500, "--html", "line.html").code == 0
    assert content(clinic / "line.html")["model"] == "linear"


def test_what_is_wrong_with_a_plan_page_is_found_before_plans_are_made(discreet, clinic, monkeypatch):
    monkeypatch.setattr("discreet.mechanisms.pipeline.find_grid", None)
    (clinic / "there.html").write_text("mine")
    for words, code, said in (
        (("--html", "plan.pdf"), 2, ".html or .htm"),
        (("--html", "there.html"), 5, "exists"),
        (("--html", "plan.html", "--ledger", "none.ledger"), 2, "no such ledger"),
        (("--html", "plan.html", "--question", "lung"), 2, "go together"),
        (("--epsilon", "1", "--ledger", "clinic.ledger"), 2, "add --html"),
    ):
        refused = discreet("plan", "clinic.bif", "--rows", 100, *words)
        assert refused.code == code, words
        assert said in refused.err, words
