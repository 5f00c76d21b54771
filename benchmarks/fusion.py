"""Three hospitals whose releases are fused, beside one of them and beside one release of all records.

Truths are drawn from the prior, records from the truth, and every hospital releases its own; the fused posterior, that of the
first hospital and that of one release of all records are asked for every conditional probability. `python -m
benchmarks.fusion` runs the study, prints a line for each setting and writes the table of docs/guide/fusing.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import discreet as dc
from benchmarks.coverage_page import joined
from benchmarks.coverage_results import Tally

RESULTS = Path(__file__).with_name("fusion.json")
GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "fusing.md"
BEGIN, END = "<!-- fusion -->\n", "<!-- end of fusion -->\n"
BITS = ["no", "yes"]
NETWORKS = {
    "naive Bayes, 6 features": dc.naive_bayes("y", list("abcdef")),
    "diamond": dc.Network([dc.Variable(name, BITS) for name in "abcd"], {"b": ["a"], "c": ["a"], "d": ["b", "c"]}),
}
ROWS = 3000
INTERVAL = 0.9
SETTINGS = (
    ("naive Bayes, 6 features", ("1", "1", "1")),
    ("diamond", ("1", "1", "1")),
    ("naive Bayes, 6 features", ("0.1", "0.1", "0.1")),
)
"""Networks, and the epsilons of the three hospitals; all records together are released with the first one's."""
WAYS = ("one hospital", "three, fused", "all records in one release")


def replicate(network: dc.Network, epsilons: tuple[str, ...], seed: int) -> dict[str, tuple[Tally, float, float]]:
    """One truth; for each way how often intervals hold it, their mean width, and the mean squared error of the means."""
    generator = np.random.default_rng(seed)
    drawn = {node: table[0] for node, table in dc.DirichletPosterior(network).draws(1, generator).items()}
    truth = dc.PointPosterior(network, drawn)
    records = [truth.sample(ROWS, generator) for _ in epsilons]
    released = [_release(each, network, epsilon) for each, epsilon in zip(records, epsilons, strict=True)]
    together = _release(pl.concat(records), network, epsilons[0])
    asked = dict(zip(WAYS, (released[0], dc.fuse(*released), together), strict=True))
    return {way: _ask(truth, release.posterior) for way, release in asked.items()}


def _release(records: pl.DataFrame, network: dc.Network, epsilon: str) -> dc.Release:
    ledger = dc.Ledger.unlimited()
    return dc.release(records, network, dc.Auto(epsilon), ledger=ledger, prior=dc.UNIFORM)  # truths are drawn from it


def _ask(truth: dc.PointPosterior, posterior: Any) -> tuple[Tally, float, float]:
    tally, widths, errors = Tally(), [], []
    for family in truth.network.families:  # of two levels one says all
        lower, upper = (each[:, :1] for each in posterior.interval(family.node, INTERVAL))
        wanted = truth.mean(family.node)[:, :1]
        tally.add(wanted, lower, upper)
        widths.append((upper - lower).ravel())
        errors.append(np.square(posterior.mean(family.node)[:, :1] - wanted).ravel())
    return tally, float(np.concatenate(widths).mean()), float(np.concatenate(errors).mean())


def study(network: str, epsilons: tuple[str, ...], replicates: int) -> dict[str, Any]:
    """All data sets of a setting."""
    made = [replicate(NETWORKS[network], epsilons, 7_000_000 + seed) for seed in range(replicates)]
    found: dict[str, Any] = {"network": network, "epsilons": list(epsilons), "truths": replicates}
    for way in WAYS:
        tallies, widths, errors = zip(*(each[way] for each in made), strict=True)
        total = sum(tallies, Tally())
        error = float(np.sqrt(np.mean(errors)))
        found[way] = {"held": total.held, "asked": total.asked, "width": float(np.mean(widths)), "error": error}
    return found


def table(results: list[dict[str, Any]]) -> str:
    """A line for each setting and way."""
    head = ["network", "epsilons", "truths", "asked", "hold the truth", "mean width", "error of the mean"]
    lines = []
    for each in results:
        for way in WAYS:
            said = each[way]
            share = f"{100 * said['held'] / said['asked']:.1f} %"
            names = [each["network"], ", ".join(each["epsilons"]), f"{each['truths']:,}", way]
            lines.append(joined([*names, share, f"{said['width']:.4f}", f"{said['error']:.4f}"]))
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


def with_table(text: str, results: list[dict[str, Any]]) -> str:
    """The guide with a new table."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + table(results) + "\n" + END + rest.split(END)[1]


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=12)
    parser.add_argument("--into", type=Path, default=RESULTS)
    options = parser.parse_args()
    results = []
    for network, epsilons in SETTINGS:
        started = time.process_time()
        results.append(study(network, epsilons, options.replicates))
        print(json.dumps(results[-1]), f"{time.process_time() - started:.0f} s", flush=True)
        options.into.write_text("[\n" + ",\n".join(map(json.dumps, results)) + "\n]\n", encoding="utf-8")
    if options.into == RESULTS and GUIDE.exists():
        GUIDE.write_text(with_table(GUIDE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
