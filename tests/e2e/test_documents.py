"""Every Python and shell snippet of the documents is run, top to bottom, in an empty folder."""

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from support.keys import need_ssh_keygen

from discreet import Ledger

ROOT = Path(__file__).parents[2]
# Snippets of "py" are files that a recipe of docs/develop tells to make: tests/develop puts them in their places.
SNIPPET = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SET_UP = "make demo"  # the README's two commands are run by the build itself, on a fresh clone
WITH_COMMAND, WITHOUT_COMMAND = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "/usr/bin:/bin"


def snippets(document):
    found = SNIPPET.findall(document.read_text(encoding="utf-8"))
    return [(language, code) for language, code in found if SET_UP not in code]


def run(language, code, folder, path=WITH_COMMAND):
    environment = {**os.environ, "PATH": path}
    command = [sys.executable, "-W", "error", "-c", code] if language == "python" else ["bash", "-euo", "pipefail", "-c", code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


# The page about the command has dozens of commands to start, the others long work to show.
LONG = {"command.md", "regression.md", "bounds.md", "confidence.md"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(path, marks=pytest.mark.slow if path.name in LONG else [], id=path.name)
        for path in DOCUMENTS
        if snippets(path)
    ],
)
def test_the_snippets_of_a_document_run_in_order(document, tmp_path):
    """The README also says how the shell finds the command that `make demo` has left in .venv; the others build on it."""
    if any("ssh-keygen" in code for _, code in snippets(document)):
        need_ssh_keygen()
    (tmp_path / ".venv").symlink_to(sys.prefix)
    path = WITHOUT_COMMAND if document.name == "README.md" else WITH_COMMAND
    for language, code in snippets(document):
        done = run(language, code, tmp_path, path)
        assert done.returncode == 0, f"{document.name}:\n{code}\n{done.stdout}{done.stderr}"


def test_the_stewards_example_run_again_costs_nothing(tmp_path):
    language, code = next(each for each in snippets(ROOT / "README.md") if "dc.release" in each[1])
    assert run(language, code, tmp_path).returncode == 0
    again = run(language, code, tmp_path)
    assert again.returncode != 0
    assert "'clinic.json' exists, so nothing was charged" in again.stderr
    assert Ledger(tmp_path / "clinic.ledger").remaining == Fraction(1, 2)


def test_the_first_minute_leads_from_a_table_to_an_answer_in_five_commands(tmp_path):
    language, code = next(each for each in snippets(ROOT / "README.md") if "discreet declare" in each[1])
    steps = [line for line in code.partition("\n\n")[2].splitlines() if line]
    assert [step.split()[1] for step in steps] == ["declare", "declare", "plan", "release", "query"]
    (tmp_path / ".venv").symlink_to(sys.prefix)
    done = run(language, code, tmp_path, WITHOUT_COMMAND)
    assert done.returncode == 0, done.stderr
    assert "7 columns, 7 open" in done.stderr
    assert "7 columns, 0 open" in done.stderr
    assert "P(income | education=university, age=[35, 50))" in done.stdout
    assert Ledger(tmp_path / "people.ledger").remaining == 0


def test_the_plan_that_is_shown_is_the_plan_that_is_made(discreet, clinic):
    """Plans are the same every time; the clinic of the tests is that of the page."""
    (shown,) = re.findall(r"^```\n( mechanism.*?)^```$", (ROOT / "docs" / "command.md").read_text(), re.MULTILINE | re.DOTALL)
    assert discreet("plan", "clinic.bif", "--rows", "10000", "--epsilon", "0.5").out.split() == shown.split()


def test_a_broken_snippet_is_noticed(tmp_path):
    assert run("python", "import discreet\ndiscreet.no_such_name", tmp_path).returncode != 0
    assert run("sh", "discreet query nothing.json x\ntrue", tmp_path).returncode != 0


def test_the_readme_gives_the_commands_that_the_build_runs():
    readme, build, makefile = ((ROOT / name).read_text() for name in ("README.md", ".ci/run", "Makefile"))
    for command in ("make demo", "make test", "make check", "make docs"):
        assert command in readme
    for command in ("make check", "make docs", "make test"):
        assert command in build
    for target in ("demo", "test", "check", "docs"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_links_between_documents_lead_somewhere():
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_the_files_that_the_paper_map_names_exist():
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([\w/]+\.py|tests/[\w/]+)`", text):
        assert (ROOT / name).exists() or (ROOT / "src" / "discreet" / name).exists(), name
