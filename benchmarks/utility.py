"""How well private classifiers classify: naive Bayes of this project and of its peers, at the same epsilon, in one run.

`python -m benchmarks.utility` runs the paper's first experiment and the real data that are at hand; `--data`, `--epsilon` and
`--repeats` make it smaller. Peers that are not installed are left out. diffprivlib needs an older scikit-learn than the
others, so it runs under the interpreter that the environment variable DIFFPRIVLIB_PYTHON names.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import discreet as dc

from .diffprivlib_peer import gaussian_naive_bayes
from .utility_data import DATA, Task, tasks

EPSILONS = ("0.1", "0.5", "1", "5")
DELTA = "1e-6"
FLOOR = 1e-6
"""Probabilities are clipped here for the log-loss, for all alike."""

Probabilities = np.ndarray
Contender = Callable[[Task, str, int], Probabilities | None]


@dataclass(frozen=True, slots=True)
class Score:
    """How one contender did on one split."""

    accuracy: float
    log_loss: float


def mechanism(name: str, **inputs: Any) -> Any:
    """A mechanism of this project; None where this version does not have it."""
    maker = getattr(dc, name, None)
    return None if maker is None else maker(**inputs)


def released(name: str, *, plugin: bool = False, delta: bool = False, **inputs: Any) -> Contender:
    """Release with one of our mechanisms and predict from the posterior."""

    def run(task: Task, epsilon: str, seed: int) -> Probabilities | None:
        del seed  # releases have no seeds
        made = mechanism(name, epsilon=epsilon, **({"delta": DELTA} if delta else {}), **inputs)
        if made is None:
            return None
        try:
            release = dc.release(task.train, task.network, made, ledger=dc.Ledger.unlimited())
        except dc.ModelError:  # such as parities of variables with many levels
            return None
        return (release.plugin if plugin else release.posterior).predict_proba(task.test, task.target)

    return run


def not_private(task: Task, epsilon: str, seed: int) -> Probabilities:
    """The posterior given the records themselves."""
    del epsilon, seed
    return dc.DirichletPosterior(task.network).update(task.train).predict_proba(task.test, task.target)


def private_pgm(*, gaussian: bool) -> Contender:
    """The same margins, measured with the same budget, fitted by private-pgm (mbi)."""

    def run(task: Task, epsilon: str, seed: int) -> Probabilities | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the precision of JAX
                from mbi import Domain, LinearMeasurement
                from mbi.estimation import MirrorDescent
        except ImportError:
            return None
        network, target = task.network, task.target
        generator = np.random.default_rng(seed)
        tables = task.margins()
        scale = _scale(epsilon, len(tables), gaussian)
        draw = generator.normal if gaussian else generator.laplace
        measured = [
            LinearMeasurement((counts + draw(0, scale, counts.shape)).ravel(), (target, feature), scale)
            for feature, counts in tables.items()
        ]
        domain = Domain(network.nodes, [variable.size for variable in network.variables])
        model = MirrorDescent().estimate(domain, measured, known_total=float(task.train.height), iters=1000)
        fitted = {feature: np.asarray(model.project((target, feature)).datavector(flatten=False)) for feature in tables}
        return _from_margins(network, target, fitted).predict_proba(task.test, target)

    return run


def _scale(epsilon: str, tables: int, gaussian: bool) -> float:
    """Replacing a record moves one table by 2 in L1 norm and by the root of 2 in L2 norm."""
    if not gaussian:
        return 2 * tables / float(epsilon)
    from discreet.conversion import rho_of_epsilon

    return math.sqrt(tables / float(rho_of_epsilon(Fraction(epsilon), Fraction(DELTA))))


def _from_margins(network: dc.Network, target: str, tables: dict[str, np.ndarray]) -> dc.PointPosterior:
    """Naive Bayes with the probabilities of margins (target, feature)."""
    positive = {feature: np.maximum(table, 1e-9) for feature, table in tables.items()}
    label = next(iter(positive.values())).sum(axis=1)
    known = {feature: table / table.sum(axis=1, keepdims=True) for feature, table in positive.items()}
    return dc.PointPosterior(network, {target: [label / label.sum()], **known})


CONTENDERS: dict[str, Contender] = {
    "not private": not_private,
    "discreet K-norm": released("KNorm"),
    "discreet Gaussian": released("Gaussian", delta=True),
    "discreet Auto": released("Auto"),
    "paper, Algorithm 1": released("Laplace", plugin=True),
    "paper, Algorithm 2": released("Fourier", plugin=True),
    "paper, sampler": released("Sampler"),
    "paper, MAP": released("MapPoint"),
    "private-pgm": private_pgm(gaussian=False),
    "private-pgm, zCDP": private_pgm(gaussian=True),
    "diffprivlib": gaussian_naive_bayes,
}


def score(task: Task, probabilities: Probabilities) -> Score:
    """Accuracy and log-loss on the test records."""
    chosen = np.clip(probabilities[np.arange(len(probabilities)), task.truth], FLOOR, 1)
    return Score(float((probabilities.argmax(axis=1) == task.truth).mean()), float(-np.log(chosen).mean()))


def run(data: str, epsilon: str, repeats: int, names: list[str]) -> Iterator[tuple[str, list[Score]]]:
    """The scores of each contender on the same splits."""
    found: dict[str, list[Score]] = {name: [] for name in names}
    for seed, task in enumerate(tasks(data, repeats)):
        for name in names:
            probabilities = CONTENDERS[name](task, epsilon, seed)
            if probabilities is not None:
                found[name].append(score(task, probabilities))
    yield from ((name, scores) for name, scores in found.items() if scores)


def main() -> None:
    """Read the options, run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--epsilon", nargs="+", default=EPSILONS)
    parser.add_argument("--repeats", type=int, default=None, help="100 for the paper's experiment, 5 for real data")
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS))
    options = parser.parse_args()
    print("| data | epsilon | contender | accuracy | standard error | log-loss |")
    print("|---|---|---|---|---|---|")
    for data in options.data:
        for epsilon in options.epsilon:
            repeats = options.repeats or (100 if data.startswith("paper") else 5)
            for name, scores in run(data, epsilon, repeats, options.contenders):
                accuracy = np.array([one.accuracy for one in scores])
                loss = np.mean([one.log_loss for one in scores])
                error = accuracy.std(ddof=1) / math.sqrt(len(accuracy)) if len(accuracy) > 1 else float("nan")
                print(f"| {data} | {epsilon} | {name} | {accuracy.mean():.4f} | {error:.4f} | {loss:.4f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
