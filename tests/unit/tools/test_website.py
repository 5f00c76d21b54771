"""What the site shows besides its pages is read off the source, all of it; and its checks notice planted faults."""

import re
from pathlib import Path

import pytest
import typer
from support.recipes import ROOT, tool

import discreet
from discreet.cli.app import app

claims, proofs, commands = tool("website.claims"), tool("website.proofs"), tool("website.commands")
names, navigation, links = tool("website.names"), tool("website.navigation"), tool("website.links")
docstrings, extension = tool("website.docstrings"), tool("website.extension")

DOCS = ROOT / "docs"
DOCSTRING = """Add noise to ``x``.

Claim:      |f(x)| <= 2 * x_1. Proof: it is so, and
            so on.                                  [Paper, Lemma 1; Some & Body 2020; GUARANTEES 1.1]
Requires:   nothing.
Checked by: tests/unit/tools/test_website.py::test_a_docstring_is_taken_apart
            tests/audit/test_small_worlds.py
"""


def test_a_docstring_is_taken_apart():
    claim = claims.read_claim("kernel/x.py", "f", DOCSTRING)
    assert (claim.about, claim.claim, claim.proof) == ("Add noise to ``x``.", "|f(x)| <= 2 * x_1.", "it is so, and so on.")
    assert (claim.requires, claim.sources) == ("nothing.", ("Paper, Lemma 1", "Some & Body 2020", "GUARANTEES 1.1"))
    test, file = claim.tests
    assert test.code.startswith("def test_a_docstring_is_taken_apart():")
    assert file == claims.Test("tests/audit/test_small_worlds.py", None)


