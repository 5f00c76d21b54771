"""How often 90 % intervals hold the truth where it is not drawn from the prior: the tables that published networks come with.

`python -m benchmarks.real_tables` draws data sets from networks that pgmpy ships, releases each with `Auto`, and asks the
posterior for all conditional probabilities and for random queries, once with the prior that learns and once with the uniform
one; beside them the same priors without privacy. It goes on where it was stopped, data set by data set, and writes the tables
of docs/guide/intervals.md. What another commit measured is measured anew, unless `--keep` is given and there is enough of it.
Options make it smaller, such as `--networks asia --sets 3`; `--sets 0` writes the tables alone. With the library of an older
commit first on the path, `--contenders before` measures that one with the uniform prior, on the same records.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

import discreet as dc
from benchmarks.networks import point
from benchmarks.real_tables_page import GUIDE, with_tables
from benchmarks.real_tables_results import NOT_PRIVATE, Found, Measured, Setting, commit, read_found, write_found
from discreet.arrays import Floats
from discreet.chains.diagnostics import diagnose
from discreet.inference.query import query_draws

SETS = {"asia": 40, "win95pts": 40, "alarm": 40, "hepar2": 40, "hailfinder": 20, "water": 10}
"""Data sets of each network: fewer of the two with the largest tables."""
ROWS = (500, 5_000, 50_000)
EPSILONS = ("0.1", "1", "5")
PRIORS = {"learned": "hierarchical", "uniform": "uniform", "before": "uniform"}
"""Contenders and the priors they start from."""
RESULTS = Path(__file__).with_name("real_tables.json")
INTERVAL, QUERIES, OBSERVED, DRAWS = 0.9, 20, 2, 1000
NEAR = 0.005
"""A probability that is nearer to 0 or 1 is counted apart: few of those are meant to be anything else than 0 or 1."""
ROUNDING = 1e-12
Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Question:
    """A node, what is observed, and the true answer."""

    target: str
    given: dict[str, str]
    answer: Floats


def draw_questions(truth: dc.PointPosterior, generator: np.random.Generator, count: int = QUERIES) -> Iterator[Question]:
    """About random nodes, given up to two others that are observed as in a record from the network: nothing impossible."""
    nodes, records = truth.network.nodes, truth.sample(count, generator)
    for record in records.iter_rows(named=True):
        target, *others = generator.permutation(len(nodes))[: 1 + generator.integers(OBSERVED + 1)]
        given = {nodes[other]: str(record[nodes[other]]) for other in others}
        yield Question(nodes[target], given, truth.query(nodes[target], given, interval=None).probability)


def measure(truth: dc.PointPosterior, posterior: dc.NoiseAwarePosterior, questions: list[Question], seed: int) -> Values:
    """How right a posterior is about a network whose tables are known, and how sure."""
    started = time.process_time()
    posterior.prepare()
    seconds = time.process_time() - started
    return {"seconds": seconds} | measure_entries(truth, posterior) | measure_queries(posterior, questions, seed)


def measure_entries(truth: dc.PointPosterior, posterior: dc.NoiseAwarePosterior) -> Values:
    """All entries of all tables. The divergence is that of the truth from the network at its expected probabilities."""
    values, widths, divergence = [], [], 0.0
    for family in truth.network.families:
        table, (lower, upper) = truth.mean(family.node), posterior.interval(family.node, INTERVAL)
        between = (table > NEAR) & (table < 1 - NEAR)
        values.append(_holds(table, lower, upper)[between])
        widths.append((upper - lower)[between])
        ratio = np.log(table / posterior.mean(family.node), out=np.zeros(table.shape), where=table > 0)
        divergence += float(parent_weights(truth, family.node) @ (table * ratio).sum(axis=1))
    held, width = np.concatenate(values), np.concatenate(widths)
    return {"entries": float(held.mean()), "entry width": float(width.mean()), "divergence": divergence}


def measure_queries(posterior: dc.NoiseAwarePosterior, questions: list[Question], seed: int) -> Values:
    """Every level of every target."""
    generator, chains = np.random.default_rng(seed), posterior.made_effort.chains
    truths, held, errors, widths, agreement = [], [], [], [], []
    for question in questions:
        drawn = query_draws(posterior, question.target, question.given, DRAWS, generator)
        lower, upper = np.quantile(drawn, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2], axis=-1)
        answer = posterior.query(question.target, question.given, interval=None).probability
        truths.append(question.answer)
        held.append(_holds(question.answer, lower, upper))
        errors.append(np.abs(answer - question.answer).mean())
        widths.append((upper - lower).mean())
        agreement.append(r_hat(drawn, chains))
    every, inside = np.concatenate(truths), np.concatenate(held)
    between = (every > NEAR) & (every < 1 - NEAR)
    return {
        "queries": float(inside.mean()),
        "queries between": float(inside[between].mean()) if between.any() else None,
        "error": float(np.mean(errors)),
        "query width": float(np.mean(widths)),
        "R-hat": max(agreement),
    }


def r_hat(drawn: Floats, chains: int) -> float:
    """How well the chains agree on an answer. Its draws take the chains in turn."""
    rounds = drawn.shape[-1] // chains
    return diagnose(drawn[..., : rounds * chains].reshape(-1, rounds, chains).transpose(1, 2, 0)).r_hat


def _holds(truth: Floats, lower: Floats, upper: Floats) -> Any:
    return (lower <= truth + ROUNDING) & (truth <= upper + ROUNDING)


@lru_cache(maxsize=1024)
def parent_weights(truth: dc.PointPosterior, node: str) -> Floats:
    """How probable each row of a node's table is."""
    parents = truth.network.family(node).parents
    return truth.query(list(parents), interval=None).probability.ravel() if parents else np.ones(1)


