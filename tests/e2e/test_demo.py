import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet
from discreet.release_file.document import release_to_json

COMMAND = str(Path(sys.executable).parent / "discreet")
ELSEWHERE = {**os.environ, "PATH": "/usr/bin:/bin"}  # where the shell does not find the command, as after `make demo`
WITHIN = {**os.environ, "PATH": f"{Path(COMMAND).parent}:/usr/bin:/bin"}


def run(words, environment, folder):
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hint(output):
    return output.strip().splitlines()[-1].strip()


WORDS = [COMMAND, "demo", "--folder", "it's [here]"]


def check_what_is_left(folder, output, runs):
    assert "lung cancer: smoker, abnormal x-ray" in output
    assert (folder / "posteriors.png").read_bytes().startswith(b"\x89PNG")
    page = (folder / "clinic.html").read_text("utf-8")
    assert f"  {(folder / 'clinic.html').as_uri()}" in output.splitlines()
    release = discreet.load(folder / "clinic.json")
    assert release_to_json(release)["digest"] in page
    assert str(release.guarantee.epsilon) == "1"
    accounts = discreet.Ledger.datasets(folder / "clinic.ledger")
    assert [str(account.remaining) for account in accounts] == ["0"] * runs


@pytest.mark.slow
def test_the_demo_leaves_a_release_a_ledger_a_picture_and_a_page(tmp_path):
    output = run(WORDS, WITHIN, tmp_path)
    assert hint(output).startswith("discreet query")
    check_what_is_left(tmp_path / "it's [here]", output, 1)


@pytest.mark.slow
def test_the_demo_runs_twice_and_what_it_says_last_can_be_pasted(tmp_path):
    """Each run has new patients, so the second is not refused; the hint is for wherever the command is."""
    run(WORDS, WITHIN, tmp_path)
    output = run(WORDS, ELSEWHERE, tmp_path)
    assert hint(output).startswith(COMMAND)
    assert "lung" in run(["bash", "-c", hint(output)], ELSEWHERE, tmp_path)
    check_what_is_left(tmp_path / "it's [here]", output, 2)


def test_the_demo_says_with_which_word_files_of_others_are_replaced(tmp_path):
    (tmp_path / "clinic.json").write_text("mine")
    done = subprocess.run([COMMAND, "demo", "--folder", "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert "'.' holds clinic.json, not made by the demo" in done.stderr
    assert "--force" in done.stderr
    assert (tmp_path / "clinic.json").read_text() == "mine"
