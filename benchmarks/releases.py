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

_LAPLACE, _COUNTING = "the same with Laplace", "counting alone"
_GOAL = {_COUNTING: Goal(Kind.SLOWER, 2)}
MECHANISMS = {OURS: dc.Auto("0.5"), _LAPLACE: dc.Laplace("0.5")}
"""What people get who name no mechanism, and the mechanism with the least to compute."""
_LARGE = ("diabetes", "munin")
_LARGE_ROWS = 100_000


def run() -> list[Row]:
    """ALARM in turn with counting alone; it and the largest networks that pgmpy ships in processes of their own."""
    network = point("alarm").network
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = codes_file(1_000_000, folder)
        rows += _alarm("ALARM, integer codes, 1,000,000 rows", file, numbered(network), folder)
        rows += _alarm("ALARM, texts, 1,000,000 rows", texts_file(1_000_000, folder), network, folder)
        for name in ("alarm", *_LARGE):
            rows += _apart(name, texts_file(_LARGE_ROWS, folder, name), folder)
    return rows


def release_to_file(file: Path, network: dc.Network, folder: Path, contender: str = OURS) -> dc.Release:
    """From the file of records to the file of the release, with a ledger of its own."""
    number = next(_runs)
    ledger = dc.Ledger(folder / f"{number}.ledger", cap="1")
    release = dc.release(file, network, MECHANISMS[contender], ledger=ledger)
    release.save(folder / f"{number}.json")
    return release


_runs = numbers()


def _alarm(case: str, file: Path, network: dc.Network, folder: Path) -> list[Row]:
    contenders = {
        OURS: lambda: partial(release_to_file, file, network, folder),
        _LAPLACE: lambda: partial(release_to_file, file, network, folder, _LAPLACE),
        _COUNTING: lambda: partial(family_counts, file, network),
    }
    return measured("releases", case, contenders, _GOAL, repeats=9)


def _apart(name: str, file: Path, folder: Path) -> list[Row]:
    """Time and memory of a fresh process that knows nothing yet, planning included."""
    network = point(name).network
    network_file = folder / f"{name}.json"
    dc.write_network(network, network_file)
    taken: dict[str, list[tuple[float, float, float]]] = {contender: [] for contender in (*MECHANISMS, _COUNTING)}
    for _ in range(REPEATS):
        for contender, values in taken.items():
            values.append(separately(contender, file, network_file))
    case = f"{name} in a fresh process, {len(network.nodes):,} nodes, {network.cells:,} counts, texts, {_LARGE_ROWS:,} rows"
    rows = []
    for contender, values in taken.items():
        times, peaks, processor = zip(*values, strict=True)
        taken_ = statistics.median(times), min(times), statistics.median(peaks)
        rows.append(Row("releases", case, contender, *taken_, processor=min(processor)))
    return rows
