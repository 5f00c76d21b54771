"""Figure 2 of the paper: error of linear regression against the precision of the prior, with honest epsilons.

The norm of the weights is at most 10 / sqrt(precision), the noise of the scaled target is 1, as in the paper. A repeat splits
the records, fits by every mechanism at every precision, and predicts the others.

The picture and the page are made here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Floats
from discreet.errors import DataError
from discreet.experiments.census import CENSUS_ROWS, census_model, synthetic_census
from discreet.experiments.study import (
    Average,
    Outcome,
    Row,
    SeededBits,
    Study,
    averages,
    markdown_table,
    write_csv,
    write_page,
)
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler
from discreet.model.linear import LinearModel
from discreet.planning.linear import draw_epsilon
from discreet.plots.curves import Chart, Curve, plot_curves
from discreet.theorems.printed.sampling import printed_regression_epsilon

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "ESTIMATORS", "PRECISIONS", "SAMPLER", "figure2", "write_figure2"]

PRECISIONS = (1, 10, 100, 1000, 10_000)
COLUMNS = ("repeat", "estimator", "precision", "true_epsilon", "printed_epsilon", "mse")
EPSILON = "1"
_TRAINING_SHARE = 10
SAMPLER = "sampler, epsilon above"
TEMPERED = f"sampler at epsilon {EPSILON}"
_READING = (
    "Mean squared error of linear regression on unseen records, against the precision b of the prior, weights of norm at most"
    " 10 / sqrt(b), noise 1; features and target are scaled to [-1, 1] by their bounds. Bands are one standard error. The"
    " dashed curve is one draw from the posterior, which costs the true epsilon above the picture; the appendix of the paper"
    " would have it cost the printed one, at the edge of the ball. The other private curves cost epsilon 1 at most: the"
    " same draw with every record counted less, and noisy moments read by the posterior that knows about their noise (its"
    " prior is not truncated), once with noise 1 declared, as for the others, and once with the noise of the target left to"
    " be learned."
)


@dataclass(frozen=True, slots=True)
class Split:
    """The records of one repeat: those for training, and all that a squared error needs to know of the others."""

    train: pl.DataFrame
    products: Floats
    """X'X of the training records."""
    correlations: Floats
    """X'y of the training records."""
    test: tuple[Floats, Floats, float]
    """X'X, X'y and y'y of the others, each divided by their number."""
    generator: np.random.Generator


def figure2(
    rows: int = CENSUS_ROWS, repeats: int = 20, seed: int = 2016, data: str | None = None, target: str | None = None
) -> Study:
    """The study. ``rows`` are all synthetic records, of which a tenth is for training; ``data`` is a public file instead."""
    bounds = "declared" if data is None else bounds_of(data, str(target))
    settings = {
        "rows": rows if data is None else None, "seed": seed, "data": data, "target": target, "bounds": bounds,
        "epsilon": EPSILON, "precisions": list(PRECISIONS),
    }  # fmt: skip
    return Study("figure2", COLUMNS, settings, repeats, _repeat)


def bounds_of(data: str, target: str) -> str:
    """Where the bounds of a file's columns come from: declared for a census, else read off the file, which is public."""
    _model({"data": data, "target": target}, 1)  # a file that does not fit fails here, not in the first repeat
    return "declared" if _is_census(_read(data), target) else "read off the public file"


def _repeat(settings: Mapping[str, Any], repeat: int) -> list[Row]:
    """All estimators at all precisions on the records of one repeat."""
    generator = np.random.default_rng([settings["seed"], repeat])
    split = _split(settings, generator)
    found: list[Row] = []
    for precision in settings["precisions"]:
        model = _model(settings, precision)
        edge = np.full(len(model.coordinates), float(model.radius or 0) / np.sqrt(len(model.coordinates)))
        printed = printed_regression_epsilon(edge, len(split.train), 1).value
        wanted, whole = float(settings["epsilon"]), float(draw_epsilon(model))
        costs = {"no privacy": None, SAMPLER: whole, TEMPERED: min(wanted, whole)}
        for name, estimate in ESTIMATORS.items():
            cost = costs.get(name, wanted)
            weights = estimate(split, model)
            found.append([repeat, name, precision, cost, printed if name == SAMPLER else None, _squared_error(weights, split)])
    return found


def _squared_error(weights: Floats, split: Split) -> float:
    products, correlations, square = split.test
    return float(square - 2 * weights @ correlations + weights @ products @ weights)


