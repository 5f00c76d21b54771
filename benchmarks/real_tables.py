"""How often 90 % intervals hold the truth where it is not drawn from the prior: the tables that ASIA and ALARM come with.

`python -m benchmarks.real_tables` draws data sets from the networks that pgmpy ships, releases each with `Auto` and asks for
all conditional probabilities and some queries; beside it the posterior of the same records without any noise. It writes
real_tables.json and the table of docs/guide/intervals.md. A probability that is 0 or 1 lies outside every interval of a
posterior that has a density, so those are counted apart.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc
from benchmarks.coverage import EFFORT, INTERVAL, LARGE, QUERIES, SHORTER, questions
from benchmarks.coverage_page import GUIDE, joined
from benchmarks.coverage_results import Tally
from benchmarks.networks import point

__all__ = ["KINDS", "RESULTS", "replicate", "with_table"]

SIZES = {"asia": 300, "alarm": 40}
"""Data sets of each network."""
ROWS, EPSILON = (500, 10_000), "1"
RESULTS = Path(__file__).with_name("real_tables.json")
BEGIN, END = "<!-- real tables -->\n", "<!-- end of real tables -->\n"
KINDS = ("between 0 and 1", "0 or 1", "queries", "between 0 and 1, no noise", "0 or 1, no noise")

Found = dict[tuple[str, int], tuple[int, dict[str, Tally]]]
"""Network and number of records -> data sets, and what their intervals held."""


def replicate(truth: dc.PointPosterior, rows: int, seed: int, queries: int = QUERIES) -> dict[str, Tally]:
    """One data set from the truth, released and asked for all parameters and some queries."""
    generator, network = np.random.default_rng(seed), truth.network
    records = truth.sample(rows, generator)
    released = dc.release(records, network, dc.Auto(EPSILON), ledger=dc.Ledger.unlimited())
    aware = replace(released.posterior, effort=EFFORT if network.cells < LARGE else SHORTER)
    exact = dc.DirichletPosterior(network).update(records)
    tallies = {kind: Tally() for kind in KINDS}
    for family in network.families:
        _ask(tallies, "", truth, aware, family)
        _ask(tallies, ", no noise", truth, exact, family)
    for target, given in questions(network, generator, queries):
        answer = aware.query(target, given, interval=INTERVAL, generator=generator)
        tallies["queries"].add(truth.query(target, given, interval=None).probability, answer.lower, answer.upper)
    return tallies


def _ask(tallies: dict[str, Tally], suffix: str, truth: dc.PointPosterior, posterior: Any, family: Any) -> None:
    """Every cell of a family's table, counted by what the truth is."""
    values, (lower, upper) = truth.mean(family.node), posterior.interval(family.node, INTERVAL)
    extreme = (values == 0) | (values == 1)
    for kind, chosen in (("between 0 and 1", ~extreme), ("0 or 1", extreme)):
        tallies[kind + suffix].add(values[chosen], lower[chosen], upper[chosen])


def _task(job: tuple[str, int, int]) -> dict[str, Tally]:
    network, rows, seed = job
    return replicate(point(network), rows, seed)


def study(sizes: dict[str, int], workers: int) -> Found:
    """All data sets of all settings, each with a seed of its own; a line is printed for each setting."""
    found: Found = {}
    with ProcessPoolExecutor(workers) as pool:
        for (network, sets), rows in itertools.product(sizes.items(), ROWS):
            total = {kind: Tally() for kind in KINDS}
            for made in pool.map(_task, [(network, rows, seed) for seed in range(sets)], chunksize=2):
                total = {kind: total[kind] + made[kind] for kind in KINDS}
            found[network, rows] = sets, total
            print(_line(network, rows, sets, total), end="", flush=True)
    return found


def read(path: Path) -> Found:
    """What ``write`` wrote."""
    return {
        (row["network"], row["records"]): (row["sets"], {kind: Tally(*row["held of asked"][kind]) for kind in KINDS})
        for row in json.loads(path.read_text(encoding="utf-8"))
    }


def write(found: Found, path: Path) -> None:
    """One line for each setting."""
    rows = [
        {"network": network, "records": rows, "sets": sets}
        | {"held of asked": {kind: [tally.held, tally.asked] for kind, tally in tallies.items()}}
        for (network, rows), (sets, tallies) in found.items()
    ]
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")


def with_table(text: str, found: Found) -> str:
    """The guide with a new table."""
    before, rest = text.split(BEGIN)
    head = ["network", "records", "data sets", *KINDS]
    lines = [_line(*setting, *result) for setting, result in found.items()]
    table = "".join([joined(head), joined(["---"] * len(head)), *lines])
    return before + BEGIN + "\n" + table + "\n" + END + rest.split(END)[1]


def _line(network: str, rows: int, sets: int, tallies: dict[str, Tally]) -> str:
    """Shares in percent; a network may have no probability of a kind."""
    shares = [f"{100 * tallies[kind].share:.1f}" if tallies[kind].asked else "none" for kind in KINDS]
    return joined([network, f"{rows:,}", f"{sets:,}", *shares])


def main() -> None:
    """Run the study and write its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    found = study(SIZES, parser.parse_args().workers)
    write(found, RESULTS)
    GUIDE.write_text(with_table(GUIDE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
