"""How well private regressions predict: test error against a regression without privacy, on a census.

    make bench-regression                          the synthetic census
    make bench-regression CENSUS=FOLDER            Parquet files with the columns of the census model and income_1999usd

Every repeat trains on random records and tests on the rest. All contenders get the same declared bounds. Writes
``regression.json`` beside this file and prints the table of the guide.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import discreet as dc
from discreet.experiments.census import census_model, synthetic_census
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler

_FOLDER = Path(__file__).parent
_PEER = _FOLDER / ".venv-diffprivlib" / "bin" / "python"
_TRAIN, _EPSILONS, _DELTA = (37_000, 5_500), ("0.1", "0.5", "1", "10"), 1e-6
_OURS, _GAUSSIAN = "RegressionMoments", "RegressionMoments, delta = 1e-6"


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--census", type=Path, help="folder of Parquet files; without it the synthetic census")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--into", type=Path, default=_FOLDER / "regression.json")
    arguments = parser.parse_args()
    frame = _read(arguments.census) if arguments.census else synthetic_census()
    errors: dict[tuple[int, str, str], list[float]] = {}
    seconds: list[float] = []
    for repeat in range(arguments.repeats):
        for rows in _TRAIN:
            for case, error in _repeat(frame, rows, np.random.default_rng([7, repeat, rows]), seconds):
                errors.setdefault((rows, *case), []).append(error)
        result = {
            "data": "census files" if arguments.census else "synthetic census",
            "records": len(frame),
            "repeats": repeat + 1,
            "fit_seconds": float(np.median(seconds)),
            "errors": [[*case, float(np.mean(each)), float(np.std(each))] for case, each in errors.items()],
        }
        arguments.into.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(f"repeat {repeat + 1} of {arguments.repeats}", file=sys.stderr, flush=True)
    print(table(result))
    return 0


def table(result: dict) -> str:
    """Mean test error of every contender, as a multiple of the error without privacy."""
    means = {(rows, epsilon, name): mean for rows, epsilon, name, mean, _ in result["errors"]}
    names = dict.fromkeys(name for _, _, name in means if name != "no privacy")
    lines = ["| records | epsilon | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for rows in _TRAIN:
        exact = means[rows, "", "no privacy"]
        for epsilon in _EPSILONS:
            found = [means.get((rows, epsilon, name)) for name in names]
            cells = ["" if mean is None else f"{mean / exact:,.4g}" for mean in found]
            lines.append(f"| {rows:,} | {epsilon} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _read(folder: Path) -> pl.DataFrame:
    names = [column.name for column in census_model().features]
    frames = [
        pl.read_parquet(path).select(*(pl.col(name).cast(pl.Float64) for name in names), income=pl.col("income_1999usd"))
        for path in sorted(folder.glob("*.parquet"))
    ]
    return pl.concat(frames)


def _repeat(frame: pl.DataFrame, rows: int, generator: np.random.Generator, seconds: list[float]):
    """One split: (epsilon, contender) and its mean squared error on the rest, in units of the scaled target."""
    order = generator.permutation(len(frame))
    train, test = frame[order[:rows]], frame[order[rows:]]
    model = census_model(radius=None, noise=None)
    known, unknown = _scaled(train, model), _scaled(test, model)

    def error(weights: np.ndarray) -> float:
        return float(np.mean((unknown[:, -1] - unknown[:, :-1] @ weights) ** 2))

    moments = known.T @ known
    yield ("", "no privacy"), error(np.linalg.solve(moments[:-1, :-1], moments[:-1, -1]))
    for epsilon in _EPSILONS:
        for name, delta in ((_OURS, None), (_GAUSSIAN, _DELTA)):
            posterior = RegressionMoments(epsilon, delta).release(train, model, ledger=dc.Ledger.unlimited()).posterior
            start = time.process_time()
            means = [entry.mean for entry in posterior.summary()]
            seconds.append(time.process_time() - start)
            yield (epsilon, name), error(model.from_units(means) / np.sqrt(len(model.coordinates)))
        for radius in (1, 3):
            declared = census_model(radius=radius, noise="0.25")
            drawn = RegressionSampler(epsilon).release(train, declared, ledger=dc.Ledger.unlimited()).posterior
            yield (epsilon, f"posterior sampler, radius {radius}"), error(drawn.weights[0] / np.sqrt(len(model.coordinates)))
        yield (epsilon, "AdaSSP, delta = 1e-6"), error(_adassp(moments, float(epsilon), generator))
    yield from _diffprivlib(train, model, error)


def _scaled(frame: pl.DataFrame, model: dc.LinearModel) -> np.ndarray:
    """Rows (1, features, target), all in [-1, 1]."""
    columns = [column.scale(frame[column.name].to_numpy()) for column in model.columns]
    return np.column_stack([np.ones(len(frame)), *columns])


def _adassp(moments: np.ndarray, epsilon: float, generator: np.random.Generator, failure: float = 0.05) -> np.ndarray:
    """Adaptive perturbation of sufficient statistics (Wang 2018, Algorithm 2), for neighbours that replace a record.

    Rows have |x|^2 <= d and |y| <= 1. The algorithm is stated for records that vanish. Replacing one moves the smallest
    eigenvalue by at most d, as there, X'X by sqrt(2) d and X'y by 2 sqrt(d), and the noise is larger by these factors.
    """
    count = len(moments) - 1
    spread = np.sqrt(np.log(6 / _DELTA)) / (epsilon / 3)
    smallest = np.linalg.eigvalsh(moments[:-1, :-1])[0]
    smallest = max(smallest + count * (spread * generator.standard_normal() - np.log(6 / _DELTA) / (epsilon / 3)), 0.0)
    noise = np.triu(generator.standard_normal((count, count)))
    noise = np.sqrt(2) * count * spread * (noise + np.triu(noise, 1).T)
    ridge = np.sqrt(2 * count * np.log(2 * count**2 / failure)) * count * spread
    cross = moments[:-1, -1] + 2 * np.sqrt(count) * spread * generator.standard_normal(count)
    return np.linalg.solve(moments[:-1, :-1] + noise + max(ridge - smallest, 0.0) * np.eye(count), cross)


def _diffprivlib(train: pl.DataFrame, model: dc.LinearModel, error):
    """diffprivlib's regression, which needs an older scikit-learn and so an environment of its own."""
    if not _PEER.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        task, answer = Path(folder) / "task.npz", Path(folder) / "answer.json"
        features = train.select(column.name for column in model.features).to_numpy().astype(np.float64)
        bounds = np.array([[column.low, column.high] for column in model.columns])
        np.savez(task, features=features, target=train[model.target.name].to_numpy(), bounds=bounds)
        command = [str(_PEER), str(_FOLDER / "diffprivlib_worker.py"), str(task), str(answer), *_EPSILONS]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for epsilon, coefficients in json.loads(answer.read_text(encoding="utf-8")).items():
            weights = model.from_units(coefficients) / np.sqrt(len(model.coordinates))
            yield (epsilon, "diffprivlib"), error(weights)


if __name__ == "__main__":
    sys.exit(main())
