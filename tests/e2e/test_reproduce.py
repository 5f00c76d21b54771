"""`discreet reproduce` through the command: files, Ctrl-C, and going on afterwards."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from discreet.experiments import table1_measured

SMALL = ["reproduce", "figure1", "--features", "1", "--rows", "5", "--seed", "7"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are different there")
def test_ctrl_c_leaves_a_partial_result_and_the_same_command_goes_on(tmp_path, discreet):
    """Stopped in the middle, then asked for one repeat more than were done."""
    # A shell that runs tests in the background makes its children ignore SIGINT, and Python leaves it at that.
    listen = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = listen + "from discreet.cli import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, *SMALL, "--repeats", "5000", "-o", str(tmp_path)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        kept = tmp_path / "figure1.partial.jsonl"
        deadline = time.monotonic() + 120
        while not kept.exists() or kept.read_text(encoding="utf-8").count("\n") < 3:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[1]
    assert process.returncode == 130, said
    assert "The same command goes on" in said
    assert "(partial: " in (tmp_path / "figure1.md").read_text(encoding="utf-8")
    done = {json.loads(line)[0] for line in kept.read_text(encoding="utf-8").splitlines()[1:]}
    before = rows(tmp_path / "figure1.csv")
    assert {row["repeat"] for row in before} == {str(repeat) for repeat in done}
    wanted = max(done) + 1
    assert discreet(*SMALL, "--repeats", wanted, "-o", tmp_path).code == 0
    after = rows(tmp_path / "figure1.csv")
    assert sorted({int(row["repeat"]) for row in after}) == list(range(wanted))
    assert [row for row in after if int(row["repeat"]) in done] == before
    assert not kept.exists()
    assert "partial" not in (tmp_path / "figure1.md").read_text(encoding="utf-8")


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_data_and_target_go_together(discreet, tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n", encoding="utf-8")
    for figure in ("figure1", "figure2"):
        made = discreet("reproduce", figure, "--data", tmp_path / "x.csv", "-o", tmp_path)
        assert made.code == 2
        assert "--target" in made.err


@pytest.mark.parametrize("what", ["figure1", "figure2", "table1", "claims"])
def test_help_says_how_long_a_reproduction_takes(discreet, what):
    words = " ".join(discreet("reproduce", what, "--help").out.split())
    assert re.search(r"Takes about \d+ seconds of processor time", words)


@pytest.mark.slow
def test_a_table_for_a_network_of_ones_own(discreet, clinic, monkeypatch):
    monkeypatch.setattr(table1_measured, "_REPEATS", 2)
    made = discreet("reproduce", "table1", "clinic.bif", "--rows", 100, "--epsilon", 1, "-o", clinic / "out")
    assert made.code == 0
    assert "measured" in made.out
    assert {row["mechanism"] for row in rows(clinic / "out" / "table1.csv")} >= {"Laplace", "MAP as printed", "K-norm"}
