"""Three hospitals whose releases are fused, beside one of them and beside one release of all records.

Truths are drawn from the prior, records from the truth, and every hospital releases its own; the fused posterior, that of the
first hospital and that of one release of all records are asked for every conditional probability. Then hospitals that differ:
each has probabilities of its own around common ones, and it is counted how often intervals hold the common ones. `python -m
benchmarks.fusion` runs the first study, prints a line for each setting and writes the table of docs/guide/fusing.md; with
`--sites` the second.
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
SITES_RESULTS = Path(__file__).with_name("fusion_sites.json")
BEGIN, END = "<!-- fusion -->\n", "<!-- end of fusion -->\n"
BEGIN_SITES, END_SITES = "<!-- sites -->\n", "<!-- end of sites -->\n"
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
SITES_SETTINGS = (("diamond", "1"), ("diamond", "0.2"))
SITES_WAYS = ("as if alike", "sites differ", "the spread")


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


def site_tables(drawn: dict[str, Any], spreads: dict[str, float], generator: np.random.Generator) -> dict[str, Any]:
    """The probabilities of one site: rows around the common ones, as far as the spread of the node says."""
    found = {}
    for node, rows in drawn.items():
        weights = np.stack([generator.standard_gamma((1 / spreads[node] ** 2 - 1) * row) for row in rows]) + 1e-12
        found[node] = weights / weights.sum(axis=1, keepdims=True)
    return found


def replicate_sites(network: dc.Network, epsilon: str, seed: int) -> dict[str, Tally]:
    """Three hospitals that differ: how often intervals hold the common probabilities, and the spreads."""
    generator = np.random.default_rng(seed)
    drawn = {node: table[0] for node, table in dc.DirichletPosterior(network).draws(1, generator).items()}
    spreads = {node: float(generator.beta(1, 3)) for node in network.nodes}  # as the posterior believes beforehand
    sites = [dc.PointPosterior(network, site_tables(drawn, spreads, generator)) for _ in range(3)]
    released = [_release(each.sample(ROWS, generator), network, epsilon) for each in sites]
    truth, posterior = dc.PointPosterior(network, drawn), dc.fuse(*released, sites_differ=True).posterior
    tallies = (_ask(truth, dc.fuse(*released).posterior)[0], _ask(truth, posterior)[0], Tally())
    for each in posterior.site_spread(INTERVAL):
        tallies[2].add(*(np.array([number]) for number in (spreads[each.node], each.lower, each.upper)))
    return dict(zip(SITES_WAYS, tallies, strict=True))


def study_sites(network: str, epsilon: str, replicates: int) -> dict[str, Any]:
    """All truths of a setting."""
    made = [replicate_sites(NETWORKS[network], epsilon, 8_000_000 + seed) for seed in range(replicates)]
    totals = {way: sum((each[way] for each in made), Tally()) for way in SITES_WAYS}
    counted = {way: [total.held, total.asked] for way, total in totals.items()}
    return {"network": network, "epsilon": epsilon, "truths": replicates, **counted}


def sites_table(results: list[dict[str, Any]]) -> str:
    """A line for each setting."""
    head = ["network", "epsilon of each", "truths", "fused as if alike", "fused, sites differ", "the spread"]
    lines = []
    for each in results:
        shares = [f"{100 * each[way][0] / each[way][1]:.1f} %" for way in SITES_WAYS]
        lines.append(joined([each["network"], each["epsilon"], f"{each['truths']:,}", *shares]))
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


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
    return _between(text, BEGIN, END, table(results))


def with_sites_table(text: str, results: list[dict[str, Any]]) -> str:
    """The guide with a new table of hospitals that differ."""
    return _between(text, BEGIN_SITES, END_SITES, sites_table(results))


def _between(text: str, begin: str, end: str, lines: str) -> str:
    before, rest = text.split(begin)
    return before + begin + "\n" + lines + "\n" + end + rest.split(end)[1]


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=12)
    parser.add_argument("--into", type=Path, default=RESULTS)
    parser.add_argument("--sites", action="store_true", help="only the hospitals that differ")
    options = parser.parse_args()
    if options.sites:
        _run_sites(options.replicates)
        return
    results = []
    for network, epsilons in SETTINGS:
        started = time.process_time()
        results.append(study(network, epsilons, options.replicates))
        print(json.dumps(results[-1]), f"{time.process_time() - started:.0f} s", flush=True)
        options.into.write_text("[\n" + ",\n".join(map(json.dumps, results)) + "\n]\n", encoding="utf-8")
    if options.into == RESULTS and GUIDE.exists():
        GUIDE.write_text(with_table(GUIDE.read_text(encoding="utf-8"), results), encoding="utf-8")


def _run_sites(replicates: int) -> None:
    results = []
    for network, epsilon in SITES_SETTINGS:
        started = time.process_time()
        results.append(study_sites(network, epsilon, replicates))
        print(json.dumps(results[-1]), f"{time.process_time() - started:.0f} s", flush=True)
    SITES_RESULTS.write_text("[\n" + ",\n".join(map(json.dumps, results)) + "\n]\n", encoding="utf-8")
    if GUIDE.exists():
        GUIDE.write_text(with_sites_table(GUIDE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