def replicate(
    truth: dc.PointPosterior, rows: int, epsilon: str, contenders: tuple[str, ...], seed: list[int]
) -> dict[str, Values]:
    """One data set: records and questions follow from the seed, noise does not. All contenders hold the same release."""
    generator = np.random.default_rng(seed)
    records = truth.sample(rows, generator)
    questions = list(draw_questions(truth, generator))
    if epsilon == NOT_PRIVATE:
        posterior = dc.NoiseAwarePosterior(truth.network).update(records)
    else:
        posterior = dc.release(records, truth.network, dc.Auto(epsilon), ledger=dc.Ledger.unlimited()).posterior
    found = {}
    for name in contenders:
        found[name] = measure(truth, replace(posterior, prior=PRIORS[name]), questions, seed[-1])
        if name == "before" or (name, epsilon) == ("uniform", NOT_PRIVATE):
            found[name]["R-hat"] = None  # draws that do not say which chain they are from, or are independent
    return found


@dataclass(frozen=True, slots=True)
class Job:
    """A data set to be made, and who is asked about it."""

    network: str
    rows: int
    epsilon: str
    contenders: tuple[str, ...]
    number: int

    def run(self) -> dict[str, Values]:
        """The same records at every epsilon."""
        seed = [crc32(self.network.encode()), self.rows, self.number]
        return replicate(point(self.network), self.rows, self.epsilon, self.contenders, seed)


def usable(found: Found, sets: dict[str, int], current: str, keep: bool) -> Found:
    """What need not be measured anew: data sets of this commit, and those of another that are to be kept and are enough."""
    return {
        key: measured
        for key, measured in found.items()
        if measured.commit == current or (keep and measured.sets >= sets.get(key.network, 0))
    }


def list_jobs(
    sets: dict[str, int], rows: Sequence[int], epsilons: Sequence[str], names: Sequence[str], found: Found
) -> list[Job]:
    """All data sets that are not found yet: the first of every setting first, so that a part of the study shows all of it."""
    jobs = []
    for number, network, records, epsilon in itertools.product(range(max(sets.values())), sets, rows, epsilons):
        done = {name: found.get(Setting(network, records, epsilon, name)) for name in names}
        missing = tuple(name for name, measured in done.items() if measured is None or measured.sets <= number)
        if missing and number < sets[network]:
            jobs.append(Job(network, records, epsilon, missing, number))
    return jobs


def add(found: Found, job: Job, made: dict[str, Values], current: str) -> Found:
    """With one data set more. What another commit measured gives way."""
    added = dict(found)
    for name, values in made.items():
        setting = Setting(job.network, job.rows, job.epsilon, name)
        known = found.get(setting)
        added[setting] = (known if known and known.commit == current else Measured(current)).plus(values)
    return added


def study(jobs: list[Job], current: str, workers: int, into: Path) -> None:
    """Make the data sets; each is in the file as soon as it is done."""
    with ProcessPoolExecutor(workers) as pool:
        for job, made in zip(jobs, pool.map(Job.run, jobs), strict=True):
            write_found(into, add(read_found(into), job, made, current))
            held = ", ".join(f"{name} {100 * float(values['queries'] or 0):.0f} %" for name, values in made.items())
            print(f"{job.network}, {job.rows:,} records, epsilon {job.epsilon}, data set {job.number}: {held}", flush=True)


def main() -> None:
    """Read the options, run the study and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--epsilon", nargs="+", default=EPSILONS)
    parser.add_argument("--contenders", nargs="+", choices=PRIORS, default=("learned", "uniform"))
    parser.add_argument("--sets", type=int, default=max(SETS.values()), help="at most so many data sets of each setting")
    parser.add_argument("--keep", action="store_true", help="what an older commit measured counts as done")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", type=Path, default=RESULTS, help="data sets that this file has are not made again")
    options = parser.parse_args()
    current, sets = commit(), {network: min(SETS[network], options.sets) for network in options.networks}
    found = usable(read_found(options.into), sets, current, options.keep)
    epsilons = [*([] if options.contenders == ["before"] else [NOT_PRIVATE]), *options.epsilon]
    study(list_jobs(sets, options.rows, epsilons, options.contenders, found), current, options.workers, options.into)
    if options.into == RESULTS:
        GUIDE.write_text(with_tables(GUIDE.read_text(encoding="utf-8"), read_found(RESULTS)), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
