"""The command from release to ledger, its exit codes, and what it must never print or spend."""

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

import discreet as library
from discreet import Ledger

COMMAND = Path(sys.executable).with_name("discreet")
RELEASE = ("release", "patients.csv", "--network", "clinic.bif", "--ledger", "clinic.ledger")
SECRET = "zebra-4711"


def shell(*words, **options):
    return subprocess.run([COMMAND, *words], capture_output=True, encoding="utf-8", timeout=60, check=False, **options)


def spent():
    return Ledger("clinic.ledger").spent


@pytest.mark.slow
def test_the_whole_way_from_records_to_ledger_through_files(tmp_path, made):
    def ok(*words):
        done = shell(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done

    (tmp_path / "clinic.bif").write_bytes((made / "clinic.bif").read_bytes())
    ok("sample", "clinic.bif", "--rows", "3000", "--seed", "1", "-o", "patients.csv")
    released = ok(*RELEASE, "--epsilon", "1/2", "--cap", "1", "-o", "clinic.json")
    assert released.stdout == ""
    assert "0.5 of 1 spent, 0.5 remains" in released.stderr
    assert "number of records is published" in released.stderr
    assert "epsilon = 0.5" in ok("show", "clinic.json").stdout
    assert "P(lung | smoke=yes)" in ok("query", "clinic.json", "lung", "--given", "smoke=yes").stdout
    predicted = ok("predict", "clinic.json", "patients.csv", "--target", "lung", "--plugin").stdout.splitlines()
    assert predicted[0] == "lung"
    assert len(predicted) == 3001
    assert set(predicted[1:]) <= {"yes", "no"}
    updated = ok("update", "clinic.json", "patients.csv", "-o", "updated.json")
    assert "3,000 records were added exactly" in updated.stderr
    assert library.load(tmp_path / "updated.json").plugin.own.rows == 3000
    ok("sample", "updated.json", "--rows", "10", "-o", "synthetic.parquet")
    assert pl.read_parquet(tmp_path / "synthetic.parquet").shape == (10, 3)
    account = json.loads(ok("ledger", "clinic.ledger", "--json").stdout)["datasets"][0]
    assert (account["cap"], account["spent"], account["remaining"]) == ("1", "0.5", "0.5")
    assert [charge["guarantee"] for charge in account["charges"]] == [{"kind": "pure", "epsilon": "0.5"}]


def test_a_second_release_over_the_cap_is_refused_and_writes_nothing(discreet, clinic):
    refused = discreet(*RELEASE, "--epsilon", "0.6", "-o", "second.json")
    assert refused.code == 3
    assert "0.5 remains" in refused.err
    assert not Path("second.json").exists()
    assert spent() == Fraction(1, 2)


@pytest.mark.parametrize(
    ("output", "more"),
    [
        ("clinic.json", ()),  # exists
        ("no-such-folder/out.json", ()),
        (".", ()),  # a folder
        ("patients.csv", ("--force",)),  # an input
        ("clinic.bif", ("--force",)),
        ("clinic.ledger", ("--force",)),
        ("link.json", ("--force",)),  # leads to an input
        ("hard.json", ("--force",)),
        ("clinic.ledger-journal", ()),  # SQLite would remove it
        ("clinic.ledger-wal", ("--force",)),
    ],
)
def test_an_output_that_cannot_be_written_costs_nothing(discreet, clinic, output, more):
    Path("link.json").symlink_to("clinic.ledger")
    Path("hard.json").hardlink_to("patients.csv")
    before = {path.name: path.read_bytes() for path in clinic.iterdir()}
    refused = discreet(*RELEASE, "--epsilon", "0.1", "-o", output, *more)
    assert refused.code in (2, 5)
    assert refused.err.startswith("discreet: ")
    assert {path.name: path.read_bytes() for path in clinic.iterdir()} == before


def test_a_folder_without_permission_costs_nothing(discreet, clinic, monkeypatch):
    # A folder mode would not stop the administrator, who runs tests in containers.
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("discreet.output_file.os.open", refuse)
    refused = discreet(*RELEASE, "--epsilon", "0.1", "-o", "out.json")
    assert (refused.code, spent()) == (5, Fraction(1, 2))


def test_force_replaces_the_output(discreet, clinic):
    assert discreet(*RELEASE, "--epsilon", "0.25", "-o", "clinic.json", "--force").code == 0
    assert library.load("clinic.json").guarantee.epsilon == Fraction(1, 4)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, ("--version",)),
        (0, ("--help",)),
        (0, ()),
        (2, ("query", "clinic.json", "nobody")),
        (2, ("plan", "clinic.bif", "--rows", "0", "--epsilon", "1")),
        (2, ("plan", "clinic.bif", "--rows", "10", "--epsilon", "much")),
        (2, ("plan", "clinic.bif", "--rows", "10", "--epsilon", "-1")),
        (2, ("plan", "clinic.bif", "--rows", "10")),
        (2, (*RELEASE, "--epsilon", "0", "-o", "out.json")),
        (2, (*RELEASE, "--epsilon", "0.1", "--cap", "nan", "-o", "out.json")),
        (2, (*RELEASE, "--epsilon", "0.1", "--prior", "bdeu:0", "-o", "out.json")),
        (2, ("query", "clinic.json", "lung", "--interval", "1.5")),
        (2, ("sample", "clinic.json", "--rows", "3", "-o", "out.txt")),
        (2, ("show", "patients.csv")),
        (3, (*RELEASE, "--epsilon", "2", "-o", "out.json")),
        (4, (*RELEASE, "--epsilon", "0.1", "--missing", "unknown", "-o", "out.json")),
        (4, ("update", "clinic.json", "wrong.csv", "-o", "out.json")),
        (4, ("predict", "clinic.json", "wrong.csv", "--target", "xray")),
        (5, ("show", "clinic.bif")),
        (5, ("show", "nothing.json")),
        (5, ("query", "broken.json", "lung")),
        (5, ("plan", "nothing.bif", "--rows", "10", "--epsilon", "1")),
        (5, ("predict", "clinic.json", "nothing.csv", "--target", "lung")),
        (5, ("ledger", "clinic.json")),
        (5, (*RELEASE, "--epsilon", "0.1", "--cap", "7", "-o", "out.json")),
        (5, (*RELEASE[:-1], "new.ledger", "--epsilon", "0.1", "-o", "out.json")),
    ],
)
def test_the_exit_code_says_whose_turn_it_is(discreet, clinic, code, words):
    Path("broken.json").write_text('{"format": "discreet-release", "version": 1}')
    Path("wrong.csv").write_text("smoke,lung,xray\nperhaps,no,clear\n")
    done = discreet(*words)
    assert done.code == code
    assert done.err.startswith("discreet: ") == (code != 0)
    assert (done.out == "") == (code != 0)
    assert spent() == Fraction(1, 2)
    assert not Path("out.json").exists()


