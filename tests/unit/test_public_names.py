"""The names that `import discreet` offers: few enough to read, and all of them there."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import discreet


def test_there_are_at_most_forty_public_names():
    assert len(discreet.__all__) == len(set(discreet.__all__)) <= 40


def test_every_public_name_can_be_imported_and_no_other_is_kept():
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(discreet._HOME) == set(discreet.__all__)


def test_the_version_is_told_and_is_the_same_everywhere():
    assert discreet.__version__ == version("discreet")
    root = Path(__file__).parents[2]
    assert re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.MULTILINE)[1] == discreet.__version__
    declared = tomllib.loads((root / "pyproject.toml").read_text())
    assert "version" not in declared["project"]  # it is read from the package
    assert declared["tool"]["hatch"]["version"]["path"] == "src/discreet/__init__.py"
