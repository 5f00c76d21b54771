"""A steward's process killed at any moment: budget may be lost, but nothing is ever released without a charge."""

import json
import os
import subprocess
import sys

import pytest

from discreet import Ledger, load

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need POSIX")

SCRIPT = """
import json, os, random, signal, sys, time
from pathlib import Path
from fractions import Fraction
from discreet.counts import family_counts
from discreet.experiments.chest_clinic import chest_clinic
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.laplace import DiscreteLaplace
from discreet.kernel.publish import PrivateNumbers, publish

folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
clinic = chest_clinic()
counts = family_counts(clinic.sample(200), clinic.network)
noise = DiscreteLaplace(Fraction(7 * 16), 2)
statistics = {node: PrivateNumbers(table, noise) for node, table in counts.items()}
moments = random.Random(seed)
for number in range(kills):
    child = os.fork()
    if child == 0:
        ledger = Ledger(folder / "ledger", cap="1000")
        while True:
            noisy, receipt = publish(statistics, PureDP(Fraction(1, 7)), ledger, "release")
            name = folder / f"release-{receipt.number}.json"
            name.write_text(json.dumps({node: table.tolist() for node, table in noisy.items()}))
    if number % 2:  # every other kill waits for a first release, also on a busy machine
        before = len(list(folder.glob("release-*")))
        while len(list(folder.glob("release-*"))) == before:
            time.sleep(0.001)
    time.sleep(moments.uniform(0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


@pytest.mark.parametrize("kills", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_no_release_exists_without_a_charge_whenever_the_process_is_killed(tmp_path, kills):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(kills), "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    charged = {charge.number for charge in Ledger(tmp_path / "ledger").history()}
    released = {int(path.stem.split("-")[1]) for path in tmp_path.glob("release-*.json")}
    assert released
    assert released <= charged


def test_the_command_killed_between_charge_and_file_leaves_a_charge_and_no_file(tmp_path):
    """The file is written last: killed just before it, the budget is spent and nothing is out."""
    script = """
import os, signal, sys
import discreet as dc
from discreet.experiments.chest_clinic import chest_clinic
from discreet.release_file import document as release_file
clinic = chest_clinic()
def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
release_file.write_atomically = killed
ledger = dc.Ledger("ledger", cap="1")
dc.release(clinic.sample(50), clinic.network, dc.Laplace("1"), ledger=ledger).save("out.json")
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    assert Ledger(tmp_path / "ledger").remaining == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger"]


@pytest.mark.slow
def test_a_release_that_was_saved_can_be_loaded_and_was_charged(tmp_path):
    script = """
import discreet as dc
from discreet.experiments.chest_clinic import chest_clinic
clinic = chest_clinic()
ledger = dc.Ledger("ledger", cap="1")
dc.release(clinic.sample(50), clinic.network, dc.Laplace("1/3"), ledger=ledger).save("out.json")
"""
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    saved = load(tmp_path / "out.json")
    assert [receipt.number for receipt in saved.receipts] == [
        charge.number for charge in Ledger(tmp_path / "ledger").history()
    ]
    assert json.loads((tmp_path / "out.json").read_text())["receipts"][0]["guarantee"]["epsilon"] == "1/3"
