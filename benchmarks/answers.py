"""First answers with an interval, and later ones from the cache: how long, how much memory, and whether the chains agree.

A beat is the time in which one core draws 1e8 standard normal numbers with NumPy. Each network is asked in a process of its
own: ``python -m benchmarks.answers FILE TINY`` loads a release file and asks it. One that fails costs its own rows only.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import discreet as dc
from discreet.chains.diagnostics import diagnose
from discreet.inference.query import query_draws

from .networks import bif
from .planning import draw_beat
from .results import OURS, Goal, Kind, Row
from .timing import REPEATS, peak_megabytes, seconds, told_apart

BEAT, BEFORE, R_HAT = "a beat", "discreet at commit cbd401b", "worst R-hat of five questions"
HELP, ALLOWED, _LOADING = "`discreet --help`", "twice the help, and loading", "loading"
_LOAD = """
import json, sys, time
import discreet as dc
start, before = time.perf_counter(), time.process_time()
dc.load(sys.argv[1]).posterior
print(json.dumps([time.perf_counter() - start, time.process_time() - before]))
"""
_BEATS = {"asia": 0.5, "cancer": 3, "alarm": 3, "hailfinder": 3, "water": 3, "hepar2": 8, "win95pts": 8, "andes": 8}
_BEATS |= dict.fromkeys(("munin1", "link", "pigs", "munin", "diabetes"), 30)
"""How many beats the first answer may take."""
_BEFORE = {"asia": 0.23, "alarm": 1.62, "hailfinder": 23.1, "win95pts": 6.82, "andes": 8.36, "pigs": 5.79, "link": 81.0}
"""Processor seconds of the first answer at that commit, of a release of its own; link was noted then, of less data."""
_NEVER = {"water": "no answer in 300 s", "munin": "no answer", "diabetes": "no answer, and 13.7 GB"}
_MEGABYTES, _AGREED = 1000, 1.05
_ROWS, _EPSILON, _QUESTIONS = 20_000, "1", 5
_LONGEST = 600
"""Seconds after which nobody waits for an answer."""


def run() -> list[Row]:
    """Every network with its own release."""
    return [row for name in _BEATS for row in _measured(name)]


def _measured(name: str) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        settings = {"DISCREET_CACHE": str(Path(folder) / "cache")}
        try:
            file = _release(name, Path(folder))
            told = told_apart("answers", [str(file), str(_tiny_release(Path(folder)))], settings, _LONGEST)
        except Exception as error:  # whatever it is, the other networks are measured
            return rows_of(name, {}, _reason(error))
        return rows_of(name, told) + _rows_of_cache(name, file, settings)


def rows_of(name: str, told: Mapping[str, float], reason: str = "") -> list[Row]:
    """The rows of a first answer; with a reason in place of the numbers where there is none."""
    case = f"first answer of {name}"
    largest = _BEATS[name] == max(_BEATS.values())
    ours = Row("answers", case, OURS, goal=Goal(Kind.MEGABYTES, _MEGABYTES) if largest else None, reason=reason)
    beat = Row("answers", case, BEAT, goal=Goal(Kind.SLOWER, _BEATS[name]))
    agreed = Row("answers", case, R_HAT, value=told.get("r_hat"), goal=Goal(Kind.AT_MOST, _AGREED))
    if told:
        first, one, processor = (told[what] * 1e3 for what in ("seconds", "beat", "processor"))
        ours = replace(ours, milliseconds=first, fastest=first, megabytes=told["megabytes"], processor=processor)
        beat = replace(beat, milliseconds=one, fastest=one)
    return [ours, beat, *_before(name, case), agreed]


def _before(name: str, case: str) -> list[Row]:
    if name in _NEVER:
        return [Row("answers", case, BEFORE, reason=_NEVER[name])]
    taken = [_BEFORE[name] * 1e3] if name in _BEFORE else []
    return [Row("answers", case, BEFORE, each, each, processor=each) for each in taken]


def _release(name: str, folder: Path) -> Path:
    truth = dc.PointPosterior(*dc.read_tables(bif(name, folder)))
    records = truth.sample(_ROWS, np.random.default_rng(5))
    file = folder / "release.json"
    dc.release(records, truth.network, dc.Auto(_EPSILON), ledger=dc.Ledger.unlimited()).save(file)
    return file


def _tiny_release(folder: Path) -> Path:
    """One that is asked before the clock starts: it has everything imported."""
    network = dc.Network([dc.Variable("a", ["0", "1"]), dc.Variable("b", list("012"))], {"b": ["a"]})
    records = {"a": ["0", "1"] * 50, "b": ["0", "1", "1", "2"] * 25}
    file = folder / "tiny.json"
    dc.release(records, network, dc.Auto(_EPSILON), ledger=dc.Ledger.unlimited()).save(file)
    return file


def _rows_of_cache(name: str, file: Path, settings: Mapping[str, str]) -> list[Row]:
    """The second question of the command, in a fresh process, against its help and loading."""
    case, discreet = f"second `discreet query` of {name}", str(Path(sys.executable).with_name("discreet"))
    question = [discreet, "query", str(file), dc.load(file).posterior.network.nodes[-1]]
    works = {OURS: question, HELP: [discreet, "--help"], _LOADING: [sys.executable, "-c", _LOAD, str(file)]}
    turns: dict[str, list[tuple[float, float]]] = {contender: [] for contender in works}
    try:
        _taken(question, settings)
        for _ in range(REPEATS):
            for contender, command in works.items():
                turns[contender].append(_taken(command, settings))
    except RuntimeError as error:
        return [Row("answers", case, OURS, reason=_reason(error)), Row("answers", case, ALLOWED, goal=Goal(Kind.SLOWER, 1))]
    return rows_of_cache(case, turns)


def rows_of_cache(case: str, turns: Mapping[str, Sequence[tuple[float, float]]]) -> list[Row]:
    """Rows from seconds by the clock and of the processor, in each of some turns."""
    rows = []
    for contender in (OURS, HELP, _LOADING):
        clock, processor = ([turn[kind] * 1e3 for turn in turns[contender]] for kind in (0, 1))
        rows.append(Row("answers", case, contender, statistics.median(clock), min(clock), processor=min(processor)))
    ours, helped, loading = rows
    allowed = {what: 2 * getattr(helped, what) + getattr(loading, what) for what in ("milliseconds", "fastest", "processor")}
    return [ours, helped, loading, Row("answers", case, ALLOWED, goal=Goal(Kind.SLOWER, 1), **allowed)]


def _taken(command: Sequence[str], settings: Mapping[str, str]) -> tuple[float, float]:
    """Seconds of a command, by the clock and of the processor; of the script that loads what it says itself."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | dict(settings), timeout=_LONGEST
    )
    clock, after = time.perf_counter() - start, os.times()
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    if _LOAD in command:
        said = json.loads(done.stdout)
        return said[0], said[1]
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return clock, spent


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200].replace("|", "/").replace("\n", " ")


