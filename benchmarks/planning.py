"""Planning and what follows it: ``plan``, a repeated ``Auto``, and the exact noise of a large K-norm release, in beats.

A beat is the time in which one core draws 1e8 standard normal numbers with NumPy. All times are those of the processor, beats
included, so that what else the machine does counts little. Each network is looked at in a process of its own.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc

from .networks import bif
from .results import OURS, Goal, Kind, Row
from .timing import told_apart

BEAT, CHOSEN, BEFORE = "a beat", "its chosen mechanism", "discreet at commit cbd401b"
_SMALL = ("asia", "alarm", "hailfinder", "water")
_MIDDLE = ("win95pts", "andes")
_LARGE = ("link", "pigs", "munin", "diabetes")
_BEATS = dict.fromkeys(_SMALL, 1) | dict.fromkeys(_LARGE, 5)
"""How many beats a plan may take."""
_PLAN_BEFORE = {"asia": 0.7, "alarm": 2.4, "win95pts": 6.7, "andes": 12.3, "link": 34, "diabetes": 13}
_AUTO_BEFORE = {"asia": 0.1, "alarm": 0.39, "win95pts": 0.9, "andes": 2.5, "link": 3.4, "munin": 4.4, "diabetes": 7.4}
"""Processor seconds that were measured then, from outside, on a busy machine."""
_NOISY = "diabetes"
"""The network with the most exact noise."""
_ROWS, _EPSILON = 10_000, "1"
_TURNS = 3


def run() -> list[Row]:
    """Every network in a fresh process: what is planned once must not have been planned before."""
    return [row for name in (*_SMALL, *_MIDDLE, *_LARGE) for row in _measured(name)]


def _measured(name: str) -> list[Row]:
    # One thread: a beat is of one core, and threads that wait for others use the processor, too.
    try:
        seconds = told_apart("planning", [name], {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    except RuntimeError as error:
        return [Row("planning", f"plan of {name}", OURS, reason=str(error))]
    return _rows_of(name, seconds)


def _rows_of(name: str, seconds: dict[str, list[float]]) -> list[Row]:
    beat = seconds["beat"]
    goal = Goal(Kind.SLOWER, _BEATS[name]) if name in _BEATS else None
    planned = f"plan of {name}"
    rows = [_row(planned, OURS, seconds["plan"]), _row(planned, BEAT, beat, goal), *_before(planned, _PLAN_BEFORE.get(name))]
    case = f"Auto for {name}, once planned"
    rows += [_row(case, OURS, seconds["auto"]), _row(case, CHOSEN, seconds["chosen"], Goal(Kind.SLOWER, 1.5))]
    rows += [_row(case, BEAT, beat), *_before(case, _AUTO_BEFORE.get(name))]
    if name == _NOISY:
        case = f"K-norm release of {name}, once planned"
        rows += [_row(case, OURS, seconds["knorm"]), _row(case, BEAT, beat, Goal(Kind.SLOWER, 2))]
    return rows


def _row(case: str, contender: str, seconds: Sequence[float], goal: Goal | None = None) -> Row:
    return Row("planning", case, contender, statistics.median(seconds) * 1e3, min(seconds) * 1e3, goal=goal)


def _before(case: str, seconds: float | None) -> list[Row]:
    return [] if seconds is None else [_row(case, BEFORE, [seconds])]


def processor_seconds(work: Callable[[], Any]) -> float:
    """Of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def draw_beat() -> None:
    """Draw 1e8 standard normal numbers, a million at a time."""
    generator = np.random.default_rng(1)
    for _ in range(100):
        generator.standard_normal(10**6)


def main(name: str) -> None:
    """Look at one network in this process."""
    with tempfile.TemporaryDirectory() as folder:
        network = dc.read_network(bif(name, Path(folder)))
    dc.plan(dc.Network([dc.Variable("a", ["0", "1"]), dc.Variable("b", list("012"))], {"b": ["a"]}), _ROWS, _EPSILON)
    seconds = {"beat": [processor_seconds(draw_beat)]}
    seconds["plan"] = [processor_seconds(lambda: dc.plan(network, _ROWS, _EPSILON))]
    # Records that are all alike: neither the noise nor anything else takes longer for others.
    counts = {family.node: np.zeros((family.configurations, family.levels), dtype=np.int64) for family in network.families}
    for table in counts.values():
        table[0, 0] = _ROWS
    chosen = dc.Auto(_EPSILON).choose(network, _ROWS, dc.Auto(_EPSILON).default_prior).mechanism
    ledger = dc.Ledger.unlimited()
    mechanisms = {"auto": dc.Auto(_EPSILON), "chosen": chosen} | ({"knorm": dc.KNorm(_EPSILON)} if name == _NOISY else {})
    for what, mechanism in mechanisms.items():
        work = partial(_release, mechanism, counts, network, ledger)
        work()
        seconds[what] = [processor_seconds(work) for _ in range(_TURNS)]
    print(json.dumps(seconds))


def _release(mechanism: Any, counts: Any, network: dc.Network, ledger: dc.Ledger) -> None:
    mechanism.prepare_found(counts, network, ledger=ledger).publish()


if __name__ == "__main__":
    main(sys.argv[1])
