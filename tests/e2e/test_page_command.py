"""`discreet page` and `discreet report`, through files."""

import json
import re


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


def test_the_same_release_gives_the_same_page(discreet, clinic):
    for name in ("one.html", "two.html"):
        assert discreet("page", "clinic.json", "-o", name).code == 0
    assert (clinic / "one.html").read_bytes() == (clinic / "two.html").read_bytes()


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
