"""Noisy moments of a regression in a release file."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.conversion import rho_of_epsilon
from discreet.errors import BudgetError, FormatError, ModelError
from discreet.inference.own_counts import OwnMoments
from discreet.measure.laws import MomentNoise, NoiseForm
from discreet.measure.measurement import Measurement, fill
from discreet.measure.published import PublishedMoments
from discreet.measure.strategies.moment_noise import measure_moments, moment_triangle, noises_that_pay
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json
from discreet.model.files.plain_shapes import Constant, Integer, OneOf, Table
from discreet.model.files.shape import FRACTION, Entry, Object
from discreet.model.files.strict_json import json_fraction
from discreet.model.linear import LinearModel
from discreet.posterior.linear import RegressionPosterior
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, pure_epsilon, zcdp_rho

__all__ = ["KIND", "LARGEST_MOMENT", "OWN_MOMENTS"]

LARGEST_MOMENT = 2**160
"""Moments and their noise are integers of any size; more than this is damage."""
_PURE, _GAUSSIAN = "regression-moments", "regression-moments-gaussian"
_LAW = (
    "The law of real noise that was rounded. box: density proportional to exp(-max |z_i| / (h_i scale)), h_i = 1 for "
    "squares and 2 for products. wishart: P - Q for independent positive matrices with density proportional to "
    "exp(-trace / scale). weighted-wishart: the same, divided by the weights of row and column, 2 for the constant and the "
    "target and 1 for features. gaussian: "
    "independent, with variance scale, and scale times 2 / (m + 1) for squares, m the number of columns with the constant."
)
_VALUES = (
    "Noisy sums of products of two columns mapped to [-1, 1], in steps of 4^-resolution: the upper triangle, row by "
    "row, of the columns (constant, features, target), without the product of the constant with itself; without the "
    "constant where the model "
    "has no intercept."
)
_NOISE = Object(
    {
        "law": Entry(OneOf.of(NoiseForm), says=_LAW, refusal=NOISE_MISFIT),
        "scale": Entry(FRACTION, says="In steps of 4^-resolution, or their squares for gaussian."),
    }
)
_MOMENT = Integer(-LARGEST_MOMENT + 1, LARGEST_MOMENT - 1)
_STATISTICS = Object(
    {
        "noise": Entry(_NOISE, "The noise"),
        "values": Entry(Table(_MOMENT, 1), "The moments in the release file", _VALUES, also={"minItems": 3}),
    },
    constants={"kind": Constant("moments")},
)
OWN_MOMENTS = Object(
    {
        "rows": Entry(Integer(1), "The number of added records"),
        "products": Entry(Table(_MOMENT, 2), "The added records"),
    }
)


def _write(posterior: RegressionPosterior) -> dict[str, Any]:
    released = posterior.released
    noise = {"law": released.noise.form, "scale": released.noise.scale}
    content: dict[str, Any] = {
        "rows": released.rows,
        "model": linear_model_to_json(posterior.model),
        "statistics": _STATISTICS.write({"noise": noise, "values": released.values}),
    }
    if posterior.own is not None:
        content["own"] = OWN_MOMENTS.write(posterior.own)
    return content


def _read(entries: Mapping[str, Any], terms: FileTerms) -> RegressionPosterior:
    model = linear_model_from_json(entries["model"])
    statistics = _STATISTICS.read(entries["statistics"], "The statistics")
    measurement = _demand(model, terms, **statistics["noise"])
    (filled,) = fill([measurement], [np.array(statistics["values"], dtype=object)])
    own = _own(entries["own"], model) if "own" in entries else None
    try:
        return RegressionPosterior(model, PublishedMoments(model, filled, terms.rows), own)
    except ModelError:
        raise FormatError(
            "The moments in the release file do not fit its model: one is needed for every pair of columns."
        ) from None


def _demand(model: LinearModel, terms: FileTerms, law: NoiseForm, scale: Fraction) -> Measurement:
    """The measurement with the noise of the file, which must be one that the guarantee demands for this model."""
    try:
        _check_budget(terms)
        demanded = noises_that_pay(model, terms.guarantee)
    except (BudgetError, ModelError) as error:
        raise FormatError(str(error)) from None
    noise = MomentNoise(law, scale, moment_triangle(model))
    if noise not in demanded:
        raise FormatError(NOISE_MISFIT)
    return measure_moments(model, noise)


def _check_budget(terms: FileTerms) -> None:
    if terms.mechanism.name == _PURE:
        pure_epsilon(terms)
        return
    budget = {name: json_fraction(terms.mechanism.parameters[name], "The mechanism") for name in ("epsilon", "delta")}
    if rho_of_epsilon(**budget) != zcdp_rho(terms):
        raise FormatError(NOISE_MISFIT)


def _own(content: object, model: LinearModel) -> OwnMoments:
    entries = OWN_MOMENTS.read(content, "The added records")
    rows, products = entries["rows"], tuple(map(tuple, entries["products"]))
    size = len(model.columns) + int(model.intercept)
    if len(products) != size or any(len(row) != size for row in products):
        raise FormatError("The added records in the release file do not fit its model.")
    largest = rows * 4**model.resolution
    inside = all(abs(value) <= largest for row in products for value in row)
    squares = all(products[place][place] >= 0 for place in range(size))
    if not (inside and squares and products == tuple(zip(*products, strict=True))):
        raise FormatError("The added records in the release file are not moments of so many records.")
    if model.intercept and products[0][0] != largest:
        raise FormatError("The added records in the release file do not sum to their number.")
    return OwnMoments(rows, products)


def _describe(posterior: RegressionPosterior) -> dict[str, Any]:
    return {
        "rows": posterior.rows,
        "own_rows": posterior.own.rows if posterior.own else 0,
        "model": {"features": len(posterior.model.features), "weights": len(posterior.model.coordinates)},
        "target": posterior.model.target.name,
        "prior": posterior.model.prior_summary,
        "moments": len(posterior.released.values),
        "noise": f"{posterior.released.noise.form.value} law, rounded",
    }


KIND = Kind(
    statistics=_STATISTICS,
    mechanisms={_PURE: ("epsilon",), _GAUSSIAN: ("epsilon", "delta", "rho")},
    entries=("model",),
    holds=lambda value: isinstance(value, RegressionPosterior),
    write=_write,
    read=_read,
    describe=_describe,
    optional=("own",),
)
