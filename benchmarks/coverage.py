"""How often 90 % credible intervals hold the truth: parameters and data sets drawn from the prior, released, and asked.

`python -m benchmarks.coverage` runs the whole study, 400 data sets for each setting, on both cores, goes on where it was
stopped, and writes the tables of docs/guide/intervals.md. Options make it smaller, such as `--networks asia --mechanisms knorm
--replicates 100 --into another.json`. Networks with few roots get further data sets that are asked for their roots alone, so
that shares near 90 % can be told apart. Every eighth data set of a large network is asked queries as well, every one of a
small one.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

import discreet as dc
from benchmarks.coverage_page import GUIDE, line, table, with_tables
from benchmarks.coverage_results import KINDS, Result, Setting, Tally, read_results, write_results
from benchmarks.networks import public_data
from benchmarks.pictures import PICTURES, draw_coverage
from discreet.chains.family_chain import Effort

NETWORKS = ("naive-bayes", "asia", "alarm")
EPSILONS = ("0.1", "1", "10")
ROWS = (50, 1000, 100_000)
MECHANISMS = ("auto", "laplace", "laplace-consistent", "fourier", "knorm", "gaussian")
RESULTS = Path(__file__).with_name("coverage.json")
INTERVAL = 0.9
QUERIES = 8
ROOTS = 1200
"""Intervals of roots in each setting, at least."""
LARGE = 100
"""Cells of a network that is asked queries less often."""
EFFORT = Effort(warm_up=40, rounds=100)
"""Two thirds of what the library does unasked: ends of intervals are less exact, so shares are rather too low."""


@lru_cache(maxsize=4)
def read(name: str) -> dc.Network:
    """Naive Bayes with 16 features, or a network of the repository's files."""
    if name == "naive-bayes":
        return dc.naive_bayes("y", [f"x{number}" for number in range(16)])
    path = public_data() / "networks" / f"{name}.bif.gz"
    if path.exists():
        return dc.read_network(path)
    raise SystemExit(f"The network {name} is not at hand; put {name}.bif.gz into data/networks.")


@lru_cache(maxsize=64)
def chosen(network: str, name: str, epsilon: str, rows: int) -> Any:
    """The mechanism with this name, or the one that Auto chooses: it looks at the network and the number of records only."""
    made = mechanism(name, epsilon)
    return made.choose(read(network), rows).mechanism if name == "auto" else made


def mechanism(name: str, epsilon: str) -> Any:
    """The mechanism with this name."""
    match name:
        case "laplace-consistent":
            return dc.Laplace(epsilon, tables="maximal", consistent=True)
        case "gaussian":
            return dc.Gaussian(epsilon, "1e-6")
    makers: dict[str, Any] = {"auto": dc.Auto, "laplace": dc.Laplace, "fourier": dc.Fourier, "knorm": dc.KNorm}
    return makers[name](epsilon)


def replicate(
    network: dc.Network, make: Callable[[], Any], rows: int, seed: int, effort: Effort = EFFORT, queries: int = QUERIES
) -> dict[str, Tally]:
    """One data set from the prior, released and asked for all parameters and some queries."""
    generator = np.random.default_rng(seed)
    truth, released, aware = _released(network, make, rows, generator, effort)
    tallies = {kind: Tally() for kind in KINDS}
    for family in network.families:
        kind = "others" if family.parents else "roots"
        for name, posterior in ((kind, aware), (f"plug-in {kind}", released.plugin)):
            _ask(tallies[name], truth, posterior, family)
    for target, given in questions(network, generator, queries):
        answer = aware.query(target, given, interval=INTERVAL, generator=generator)
        tallies["queries"].add(truth.query(target, given, interval=None).probability, answer.lower, answer.upper)
    return tallies


def replicate_roots(network: dc.Network, make: Callable[[], Any], rows: int, seed: int) -> dict[str, Tally]:
    """One data set, asked for the roots of two levels alone: no chain is needed for them."""
    truth, _, aware = _released(network, make, rows, np.random.default_rng(seed), EFFORT)
    tallies = {kind: Tally() for kind in KINDS}
    for family in network.families:
        if family.cells == 2:
            _ask(tallies["roots"], truth, aware, family)
    return tallies


def _released(
    network: dc.Network, make: Callable[[], Any], rows: int, generator: np.random.Generator, effort: Effort
) -> tuple[dc.PointPosterior, dc.Release, Any]:
    """The truth, a release of data from it, and the posterior that knows about the noise."""
    drawn = {node: table[0] for node, table in dc.DirichletPosterior(network).draws(1, generator).items()}
    truth = dc.PointPosterior(network, drawn)
    records, ledger = truth.sample(rows, generator), dc.Ledger.unlimited()
    released = dc.release(records, network, make(), ledger=ledger, prior=dc.UNIFORM)  # truths are drawn from it
    return truth, released, replace(released.posterior, effort=effort)


