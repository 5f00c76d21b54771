"""Every Python and shell snippet of the documents is run, top to bottom, in an empty folder."""

import json
import os
import re
import subprocess
import sys
from itertools import groupby
from operator import itemgetter
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


# Python snippets that follow one another run in one process, each as a program of its own: to start it takes longer than most.
ONE_BY_ONE = """
import json, sys
for code in json.load(sys.stdin):
    exec(compile(code, "<snippet>", "exec"), {"__name__": "__main__"})
"""


def run(language, codes, folder, path=WITH_COMMAND):
    """Run snippets of one language. What their chains find is kept beside them, as it is for who reads on."""
    environment = {**os.environ, "PATH": path, "DISCREET_CACHE": str(folder / ".cache")}
    python = [sys.executable, "-W", "error", "-c", ONE_BY_ONE]
    command = python if language == "python" else ["bash", "-euo", "pipefail", "-c", "\n".join(codes)]
    given = json.dumps(codes) if language == "python" else ""
    return subprocess.run(command, cwd=folder, env=environment, input=given, capture_output=True, text=True, check=False)


def run_document(document, folder):
    """The README also says how the shell finds the command that `make demo` has left in .venv; the others build on it."""
    (folder / ".venv").symlink_to(sys.prefix)
    path = WITHOUT_COMMAND if document.name == "README.md" else WITH_COMMAND
    shown = []
    for language, together in groupby(snippets(document), key=itemgetter(0)):
        codes = [code for _, code in together]
        done = run(language, codes, folder, path)
        assert done.returncode == 0, f"{document.name}:\n{done.stdout}{done.stderr}\n{'-' * 40}\n".join(("", *codes))
        shown.append(done)
    return shown


@pytest.fixture(scope="module")
def readme(tmp_path_factory):
    """The folder that the snippets of the README leave, and what they show."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, run_document(ROOT / "README.md", folder)


# Of the others most have a dozen commands to start or chains to run, seconds each: `make test-slow` follows them all.
SHORT = {"index.md", "learning.md", "map.md", "mechanisms.md"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(path, marks=[] if path.name in SHORT else pytest.mark.slow, id=path.name)
        for path in DOCUMENTS[1:]
        if snippets(path)
    ],
)
def test_the_snippets_of_a_document_run_in_order(document, tmp_path):
    if any("ssh-keygen" in code for _, code in snippets(document)):
        need_ssh_keygen()
    assert run_document(document, tmp_path)


def test_the_stewards_example_run_again_costs_nothing(readme):
    folder, _ = readme
    language, code = next(each for each in snippets(ROOT / "README.md") if "dc.release" in each[1])
    before = Ledger(folder / "clinic.ledger").remaining
    again = run(language, [code], folder)
    assert again.returncode != 0
    assert "'clinic.json' exists, so nothing was charged" in again.stderr
    assert Ledger(folder / "clinic.ledger").remaining == before


def test_the_first_minute_leads_from_a_table_to_an_answer_in_five_commands(readme):
    folder, shown = readme
    code = next(code for _, code in snippets(ROOT / "README.md") if "discreet declare" in code)
    steps = [line for line in code.partition("\n\n")[2].replace("\\\n", "").splitlines() if line]
    assert [step.split()[1] for step in steps] == ["declare", "declare", "plan", "release", "query"]
    assert "7 columns, 7 open" in shown[0].stderr
    assert "7 columns, 0 open" in shown[0].stderr
    assert "P(income | education=university, age=[35, 50))" in shown[0].stdout
    assert Ledger(folder / "people.ledger").remaining == 0


def test_the_plan_that_is_shown_is_the_plan_that_is_made(discreet, clinic):
    """Plans are the same every time; the clinic of the tests is that of the page."""
    (shown,) = re.findall(r"^```\n( mechanism.*?)^```$", (ROOT / "docs" / "command.md").read_text(), re.MULTILINE | re.DOTALL)
    assert discreet("plan", "clinic.bif", "--rows", "10000", "--epsilon", "0.5").out.split() == shown.split()


def test_a_broken_snippet_is_noticed(tmp_path):
    assert run("python", ["import discreet", "import discreet\ndiscreet.no_such_name"], tmp_path).returncode != 0
    assert run("python", ["import discreet", "discreet.plan"], tmp_path).returncode != 0  # each imports what it uses
    assert run("sh", ["discreet query nothing.json x\ntrue"], tmp_path).returncode != 0


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
