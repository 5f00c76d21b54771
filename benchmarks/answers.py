"""First answers with an interval, and later ones from the cache: how long, how much memory, and whether the chains agree.

A beat is the time in which one core draws 1e8 standard normal numbers with NumPy. Each network is asked in a process of its
own: ``python -m benchmarks.answers FILE`` loads a release file and asks it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import discreet as dc
from discreet.chains.diagnostics import diagnose
from discreet.inference.query import query_draws

from .networks import bif
from .planning import draw_beat
from .results import OURS, Goal, Kind, Row
from .timing import peak_megabytes, seconds

BEAT, BEFORE = "a beat", "discreet at commit cbd401b"
HELP = "discreet --help"
_ROOT = Path(__file__).parents[1]
_BEATS = {"asia": 0.5, "alarm": 3, "hailfinder": 3, "water": 3, "hepar2": 8, "win95pts": 8, "andes": 8}
_BEATS |= dict.fromkeys(("link", "pigs", "munin", "diabetes"), 30)
"""How many beats the first answer may take."""
_BEFORE = {"asia": 0.23, "alarm": 1.62, "hailfinder": 23.1, "win95pts": 6.82, "andes": 8.36, "pigs": 5.79}
"""Processor seconds of the first answer at that commit, of a release of its own. Water had not answered after five minutes."""
_MEGABYTES = 1000
_ROWS, _EPSILON, _QUESTIONS = 20_000, "1", 5
_LONGEST = 600
"""Seconds after which nobody waits for an answer."""


def run() -> list[Row]:
    """Every network with its own release."""
    return [row for name in _BEATS for row in _rows_of(name)]


def _rows_of(name: str) -> list[Row]:
    case = f"first answer of {name}"
    with tempfile.TemporaryDirectory() as folder:
        file = _release(name, Path(folder))
        settings = os.environ | {"DISCREET_CACHE": str(Path(folder) / "cache")}
        try:
            told = _answer_apart(file, settings)
        except subprocess.TimeoutExpired:
            return [Row("answers", case, OURS, reason=f"no answer in {_LONGEST} s")]
        again = _rows_of_cache(name, file, settings)
    first, beat = told["seconds"] * 1e3, told["beat"] * 1e3
    goal = Goal(Kind.MEGABYTES, _MEGABYTES) if _BEATS[name] == max(_BEATS.values()) else None
    said = f"{case}, worst R-hat of five questions {told['r_hat']:.2f}"
    rows = [Row("answers", said, OURS, first, first, told["megabytes"], goal, processor=told["processor"] * 1e3)]
    rows.append(Row("answers", said, BEAT, beat, beat, goal=Goal(Kind.SLOWER, _BEATS[name])))
    rows += [Row("answers", said, BEFORE, taken * 1e3, taken * 1e3, processor=taken * 1e3) for taken in _before(name)]
    return rows + again


def _before(name: str) -> list[float]:
    return [_BEFORE[name]] if name in _BEFORE else []


def _release(name: str, folder: Path) -> Path:
    truth = dc.PointPosterior(*dc.read_tables(bif(name, folder)))
    records = truth.sample(_ROWS, np.random.default_rng(5))
    file = folder / "release.json"
    dc.release(records, truth.network, dc.Auto(_EPSILON), ledger=dc.Ledger.unlimited()).save(file)
    return file


def _answer_apart(file: Path, settings: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.answers", str(file)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True, env=settings, timeout=_LONGEST)
    return json.loads(done.stdout.splitlines()[-1])


def _rows_of_cache(name: str, file: Path, settings: dict[str, str]) -> list[Row]:
    """The second question of the command, in a fresh process, against its help."""
    node = dc.load(file).posterior.network.nodes[-1]
    command = [str(Path(sys.executable).with_name("discreet"))]
    question = [*command, "query", str(file), node]
    subprocess.run(question, check=True, capture_output=True, env=settings)

    def take(words: list[str]) -> list[float]:
        return [seconds(lambda: subprocess.run(words, check=True, capture_output=True, env=settings)) * 1e3 for _ in range(3)]

    asked, helped = sorted(take(question)), sorted(take([*command, "--help"]))
    case = f"second `discreet query` of {name}"
    ours = Row("answers", case, OURS, asked[1], asked[0])
    return [ours, Row("answers", case, HELP, helped[1], helped[0], goal=Goal(Kind.SLOWER, 2))]


def main(file: str) -> None:
    """Ask one release file in this process."""
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
