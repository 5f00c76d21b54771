"""A linear model: what everybody may know about a regression before any record is read.

The scaling is part of the declaration, since sensitivity rests on it:

* every feature and the target are mapped to [-1, 1] by their declared bounds (low to -1, high to 1); values outside are
  clipped to the nearer bound;
* the vector of a record is x = (1, x_1, ..., x_d) / sqrt(d + 1) with an intercept, and (x_1, ..., x_d) / sqrt(d) without: the
  constant has its own place in the norm, and ||x|| <= 1 whatever the record is;
* in these units the model is y = w.x + noise, w ~ N(0, 1/precision) truncated to ||w|| <= radius, noise of standard deviation
  ``noise``. All three are numbers of the scaled problem, where the guarantee is stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.display import Display, Displayed, counted
from discreet.errors import BudgetError, ModelError, suggestion
from discreet.guarantee import BudgetLike, decimal, exact
from discreet.model.declaration import COLUMN_HEADINGS, LINEAR_MODELS, ModelKind, column_rows
from discreet.model.files.strict_json import show_text
from discreet.model.schema import Schema
from discreet.model.variable import Column

__all__ = ["FEATURE_LIMIT", "INTERCEPT", "SLOPE_SCALE", "LinearModel"]

SLOPE_SCALE = 0.5
"""The usual size of all slopes together, the root of the sum of their squares, where columns lie in [-1, 1]: of a target
and free features that are spread alike over their bounds, the line then explains a quarter of the variance, its square."""
INTERCEPT = "(intercept)"
"""The name of the intercept among the coefficients."""
FEATURE_LIMIT = 500
"""Most features of a model: the moments have half the square of it."""
RESOLUTIONS = range(4, 21)
"""Bits of the fixed-point grid that may be declared: sums of products then stay exact in float64 for thousands of records."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LinearModel(Displayed):
    """A declared regression: features and target with bounds, and the prior of the weights.

    ``precision`` is one number or one per coefficient (``"(intercept)"`` names the intercept's), and believed. Left out, the
    size of the slopes is ``learned`` from noisy moments; a draw from the posterior needs a prior and takes precision 1.
    ``radius`` truncates the prior and may be left out where the mechanism does not need it; so may ``noise``, the standard
    deviation of the scaled target about the line: with a precision it is believed, without one it is a first guess.
    ``resolution``: a value in [-1, 1] becomes an integer number of steps of 2^-resolution.
    """

    features: tuple[Column, ...]
    target: Column
    precisions: tuple[Fraction, ...]
    learned: bool
    radius: Fraction | None
    noise: Fraction | None
    intercept: bool
    resolution: int
    kind: ClassVar[ModelKind[LinearModel]] = LINEAR_MODELS

    def __init__(
        self,
        features: Mapping[str, tuple[float, ...]],
        target: tuple[str, tuple[float, ...]],
        precision: BudgetLike | Mapping[str, BudgetLike] | None = None,
        radius: BudgetLike | None = None,
        noise: BudgetLike | None = None,
        *,
        intercept: bool = True,
        resolution: int = 16,
    ) -> None:
        columns = _features(features)
        aim = _target(target)
        if aim.name in [column.name for column in columns]:
            raise ModelError(f"The target {show_text(aim.name)} is among the features; leave it out of them.")
        if not isinstance(intercept, bool):
            raise ModelError("intercept must be True or False.")
        if isinstance(resolution, bool) or not isinstance(resolution, int) or resolution not in RESOLUTIONS:
            raise ModelError(f"resolution must be a whole number of bits from {RESOLUTIONS[0]} to {RESOLUTIONS[-1]}.")
        for name, value in {
            "features": columns,
            "target": aim,
            "radius": None if radius is None else _positive(radius, "radius"),
            "noise": None if noise is None else _positive(noise, "noise"),
            "intercept": intercept,
            "resolution": resolution,
            "learned": precision is None,
        }.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "precisions", _precisions(1 if precision is None else precision, self.coordinates))

    @classmethod
    def from_schema(cls, schema: Schema, target: str, features: Iterable[str] | None = None, **options: Any) -> LinearModel:
        """A linear model of columns of a schema, with the bounds that it declares; ``options`` are those of LinearModel.

        Without ``features`` these are all other columns that have bounds and no levels.
        """
        if not isinstance(schema, Schema):
            raise ModelError("from_schema takes a schema first: LinearModel.from_schema(schema, target='income').")
        others = (column.name for column in schema.columns if column.is_numeric and column.name != target)
        bounds = schema.bounds(list(others) if features is None else features)
        return cls(bounds, (target, schema.column(target).bounds()), **options)

    def _display(self) -> Display:
        facts = [
            ("prior", self.prior_summary),
            ("radius", "none" if self.radius is None else decimal(self.radius)),
            ("intercept", "yes" if self.intercept else "no"),
        ]
        title = f"Linear model of {self.target.name!r} by {counted(len(self.features), 'feature')}"
        return Display(title, facts, COLUMN_HEADINGS, column_rows(self))

    @property
    def prior_summary(self) -> str:
        """What is believed before any record is seen, in words: of the slopes, and of the noise about the line."""
        slopes = "learned" if self.learned else f"precision {', '.join(map(decimal, dict.fromkeys(self.precisions)))}"
        if self.noise is None:
            return f"{slopes}; noise learned"
        return f"{slopes}; noise {decimal(self.noise)}, {'a first guess' if self.learned else 'which is believed'}"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, then the target: the columns that are read."""
        return (*self.features, self.target)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the weights: the intercept if there is one, then the features."""
        return (*((INTERCEPT,) if self.intercept else ()), *(column.name for column in self.features))

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients in the user's units: the intercept, then the features."""
        return (INTERCEPT, *(column.name for column in self.features))

    @property
    def expected_squares(self) -> tuple[float, ...]:
        """Mean squares of the weights that the prior expects, in units where all columns lie in [-1, 1]; for plans.

        No weight is taken for larger than the bounds of the target allow. Where the prior is learned, the mean of the target
        may be anywhere between its bounds, and slopes are as large as is usual.
        """
        count = len(self.coordinates)
        if not self.learned:
            return tuple(min(1 / (float(each) * count), 1 / count) for each in self.precisions)
        slopes = (SLOPE_SCALE**2 / len(self.features),) * len(self.features)
        return (1 / 3, *slopes) if self.intercept else slopes

    def declare_prior(self) -> LinearModel:
        """The same model with its precisions declared: a draw needs a prior that does not depend on the records."""
        declared = copy(self)
        object.__setattr__(declared, "learned", False)
        return declared

    def to_units(self, weights: npt.ArrayLike) -> Floats:
        """Weights of the scaled problem (last axis: coordinates) as coefficients in the user's units (intercept first).

        Without a declared intercept the line passes through the middle of all bounds, so there is one in the user's units.
        """
        given = self._last_axis(weights, len(self.coordinates), "weights") / np.sqrt(len(self.coordinates))
        offset = given[..., 0] if self.intercept else np.zeros(given.shape[:-1])
        slopes = given[..., 1:] if self.intercept else given
        slopes = slopes * (self.target.half_width / self._half_widths)
        start = self.target.centre + self.target.half_width * offset - slopes @ self._centres
        return np.concatenate([np.asarray(start)[..., None], slopes], axis=-1)

    def from_units(self, coefficients: npt.ArrayLike) -> Floats:
        """Coefficients in the user's units (intercept first) as weights. Without an intercept the first entry is not used."""
        given = self._last_axis(coefficients, len(self.coefficients), "coefficients")
        slopes = given[..., 1:] * (self._half_widths / self.target.half_width)
        offset = (given[..., 0] + given[..., 1:] @ self._centres - self.target.centre) / self.target.half_width
        weights = np.concatenate([np.asarray(offset)[..., None], slopes], axis=-1) if self.intercept else slopes
        root: Floats = weights * np.sqrt(len(self.coordinates))
        return root

    def noise_in_units(self, noise: npt.ArrayLike) -> Floats:
        """A standard deviation of the scaled target in the user's units."""
        return np.asarray(noise, dtype=np.float64) * self.target.half_width

    def target_in_units(self, scaled: npt.ArrayLike) -> Floats:
        """Values of the scaled target, in [-1, 1], in the user's units."""
        return self.target.centre + np.asarray(scaled, dtype=np.float64) * self.target.half_width

    def scale(self, frame: Any) -> Floats:
        """The vectors x of records, one row each, ||x|| <= 1. ``frame[name]`` must give the values of a feature."""
        features = [column.scale(_values(frame, column.name)) for column in self.features]
        if len({values.shape for values in features}) > 1 or features[0].ndim != 1:
            raise ModelError("All features need one value for each record, and the same number of them.")
        ones = [np.ones(len(features[0]))] if self.intercept else []
        vectors: Floats = np.column_stack([*ones, *features]) / np.sqrt(len(self.coordinates))
        return vectors

    @property
    def _half_widths(self) -> Floats:
        return np.array([column.half_width for column in self.features])

    @property
    def _centres(self) -> Floats:
        return np.array([column.centre for column in self.features])

    def _last_axis(self, values: npt.ArrayLike, length: int, what: str) -> Floats:
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.ndim == 0 or numbers.shape[-1] != length:
            raise ModelError(
                f"The {what} need {length} numbers each, one for each of: {', '.join(self.coefficients[-length:])}."
            )
        return numbers


