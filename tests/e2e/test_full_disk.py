"""An output that cannot be written: found before the charge, or told with the charge, never lost without a word."""

import errno
import os
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from discreet import Ledger, load
from discreet.chains.family_chain import Effort

LINE = "radius = 1\nnoise = 0.25\n[features]\nage = [18, 90]\n[target]\nweight = [40, 140]\n"
PEOPLE = "age,weight\n" + "".join(f"{20 + place},{60 + place / 2}\n" for place in range(40))
CLINIC = ("--network", "clinic.bif", "--ledger", "clinic.ledger")
COMMANDS = {
    "release": ("release", "patients.csv", *CLINIC, "--epsilon", "0.25"),
    "laplace": ("release", "patients.csv", *CLINIC, "--epsilon", "0.25", "--mechanism", "laplace"),
    "sampler": ("release", "patients.csv", *CLINIC, "--epsilon", "0.25", "--mechanism", "sampler"),
    "confidence": ("confidence", "clinic.json", "patients.csv", "--target", "lung", *CLINIC[2:], "--epsilon", "0.25"),
    "moments": ("release", "people.csv", "--model", "line.toml", *CLINIC[2:], "--epsilon", "0.25"),
}
every_command = pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)


@pytest.fixture(autouse=True)
def _ready(clinic, monkeypatch):
    """A line beside the clinic, and short chains: what is tested here does not need them to agree."""
    Path("line.toml").write_text(LINE)
    Path("people.csv").write_text(PEOPLE)
    monkeypatch.setattr(Effort, "within", lambda *_: Effort(4, 10, 10))


def spent():
    return Ledger("clinic.ledger").spent


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def after_the_charge(monkeypatch, owner, name, act, times=10**9):
    """Replace a function, so many times, as soon as a charge was made."""
    charge, original, left = Ledger.charge, getattr(owner, name), [times]

    def limited(*given, **options):
        left[0] -= 1
        return act(*given, **options) if left[0] >= 0 else original(*given, **options)

    def charge_and_break(*given):
        receipt = charge(*given)
        monkeypatch.setattr(owner, name, limited)
        return receipt

    monkeypatch.setattr(Ledger, "charge", charge_and_break)


@every_command
def test_a_full_disk_is_found_before_the_charge(discreet, monkeypatch, words):
    monkeypatch.setattr(os, "posix_fallocate", no_space)
    done = discreet(*words, "-o", "out.json")
    assert (done.code, spent()) == (5, Fraction(1, 2))
    assert "No space left on device" in done.err
    assert "Nothing was charged." in done.err
    assert "Budget was spent" not in done.err
    assert [path for path in Path().iterdir() if "out.json" in path.name] == []


@every_command
def test_room_that_was_made_is_enough_on_a_disk_that_fills_up_meanwhile(discreet, monkeypatch, words):
    """After the charge not one byte more can be had: the file may not grow beyond what was reserved."""
    reserved = {}
    allocate, write = os.posix_fallocate, os.fsync

    def noted(descriptor, start, size):
        reserved[os.fstat(descriptor).st_ino] = size
        allocate(descriptor, start, size)

    def checked(descriptor):
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_size > reserved[status.st_ino]:
            no_space()
        write(descriptor)

    monkeypatch.setattr(os, "posix_fallocate", noted)
    after_the_charge(monkeypatch, os, "fsync", checked)
    done = discreet(*words, "-o", "out.json")
    assert (done.code, done.err.count("Budget was spent")) == (0, 0)
    assert load("out.json").receipts[0].number == 2
    assert reserved


@every_command
def test_a_write_that_fails_after_the_charge_is_told_with_its_receipt_and_the_release_is_kept(discreet, monkeypatch, words):
    after_the_charge(monkeypatch, os, "fsync", no_space, times=1)
    done = discreet(*words, "-o", "out.json")
    assert (done.code, spent()) == (5, Fraction(3, 4))
    assert "No space left on device" in done.err
    assert "charge 2 of data set 'default'" in done.err
    assert "epsilon 0.25; 0.75 of 1 spent, 0.25 remains" in done.err
    assert str(Path("clinic.ledger").absolute()) in done.err
    (kept,) = Path().glob("discreet-release-*.json")
    assert str(kept) in done.err
    assert kept.stat().st_mode & 0o777 == 0o600
    assert load(kept).receipts[0].number == 2
    assert not Path("out.json").exists()


@every_command
def test_a_release_that_can_be_kept_nowhere_is_told_with_its_receipt(discreet, monkeypatch, words):
    after_the_charge(monkeypatch, os, "fsync", no_space)
    done = discreet(*words, "-o", "out.json")
    assert (done.code, spent()) == (5, Fraction(3, 4))
    assert "charge 2 of data set 'default'" in done.err
    assert "lost: trying again is charged again" in done.err


