"""How often 90 % credible intervals hold the truth: parameters and data sets drawn from the prior, released, and asked.

`python -m benchmarks.coverage` runs the whole study, 400 data sets for each setting, on both cores; options make it smaller:
`--networks asia --epsilon 1 --rows 1000 --mechanisms laplace knorm --replicates 100`.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import discreet as dc
from benchmarks.networks import public_data
from discreet.posterior.family_chain import Effort

NETWORKS = ("naive-bayes", "asia", "alarm")
EPSILONS = ("0.1", "1", "10")
ROWS = (50, 1000, 100_000)
MECHANISMS = ("laplace", "laplace-consistent", "fourier", "knorm", "gaussian")
LEVEL = 0.9
QUERIES = 12


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell of the study."""

    network: str
    mechanism: str
    epsilon: str
    rows: int


@dataclass(slots=True)
class Tally:
    """Intervals that hold the truth, and all intervals."""

    held: int = 0
    asked: int = 0

    def add(self, truth: Any, lower: Any, upper: Any) -> None:
        """Count the intervals of one table."""
        inside = (np.asarray(lower) <= truth) & (truth <= np.asarray(upper))
        self.held += int(inside.sum())
        self.asked += inside.size

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.held + other.held, self.asked + other.asked)

    @property
    def share(self) -> float:
        """Which share of the intervals holds the truth."""
        return self.held / self.asked if self.asked else float("nan")


KINDS = ("roots", "others", "queries", "plug-in roots", "plug-in others")


def read(name: str) -> dc.Network:
    """Naive Bayes with 16 features, or a network of the repository's files."""
    if name == "naive-bayes":
        return dc.naive_bayes("y", [f"x{number}" for number in range(16)])
    path = public_data() / "networks" / f"{name}.bif.gz"
    if path.exists():
        return dc.read_network(path)
    raise SystemExit(f"The network {name} is not at hand; put {name}.bif.gz into data/networks.")


def mechanism(name: str, epsilon: str) -> Any:
    """The mechanism with this name; None where this version does not have it."""
    from discreet import mechanisms

    if name == "laplace-consistent":
        return mechanisms.Laplace(epsilon, tables="maximal", consistent=True)
    if name == "gaussian":
        maker = getattr(mechanisms, "Gaussian", None)
        return None if maker is None else maker(epsilon=epsilon, delta="1e-6")
    maker = getattr(mechanisms, {"laplace": "Laplace", "fourier": "Fourier", "knorm": "KNorm"}[name], None)
    return None if maker is None else maker(epsilon)


def replicate(
    network: dc.Network, make: Callable[[], Any], rows: int, seed: int, effort: Effort | None = None
) -> dict[str, Tally]:
    """One data set from the prior, released and asked for all parameters and some queries."""
    generator = np.random.default_rng(seed)
    drawn = {node: table[0] for node, table in dc.DirichletPosterior(network).draws(1, generator).items()}
    truth = dc.PointPosterior(network, drawn)
    released = dc.release(truth.sample(rows, generator), network, make(), ledger=dc.Ledger.unlimited())
    aware = released.posterior if effort is None else _with_effort(released.posterior, effort)
    tallies = {kind: Tally() for kind in KINDS}
    for family in network.families:
        kind = "others" if family.parents else "roots"
        # The last level of a row follows from the others; of two levels one says all.
        free = slice(None, family.levels - 1) if family.levels == 2 else slice(None)
        for name, posterior in ((kind, aware), (f"plug-in {kind}", released.plugin)):
            lower, upper = posterior.interval(family.node, LEVEL)
            tallies[name].add(drawn[family.node][:, free], lower[:, free], upper[:, free])
    for target, given in _questions(network, generator):
        answer = aware.query(target, given, interval=LEVEL, generator=generator)
        tallies["queries"].add(truth.query(target, given, interval=None).probability, answer.lower, answer.upper)
    return tallies


def _with_effort(posterior: Any, effort: Effort) -> Any:
    from dataclasses import replace

    return replace(posterior, effort=effort)


def _questions(network: dc.Network, generator: np.random.Generator) -> Iterator[tuple[str, dict[str, str]]]:
    """Half of them about one node, half about one node given another; only nodes with enough levels to ask about."""
    nodes = network.nodes
    for number in range(QUERIES):
        target, other = generator.choice(len(nodes), 2, replace=False)
        level = network.variable(nodes[other]).levels[0]
        yield nodes[target], {nodes[other]: level} if number % 2 else {}


def _task(job: tuple[Setting, int]) -> tuple[Setting, dict[str, Tally], float] | None:
    setting, seed = job
    if mechanism(setting.mechanism, setting.epsilon) is None:
        return None
    started = time.process_time()
    network = read(setting.network)
    made = replicate(network, lambda: mechanism(setting.mechanism, setting.epsilon), setting.rows, seed)
    return setting, made, time.process_time() - started


def study(settings: list[Setting], replicates: int, workers: int) -> None:
    """Run all settings and print a line for each as soon as it is done."""
    print("| network | mechanism | epsilon | rows | data sets | " + " | ".join(KINDS) + " | seconds |")
    print("|---" * (6 + len(KINDS)) + "|")
    with ProcessPoolExecutor(workers) as pool:
        for setting in settings:
            total = {kind: Tally() for kind in KINDS}
            seconds, done = 0.0, 0
            for result in pool.map(_task, [(setting, 1000 + number) for number in range(replicates)], chunksize=4):
                if result is None:
                    continue
                total = {kind: total[kind] + result[1][kind] for kind in KINDS}
                seconds, done = seconds + result[2], done + 1
            if done:
                shares = " | ".join(f"{100 * total[kind].share:.1f}" for kind in KINDS)
                name = f"{setting.network} | {setting.mechanism} | {setting.epsilon} | {setting.rows} | {done}"
                print(f"| {name} | {shares} | {seconds / done:.1f} |", flush=True)


def main() -> None:
    """Read the options and run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--mechanisms", nargs="+", default=MECHANISMS)
    parser.add_argument("--epsilon", nargs="+", default=EPSILONS)
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    cells = itertools.product(options.networks, options.mechanisms, options.epsilon, options.rows)
    binary = [name for name in options.networks if all(variable.size == 2 for variable in read(name).variables)]
    settings = [Setting(*cell) for cell in cells if cell[1] != "fourier" or cell[0] in binary]
    study(settings, options.replicates, options.workers)


if __name__ == "__main__":
    sys.exit(main())
