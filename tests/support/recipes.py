"""The recipes of docs/develop: the files that they tell to make, the lines that they tell to add, and a copy of the tree."""

import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DEVELOP = ROOT / "docs" / "develop"
_FILE = re.compile(r"^`([\w/.]+\.py)`\n\n```(py|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def new_files(recipe):
    """The files that a recipe tells to make, by their paths."""
    return {path: text for path, language, text in _FILE.findall((DEVELOP / recipe).read_text("utf-8")) if language == "py"}


def edits(recipe):
    """What a recipe tells to add to files, by their paths: blocks of lines, each with the line after which it comes."""
    found = {}
    for path, language, text in _FILE.findall((DEVELOP / recipe).read_text("utf-8")):
        if language == "diff":
            blocks = re.findall(r"^ (.*)\n((?:\+.*\n)+)", text, re.MULTILINE)
            found[path] = [(before, re.sub(r"^\+", "", added, flags=re.MULTILINE)) for before, added in blocks]
    return found


def follow(recipe, folder, *, offer=False, change=lambda text: text):
    """A copy of the tree in which a recipe was followed; ``change`` plants a fault in its files."""
    for part in ("src", "tests/support"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in new_files(recipe).items():
        assert not (folder / path).exists()
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(change(text), "utf-8")
    for path, added in edits(recipe).items() if offer else ():
        text = (folder / path).read_text("utf-8")
        for before, lines in added:
            assert text.count(f"\n{before}\n") == 1, f"{path} has no line {before!r}"
            text = text.replace(f"\n{before}\n", f"\n{before}\n{lines}")
        (folder / path).write_text(text, "utf-8")
    return folder


def run(folder, *words):
    """Run Python in such a copy."""
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{folder / 'src'}:{folder / 'tests'}", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def run_tests(recipe, folder):
    """Run the tests that a recipe tells to make."""
    tests = [path for path in new_files(recipe) if path.startswith("tests/")]
    return run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *tests)


def load_recipe(recipe, change=lambda text: text):
    """The modules that a recipe tells to make below src, in this process, by their names."""
    made = {}
    for path, text in new_files(recipe).items():
        if path.startswith("src/"):
            name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
            module = made[name] = sys.modules[name] = ModuleType(name)
            exec(compile(change(text), path, "exec"), module.__dict__)
    return made


def tool(name):
    """One of the checks of the build, as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        return import_module(name)


def even_shares(change=lambda text: text):
    """The toy mechanism of the recipe, perhaps with a fault."""
    return load_recipe("mechanism.md", change)["discreet.mechanisms.even_shares"].EvenShares
