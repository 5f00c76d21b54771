"""How often 90 % intervals from synthetic records hold the truth: proportions, and a logistic regression.

Truths are drawn from the prior, records from the truth; they are released, and the posterior draws synthetic records. The
analyst computes proportions and the coefficients of a logistic regression with their standard errors, as from any
records: from several sets combined, by both rules, and from one set at the mean parameters. The true coefficients are
those that the regression has on infinitely many records of the truth. `python -m benchmarks.synthetic` runs the study and
writes the table of docs/guide/synthetic.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import discreet as dc
from benchmarks.coverage_page import joined
from benchmarks.coverage_results import Tally

RESULTS = Path(__file__).with_name("synthetic.json")
GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "synthetic.md"
BEGIN, END = "<!-- synthetic -->\n", "<!-- end of synthetic -->\n"
BITS = ["no", "yes"]
NETWORK = dc.Network([dc.Variable(name, BITS) for name in ("a", "b", "c", "y")], {"b": ["a"], "c": ["a"], "y": ["b", "c"]})
FEATURES, TARGET = ("b", "c"), "y"
SETS = 20
INTERVAL = 0.9
WAYS = (
    "combined, sets as large",
    "combined, sets ten times as large",
    "mixture, sets ten times as large",
    "one set at the mean",
)
KINDS = ("proportions", "regression")
SETTINGS = ((1000, "0.5"), (1000, "2"))
"""Records and epsilon."""


def logistic(design: Any, outcome: Any, weights: Any) -> tuple[Any, Any]:
    """Coefficients and their variances by Newton's method; a small ridge keeps separated records finite."""
    coefficients = np.zeros(design.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-design @ coefficients))
        information = (design.T * (weights * chance * (1 - chance))) @ design + 1e-9 * np.eye(design.shape[1])
        step = np.linalg.solve(information, design.T @ (weights * (outcome - chance)))
        coefficients = coefficients + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    return coefficients, np.diag(np.linalg.inv(information))


def analyse(records: pl.DataFrame) -> tuple[Any, Any]:
    """What an analyst does with records: the share of yes in every column, then the regression; estimates and variances."""
    bits = {name: (records[name].cast(pl.String) == "yes").to_numpy().astype(float) for name in records.columns}
    shares = np.array([column.mean() for column in bits.values()])
    cells, counts = np.unique(np.stack([bits[name] for name in (*FEATURES, TARGET)]), axis=1, return_counts=True)
    design = np.column_stack([np.ones(cells.shape[1]), cells[:-1].T])
    coefficients, variances = logistic(design, cells[-1], counts)
    return np.append(shares, coefficients), np.append(shares * (1 - shares) / len(records), variances)


def true_values(truth: dc.PointPosterior) -> Any:
    """The same of infinitely many records."""
    shares = [truth.query(name, interval=None)["yes"] for name in NETWORK.nodes]
    joint = truth.query([*FEATURES, TARGET], interval=None).probability
    cells = np.array(list(product((0.0, 1.0), repeat=len(FEATURES) + 1)))
    design = np.column_stack([np.ones(len(cells)), cells[:, :-1]])
    return np.append(shares, logistic(design, cells[:, -1], joint.ravel())[0])


def replicate(rows: int, epsilon: str, seed: int) -> dict[str, dict[str, Tally]]:
    """One truth, one release, and all ways to analyse what it gives."""
    generator = np.random.default_rng(seed)
    chances = generator.beta(4, 4, (4, 4))  # away from 0 and 1, where the analyst's normal intervals fail by themselves
    tables = {
        family.node: np.stack([1 - chances[place, : family.configurations], chances[place, : family.configurations]], axis=1)
        for place, family in enumerate(NETWORK.families)
    }
    truth = dc.PointPosterior(NETWORK, tables)
    released = dc.release(
        truth.sample(rows, generator), NETWORK, dc.Auto(epsilon), ledger=dc.Ledger.unlimited(), prior=dc.Symmetric(4.0)
    )
    posterior, wanted = released.posterior, true_values(truth)
    tallies = {way: {kind: Tally() for kind in KINDS} for way in WAYS}
    for size, ways in ((rows, {WAYS[0]: "rubin"}), (10 * rows, {WAYS[1]: "rubin", WAYS[2]: "mixture"})):
        found = [analyse(each) for each in posterior.synthetic(SETS, rows=size, generator=generator)]
        for way, rule in ways.items():
            made = dc.combine([each[0] for each in found], [each[1] for each in found], interval=INTERVAL, rule=rule)
            _add(tallies[way], wanted, made.lower, made.upper)
    value, variance = analyse(posterior.sample(rows, generator))
    half = 1.6448536269514722 * np.sqrt(variance)
    _add(tallies[WAYS[3]], wanted, value - half, value + half)
    return tallies


def _add(tallies: dict[str, Tally], wanted: Any, lower: Any, upper: Any) -> None:
    for kind, part in zip(KINDS, (slice(0, 4), slice(4, None)), strict=True):
        tallies[kind].add(wanted[part], lower[part], upper[part])


def table(results: list[dict[str, Any]]) -> str:
    """A line for each setting and way: shares in percent."""
    head = ["records", "epsilon", "releases", "analysed", *KINDS]
    lines = [
        joined(
            [
                f"{each['rows']:,}",
                each["epsilon"],
                f"{each['releases']:,}",
                way,
                *(_percent(each["held of asked"][way][kind]) for kind in KINDS),
            ]
        )
        for each in results
        for way in WAYS
    ]
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


def _percent(counted: list[int]) -> str:
    return f"{100 * counted[0] / counted[1]:.1f}"


def with_table(text: str, results: list[dict[str, Any]]) -> str:
    """The guide with a new table."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + table(results) + "\n" + END + rest.split(END)[1]


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=80)
    parser.add_argument("--into", type=Path, default=RESULTS)
    options = parser.parse_args()
    results = []
    for place, (rows, epsilon) in enumerate(SETTINGS):
        started = time.time()
        made = [replicate(rows, epsilon, 1_000_000 * (place + 5) + seed) for seed in range(options.replicates)]
        held = {way: {kind: sum((each[way][kind] for each in made), Tally()) for kind in KINDS} for way in WAYS}
        counted = {way: {kind: [tally.held, tally.asked] for kind, tally in kinds.items()} for way, kinds in held.items()}
        results.append({"rows": rows, "epsilon": epsilon, "releases": options.replicates, "held of asked": counted})
        print(json.dumps(results[-1]), f"{time.time() - started:.0f} s", flush=True)
        options.into.write_text("[\n" + ",\n".join(map(json.dumps, results)) + "\n]\n", encoding="utf-8")
    if options.into == RESULTS and GUIDE.exists():
        GUIDE.write_text(with_table(GUIDE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