def _features(given: object) -> tuple[Column, ...]:
    if not isinstance(given, Mapping):
        raise ModelError('The features are declared as {"age": (16, 90), ...}: a name and its bounds for each.')
    if not given:
        raise ModelError("A linear model needs at least one feature.")
    if len(given) > FEATURE_LIMIT:
        raise ModelError(f"A linear model can have at most {FEATURE_LIMIT} features.")
    columns = tuple(Column(name, bounds) for name, bounds in given.items())
    if INTERCEPT in [column.name for column in columns]:
        raise ModelError(f"A feature cannot be called {INTERCEPT!r}; rename the column.")
    return columns


def _target(given: object) -> Column:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ModelError('The target is declared as ("income", (0, 150_000)): a name and its bounds.')
    return Column(given[0], given[1])


def _positive(given: object, what: str) -> Fraction:
    """A positive number as the decimal that it prints as, exactly: the guarantee is computed from it."""
    number = given.item() if isinstance(given, np.generic) else given
    try:
        value = exact(number, what)  # type: ignore[arg-type]
    except BudgetError:
        raise ModelError(f"{what} must be a number greater than zero, such as 0.5.") from None
    if not Fraction(1, 10**12) <= value <= 10**12:
        raise ModelError(f"{what} must lie between 1e-12 and 1e12.")
    if max(value.numerator, value.denominator) >= 10**60:  # a file of the release would not be read again
        raise ModelError(f"{what} must be a fraction of at most 60 digits above and below.")
    return value


def _precisions(given: Any, coordinates: tuple[str, ...]) -> tuple[Fraction, ...]:
    if isinstance(given, list | tuple):
        raise ModelError("precision is one number for all coefficients, or a mapping from the name of each to its own.")
    if not isinstance(given, Mapping):
        return (_positive(given, "precision"),) * len(coordinates)
    for name in given:
        if name not in coordinates:
            raise ModelError(
                f"A precision is given for {show_text(str(name))}, no coefficient.{suggestion(str(name), coordinates)}"
            )
    return tuple(_coordinate_precisions(given, coordinates))


def _coordinate_precisions(given: Mapping[str, Any], coordinates: tuple[str, ...]) -> Iterator[Fraction]:
    for name in coordinates:
        if name not in given:
            raise ModelError(f"The coefficient {show_text(name)} has no precision; give one number for all, or one for each.")
        yield _positive(given[name], f"The precision of {show_text(name)}")


def _values(frame: Any, name: str) -> npt.ArrayLike:
    with suppress(Exception):  # every kind of frame has errors of its own
        return np.asarray(frame[name], dtype=np.float64)
    raise ModelError(f"There is no column {show_text(name)} of numbers in the table.")
