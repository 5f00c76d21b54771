"""How well private classifiers classify: naive Bayes of this project and of its peers, on the same splits, at the same budget.

    make bench-utility                                                   everything; writes utility.json and docs/utility.md
    python -m benchmarks.utility --data nltcs --epsilon 1 --splits 2     a part of it, printed only

Runs the paper's first experiment and the real data that are at hand. Peers that are not installed are left out.
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
from .utility_contenders import CONTENDERS
from .utility_data import DATA, at_hand, task
from .utility_page import draw_pictures, page, tables
from .utility_results import Score, UtilityResults, read_utility, versions, write_utility

_FOLDER = Path(__file__).parent
_RESULTS, _PAGE = _FOLDER / "utility.json", _FOLDER.parent / "docs" / "utility.md"
_EPSILONS = ("0.1", "0.5", "1", "5")
_SPLITS, _MOST_SPLITS = {"nltcs": 10, "fertility": 10, "adult": 10}, 100
_FIRST_SPLIT = 2000
"""Seeds of the splits begin here: smaller ones were looked at while the methods were made."""
_FLOOR = 1e-6
"""Probabilities are clipped here for the log-loss, for all alike."""


def main() -> int:
    """Read the options, run, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=DATA)
    parser.add_argument("--epsilon", nargs="+")
    parser.add_argument("--splits", type=int, help="of each data set; without it 100 for the paper's experiment, else 10")
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    data = [name for name in options.data or DATA if at_hand(name)]
    part = options.data or options.epsilon or options.splits or options.contenders
    cases = [
        (name, epsilon, split, options.contenders or list(CONTENDERS))
        for split in range(_FIRST_SPLIT, _FIRST_SPLIT + _MOST_SPLITS)
        for name in data
        if split - _FIRST_SPLIT < (options.splits or _SPLITS.get(name, _MOST_SPLITS))
        for epsilon in options.epsilon or _EPSILONS
    ]
    for results in _run(cases, options.workers):
        if not part:
            write_utility(results, _RESULTS)
    if part:
        print("\n".join(line for name in data for line in tables(results, name)))
        return 0
    _PAGE.write_text(page(read_utility(_RESULTS)), encoding="utf-8")
    draw_pictures(read_utility(_RESULTS), PICTURES)
    print(f"wrote {_RESULTS.relative_to(_FOLDER.parent)} and {_PAGE.relative_to(_FOLDER.parent)}")
    return 0


def _run(cases: list[tuple[str, str, int, list[str]]], workers: int) -> Iterator[UtilityResults]:
    """All there is so far, again and again; each case runs in one of the workers."""
    found: list[Score] = []
    start = time.perf_counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for number, scores in enumerate(pool.map(_case, cases), 1):
            found += scores
            if number % 20 == 0 or number == len(cases):
                print(f"{number} of {len(cases)}", file=sys.stderr, flush=True)
                yield UtilityResults(versions(), tuple(found), time.perf_counter() - start)


def _case(case: tuple[str, str, int, list[str]]) -> list[Score]:
    """All contenders on one split at one epsilon."""
    data, epsilon, split, names = case
    this = task(data, split)
    found = []
    for name in names:
        probabilities = CONTENDERS[name].predict(this, epsilon, split)
        if probabilities is not None:
            found.append(Score(data, epsilon, name, split, *_scored(probabilities, this.truth)))
    return found


def _scored(probabilities: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Accuracy and log-loss on the test records."""
    chosen = np.clip(probabilities[np.arange(len(probabilities)), truth], _FLOOR, 1)
    return float((probabilities.argmax(axis=1) == truth).mean()), float(-np.log(chosen).mean())


if __name__ == "__main__":
    sys.exit(main())
