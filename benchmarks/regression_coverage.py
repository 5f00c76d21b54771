"""How often the 90 % intervals of RegressionMoments hold the truth, in a simulation where the model is true.

    python -m benchmarks.regression_coverage

Weights are normal with precision 16, which is declared or, with ``--learned``, not; half of the features have two values, the
others are spread evenly, and the target is a line plus Gaussian noise that stays within its bounds. Prints the guide's table.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import polars as pl

import discreet as dc
from discreet.mechanisms.linear_moments import RegressionMoments

_ROWS, _EPSILONS = (500, 5_000, 40_000), ("0.1", "1", "10")
_PRECISION, _DEVIATION = 16, 0.1


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--features", type=int, nargs="*", default=[2, 6, 14])
    parser.add_argument("--learned", action="store_true", help="declare no precision")
    arguments = parser.parse_args()
    precision = None if arguments.learned else _PRECISION
    print("| features | records | " + " | ".join(f"epsilon {epsilon}" for epsilon in _EPSILONS) + " |\n|---|---|---|---|---|")
    for features in arguments.features:
        for rows in _ROWS:
            cells = []
            for epsilon in _EPSILONS:
                seeds = [np.random.default_rng([rows, number]) for number in range(arguments.repeats)]
                held = [_held(features, rows, epsilon, precision, seed) for seed in seeds]
                cells.append(f"{np.mean(held):.3f} ± {np.std(np.mean(held, axis=1)) / np.sqrt(len(held)):.3f}")
            print(f"| {features} | {rows:,} | " + " | ".join(cells) + " |", flush=True)
    return 0


def _held(features: int, rows: int, epsilon: str, precision: int | None, generator: np.random.Generator) -> list[bool]:
    """Whether each coefficient lies in its interval."""
    names = [f"x{place}" for place in range(features)]
    model = dc.LinearModel(dict.fromkeys(names, (-1, 1)), ("y", (-1, 1)), precision=precision)
    x = generator.uniform(-1, 1, (rows, features))
    x[:, ::2] = np.sign(x[:, ::2] + 0.3 * x[:, :1])
    weights = generator.standard_normal(features + 1) / np.sqrt(_PRECISION)
    data = pl.DataFrame(x, schema=names)
    target = model.scale(data) @ weights + _DEVIATION * generator.standard_normal(rows)
    ledger = dc.Ledger.unlimited()
    posterior = RegressionMoments(epsilon).release(data.with_columns(y=pl.Series(target)), model, ledger=ledger).posterior
    truth = model.to_units(weights)
    return [entry.lower < value < entry.upper for entry, value in zip(posterior.summary(0.9), truth, strict=True)]


if __name__ == "__main__":
    sys.exit(main())
