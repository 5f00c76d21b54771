"""Which mechanism? Accuracy of naive Bayes with sixteen features under every mechanism, honestly accounted.

``python -m discreet.experiments.which_mechanism`` prints the table of docs/guide/mechanisms.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.counts.families import family_counts
from discreet.experiments.as_printed import printed_sampler
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Fourier, Laplace, MapPoint, Sampler, release
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.model.templates import naive_bayes
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.point import PointPosterior

if TYPE_CHECKING:
    import polars as pl

    from discreet.posterior.posterior import Posterior

__all__ = ["FEATURES", "accuracies", "table"]

FEATURES = 16
SETTINGS = tuple((rows, epsilon) for rows in (50, 1000, 10_000) for epsilon in (1, 5, 20))
_TEST_ROWS = 1000
_SEED = 50


def accuracies(rows: int, epsilon: int, repeats: int, generator: np.random.Generator) -> dict[str, list[float]]:
    """Share of unseen records whose label is predicted right, for each mechanism and repeat. Parameters are uniform."""
    network = naive_bayes("y", [f"x{number}" for number in range(FEATURES)])
    found: dict[str, list[float]] = {}
    for _ in range(repeats):
        truth = _random_network(network, generator)
        train, test = truth.sample(rows, generator), truth.sample(_TEST_ROWS, generator)
        for name, make in _makers(network, epsilon, generator):
            posterior = make(train)
            right = np.array(posterior.predict(test, "y")) == test["y"].cast(str).to_numpy()
            found.setdefault(name, []).append(float(right.mean()))
    return found


def _makers(
    network: Network, epsilon: int, generator: np.random.Generator
) -> Iterator[tuple[str, Callable[[pl.DataFrame], Posterior]]]:
    mechanisms: dict[str, Any] = {
        "laplace": Laplace(epsilon),
        "laplace-consistent": Laplace(epsilon, tables="maximal", consistent=True),
        "fourier": Fourier(epsilon),
        "sampler, floor alone": Sampler(epsilon, temper=1),
        "sampler": Sampler(epsilon),
        "map": MapPoint(epsilon),
    }
    yield "not private", lambda train: DirichletPosterior(network).update(train)
    for name, mechanism in mechanisms.items():
        yield name, partial(_release, network, mechanism)
    if epsilon > 1:
        yield (
            f"sampler as printed: true epsilon {_true_epsilon(network, epsilon):.0f}",
            lambda train: PointPosterior(
                network,
                {
                    node: drawn[0]
                    for node, drawn in printed_sampler(
                        family_counts(train, network), network, epsilon, 1, generator
                    ).tables.items()
                },
            ),
        )


def _release(network: Network, mechanism: Any, train: pl.DataFrame) -> Posterior:
    posterior: Posterior = release(train, network, mechanism, ledger=Ledger.unlimited(), prior=UNIFORM).posterior
    return posterior


def _true_epsilon(network: Network, epsilon: int) -> float:
    nothing = {family.node: np.zeros((family.configurations, 2), dtype=np.int64) for family in network.families}
    return printed_sampler(nothing, network, epsilon, 1, np.random.default_rng(0)).true_epsilon


def _random_network(network: Network, generator: np.random.Generator) -> PointPosterior:
    first = {family.node: generator.random((family.configurations, 1)) for family in network.families}
    return PointPosterior(network, {node: np.hstack([values, 1 - values]) for node, values in first.items()})


def table(repeats: int) -> str:
    """The table of the guide, as text: mean accuracy and its standard error, for each setting a line."""
    generator = np.random.default_rng(_SEED)
    lines = []
    for rows, epsilon in SETTINGS:
        found = accuracies(rows, epsilon, repeats, generator)
        errors = {name: np.std(values, ddof=1) / len(values) ** 0.5 for name, values in found.items()}
        cells = [f"{name} {np.mean(values):.3f} ({errors[name]:.3f})" for name, values in found.items()]
        lines.append(f"{rows} | {epsilon} | " + " | ".join(cells))
        sys.stderr.write(lines[-1] + "\n")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table(int(sys.argv[1]) if len(sys.argv) > 1 else 20) + "\n")