def test_every_claim_of_the_source_is_on_one_page():
    texts = (path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    written = sum(len(re.findall(r"^ *Claim:", text, re.MULTILINE)) for text in texts)
    assert all(proofs.claims_of(page) for page in proofs.THEMES)
    shown = [claim for page in proofs.THEMES for claim in proofs.claims_of(page)]
    assert len(shown) == len(set(shown)) == written
    assert {path.stem for path in (DOCS / "proofs").glob("*.md")} == set(proofs.THEMES)


def test_a_claim_is_shown_with_its_proof_its_sources_and_the_code_of_its_tests():
    text = "\n".join(proofs._write_claim(claims.read_claim("kernel/x.py", "f", DOCSTRING)))
    assert "Proof\n: it is so, and so on." in text
    assert r"\|f\(x\)\| \<= 2 \* x\_1" in text  # Markdown takes none of it for bars, tags or emphasis
    assert "[Paper, Lemma 1](../paper-map.md); Some & Body 2020; statement [1.1](../guarantees.md#statement-1-1)" in text
    assert "```python\ndef test_a_docstring_is_taken_apart():" in text


def test_only_the_numbers_of_statements_lead_to_them():
    shown = proofs._write_source("GUARANTEES 1.1, 5.2b (e): b ~ n^(1/3)")
    links = "[1.1](../guarantees.md#statement-1-1), [5.2b](../guarantees.md#statement-5-2b) (e)"
    assert shown.startswith(f"statement {links}: ")
    assert shown.count("](") == 2


CITED = re.compile(r"GUARANTEES (\d+(?:\.\d+)?b?(?: \(\w+\))?(?:, \d+(?:\.\d+)?b?)*)")


def test_every_statement_that_is_cited_is_on_the_page_of_statements():
    stated = set(re.findall(r"^### (\S+) ", (DOCS / "guarantees.md").read_text("utf-8"), re.MULTILINE))
    targets = re.findall(r"^\(statement-(\S+)\)=$", (DOCS / "guarantees.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(targets) == sorted(number.replace(".", "-") for number in stated)
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *DOCS.rglob("*.md")]
    texts = {path: " ".join(path.read_text("utf-8").split()) for path in files if path.name != "test_website.py"}
    cited = {(number, path.name) for path, text in texts.items() for found in CITED.findall(text)
             for number in re.findall(r"\d+(?:\.\d+)?b?", found)}  # fmt: skip
    assert len(cited) > 50
    assert {each for each in cited if each[0] not in stated} == set()


def words_of_help(command, path=()):
    """All commands with the names of their arguments and options."""
    yield " ".join(("discreet", *path)), [name for param in command.params for name in param.opts if name.startswith("-")]
    for name, inner in getattr(command, "commands", {}).items():
        yield from words_of_help(inner, (*path, name))


def test_every_command_and_every_option_is_on_the_page_of_the_command():
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", commands.write_commands(app) + "\n", re.MULTILINE))
    told = dict(words_of_help(typer.main.get_command(app)))
    assert list(sections) == list(told)
    for command, options in told.items():
        assert [option for option in options if f"`{option}" not in sections[command]] == []


def test_what_a_new_command_says_is_on_the_page():
    other = typer.Typer()

    @other.command()
    def greet(name: str = typer.Option("you", help="Whom | to greet.")) -> None:
        """Greet.

        Example: discreet greet --name
          them
        """

    text = commands.write_commands(other)
    assert "```text\ndiscreet greet --name them\n```" in text
    assert re.search(r"\| `--name.*` \| Whom \\\| to greet\..*you", text)


def test_every_public_name_is_on_one_page_and_in_the_order_of_the_pipeline():
    assert [name for page in names.CHAPTERS for name in names.names_of(page)] == discreet.__all__
    for page in names.CHAPTERS:
        text = names.write_chapter(page)
        assert all(text.count(f"`~discreet.{name}` |") == 1 for name in names.names_of(page))
        assert "```{made-of} names\n```" in (DOCS / "reference" / f"{page}.md").read_text("utf-8")


def test_a_new_public_name_is_on_the_page_of_the_name_before_it(monkeypatch):
    place = discreet.__all__.index("Laplace")
    monkeypatch.setattr(discreet, "__all__", [*discreet.__all__[:place], "new_name", *discreet.__all__[place:]])
    assert names.names_of("records-and-budget")[-1] == "new_name"
    monkeypatch.setattr(discreet, "__all__", discreet.__all__[::-1])
    with pytest.raises(ValueError, match="must follow the order"):
        names.names_of("declare")


def pages():
    return {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")} - {"index"}


def test_every_page_is_in_the_navigation_once():
    placed = [page for section in navigation.place_pages(pages()).values() for page in section]
    assert sorted(placed) == sorted(pages())


def test_a_new_page_finds_its_place():
    placed = navigation.place_pages(pages() | {"guide/new", "new", "develop/new"})
    assert "guide/new" in placed["Guides"]
    assert "new" in placed["Explanations"]
    assert "develop/new" in placed["Develop"]


def test_a_page_without_a_place_and_a_place_without_a_page_are_noticed():
    with pytest.raises(ValueError, match=r"No section has room for cellar/new\."):
        navigation.place_pages(pages() | {"cellar/new"})
    with pytest.raises(ValueError, match=r"There is no page quickstart\."):
        navigation.place_pages(pages() - {"quickstart"})


def test_signatures_are_what_people_write():
    def shown(signature, gives=None, value=None):
        return docstrings.rewrite_signature(None, "class", "C", value, None, signature, gives)

    class Made:
        def __init__(self, schema: "Any" = None, *, epsilon: "Any" = "1") -> None: ...  # noqa: F821

    kept = "(path: str = 'clinic.json', given: ~collections.abc.Mapping[str, str] = <factory>, x: {})"
    assert (
        shown(kept.format("TypeAliasForwardRef('numpy.ndarray')"))[0]
        == "(path: str = 'clinic.json', given: Mapping[str, str] = ..., x: numpy.ndarray)"
    )
    assert shown("()", "TypeAliasForwardRef('numpy.ndarray')") == ("()", "numpy.ndarray")
    assert shown("(*args: Any, **kwargs: Any)", value=Made)[0] == "(schema=None, *, epsilon='1')"
    assert shown("(*args, **kwargs)") == ("", None)


def test_what_the_guide_names_of_other_libraries_is_in_the_reference():
    """Every public name of the estimators, of the graph libraries and every picture."""
    page = (ROOT / "docs" / "reference" / "ecosystem.md").read_text("utf-8")
    shown = set(re.findall(r":: (discreet\.[\w.]+)", page))
    for module in ("interop.sklearn", "interop.graph_libraries", "plots.axes"):
        file = ROOT / "src" / "discreet" / Path(*module.split("."))
        source = (file / "__init__.py" if file.is_dir() else file.with_suffix(".py")).read_text("utf-8")
        names = re.search(r"^__all__ = \[(.*?)\]", source, re.MULTILINE | re.DOTALL)[1]
        assert {f"discreet.{module}.{name}" for name in re.findall(r'"(\w+)"', names)} <= shown


def test_docstrings_are_plain_sentences_with_their_claims_as_fields():
    lines = DOCSTRING.splitlines()
    docstrings.rewrite_docstring(None, "function", "f", None, None, lines)
    assert lines[0] == "Add noise to ``x``."
    assert r":Claim: \|f(x)\| <= 2 \* x\_1." in lines
    assert ":Requires: nothing." in lines


def test_a_part_that_is_made_of_nothing_known_is_refused():
    with pytest.raises(ValueError, match="made of 'wishes'"):
        extension.fill("index", "```{made-of} wishes\n```", DOCS)


GOOD = '<h1 id="top">x</h1><a href="two.html#there">x</a><a href="https://example.org">x</a><img src="x.png">'


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ("", []),
        ('<a href="none.html">', ["index.html links to none.html, which is not there"]),
        ('<a href="two.html#nowhere">', ["index.html links to two.html#nowhere, which is not there"]),
        ('<a href="#nowhere">', ["index.html links to #nowhere, which is not there"]),
        ('<script src="https://example.org/x.js"></script>', ["index.html loads https://example.org/x.js"]),
        ('<link href="//example.org/x.css">', ["index.html loads //example.org/x.css"]),
        ("<style>@import 'https://example.org/y.css';</style>", ["index.html loads https://example.org/y.css"]),
    ],
)
def test_dead_links_and_what_comes_from_other_machines_are_noticed(tmp_path, planted, fault):
    (tmp_path / "index.html").write_text(GOOD + planted)
    (tmp_path / "two.html").write_text('<p id="there">')
    (tmp_path / "x.png").write_bytes(b"")
    assert list(links.find_faults(tmp_path)) == fault
    assert links.main(str(tmp_path)) == len(fault)


def test_fonts_of_other_machines_and_an_empty_site_are_noticed(tmp_path):
    assert links.main(str(tmp_path)) == 1
    (tmp_path / "x.css").write_text("@font-face { src: url(https://example.org/font.woff2) }")
    assert list(links.find_faults(tmp_path)) == ["x.css loads https://example.org/font.woff2"]


SHOWN_ONLY = {"", "text", "toml", "json", "yaml", "csv", "diff"}


def languages_that_escape(text, page):
    """Languages of blocks that look like code and that no test runs."""
    run = {"python", "sh"} | ({"py"} if "develop" in page.parts else set())
    found = re.findall(r"^```([^\n]*)\n.*?^```$", text, re.MULTILINE | re.DOTALL)
    return {language for language in found if not language.startswith("{")} - run - SHOWN_ONLY


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_no_snippet_escapes_the_tests_that_run_them(page):
    assert languages_that_escape(page.read_text("utf-8"), page) == set()


def test_a_snippet_that_nobody_runs_is_noticed():
    text = "```bash\nls\n```\n\n```py\n1\n```\n\n```python\n1\n```\n"
    assert languages_that_escape(text, Path("docs/guide/x.md")) == {"bash", "py"}
