"""How often 90 % intervals of a graph that was learned from pairs hold the truth: ``python -m benchmarks.learned_intervals``.

The truth is the chest clinic that comes with the package; every node is asked for by itself and given each of three others.
"""

from __future__ import annotations

import numpy as np

import discreet as dc
from discreet.experiments.chest_clinic import chest_clinic

_ROWS, _SETS, _GIVEN = 10_000, 20, 3


def coverage(epsilon: str, *, tables: bool) -> tuple[float, float]:
    """The share of intervals that hold the truth, and their mean width: of pairs alone, or with tables released as well."""
    truth = chest_clinic()
    held, widths = [], []
    for seed in range(_SETS):
        records, generator = truth.sample(_ROWS, np.random.default_rng(seed)), np.random.default_rng(seed)
        variables = [truth.network.variable(node) for node in truth.network.nodes]
        ledger = dc.Ledger.unlimited()
        learned = dc.learn(records, variables, epsilon=epsilon, ledger=ledger, form="dag")
        belief = dc.release(records, learned, epsilon=epsilon, ledger=ledger).posterior if tables else learned.posterior
        for node in truth.network.nodes:
            for other in (None, *[each for each in truth.network.nodes if each != node][:_GIVEN]):
                given = {} if other is None else {other: truth.network.variable(other).levels[int(generator.integers(2))]}
                wanted = np.ravel(truth.query(node, given=given).probability)[0]
                answer = belief.query(node, given=given, generator=seed)
                lower, upper = np.ravel(answer.lower)[0], np.ravel(answer.upper)[0]
                held.append(lower <= wanted <= upper)
                widths.append(upper - lower)
    return float(np.mean(held)), float(np.mean(widths))


if __name__ == "__main__":
    for epsilon in ("0.3", "1"):
        share, width = coverage(epsilon, tables=False)
        print(f"epsilon {epsilon}, pairs alone: {share:.1%} held, mean width {width:.4f}", flush=True)
    share, width = coverage("1", tables=True)
    print(f"epsilon 1 and 1 more for tables: {share:.1%} held, mean width {width:.4f}", flush=True)
