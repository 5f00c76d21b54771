"""How well private classifiers classify: naive Bayes of this project and of its peers, on the same splits, at the same budget.

    make bench-utility                                                   everything; writes utility.json and docs/utility.md
    python -m benchmarks.utility --data nltcs --epsilon 1 --splits 2     a part of it, printed only
    python -m benchmarks.utility --renew --contenders "discreet Auto"    a part of it, put into utility.json

Runs the paper's first experiment and the real data that are at hand, on the splits that utility.json has. Peers that are not
installed are left out: what they scored before stays. All splits of a data set at one epsilon are written when they are done.
What the same commit of the library measured already is not measured again, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from .pictures import PICTURES
from .real_tables_results import commit
from .utility_contenders import CONTENDERS
from .utility_data import DATA, at_hand, task
from .utility_page import draw_pictures, page, tables
from .utility_results import Run, Score, UtilityResults, read_utility, versions, write_utility

_FOLDER = Path(__file__).parent
_RESULTS, _PAGE = _FOLDER / "utility.json", _FOLDER.parent / "docs" / "utility.md"
_EPSILONS = ("0.1", "0.5", "1", "5")
_SPLITS, _REAL_SPLITS = {"paper": 100}, 10
_FIRST_SPLIT = 2000
"""Seeds of the splits begin here: smaller ones were looked at while the methods were made."""
_FLOOR = 1e-6
"""Probabilities are clipped here for the log-loss, for all alike."""


Case = tuple[str, str, int, list[str], Run]
"""Data set, epsilon, split, contenders, run."""


def main() -> int:
    """Read the options, run, and print or write."""
    options = _options()
    data = [name for name in options.data or DATA if at_hand(name)]
    blocks = [(name, epsilon) for name in data for epsilon in options.epsilon or _EPSILONS]
    contenders = options.contenders or list(CONTENDERS)
    if not options.writes:
        for results in renew(UtilityResults(), blocks, contenders, Run("", versions()), options.workers, options.splits):
            shown = results
        print("\n".join(line for name in data for line in tables(shown, name)))
        return 0
    stored = read_utility(_RESULTS) if _RESULTS.exists() else UtilityResults()
    for results in renew(stored, blocks, contenders, Run(commit(), versions()), options.workers):
        write_utility(results, _RESULTS)
    _PAGE.write_text(page(read_utility(_RESULTS)), encoding="utf-8")
    draw_pictures(read_utility(_RESULTS), PICTURES)
    print(f"wrote {_RESULTS.relative_to(_FOLDER.parent)} and {_PAGE.relative_to(_FOLDER.parent)}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=DATA)
    parser.add_argument("--epsilon", nargs="+")
    parser.add_argument("--splits", type=int, help="of each data set; without it 100 for the paper's experiment, else 10")
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS)
    parser.add_argument("--renew", action="store_true", help="put what is measured now into the files, in place of the older")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.renew and options.splits:
        parser.error("--renew measures on the splits that are stored, so that contenders can be compared; leave out --splits.")
    options.writes = options.renew or not (options.data or options.epsilon or options.splits or options.contenders)
    return options


def renew(
    results: UtilityResults,
    blocks: list[tuple[str, str]],
    contenders: list[str],
    run: Run,
    workers: int = 1,
    splits: int | None = None,
) -> Iterator[UtilityResults]:
    """The results with these contenders measured anew, data set by data set and epsilon by epsilon, each on all its splits.

    So scores of two runs are never mixed in one number, wherever a run is stopped.
    """
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for number, (data, epsilon) in enumerate(blocks, 1):
            start = time.perf_counter()
            names = results.due(data, epsilon, contenders, run)
            chosen = results.splits(data, epsilon) or _first_splits(data, splits)
            cases: list[Case] = [(data, epsilon, split, names, run) for split in chosen] if names else []
            scores = [score for found in pool.map(_case, cases) for score in found]
            results = results.renew(scores, run, time.perf_counter() - start)
            print(f"{number} of {len(blocks)}: {data} at epsilon {epsilon}", file=sys.stderr, flush=True)
            yield results


def _first_splits(data: str, splits: int | None) -> list[int]:
    return list(range(_FIRST_SPLIT, _FIRST_SPLIT + (splits or _SPLITS.get(data, _REAL_SPLITS))))


def _case(case: Case) -> list[Score]:
    """Some contenders on one split at one epsilon."""
    data, epsilon, split, names, run = case
    this = task(data, split)
    found = []
    for name in names:
        probabilities = CONTENDERS[name].predict(this, epsilon, split)
        if probabilities is not None:
            found.append(Score(data, epsilon, name, split, *_scored(probabilities, this.truth), run))
    return found


def _scored(probabilities: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Accuracy and log-loss on the test records. Who gives several levels the largest probability guesses among them."""
    chosen = np.clip(probabilities[np.arange(len(probabilities)), truth], _FLOOR, 1)
    largest = probabilities == probabilities.max(axis=1, keepdims=True)
    right = largest[np.arange(len(truth)), truth] / largest.sum(axis=1)
    return float(right.mean()), float(-np.log(chosen).mean())


if __name__ == "__main__":
    sys.exit(main())
