"""The ledger between processes: racing for the last budget, and killed at every moment that could matter.

The scripts fork before each kill, so that a kill costs milliseconds and not the start of an interpreter.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from fractions import Fraction

import pytest
from support.ledgers import old_ledger

from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need POSIX")


def run(script: str, *arguments: object) -> list[dict]:
    """Run a script that prints one JSON value a line."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def race(scripts_and_arguments: list[tuple]) -> list[list[str]]:
    """Start processes, wait until each is ready, let all go at once, and return the words that each one printed."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for script, *arguments in scripts_and_arguments
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    words = [process.communicate(timeout=120)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return words


READY = """
import sys
from fractions import Fraction
from discreet.errors import BudgetError, LedgerError
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger
print("ready", flush=True)
sys.stdin.readline()
"""

SPENDER = (
    READY
    + """
ledger = Ledger(sys.argv[1], cap="1/2", dataset="clinic")
for _ in range(10):
    try:
        print(ledger.charge(PureDP(Fraction(1, 24)), "race").number)
    except BudgetError:
        print("refused")
"""
)

NAMER = (
    READY
    + """
try:
    print(Ledger(sys.argv[1], cap=sys.argv[2]).cap)
except LedgerError as error:
    print("refused" if "fixed when" in str(error) else error)
"""
)


def test_processes_racing_for_the_last_budget_never_overspend(tmp_path):
    path = tmp_path / "ledger"
    words = [word for spoken in race([(SPENDER, path)] * 4) for word in spoken]
    assert sorted(int(word) for word in words if word != "refused") == list(range(1, 13))
    assert words.count("refused") == 28
    ledger = Ledger(path, dataset="clinic")
    assert (ledger.spent, ledger.remaining, len(ledger.history())) == (Fraction(1, 2), 0, 12)


def test_processes_creating_one_ledger_with_different_caps_agree_on_the_first(tmp_path):
    for attempt in range(2):
        path = tmp_path / f"ledger{attempt}"
        words = [word for spoken in race([(NAMER, path, cap) for cap in range(1, 5)]) for word in spoken]
        caps = [word for word in words if word != "refused"]
        assert (len(words), len(caps)) == (4, 1)
        assert str(Ledger(path).cap) == caps[0]
        path.unlink()
        assert list(tmp_path.iterdir()) == []


KILLED_AT_RANDOM = """
import json, os, random, signal, sys, time
from fractions import Fraction
from pathlib import Path
from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger

folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
moments = random.Random(seed)
killed = file = 0
while killed < kills:
    path = folder / f"{file}.ledger"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ledger = Ledger(path, cap="5")
            while True:
                receipt = ledger.charge(PureDP(Fraction(1, 7)), "release")
                os.write(writer, b"%d\\n" % receipt.number)
        except BudgetError:
            os._exit(0)
        except BaseException:
            os._exit(1)
    os.close(writer)
    # Every third kill may fall anywhere, the creation included; the others wait for a first charge, also on a busy machine.
    seen = b"" if moments.random() < 1 / 3 else os.read(reader, 100)
    time.sleep(moments.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(reader, "rb") as stream:
        acknowledged = [int(line) for line in (seen + stream.read()).split()]
    accounts = Ledger.datasets(path) if path.exists() else []
    numbers = [charge.number for account in accounts for charge in account.charges]
    spent = sum((account.spent for account in accounts), Fraction(0))
    print(json.dumps({"file": file, "status": status, "acknowledged": acknowledged, "numbers": numbers, "spent": str(spent)}))
    killed += status == -signal.SIGKILL
    file += status == 0 or len(numbers) > 12
"""


@pytest.mark.parametrize("kills", [25, pytest.param(300, marks=pytest.mark.slow)])
def test_every_acknowledged_charge_survives_kills_at_random_moments(tmp_path, kills):
    seed = random.randrange(10**9)
    print("seed", seed)
    rounds = run(KILLED_AT_RANDOM, tmp_path, kills, seed)
    before: dict[int, int] = {}
    for found in rounds:
        assert found["status"] in (0, -9)
        assert found["numbers"] == list(range(1, len(found["numbers"]) + 1))
        assert Fraction(found["spent"]) == Fraction(len(found["numbers"]), 7) <= 5
        acknowledged = len(found["acknowledged"])
        assert set(found["acknowledged"]) <= set(found["numbers"])
        # A kill may fall between commit and acknowledgement, which loses one charge's budget and no privacy.
        assert 0 <= len(found["numbers"]) - before.get(found["file"], 0) - acknowledged <= 1
        before[found["file"]] = len(found["numbers"])
    assert sum(len(found["acknowledged"]) for found in rounds) >= kills // 5


KILLED_AT_EVERY_STEP = """
import json, os, shutil, signal, sqlite3, sys
from fractions import Fraction
from pathlib import Path
from discreet.guarantee import PureDP
from discreet.kernel.ledger import Ledger

steps, last = [], None
half = PureDP(Fraction(1, 2))

def step(name):
    steps.append(name)
    if len(steps) > last:
        os.write(writer, name.encode())
        os.kill(os.getpid(), signal.SIGKILL)

class Watched(sqlite3.Connection):
    def execute(self, statement, *values):
        if not statement.startswith(("PRAGMA", "SELECT")):  # those change nothing on disk
            step(statement)
        return super().execute(statement, *values)
    def close(self):
        step("close")
        super().close()

def watched(name, act):
    def call(*arguments, **options):
        step(name)
        return act(*arguments, **options)
    return call

def charge_once(path):
    connect = sqlite3.connect
    sqlite3.connect = lambda *arguments, **options: connect(*arguments, factory=Watched, **options)
    for name in ("link", "fsync", "unlink", "rmdir"):
        setattr(os, name, watched(name, getattr(os, name)))
    ledger = Ledger(path) if path.exists() else Ledger(path, cap="1")
    step("charge")
    ledger.charge(half, "release")

status, last = None, -1
while status != 0:
    last += 1
    folder = Path(sys.argv[1], str(last))
    folder.mkdir()
    path = folder / "ledger"
    if len(sys.argv) > 2:  # a ledger to begin with
        shutil.copy(sys.argv[2], path)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            charge_once(path)
            os._exit(0)
        except BaseException as error:
            os.write(writer, repr(error).encode())
            os._exit(1)
    os.close(writer)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(reader) as stream:
        before = stream.read()
    charges = len(Ledger.datasets(path)[0].charges) if path.exists() and Ledger.datasets(path) else 0
    version = int.from_bytes(path.read_bytes()[60:64], "big") if path.exists() else None  # SQLite's user_version
    cap = None if len(sys.argv) > 2 else "1"
    after = Ledger(path, cap=cap).charge(half, "after the crash").number
    print(json.dumps({"before": before, "status": status, "charges": charges, "version": version, "after": after}))
"""


def test_a_kill_at_any_statement_leaves_whole_charges_only(tmp_path):
    kills = run(KILLED_AT_EVERY_STEP, tmp_path)
    assert [kill["status"] for kill in kills] == [-9] * (len(kills) - 1) + [0]
    assert all(kill["after"] == kill["charges"] + 1 for kill in kills)
    before = [kill["before"] for kill in kills]
    assert {"link", "fsync", "unlink", "rmdir", "BEGIN IMMEDIATE", "COMMIT", "close"} <= set(before)
    # The charge itself: nothing until its COMMIT has been done, everything from then on.
    charging = before[before.index("charge") :]
    insert = next(place for place, name in enumerate(charging) if name.startswith("INSERT INTO charges"))
    assert charging[insert + 1].startswith("INSERT INTO totals")
    assert charging[insert + 2 :] == ["COMMIT", "close", ""]
    assert [kill["charges"] for kill in kills] == [0] * (len(kills) - 2) + [1, 1]


def test_a_kill_at_any_statement_of_an_upgrade_leaves_the_old_ledger_or_the_new(tmp_path):
    old = tmp_path / "old"
    old_ledger(old, [("default", "9/1", None)], [("default", number, "1/10", None, None) for number in (1, 2, 3)])
    (tmp_path / "kills").mkdir()
    kills = run(KILLED_AT_EVERY_STEP, tmp_path / "kills", old)
    assert [kill["status"] for kill in kills] == [-9] * (len(kills) - 1) + [0]
    before = [kill["before"] for kill in kills]
    # Two transactions: the first makes the file a new one, the second charges it.
    assert before.count("COMMIT") - before[: before.index("charge")].count("COMMIT") == 2
    upgraded = [place for place, name in enumerate(before) if name == "COMMIT"][-2]
    assert any(name.startswith("DROP TRIGGER") for name in before[:upgraded])
    assert sum(name.startswith("INSERT INTO totals") for name in before[:upgraded]) == 4
    assert [kill["version"] for kill in kills] == [1] * (upgraded + 1) + [2] * (len(kills) - upgraded - 1)
    assert [kill["charges"] for kill in kills] == [3] * (len(kills) - 2) + [4, 4]
    assert all(kill["after"] == kill["charges"] + 1 for kill in kills)


HALF_WRITTEN = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")  # so that SQLite must write pages to the file before the commit
connection.execute("BEGIN IMMEDIATE")
for number in range(2, 1000):
    row = (number, "release" * 20)
    connection.execute("INSERT INTO charges VALUES ('default', ?, '1/1000', NULL, NULL, ?, '2030-01-01T00:00:00Z')", row)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_reading_after_a_crash_in_mid_write_shows_what_was_committed_and_no_more(tmp_path):
    path = tmp_path / "ledger"
    Ledger(path, cap="1").charge(PureDP(Fraction(1, 2)), "release")
    committed = path.read_bytes()
    subprocess.run([sys.executable, "-c", HALF_WRITTEN, str(path)], check=False, timeout=60)
    assert path.read_bytes() != committed
    assert (tmp_path / "ledger-journal").stat().st_size > 0
    assert [charge.number for charge in Ledger.datasets(path)[0].charges] == [1]
    assert path.read_bytes() == committed
    assert Ledger(path).charge(PureDP(Fraction(1, 2)), "the rest").number == 2