def main(file: str, tiny: str) -> None:
    """Ask one release file in this process, after a tiny one."""
    dc.load(tiny).posterior.query("b")
    beat = seconds(draw_beat)
    before = time.process_time()
    start = time.perf_counter()
    posterior = dc.load(file, cache=True).posterior
    nodes = posterior.network.nodes
    posterior.query(nodes[-1])
    told = {"seconds": time.perf_counter() - start, "processor": time.process_time() - before, "beat": beat}
    generator = np.random.default_rng(3)
    asked = [nodes[-1], *(str(node) for node in generator.choice(nodes, _QUESTIONS - 1, replace=len(nodes) < _QUESTIONS))]
    told["megabytes"] = peak_megabytes()
    told["r_hat"] = max(_r_hat(posterior, node) for node in asked)
    print(json.dumps(told))


def _r_hat(posterior: dc.Posterior, node: str) -> float:
    """How far the chains agree on an answer."""
    drawn = query_draws(posterior, node, generator=1)
    rounds = drawn.shape[1] // posterior.chains
    kept = drawn[:, : rounds * posterior.chains].reshape(len(drawn), rounds, posterior.chains)
    return diagnose(kept.transpose(1, 2, 0)).r_hat


if __name__ == "__main__":
    main(*sys.argv[1:])