def _split(settings: Mapping[str, Any], generator: np.random.Generator) -> Split:
    frame, vectors, targets = _records(settings["data"], settings["target"], settings["rows"])
    order = generator.permutation(len(frame))
    train, test = np.split(order, [max(2, len(frame) // _TRAINING_SHARE)])
    x, y = vectors[train], targets[train]
    other_x, other_y = vectors[test], targets[test]
    count = len(test)
    summary = (other_x.T @ other_x / count, other_x.T @ other_y / count, float(other_y @ other_y) / count)
    return Split(frame[train], x.T @ x, x.T @ y, summary, generator)


@lru_cache(maxsize=1)
def _records(data: str | None, target: str | None, rows: int | None) -> tuple[pl.DataFrame, Floats, Floats]:
    """All records, and their features and targets as the model scales them; targets outside the bounds are clipped."""
    frame = synthetic_census(rows or CENSUS_ROWS) if data is None else _read(data)
    model = _model({"data": data, "target": target}, 1)
    frame = frame.select([column.name for column in model.columns]).drop_nulls()
    if len(frame) < 4:
        raise DataError("This file has too few complete records to train on a tenth of them.")
    return frame, model.scale(frame), model.target.scale(frame[model.target.name].to_numpy())


@lru_cache(maxsize=1)
def _read(data: str) -> pl.DataFrame:
    import polars as pl

    path = Path(data)
    return pl.read_parquet(path) if path.suffix in (".parquet", ".pq") else pl.read_csv(path)


def _is_census(frame: pl.DataFrame, target: str) -> bool:
    declared = census_model()
    return target == declared.target.name and {column.name for column in declared.features} <= set(frame.columns)


def _model(settings: Mapping[str, Any], precision: int) -> LinearModel:
    radius = Fraction(f"{10 / precision**0.5:.12f}")
    if settings["data"] is None or _is_census(_read(settings["data"]), settings["target"]):
        return census_model(radius, 1, precision)
    frame, target = _read(settings["data"]), settings["target"]
    if target not in frame.columns:
        raise DataError(f"{Path(settings['data']).name} has no column {target!r}. Name the column to predict with --target.")
    numeric = [name for name, kind in frame.schema.items() if kind.is_numeric() and frame[name].n_unique() > 1]
    if target not in numeric or len(numeric) < 2:
        raise DataError("A regression needs a numeric target and at least one more numeric column.")
    ends: dict[str, Any] = {name: (frame[name].min(), frame[name].max()) for name in numeric}
    aim = ends.pop(target)
    return LinearModel(ends, (target, aim), precision, radius, 1)


def _ridge(split: Split, model: LinearModel) -> Floats:
    """The posterior mean without truncation or privacy."""
    penalty = np.diag([float(precision) for precision in model.precisions])
    return np.asarray(np.linalg.solve(split.products + penalty, split.correlations))


def _draw(split: Split, model: LinearModel, epsilon: Fraction) -> Floats:
    made = RegressionSampler(epsilon).release(split.train, model, ledger=Ledger.unlimited(), _bits=SeededBits(split.generator))
    return np.asarray(made.value.weights[0])


def _aware(split: Split, model: LinearModel) -> Floats:
    """The mean of the posterior that knows about the noise of the released moments; it is not truncated."""
    made = RegressionMoments(EPSILON).release(split.train, model, ledger=Ledger.unlimited(), _bits=SeededBits(split.generator))
    coefficients = [entry.mean for entry in made.posterior.summary()]
    return model.from_units(coefficients)


def _without_noise(model: LinearModel) -> LinearModel:
    """The same model with the noise of the target left to be learned, which a sampler cannot do."""
    features = {column.name: (column.low, column.high) for column in model.features}
    target = (model.target.name, (model.target.low, model.target.high))
    return LinearModel(features, target, model.precisions[0], resolution=model.resolution)


ESTIMATORS: dict[str, Callable[[Split, LinearModel], Floats]] = {
    "no privacy": _ridge,
    SAMPLER: lambda split, model: _draw(split, model, draw_epsilon(model)),
    TEMPERED: lambda split, model: _draw(split, model, Fraction(EPSILON)),
    f"noisy moments at epsilon {EPSILON}": _aware,
    f"noisy moments, noise learned, at epsilon {EPSILON}": lambda split, model: _aware(split, _without_noise(model)),
}


_NAME, _PRECISION, _TRUE, _PRINTED, _ERROR = 1, 2, 3, 4, 5
Averages = dict[tuple[object, ...], Average]


def write_figure2(outcome: Outcome, folder: Path, seconds: float) -> tuple[Path, ...]:
    """Write the table, the picture in two formats and the page."""
    paths = tuple(folder / f"figure2.{ending}" for ending in ("csv", "png", "svg", "md"))
    write_csv(paths[0], outcome.study.columns, outcome.rows)
    found = averages(outcome.rows, (_NAME, _PRECISION), _ERROR)
    true, printed = (averages(outcome.rows, (_NAME, _PRECISION), column) for column in (_TRUE, _PRINTED))
    settings = outcome.study.settings
    title = "Figure 2: linear regression" + outcome.remark
    source = Path(settings["data"]).name if settings["data"] else f"synthetic census, {settings['rows']:,} records"
    note = f"{source}; a tenth for training, {outcome.done} repeats; bounds {settings['bounds']}"
    places = [float(precision) for precision in settings["precisions"]]
    words = [
        f"{true[SAMPLER, place].mean:.3g}\n({printed[SAMPLER, place].mean / 1e6:.2g} M)" for place in settings["precisions"]
    ]
    above = ("true epsilon of one draw of the sampler (as printed, in millions)", places, words)
    chart = Chart(title, "precision b of the prior", "mean squared error, scaled target", note, above)
    plot_curves(_curves(found), chart, *paths[1:3])
    write_page(
        paths[3], title, _READING, f"![{title}](figure2.png)\n\n" + _table(found, true, printed), outcome.settings, seconds
    )
    return paths


def _curves(found: Averages) -> list[Curve]:
    names = list(dict.fromkeys(str(key[0]) for key in found))
    curves = []
    for name in names:
        here = {float(str(key[1])): average for key, average in found.items() if key[0] == name}
        means, errors = [each.mean for each in here.values()], [each.error for each in here.values()]
        curves.append(
            Curve(
                name.replace(", ", ",\n").replace(" at ", "\nat "),
                list(here),
                means,
                errors,
                name == SAMPLER,
            )
        )
    return curves


def _table(found: Averages, true: Averages, printed: Averages) -> str:
    rows = []
    for key, average in found.items():
        costs = [f"{costs[key].mean:.3g}" if key in costs else "" for costs in (true, printed)]
        rows.append((*key, *costs, f"{average.mean:.4f} ± {average.error:.4f}"))
    return markdown_table(("estimator", "precision", "true epsilon", "printed epsilon", "error ± standard error"), rows)