DAMAGED = {
    "undeclared.csv": f"smoke,lung,xray\nyes,no,clear\n{SECRET},no,clear\n",
    "ragged.csv": f"smoke,lung,xray\nyes,no,clear\nyes,no,clear,{SECRET},{SECRET}\n",
    "short.csv": f"smoke,lung,xray\nyes,no,clear\n{SECRET}\n",
    "quote.csv": f'smoke,lung,xray\nyes,no,"{SECRET}\nyes,no,clear\n',
    "no-header.csv": f"{SECRET},no,clear\nyes,no,clear\n",
    "nothing.csv": "",
    "twice.csv": f"smoke,smoke,lung,xray\n{SECRET},no,no,clear\n",
    "not-a.parquet": f"PAR1 {SECRET}",
    "latin.csv": f"smoke,lung,xray\n{SECRET}\xe9,no,clear\n".encode("latin-1"),
    "gaps.csv": f"smoke,lung,xray,name\n,no,clear,{SECRET}\n",
    "table.txt": f"{SECRET},no,clear\n",
}


@pytest.mark.parametrize("traceback", [False, True])
def test_no_output_ever_shows_a_private_value(discreet, clinic, monkeypatch, traceback):
    monkeypatch.setenv("DISCREET_TRACEBACK", "1" if traceback else "")
    for name, content in DAMAGED.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        attempts = (
            (*RELEASE[:1], name, *RELEASE[2:], "--epsilon", "0.1", "-o", "out.json"),
            ("update", "clinic.json", name, "-o", "out.json"),
            ("predict", "clinic.json", name, "--target", "xray", "--plugin"),
            ("show", name),
            ("query", name, "lung"),
            ("plan", name, "--rows", "9", "--epsilon", "1"),
            ("release", "patients.csv", "--network", name, *RELEASE[4:], "--epsilon", "0.1", "-o", "out.json"),
            ("ledger", name),
            ("update", name, "clinic.json", "-o", "out.json"),
        )
        for words in attempts:
            done = discreet(*words)
            assert SECRET not in done.out + done.err, words
            assert "Traceback" not in done.err, words
            assert done.code in (2, 4, 5) or words[0] == "predict"  # which needs neither every column nor every value
    assert spent() == Fraction(1, 2)


