"""Learned graphs on real tables: how likely they find records that they have not seen, and how well they classify.

``python -m benchmarks.structure`` runs everything (or ``likelihood``, ``classifiers`` or ``speed``) and writes
``docs/structure.md`` with its picture. Splits, bins and levels are those of ``utility_data``; settings are those of the
library, fixed before these splits were looked at.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

import numpy as np

import discreet as dc
from discreet.learning.together import prepare_whole

from .structure_classifiers import classifier_runs
from .structure_privbayes import privbayes
from .structure_rivals import aim, mst, rivals_at_hand
from .structure_speed import speed_runs
from .utility_data import Task, at_hand, task

__all__ = ["main"]

DATA = ("nltcs", "adult")
EPSILONS = ("0.1", "0.3", "1")
PARTS = ("likelihood", "classifiers", "speed")
DELTA = "1e-6"
SPLITS = (101, 102)
_RESULTS = Path(__file__).parent / "structure.json"
_PAGE = Path(__file__).parents[1] / "docs" / "structure.md"
_PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "structure.png"
BARS = {
    ("nltcs", "pure"): (-7.4, -6.7, -6.2),
    ("adult", "pure"): (-12.0, -11.2, -10.75),
    ("nltcs", "zcdp"): (-6.8, -6.3, -6.05),
    ("adult", "zcdp"): (-11.6, -11.0, -10.65),
}
"""What was aimed at, in nats for each record: where AIM with a 2-way workload was seen, or trees, whichever is better."""


def _ledger() -> dc.Ledger:
    return dc.Ledger.unlimited()


def _whole(form: str, parents: int | None = None) -> Callable[[Task, str, str | None], dc.Posterior]:
    def run(each: Task, epsilon: str, delta: str | None) -> dc.Posterior:
        variables = list(each.network.variables)
        made = prepare_whole(
            each.train, variables, epsilon=epsilon, form=form, ledger=_ledger(), delta=delta, parents=parents
        ).publish()
        return made.posterior

    return run


def _no_edges(each: Task, epsilon: str, delta: str | None) -> dc.Posterior:
    network = dc.Network(each.network.variables)
    mechanism = dc.KNorm(epsilon) if delta is None else dc.Gaussian(epsilon, delta)
    return dc.release(each.train, network, mechanism, ledger=_ledger()).plugin


CONTENDERS: dict[str, Callable[[Task, str, str | None], dc.Posterior]] = {
    "dag": _whole("dag"),
    "dag, 3 parents": _whole("dag", 3),
    "no edges": _no_edges,
    "tree": _whole("tree"),
}
RIVALS: dict[str, tuple[str, Callable[[Task, str, str | None, int], tuple[float, float]]]] = {
    "MST": ("zcdp", mst),
    "AIM": ("zcdp", aim),
    "PrivBayes": ("pure", privbayes),
}
"""The budget that each is made for, and what it reaches: log-likelihood and total variation of pairs."""


def _likelihood(posterior: dc.Posterior, test: object, rows: int) -> float:
    return posterior.log_likelihood(test) / rows


def _margins(posterior: dc.Posterior, each: Task) -> float:
    """Mean total variation of all tables of pairs to those of the test records, by synthetic records of the posterior mean."""
    drawn = posterior.sample(each.test.height * 4, 7)
    names = posterior.network.nodes
    found = []
    codes = {}
    for name in names:
        levels = list(posterior.network.variable(name).levels)
        places = {level: place for place, level in enumerate(levels)}
        codes[name] = [np.array([places[level] for level in frame[name].to_list()]) for frame in (drawn, each.test)]
    for place, one in enumerate(names):
        for two in names[place + 1 :]:
            sizes = posterior.network.variable(one).size, posterior.network.variable(two).size
            tables = []
            for which in (0, 1):
                cells = codes[one][which] * sizes[1] + codes[two][which]
                tables.append(np.bincount(cells, minlength=sizes[0] * sizes[1]) / len(cells))
            found.append(np.abs(tables[0] - tables[1]).sum() / 2)
    return float(np.mean(found))


def _runs(contenders: Iterable[str]) -> Iterator[dict[str, object]]:
    kinds = {"pure": None, "zcdp": DELTA}
    wanted = product(contenders, filter(at_hand, DATA), kinds, EPSILONS, SPLITS)
    for name, data, kind, epsilon, seed in wanted:
        each = task(data, seed)
        start = time.process_time()
        posterior = CONTENDERS[name](each, epsilon, kinds[kind])
        found = _likelihood(posterior, each.test, each.test.height)
        yield {
            "data": data, "kind": kind, "contender": name, "epsilon": epsilon, "seed": seed, "likelihood": found,
            "pairs": _margins(posterior, each), "seconds": time.process_time() - start,
        }  # fmt: skip


def _rival_runs(names: Iterable[str]) -> Iterator[dict[str, object]]:
    for name, data, seed, epsilon in product(names, filter(at_hand, DATA), SPLITS, EPSILONS):
        kind, run = RIVALS[name]
        if name != "PrivBayes" and not rivals_at_hand():
            continue
        start = time.process_time()
        found, pairs = run(task(data, seed), epsilon, DELTA if kind == "zcdp" else None, seed)
        yield {
            "data": data, "kind": kind, "contender": name, "epsilon": epsilon, "seed": seed, "likelihood": found,
            "pairs": pairs, "seconds": time.process_time() - start,
        }  # fmt: skip


def main() -> None:
    """Run what is named, or all; keep the results, and write page and picture of those that there are.

    ``likelihood``, ``classifiers`` and ``speed`` may be named, or single contenders, such as ``"dag, 3 parents"`` or
    ``AIM``: results of the others stay as they are.
    """
    everybody = [*CONTENDERS, *RIVALS]
    named = [word for word in sys.argv[1:] if word in everybody]
    chosen = named or everybody
    parts = [word for word in sys.argv[1:] if word in PARTS]
    for key in parts or (("likelihood",) if named else PARTS):
        results = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else {}
        kept = [row for row in results.get(key, []) if key == "likelihood" and row["contender"] not in chosen]
        rows: list[dict[str, object]] = []
        runs = {"likelihood": lambda: _all_runs(chosen), "classifiers": classifier_runs, "speed": speed_runs}
        for row in runs[key]():
            print(row, flush=True)
            rows.append(row)
            _RESULTS.write_text(json.dumps({**results, key: kept + rows}, indent=0) + "\n")
    from .structure_page import write_page

    write_page(json.loads(_RESULTS.read_text()), _PAGE, _PICTURE)


def _all_runs(chosen: list[str]) -> Iterator[dict[str, object]]:
    yield from _runs(name for name in chosen if name in CONTENDERS)
    yield from _rival_runs(name for name in chosen if name in RIVALS)


if __name__ == "__main__":
    main()
