"""One set of packages: what the Makefile, the build and the lock say about it, each shown a planted fault."""

import importlib.util
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
SPEC = importlib.util.spec_from_file_location("check_lock", ROOT / "tools" / "check_lock.py")
check_lock = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_lock)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "constraints.txt").read_text()
TARGETS = ("demo", "test", "test-slow", "check", "docs", "format")
SMALL = {
    "build-system": {"requires": ["builder>=1"]},
    "project": {
        "name": "ours",
        "dependencies": ["Some_Thing>=2"],
        "optional-dependencies": {"all": ["ours[x]"], "x": ["y<2"]},
    },
    "dependency-groups": {"test": ["tester>=3"]},
}
SMALL_LOCK = "# a comment\nbuilder==1.5\nsome-thing==2.0\ny==1.9\ntester==3 ; python_version >= '3.11'\n"


def planned(folder, *targets):
    """The commands that make would run for some targets in a folder, one a line."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    words = ["make", "--dry-run", "--no-print-directory", *targets]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.replace("\\\n", " ").splitlines()


def installations(folder, *targets):
    return [line for line in planned(folder, *targets) if "pip install" in line]


def unlocked_installations(makefile, folder):
    """Installations of any target that the lock does not govern: of packages, and of what builds the project."""
    (folder / "Makefile").write_text(makefile)
    lines = installations(folder, *TARGETS)
    assert len(lines) == 5  # pip, and one for each of demo, test, check and docs
    builds = [line for line in lines if "--editable" in line and "--build-constraint constraints.txt" not in line]
    return builds + [line for line in lines if "--constraint constraints.txt" not in line]


@pytest.fixture
def folder(tmp_path):
    """What make reads, without any environment."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_the_lock_pins_all_that_the_project_asks_for():
    assert list(check_lock.unlocked(PROJECT, check_lock.pinned(LOCK))) == []


def test_the_lock_says_how_it_is_made_and_names_no_place():
    assert "make lock" in LOCK.splitlines()[0]
    assert not re.search(r"://|file:|@|^-|^/", LOCK, re.MULTILINE)


@pytest.mark.parametrize(
    ("line", "instead", "offence"),
    [
        ("builder==1.5", "", "builder>=1 is not in the lock"),
        ("builder==1.5", "builder==0.9", "builder>=1 is not met by the lock, which has 0.9"),
        ("some-thing==2.0", "some-thing==1.9", "Some_Thing>=2 is not met by the lock, which has 1.9"),
        ("y==1.9", "y==2.0", "y<2 is not met by the lock, which has 2.0"),
        ("tester==3 ", "tester==2 ", "tester>=3 is not met by the lock, which has 2"),
        ("'3.11'", "'4.0'", "tester>=3 is not in the lock"),
    ],
)
def test_a_requirement_that_the_lock_does_not_meet_is_caught(line, instead, offence):
    assert list(check_lock.unlocked(SMALL, check_lock.pinned(SMALL_LOCK))) == []
    assert list(check_lock.unlocked(SMALL, check_lock.pinned(SMALL_LOCK.replace(line, instead)))) == [offence]


@pytest.mark.parametrize("line", ["y>=1.9", "y==1.*", "y<2"])
def test_a_lock_that_leaves_a_choice_is_refused(line):
    with pytest.raises(ValueError, match="more than one version"):
        check_lock.pinned(line)


def test_an_installed_package_that_is_not_of_the_lock_is_caught():
    versions = check_lock.pinned(SMALL_LOCK)
    assert list(check_lock.strangers(SMALL, versions, {"ours": "0.1", "y": "1.9", "tester": "3.0"})) == []
    assert list(check_lock.strangers(SMALL, versions, {"stranger": "1", "y": "1.8"})) == [
        "stranger 1 is installed, and the lock has no such package",
        "y 1.8 is installed, and the lock has 1.9",
    ]


def test_every_installation_takes_the_lock(folder):
    assert unlocked_installations((ROOT / "Makefile").read_text(), folder) == []


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (" --constraint $(LOCK)", ""),
        (" --build-constraint $(LOCK)", ""),
        ("LOCK := constraints.txt", "LOCK := pyproject.toml"),
        ('$(INSTALL_PROJECT) --editable ".[plots]"', '$(BIN)/python -m pip install --editable ".[plots]"'),
        ("$(INSTALL) pip setuptools", "$(BIN)/python -m pip install --upgrade pip"),
        ("$(INSTALL_PROJECT) --editable . --group check", "$(INSTALL) --editable . --group check"),
    ],
)
def test_an_installation_without_the_lock_is_caught(folder, words, instead):
    makefile = (ROOT / "Makefile").read_text()
    assert words in makefile
    assert unlocked_installations(makefile.replace(words, instead), folder)


@pytest.mark.fast("test")
@pytest.mark.parametrize("target", ["demo", "test", "check"])
def test_another_lock_makes_the_environment_anew(folder, target):
    """Whatever the times of the files say: a marker that a run would leave is there, newer than all of them."""
    makes_environment = re.compile(r"-m venv --clear \.venv$")
    for _ in range(2):
        plan = planned(folder, target)
        assert any(makes_environment.search(line) for line in plan)
        for line in plan:
            if line.startswith("touch "):
                marker = folder / line.removeprefix("touch ")
                marker.parent.mkdir(exist_ok=True)
                marker.touch()
        assert installations(folder, target) == []
        lock = folder / "constraints.txt"
        lock.write_text(lock.read_text() + "another==1\n")
        os.utime(lock, (0, 0))


def test_the_build_runs_the_commands_of_the_readme_and_installs_nothing_of_its_own():
    build = (ROOT / ".ci" / "run").read_text()
    assert re.findall(r"^(?:\w+=\S+ )*(make .*)$", build, re.MULTILINE) == ["make check", "make docs", "make test"]
    assert not re.search(r"\bpip\b|PIP_|constraints|\buv\b|venv", build)


@pytest.mark.parametrize("target", ["test", "check"])
def test_what_is_installed_is_compared_with_the_lock_before_anything_else_runs(folder, target):
    after = [
        line for line in planned(folder, target) if not re.search(r"pip install|-m venv|^touch|version_info|^\s*{ echo", line)
    ]
    assert after[0] == ".venv/bin/python tools/check_lock.py"


def test_settings_for_other_projects_do_not_reach_pip(folder):
    (folder / "Makefile").write_text((ROOT / "Makefile").read_text() + "\nshown:\n\t@env\n")
    settings = ("PIP_CONSTRAINT", "PIP_TARGET", "PYTHONPATH", "DISCREET_CONNECTION")
    environment = {**{name: os.environ[name] for name in ("PATH",)}, **dict.fromkeys(settings, "elsewhere")}
    done = subprocess.run(["make", "shown"], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert "PATH=" in done.stdout
    assert "elsewhere" not in done.stdout


def bounds(extra, name):
    return [
        wanted.specifier
        for wanted in map(Requirement, PROJECT["project"]["optional-dependencies"][extra])
        if wanted.name == name
    ]


def test_duckdb_2_is_kept_from_ibis_and_from_nobody_else():
    """Ibis 12 asks DuckDB for batches by a name that DuckDB 2 has dropped; a relation of DuckDB needs no Ibis,
    but the name that DuckDB 1.5 has brought."""
    assert [str(bound) for bound in bounds("sql", "duckdb")] == ["<2"]
    (bound,) = bounds("duckdb", "duckdb")
    assert [version in bound for version in ("1.4.4", "1.5.0", "2.0.0")] == [False, True, True]
    assert bounds("duckdb", "ibis-framework") == []