def test_an_output_that_somebody_else_wrote_meanwhile_stays_and_the_release_is_kept(discreet, monkeypatch):
    charge = Ledger.charge

    def charge_and_write(*given):
        Path("out.json").write_text("of somebody else")
        return charge(*given)

    monkeypatch.setattr(Ledger, "charge", charge_and_write)
    done = discreet(*COMMANDS["release"], "-o", "out.json")
    assert done.code == 5
    assert Path("out.json").read_text() == "of somebody else"
    (kept,) = Path().glob("discreet-release-*.json")
    assert str(kept) in done.err
    assert load(kept).receipts[0].number == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_a_draw_that_is_interrupted_is_told_with_its_receipt(discreet, monkeypatch, error):
    def stop(*_):
        raise error("zebra-4711")

    monkeypatch.setattr("discreet.kernel.bits.OperatingSystemBits.read", stop)
    done = discreet(*COMMANDS["laplace"], "-o", "out.json")
    assert done.code == (130 if error is KeyboardInterrupt else 1)
    assert "charge 2 of data set 'default'" in done.err
    assert "zebra" not in done.err
    assert [path for path in Path().iterdir() if "out.json" in path.name] == []


def test_notes_of_others_are_not_shown(discreet, monkeypatch):
    def stop(*_):
        error = ZeroDivisionError()
        error.add_note("zebra-4711")
        raise error

    monkeypatch.setattr("discreet.kernel.bits.OperatingSystemBits.read", stop)
    done = discreet(*COMMANDS["laplace"], "-o", "out.json")
    assert "charge 2" in done.err
    assert "zebra" not in done.err


LIMITED = """
import resource, sys
from discreet.cli import main
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(main(sys.argv[2:]))
"""


def wide_words(output):
    Path("wide.json").write_text(
        '{"format": "discreet-network", "version": 1, "variables": ['
        + ", ".join(f'{{"name": "v{i}", "levels": {[f"a{j}" for j in range(30)]!r}}}'.replace("'", '"') for i in range(3))
        + '], "parents": {"v1": ["v0"], "v2": ["v0", "v1"]}}'
    )
    Path("wide.csv").write_text("v0,v1,v2\n" + "a1,a2,a3\n" * 50)
    return (
        "release", "wide.csv", "--network", "wide.json", "--ledger", "wide.ledger", "--cap", "1", "--epsilon", "1",
        "--mechanism", "laplace", "-o", str(output),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_a_real_limit_on_files_is_found_before_the_charge():
    command = [sys.executable, "-c", LIMITED, str(100_000), *wide_words("out.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 5, done.stderr
    assert "File too large" in done.stderr
    assert "Nothing was charged" in done.stderr
    assert Ledger("wide.ledger").spent == 0
    assert not [path for path in Path().iterdir() if "out.json" in path.name]
    again = subprocess.run(
        [sys.executable, "-c", LIMITED, str(10**7), *wide_words("out.json")], capture_output=True, text=True, check=False
    )
    assert (again.returncode, Ledger("wide.ledger").spent) == (0, 1)
    assert Path("out.json").stat().st_size > 100_000  # the first limit was a real one


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 100 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only the administrator may mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full_is_found_before_the_charge(small_disk, discreet):
    done = discreet(*wide_words(small_disk / "out.json"))
    assert done.code == 5
    assert "No space left" in done.err
    assert Ledger("wide.ledger").spent == 0
    assert list(small_disk.iterdir()) == []


def test_force_keeps_the_mode_of_the_file_that_it_replaces(discreet):
    Path("clinic.json").chmod(0o600)
    assert discreet(*COMMANDS["laplace"], "-o", "clinic.json", "--force").code == 0
    assert stat.S_IMODE(Path("clinic.json").stat().st_mode) == 0o600
    assert discreet("update", "clinic.json", "patients.csv", "-o", "clinic.json", "--force").code == 0
    assert stat.S_IMODE(Path("clinic.json").stat().st_mode) == 0o600


KILLED = """
import os, signal, sys
from discreet.cli import main
from discreet.kernel.ledger import Ledger
charge = Ledger.charge
def killed(*given):
    charge(*given)
    os.kill(os.getpid(), signal.SIGKILL)
Ledger.charge = killed
main(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills need POSIX")
def test_a_command_that_is_killed_leaves_a_draft_without_content_that_the_next_removes(discreet):
    words = (*COMMANDS["laplace"], "-o", "out.json")
    done = subprocess.run([sys.executable, "-c", KILLED, *words], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    (draft,) = Path().glob(".out.json.*")
    assert set(draft.read_bytes()) == {0}
    assert spent() == Fraction(3, 4)
    assert discreet(*words).code == 0
    assert list(Path().glob(".out.json.*")) == []