def _ask(tally: Tally, truth: dc.PointPosterior, posterior: Any, family: Any) -> None:
    """The last level of a row follows from the others; of two levels one says all."""
    free = slice(None, family.levels - 1) if family.levels == 2 else slice(None)
    lower, upper = posterior.interval(family.node, INTERVAL)
    tally.add(truth.mean(family.node)[:, free], lower[:, free], upper[:, free])


def questions(network: dc.Network, generator: np.random.Generator, count: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Half of them about one node, half about one node given another; only nodes with enough levels to ask about."""
    nodes = network.nodes
    for number in range(count):
        target, other = generator.choice(len(nodes), 2, replace=False)
        level = network.variable(nodes[other]).levels[0]
        yield nodes[target], {nodes[other]: level} if number % 2 else {}


def _task(job: tuple[Setting, int, bool]) -> tuple[dict[str, Tally], float]:
    setting, seed, only_roots = job
    started = time.process_time()
    network = read(setting.network)

    def make() -> Any:
        return chosen(setting.network, setting.mechanism, setting.epsilon, setting.rows)

    if only_roots:
        made = replicate_roots(network, make, setting.rows, seed)
    else:
        small = network.cells < LARGE
        asked = QUERIES if small or seed % 8 == 0 else 0
        made = replicate(network, make, setting.rows, seed, EFFORT, asked)
    return made, time.process_time() - started


def jobs(setting: Setting, replicates: int) -> list[tuple[Setting, int, bool]]:
    """All data sets of a setting; each has a seed of its own."""
    network = read(setting.network)
    roots = sum(not family.parents for family in network.families)
    summed = sum(family.cells == 2 for family in network.families)
    further = max(0, -(-(ROOTS * replicates // 400 - roots * replicates) // summed)) if summed else 0
    first = crc32(repr(setting).encode()) << 16
    return [(setting, first + number, number >= replicates) for number in range(replicates + further)]


def study(settings: list[Setting], replicates: int, workers: int, into: Path) -> None:
    """Run all settings that are not in the file yet; add each to the file, and print a line for it, as soon as it is done."""
    found = read_results(into)
    print(table({}), end="", flush=True)
    with ProcessPoolExecutor(workers) as pool:
        for setting in settings:
            if found.get(setting, Result(0, 0, {})).sets < replicates:
                total, seconds, done = {kind: Tally() for kind in KINDS}, 0.0, jobs(setting, replicates)
                for made, taken in pool.map(_task, done, chunksize=4):
                    total = {kind: total[kind] + made[kind] for kind in KINDS}
                    seconds += taken
                found = read_results(into) | {setting: Result(len(done), seconds / len(done), total)}
                write_results(into, found, all_settings())
            print(line(setting, found[setting]), end="", flush=True)


def all_settings() -> list[Setting]:
    """The whole study: Auto at every epsilon and size, the other mechanisms at epsilon 1 and a thousand records.

    Parities are for variables of two levels; ALARM has others.
    """
    cells = [Setting(*cell) for cell in itertools.product(NETWORKS, MECHANISMS[:1], EPSILONS, ROWS)]
    cells += [Setting(network, name, "1", 1000) for network, name in itertools.product(NETWORKS, MECHANISMS[1:])]
    return [cell for cell in cells if (cell.network, cell.mechanism) != ("alarm", "fourier")]


def main() -> None:
    """Read the options and run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--mechanisms", nargs="+", default=MECHANISMS)
    parser.add_argument("--epsilon", nargs="+", default=EPSILONS)
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", type=Path, default=RESULTS, help="settings that this file has are not run again")
    options = parser.parse_args()
    settings = [
        setting
        for setting in all_settings()
        if setting.network in options.networks
        and setting.mechanism in options.mechanisms
        and setting.epsilon in options.epsilon
        and setting.rows in options.rows
    ]
    study(settings, options.replicates, options.workers, options.into)
    if options.into == RESULTS:
        found = read_results(RESULTS)
        GUIDE.write_text(with_tables(GUIDE.read_text(encoding="utf-8"), found), encoding="utf-8")
        draw_coverage(found, "alarm", "ALARM", PICTURES / "coverage.png")


if __name__ == "__main__":
    sys.exit(main())
