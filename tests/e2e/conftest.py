"""The command as a function, and a clinic to try it on."""

import json
import shutil
from dataclasses import dataclass

import pytest

from discreet.cli import main

CLINIC = """network clinic { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
variable xray { type discrete [ 3 ] { clear, shadow, unclear }; }
probability ( smoke ) { table 0.4, 0.6; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( xray | lung ) { (yes) 0.05, 0.85, 0.1; (no) 0.85, 0.05, 0.1; }
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def found(tmp_path_factory):
    return tmp_path_factory.mktemp("found")


@pytest.fixture(autouse=True)
def kept(found, monkeypatch):
    """What chains find is kept for all tests here: dozens ask the same release, and how chains run is tested elsewhere."""
    monkeypatch.setenv("DISCREET_CACHE", str(found))


@pytest.fixture
def discreet(capsys):
    """Run the command in this process: `discreet("plan", path, "--rows", 10)`."""

    def run(*words):
        code = main([str(word) for word in words])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with a network, records, a release of them and its ledger, made by the command itself."""
    folder = tmp_path_factory.mktemp("clinic")
    network, data = folder / "clinic.bif", folder / "patients.csv"
    network.write_text(CLINIC, encoding="utf-8")
    assert main(["sample", str(network), "--rows", "2000", "--seed", "1", "-o", str(data)]) == 0
    words = ["--network", str(network), "--ledger", str(folder / "clinic.ledger"), "--cap", "1", "--epsilon", "0.5"]
    assert main(["release", str(data), *words, "-o", str(folder / "clinic.json")]) == 0
    return folder


@pytest.fixture
def clinic(made, tmp_path, monkeypatch):
    """A fresh copy of that folder, as the working directory."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
