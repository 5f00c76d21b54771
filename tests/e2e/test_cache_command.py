"""What commands keep between questions: the same answers at once, nothing private, and out of the way if it is not wanted."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from discreet.chains.effort import Effort
from discreet.posterior import noise_aware

QUESTIONS = {
    "query": ("query", "clinic.json", "lung", "--given", "smoke=yes", "--seed", 1),
    "show": ("show", "clinic.json", "xray"),
    "predict": ("predict", "clinic.json", "patients.csv", "--target", "lung", "--proba"),
    "sample": ("sample", "clinic.json", "--rows", 50, "--seed", 1),
}
every_question = pytest.mark.parametrize("words", QUESTIONS.values(), ids=QUESTIONS)


@pytest.fixture(autouse=True)
def kept(clinic, monkeypatch):
    """A cache beside the clinic, and short chains: what is tested here does not need them to agree."""
    monkeypatch.setenv("DISCREET_CACHE", str(clinic / "kept"))
    monkeypatch.setattr(Effort, "within", lambda *_: Effort(4, 10, 10))
    return clinic / "kept"


def forbid_chains(monkeypatch):
    def run(*_):
        raise AssertionError("the chain ran")

    for name in ("visit", "GoingVisits", "diagnose_tables"):
        monkeypatch.setattr(noise_aware, name, run)


@pytest.mark.fast("query", "predict")
@every_question
def test_the_second_time_no_chain_runs_and_the_answer_is_the_same(discreet, monkeypatch, words):
    without = discreet(*words, "--no-cache")
    first = discreet(*words)
    forbid_chains(monkeypatch)
    assert without == first == discreet(*words)
    assert first.code == 0


def test_without_a_seed_the_same_question_has_the_answer_that_was_kept(discreet, monkeypatch):
    """Draws differ from time to time, so only what was kept is the same to the last digit."""
    words = ("query", "clinic.json", "lung", "--given", "smoke=yes", "--json")
    first = discreet(*words)
    assert discreet(*words, "--no-cache") != first
    forbid_chains(monkeypatch)
    assert discreet(*words) == first


@pytest.mark.fast("query")
@every_question
def test_without_the_cache_nothing_is_written(discreet, kept, words, monkeypatch):
    assert discreet(*words, "--no-cache").code == 0
    assert not kept.exists()
    monkeypatch.setenv("DISCREET_CACHE", "off")
    assert discreet(*words).code == 0
    assert not kept.exists()


@pytest.mark.slow
def test_a_linear_model_is_kept_as_well(discreet, kept):
    Path("line.toml").write_text("radius = 1\nnoise = 0.25\n[features]\nage = [18, 90]\n[target]\nweight = [40, 140]\n")
    Path("people.csv").write_text("age,weight\n" + "".join(f"{20 + place},{60 + place / 2}\n" for place in range(40)))
    words = ("--model", "line.toml", "--epsilon", "0.25", "--ledger", "clinic.ledger", "--dataset", "people", "--cap", 1)
    assert discreet("release", "people.csv", *words, "-o", "line.json").code == 0
    questions = [("show", "line.json"), ("predict", "line.json", "people.csv")]
    without = [discreet(*words, "--no-cache").out for words in questions]
    assert not kept.exists()
    assert [discreet(*words).out for words in questions] == without
    assert discreet("cache", "--json").json["entries"] == 1


def test_another_release_in_a_file_of_the_same_name_is_not_taken_for_the_first(discreet):
    words = QUESTIONS["query"]
    first = discreet(*words).out
    more = ("--network", "clinic.bif", "--ledger", "clinic.ledger", "--epsilon", "0.1")
    assert discreet("release", "patients.csv", *more, "-o", "clinic.json", "--force").code == 0
    second = discreet(*words).out
    assert second != first
    assert second == discreet(*words, "--no-cache").out


def test_a_file_that_was_tampered_with_changes_no_answer(discreet, kept):
    words = QUESTIONS["query"]
    first = discreet(*words)
    (path,) = kept.iterdir()
    for content in (b"", b"PK\x03\x04", b"\x80\x04cos\nsystem\n", path.read_bytes()[:-1], bytes(100)):
        path.write_bytes(content)
        assert discreet(*words) == first
    path.unlink()
    path.mkdir()
    assert discreet(*words) == first


def test_records_of_ones_own_are_nowhere_in_the_cache(discreet, kept):
    """A count that stands out is searched for as text and as a number, also in what commands leave behind."""
    Path("own.csv").write_text("smoke,lung,xray\n" + "yes,no,unclear\n" * 51_423)
    assert discreet("update", "clinic.json", "own.csv", "-o", "updated.json").code == 0
    for words in QUESTIONS.values():
        assert discreet(words[0], "updated.json", *words[2:]).code == 0
    assert not kept.exists()
    assert discreet(*QUESTIONS["query"]).code == 0
    content = b"".join(path.read_bytes() for path in kept.iterdir())
    spelt = [b"51423", *(np.array([51_423], dtype=kind).tobytes() for kind in ("<u4", ">u4", "<i8", "<f8"))]
    assert [each for each in spelt if each in content] == []
    assert b"51423" in Path("updated.json").read_bytes()


@pytest.mark.slow
def test_a_place_that_cannot_be_written_costs_time_and_nothing_else(discreet, monkeypatch):
    words = QUESTIONS["query"]
    first = discreet(*words, "--no-cache")
    Path("file").write_text("mine")
    for place in ("file", "file/below", "/proc/none"):
        monkeypatch.setenv("DISCREET_CACHE", place)
        assert discreet(*words) == first
        assert discreet("cache").code == 0


def test_cache_says_where_it_is_and_how_large_and_is_cleared(discreet, kept, monkeypatch):
    empty = discreet("cache", "--json").json
    assert empty == {"folder": str(kept), "entries": 0, "bytes": 0, "largest": 2**30, "removed": None}
    assert not kept.exists()
    discreet(*QUESTIONS["predict"])
    found = discreet("cache", "--json").json
    assert (found["entries"], found["bytes"]) == (2, sum(path.stat().st_size for path in kept.iterdir()))
    (kept / "mine.txt").write_text("mine")
    assert str(kept) in discreet("cache").out
    assert discreet("cache", "--clear", "--json").json == {**empty, "removed": 2}
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]
    monkeypatch.setenv("DISCREET_CACHE", "off")
    off = discreet("cache")
    assert (off.code, off.out) == (0, "")
    assert "Nothing is kept" in off.err
    assert discreet("cache", "--clear", "--json").json["folder"] is None


@pytest.mark.slow
def test_two_commands_at_once_give_the_same_answer_and_leave_one_file(kept):
    words = [*(str(word) for word in QUESTIONS["query"]), "--rounds", "10"]
    command = [sys.executable, "-c", "import sys; from discreet.cli import main; sys.exit(main())", *words, "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [(each.communicate(), each.returncode) for each in both]
    assert told[0] == told[1]
    assert told[0][1] == 0
    assert json.loads(told[0][0][0])["given"] == {"smoke": "yes"}
    assert len(list(kept.iterdir())) == 1
    third = subprocess.run(command, capture_output=True, check=True)
    assert third.stdout == told[0][0][0]


@pytest.mark.slow
def test_a_question_to_what_was_kept_loads_neither_scipy_nor_polars_nor_the_chain(kept):
    heavy = ["scipy", "polars", "narwhals", "flint", "matplotlib"]
    heavy += [f"discreet.{room}" for room in ("chains.family_chain", "kernel", "data", "counts", "planning")]
    script = f"import sys; from discreet.cli import main; main(); print(set({heavy}) & set(sys.modules), file=sys.stderr)"
    command = [sys.executable, "-c", script, *(str(word) for word in QUESTIONS["query"]), "--rounds", "10"]
    told = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]
    assert told[0].stdout == told[1].stdout
    assert "scipy" in told[0].stderr
    assert told[1].stderr.splitlines()[-1] == "set()"


def test_a_place_where_nothing_can_be_kept_is_told(discreet, kept, monkeypatch):
    assert "Nothing new is kept" not in discreet("cache").err
    monkeypatch.setenv("DISCREET_CACHE", "clinic.json")
    done = discreet("cache")
    assert done.code == 0
    assert "Nothing new is kept: this is no folder that you, and only you, can write to. DISCREET_CACHE=FOLDER" in done.err
