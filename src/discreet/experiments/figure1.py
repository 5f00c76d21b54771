"""Figure 1 of the paper: accuracy of naive Bayes against epsilon, for every mechanism, with honest epsilons.

A repeat draws parameters, records and a split, then releases from the training records by every mechanism at every epsilon and
classifies the others. The printed sampler is there too, and says what it really costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from discreet.chains.family_chain import Effort
from discreet.counts.families import family_counts
from discreet.errors import DataError
from discreet.experiments.as_printed import printed_sampler
from discreet.experiments.seeded_bits import SeededBits
from discreet.experiments.study import Row, Study
from discreet.inference.own_records import encode
from discreet.inference.predict import predict_codes
from discreet.kernel.ledger import Ledger
from discreet.measure.published import Repair
from discreet.mechanisms import Fourier, Laplace, MapPoint, Sampler
from discreet.mechanisms.auto import Auto
from discreet.mechanisms.mechanism import Mechanism, NoiseMechanism
from discreet.model.network import Network
from discreet.model.prior import UNIFORM
from discreet.model.templates import naive_bayes
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior

if TYPE_CHECKING:
    import polars as pl

    from discreet.posterior.noise_aware import NoiseAwarePosterior

__all__ = ["COLUMNS", "CONTENDERS", "EPSILONS", "figure1"]

EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "5", "10", "20")
COLUMNS = ("repeat", "mechanism", "epsilon", "true_epsilon", "accuracy")
TARGET = "y"
LEAST_PRINTED = 1.386
"""Below 2 log 2 the floor of the printed sampler is above 1/2: it is not defined."""
EFFORT = Effort(chains=32, warm_up=20, rounds=20)
"""Short chains: a prediction averages over all families, so it needs fewer rounds than an interval."""


@dataclass(frozen=True, slots=True)
class Split:
    """The records of one repeat."""

    network: Network
    train: pl.DataFrame
    test: tuple[Mapping[str, Any], ...]
    """Level numbers of the other records, by node: encoded once for all contenders."""
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
            if (result := contender(split, epsilon)) is not None:
                found.append([repeat, name, float(epsilon), result[1], _accuracy(result[0], split)])
    return found


def _synthetic(settings: Mapping[str, Any], generator: np.random.Generator) -> Split:
    """Records of a naive Bayes model whose parameters are uniform, as the priors believe."""
    network = naive_bayes(TARGET, [f"x{place}" for place in range(1, settings["features"] + 1)])
    tables = {family.node: _uniform(family.configurations, generator) for family in network.families}
    records = PointPosterior(network, tables).sample(settings["records"], generator)
    return _parts(network, records, settings["rows"], TARGET, generator)


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
    order = generator.permutation(len(frame))[: settings["records"]]
    return _parts(network, frame[order], settings["rows"], target, generator)


def _parts(network: Network, records: pl.DataFrame, rows: int, target: str, generator: np.random.Generator) -> Split:
    if len(records) <= rows:
        raise DataError("All records would be for training. Choose fewer with --rows.")
    return Split(network, records[:rows], tuple(encode(records[rows:], network)), target, generator)


def _accuracy(posterior: Posterior, split: Split) -> float:
    """Share of the test records whose class has the larger predicted probability."""
    right = [predict_codes(posterior, codes, split.target).argmax(axis=1) == codes[split.target] for codes in split.test]
    return float(np.mean(np.concatenate(right)))


def _exact(split: Split) -> DirichletPosterior:
    return DirichletPosterior(split.network).update(split.train)


Contender = Callable[[Split, str], tuple[Posterior, float] | None]


def _honest(make: Callable[[str], Mechanism[Network, Any]], binary: bool = False) -> Contender:
    """A mechanism whose epsilon is what it says, and whose statistics are taken at their word, as the paper does."""

    def released(split: Split, epsilon: str) -> tuple[Posterior, float] | None:
        if binary and not _is_binary(split.network):
            return None
        made = make(epsilon).release(
            split.train, split.network, ledger=Ledger.unlimited(), prior=UNIFORM, _bits=SeededBits(split.generator)
        )
        return made.plugin, float(epsilon)

    return released


def _is_binary(network: Network) -> bool:
    return all(variable.size == 2 for variable in network.variables)


def _best(split: Split, epsilon: str) -> tuple[Posterior, float] | None:
    """The mechanism with the least predicted error, read by the posterior that knows about its noise."""
    made = _choose(split.network, len(split.train), Fraction(epsilon)).release(
        split.train, split.network, ledger=Ledger.unlimited(), prior=UNIFORM, _bits=SeededBits(split.generator)
    )
    return replace(cast("NoiseAwarePosterior", made.posterior), effort=EFFORT), float(epsilon)


@lru_cache(maxsize=64)
def _choose(network: Network, rows: int, epsilon: Fraction) -> NoiseMechanism:
    return Auto(epsilon).choose(network, rows).mechanism


def _as_printed(split: Split, epsilon: str) -> tuple[Posterior, float] | None:
    """One draw of the paper's sampler, with what it really costs; nothing where it is not defined."""
    if float(epsilon) < LEAST_PRINTED or not _is_binary(split.network):
        return None
    counts = family_counts(split.train, split.network)
    made = printed_sampler(counts, split.network, float(epsilon), 1, split.generator)
    point = PointPosterior(split.network, {node: drawn[0] for node, drawn in made.tables.items()})
    return point, made.true_epsilon


CONTENDERS: dict[str, Contender] = {
    "Laplace": _honest(Laplace),
    "Fourier": _honest(lambda epsilon: Fourier(epsilon, repair=Repair.INCREMENT), binary=True),
    "sampler as printed": _as_printed,
    "sampler": _honest(Sampler),
    "MAP": _honest(MapPoint),
    "our best": _best,
}
