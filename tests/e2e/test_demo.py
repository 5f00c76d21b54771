import subprocess
import sys
from pathlib import Path

import discreet

COMMAND = str(Path(sys.executable).parent / "discreet")


def test_the_demo_runs_twice_and_leaves_a_release_a_ledger_and_a_picture(tmp_path):
    for _ in range(2):  # each run has new patients, so the second is not refused
        done = subprocess.run([COMMAND, "demo"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    folder = tmp_path / "discreet-demo"
    assert "lung cancer: smoker, abnormal x-ray" in done.stdout
    assert (folder / "posteriors.png").read_bytes().startswith(b"\x89PNG")
    release = discreet.load(folder / "clinic.json")
    assert str(release.guarantee.epsilon) == "1"
    accounts = discreet.Ledger.datasets(folder / "clinic.ledger")
    assert [str(account.remaining) for account in accounts] == ["0", "0"]
