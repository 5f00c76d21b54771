"""A whole release: read the file, count, charge the ledger on disk, draw the noise, make the posterior, write the file."""

from __future__ import annotations

import statistics
import tempfile
from functools import partial
from itertools import count as numbers
from pathlib import Path

import discreet as dc
from discreet.counts import family_counts

from .files import codes_file, texts_file
from .networks import numbered, point
from .results import OURS, Goal, Kind, Row
from .timing import REPEATS, measured, separately

_COUNTING = "counting alone"
_GOAL = {_COUNTING: Goal(Kind.SLOWER, 2)}
_LARGE = ("diabetes", "munin")
_LARGE_ROWS = 100_000


def run() -> list[Row]:
    """ALARM in turn with counting alone; the largest networks that pgmpy ships in processes of their own."""
    network = point("alarm").network
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = codes_file(1_000_000, folder)
        rows += _alarm("ALARM, integer codes, 1,000,000 rows", file, numbered(network), folder)
        rows += _alarm("ALARM, texts, 1,000,000 rows", texts_file(1_000_000, folder), network, folder)
        for large in _LARGE:
            rows += _apart(large, texts_file(_LARGE_ROWS, folder, large), folder)
    return rows


def release_to_file(file: Path, network: dc.Network, folder: Path) -> dc.Release:
    """From the file of records to the file of the release, with a ledger of its own."""
    number = next(_runs)
    ledger = dc.Ledger(folder / f"{number}.ledger", cap="1")
    release = dc.release(file, network, dc.Laplace(epsilon="0.5"), ledger=ledger)
    release.save(folder / f"{number}.json")
    return release


_runs = numbers()


def _alarm(case: str, file: Path, network: dc.Network, folder: Path) -> list[Row]:
    contenders = {
        OURS: lambda: partial(release_to_file, file, network, folder),
        _COUNTING: lambda: partial(family_counts, file, network),
    }
    return measured("releases", case, contenders, _GOAL, repeats=9)


def _apart(name: str, file: Path, folder: Path) -> list[Row]:
    """Time and memory of a fresh process that knows nothing yet, planning included."""
    network = point(name).network
    network_file = folder / f"{name}.json"
    dc.write_network(network, network_file)
    works = {OURS: "release", _COUNTING: "count"}
    taken: dict[str, list[tuple[float, float]]] = {contender: [] for contender in works}
    for _ in range(REPEATS):
        for contender, work in works.items():
            taken[contender].append(separately(work, file, network_file))
    case = f"{name}, {len(network.nodes):,} nodes, {network.cells:,} counts, texts, {_LARGE_ROWS:,} rows"
    rows = []
    for contender, values in taken.items():
        times, peaks = zip(*values, strict=True)
        rows.append(Row("releases", case, contender, statistics.median(times), min(times), statistics.median(peaks)))
    return rows
