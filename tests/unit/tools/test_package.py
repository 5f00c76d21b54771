"""What is published: the sdist has all that its tests look at, and the package says that it is typed."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LEFT_OUT = {"pyproject.toml", "PKG-INFO", "build", "dist", "discreet-demo"}
"""Always in an sdist, or made by a build."""


def left_behind(names, included):
    """Files and folders beside the declaration that an sdist would not have."""
    return {name for name in names if not name.startswith(".")} - LEFT_OUT - set(included)


def test_the_sdist_has_everything():
    included = DECLARED["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert left_behind({path.name for path in ROOT.iterdir()}, included) == set()
    assert all((ROOT / name).exists() for name in included)


@pytest.mark.parametrize("name", ["tools", "constraints.txt", "src"])
def test_what_is_left_behind_is_noticed(name):
    included = set(DECLARED["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]) - {name}
    assert left_behind({path.name for path in ROOT.iterdir()}, included) == {name}


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "src" / "discreet" / "py.typed").read_bytes() == b""
    assert "Typing :: Typed" in DECLARED["project"]["classifiers"]


def test_every_extra_is_in_all_of_them():
    extras = DECLARED["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(everything.removeprefix("discreet[").removesuffix("]").split(",")) == extras.keys() - {"all"}
