"""What a charge costs as a ledger grows: ``python -m benchmarks.ledger`` prints the ratios and fails if one is 2 or more."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

import discreet as dc
from discreet.guarantee import PureDP
from discreet.kernel import ledger_file, ledger_rows
from discreet.kernel.ledger_entries import Charge

from .page import table
from .results import OURS, Goal, Kind, Results, Row
from .timing import measured, seconds

_SIZES = (1, 1_000, 10_000, 100_000)
_GOAL = Goal(Kind.SLOWER, 2)
_PROCESSES = 15
_REPEATS = 25
_EPSILON = Fraction(1, 1000)
_NETWORK = dc.Network([dc.Variable("smoke", ("yes", "no"))])
_ROOT = Path(__file__).parents[1]


def run() -> list[Row]:
    """The longest ledger in turn with shorter ones, in a folder in memory if there is one: a disk's delays hide growth."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        ledgers = {size: ledger_of(size, Path(name, f"{size}.ledger")) for size in _SIZES}
        rows = []
        for case, act in _ACTS.items():
            contenders = {
                _called(size): lambda path=path, act=act: act(path, dc.Ledger(path)) for size, path in ledgers.items()
            }
            rows += measured("ledger", case, contenders, _goals(), _REPEATS)
        return rows + _in_new_processes(ledgers)


def ledger_of(charges: int, path: Path) -> Path:
    """A ledger with so many charges, written in one transaction."""
    dc.Ledger(path, cap=1_000_000)
    with ledger_file.transaction(path, write=True) as connection:
        terms = ledger_rows.terms(connection, path, "default")
        now = ledger_rows.standing(connection, path, terms)
        for number in range(1, charges + 1):
            charge = Charge(number, PureDP(_EPSILON), "release", number * _EPSILON, "2030-01-01T00:00:00Z")
            now = ledger_rows.append(connection, path, terms, now, charge)
    return path


def open_and_charge(path: Path) -> Any:
    """What a command does that is started anew for each release."""
    return dc.Ledger(path).charge(PureDP(_EPSILON), "release")


def _charge(_path: Path, ledger: dc.Ledger) -> Callable[[], Any]:
    return lambda: ledger.charge(PureDP(_EPSILON), "release")


def _open_and_charge(path: Path, _ledger: dc.Ledger) -> Callable[[], Any]:
    return lambda: open_and_charge(path)


def _release(_path: Path, ledger: dc.Ledger) -> Callable[[], Any]:
    records = pl.DataFrame({"smoke": ["yes", "no", "no", "yes"]})
    return lambda: dc.release(records, _NETWORK, dc.Laplace(_EPSILON), ledger=ledger)


_ACTS = {"one charge": _charge, "opening and one charge": _open_and_charge, "a tiny release": _release}


def _called(size: int) -> str:
    return OURS if size == _SIZES[-1] else f"a ledger of {size:,}"


def _goals() -> dict[str, Goal]:
    return {_called(size): _GOAL for size in _SIZES[:-1]}


def _in_new_processes(ledgers: dict[int, Path]) -> list[Row]:
    """Opening and one charge as the first act of a process, imports left out."""
    taken: dict[int, list[float]] = {size: [] for size in ledgers}
    for _ in range(_PROCESSES):
        for size, path in ledgers.items():
            command = [sys.executable, "-m", "benchmarks.ledger", str(path)]
            done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
            taken[size].append(float(done.stdout))
    case = "opening and one charge in a new process"
    return [
        Row("ledger", case, _called(size), statistics.median(times), min(times), goal=_goals().get(_called(size)))
        for size, times in taken.items()
    ]


def main(*paths: str) -> int:
    """Measure and judge; or, given the path of a ledger, only say how many milliseconds one opening and charge take here."""
    if paths:
        _ = dc.Ledger  # imported when first named: before the clock starts
        print(seconds(lambda: open_and_charge(Path(paths[0]))) * 1e3)
        return 0
    rows = run()
    results = Results("", {}, tuple(rows))
    print("\n".join(table(rows, results, aligned=True)))
    return 0 if all(row.goal.met(row, results.ours(row)) for row in rows if row.goal is not None) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
