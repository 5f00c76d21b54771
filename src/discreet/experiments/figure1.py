"""Figure 1 of the paper: accuracy of naive Bayes against epsilon, for every mechanism, with honest epsilons.

A repeat draws parameters, records and a split, then releases from the training records by every mechanism at every epsilon and
classifies the others. The printed sampler is there too, and says what it really costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError
from discreet.experiments.seeded_bits import SeededBits
from discreet.experiments.study import Row, Study
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Fourier, Laplace
from discreet.mechanisms.mechanism import Mechanism
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.model.templates import naive_bayes
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.noisy_parities import Repair
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "CONTENDERS", "EPSILONS", "figure1"]

EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "5", "10", "20")
COLUMNS = ("repeat", "mechanism", "epsilon", "true_epsilon", "accuracy")
TARGET = "y"


@dataclass(frozen=True, slots=True)
class Split:
    """The records of one repeat."""

    network: Network
    train: pl.DataFrame
    test: pl.DataFrame
    target: str
    generator: np.random.Generator


def figure1(
    rows: int = 50, records: int = 1000, features: int = 16, repeats: int = 100, seed: int = 2016,
    data: str | None = None, target: str | None = None,
) -> Study:  # fmt: skip
    """The study. ``rows`` are for training; with ``data`` the records come from a public file instead of a generator."""
    settings = {
        "rows": rows, "records": records, "features": features, "seed": seed, "data": data, "target": target,
        "epsilons": list(EPSILONS),
    }  # fmt: skip
    return Study("figure1", COLUMNS, settings, repeats, _repeat)


def _repeat(settings: Mapping[str, Any], repeat: int) -> list[Row]:
    """All mechanisms at all epsilons on the records of one repeat."""
    generator = np.random.default_rng([settings["seed"], repeat])
    split = _from_file(settings, generator) if settings["data"] else _synthetic(settings, generator)
    found: list[Row] = [[repeat, "no privacy", None, None, _accuracy(_exact(split), split)]]
    for epsilon in settings["epsilons"]:
        for name, contender in CONTENDERS.items():
            posterior, cost = contender(split, epsilon)
            found.append([repeat, name, float(epsilon), cost, _accuracy(posterior, split)])
    return found


def _synthetic(settings: Mapping[str, Any], generator: np.random.Generator) -> Split:
    """Records of a naive Bayes model whose parameters are uniform, as the priors believe."""
    network = naive_bayes(TARGET, [f"x{place}" for place in range(1, settings["features"] + 1)])
    tables = {family.node: _uniform(family.configurations, generator) for family in network.families}
    records = PointPosterior(network, tables).sample(settings["records"], generator)
    return Split(network, records[: settings["rows"]], records[settings["rows"] :], TARGET, generator)


def _uniform(configurations: int, generator: np.random.Generator) -> Any:
    ones = generator.random(configurations)
    return np.stack([1 - ones, ones], axis=1)


def _from_file(settings: Mapping[str, Any], generator: np.random.Generator) -> Split:
    """A random split of the file's records. They are public, so their levels may be read off them."""
    import polars as pl

    path, target = Path(settings["data"]), settings["target"]
    frame = pl.read_parquet(path) if path.suffix in (".parquet", ".pq") else pl.read_csv(path)
    if target not in frame.columns:
        raise DataError(f"{path.name} has no column {target!r}. Name the class with --target.")
    frame = frame.select(pl.all().cast(pl.String)).drop_nulls()
    levels = {name: sorted(frame[name].unique()) for name in frame.columns}
    network = naive_bayes(target, {name: levels[name] for name in frame.columns if name != target}, levels[target])
    order = generator.permutation(len(frame))[: max(settings["records"], settings["rows"] + 1)]
    chosen = frame[order]
    return Split(network, chosen[: settings["rows"]], chosen[settings["rows"] :], target, generator)


def _accuracy(posterior: Posterior, split: Split) -> float:
    """Share of the test records whose class has the larger predicted probability."""
    predicted = posterior.predict_proba(split.test.drop(split.target), split.target).argmax(axis=1)
    levels = split.network.variable(split.target).levels
    truth = np.searchsorted(levels, split.test[split.target].to_numpy().astype(str), sorter=np.argsort(levels))
    return float(np.mean(predicted == np.argsort(levels)[truth]))


def _exact(split: Split) -> DirichletPosterior:
    return DirichletPosterior(split.network).update(split.train)


Contender = Callable[[Split, str], tuple[Posterior, float]]


def _honest(make: Callable[[str], Mechanism]) -> Contender:
    """A mechanism whose epsilon is what it says."""

    def released(split: Split, epsilon: str) -> tuple[Posterior, float]:
        made = make(epsilon).release(
            split.train, split.network, ledger=Ledger.unlimited(), prior=UNIFORM, _bits=SeededBits(split.generator)
        )
        return made.posterior, float(epsilon)

    return released


CONTENDERS: dict[str, Contender] = {
    "Laplace": _honest(Laplace),
    "Fourier": _honest(lambda epsilon: Fourier(epsilon, repair=Repair.INCREMENT)),
}