def test_columns_that_are_no_nodes_stay_private(discreet, clinic):
    pl.read_csv("patients.csv").with_columns(name=pl.lit(SECRET)).write_csv("named.csv")
    done = discreet("release", "named.csv", *RELEASE[2:], "--epsilon", "0.1", "-o", "out.json", "--json")
    assert done.code == 0
    assert SECRET not in done.out + done.err + Path("out.json").read_text(encoding="utf-8")


def test_a_defect_is_told_without_its_text(discreet, clinic, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError(f"could not parse {SECRET}")

    monkeypatch.setattr(library, "load", fail, raising=False)
    done = discreet("show", "clinic.json")
    assert (done.code, done.out) == (1, "")
    assert "RuntimeError" in done.err
    assert "report it" in done.err
    assert SECRET not in done.err
    assert "may show private values" in done.err
    monkeypatch.setenv("DISCREET_TRACEBACK", "1")
    assert SECRET in discreet("show", "clinic.json").err


def test_an_interrupt_is_no_defect(discreet, clinic, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "load", interrupt, raising=False)
    done = discreet("show", "clinic.json")
    assert (done.code, done.out, done.err) == (130, "", "discreet: interrupted.\n")


def opened_by_its_reader(pipe):
    """Open a named pipe for writing as soon as somebody reads from it."""
    for _ in range(600):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise AssertionError("nobody opened the pipe")


def test_control_c_ends_the_real_command_with_130(clinic):
    os.mkfifo("pipe.json")  # the command is at work exactly when it waits for the content of its file
    with subprocess.Popen([COMMAND, "show", "pipe.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        try:
            writer = opened_by_its_reader("pipe.json")
            time.sleep(0.3)  # Python cannot see a signal in the instant before it begins to wait
            running.send_signal(signal.SIGINT)
            output = running.communicate(timeout=30)
            os.close(writer)
        finally:
            running.kill()
    assert (running.returncode, output) == (130, (b"", b"discreet: interrupted.\n"))


@pytest.mark.fast("query*")
@pytest.mark.parametrize("words", ["sample clinic.bif --rows 300000", "--help", "query clinic.json lung --plugin"])
def test_a_reader_who_leaves_early_is_not_an_error(clinic, words):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([COMMAND, *words.split()], stdout=write, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_is_told(clinic):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([COMMAND, "show", "clinic.json"], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 5
    assert done.stderr.startswith(b"discreet: No space left")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("source", "output"),
    [
        (["records/*.csv"], "records/a.csv"),
        (["--spark", "records"], "records/a.csv"),
        (["--spark", "records"], "records/new.json"),  # would be a record file at the next reading
    ],
)
def test_records_given_by_a_pattern_or_a_folder_are_not_written_over(discreet, clinic, source, output):
    Path("records").mkdir()
    Path("records/a.csv").write_bytes(Path("patients.csv").read_bytes())
    words = ["--network", "clinic.bif", "--ledger", "clinic.ledger", "--epsilon", "0.1", "-o", output, "--force"]
    refused = discreet("release", *source, *words)
    assert (refused.code, spent()) == (2, Fraction(1, 2))
    assert "is also an input" in refused.err
    assert Path("records/a.csv").read_bytes() == Path("patients.csv").read_bytes()


def test_a_database_of_records_is_not_written_over(discreet, clinic):
    Path("hospital.db").write_bytes(b"private")
    words = ["--network", "clinic.bif", "--ledger", "clinic.ledger", "--epsilon", "0.1", "-o", "hospital.db", "--force"]
    refused = discreet("release", "--sql", "select * from patients", "--connection", "sqlite:///hospital.db", *words)
    assert (refused.code, Path("hospital.db").read_bytes()) == (2, b"private")


@pytest.mark.slow
def test_a_summary_that_nobody_takes_does_not_hide_that_the_release_is_there(clinic):
    words = [*RELEASE, "--epsilon", "0.1", "-o", "out.json", "--json"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" "$@" >&-', COMMAND, *words], stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.returncode == 5
    assert "The release is whole in 'out.json'; only its summary could not be printed." in done.stderr
    assert "defect" not in done.stderr
    assert library.load("out.json").receipts[0].number == 2
