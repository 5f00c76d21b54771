"""Noisy moments of a regression in a release file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.conversion import rho_of_epsilon
from discreet.errors import BudgetError, FormatError, ModelError
from discreet.inference.own_counts import OwnMoments
from discreet.measure.noisy_moments import NoisyMoments
from discreet.measure.strategies.moment_noise import MomentNoise, moment_noise, moment_places
from discreet.model.files.json_parts import json_fraction, json_integer, json_list, json_object
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json
from discreet.model.linear import LinearModel
from discreet.posterior.linear import RegressionPosterior
from discreet.release_file.kind import NOISE_MISFIT, Kind, Terms, pure_epsilon, zcdp_rho

__all__ = ["KIND", "LARGEST_MOMENT"]

LARGEST_MOMENT = 2**160
"""Moments and their noise are integers of any size; more than this is damage."""
_PURE, _GAUSSIAN = "regression-moments", "regression-moments-gaussian"


def _write(posterior: RegressionPosterior) -> dict[str, Any]:
    released = posterior.released
    noise = {"law": released.noise.law.value, "scale": str(released.noise.scale)}
    content: dict[str, Any] = {
        "rows": released.rows,
        "model": linear_model_to_json(posterior.model),
        "statistics": {"kind": "moments", "noise": noise, "values": list(released.values)},
    }
    if posterior.own is not None:
        content["own"] = {"rows": posterior.own.rows, "products": [list(row) for row in posterior.own.products]}
    return content


def _read(entries: Mapping[str, Any], terms: Terms) -> RegressionPosterior:
    model = linear_model_from_json(entries["model"])
    statistics = json_object(entries["statistics"], "The statistics", ("kind", "noise", "values"))
    noise = _noise(statistics["noise"], model, terms)
    values = tuple(_integer(value) for value in json_list(statistics["values"], "The moments"))
    if len(values) != len(moment_places(model)):
        raise FormatError("The moments in the release file do not fit its model: one is needed for every pair of columns.")
    own = _own(entries["own"], model) if "own" in entries else None
    return RegressionPosterior(model, NoisyMoments(model, values, noise, terms.rows), own)


def _noise(content: object, model: LinearModel, terms: Terms) -> MomentNoise:
    """The noise, which must be what the guarantee demands for this model."""
    entries = json_object(content, "The noise", ("law", "scale"))
    scale = json_fraction(entries["scale"], "The noise")
    try:
        _check_budget(terms)
        demanded = moment_noise(model, terms.guarantee)
    except (BudgetError, ModelError) as error:
        raise FormatError(str(error)) from None
    if (entries["law"], scale) != (demanded.law.value, demanded.scale):
        raise FormatError(NOISE_MISFIT)
    return demanded


def _check_budget(terms: Terms) -> None:
    if terms.mechanism.name == _PURE:
        pure_epsilon(terms)
        return
    budget = {name: json_fraction(terms.mechanism.parameters[name], "The mechanism") for name in ("epsilon", "delta")}
    if rho_of_epsilon(**budget) != zcdp_rho(terms):
        raise FormatError(NOISE_MISFIT)


def _own(content: object, model: LinearModel) -> OwnMoments:
    entries = json_object(content, "The added records", ("rows", "products"))
    rows = json_integer(entries["rows"], "The number of added records", 1)
    listed = json_list(entries["products"], "The added records")
    products = tuple(tuple(_integer(value) for value in json_list(row, "The added records")) for row in listed)
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


def _integer(value: object) -> int:
    if type(value) is not int or abs(value) >= LARGEST_MOMENT:
        raise FormatError("The moments in the release file must be whole numbers.")
    return value


def _describe(posterior: RegressionPosterior) -> dict[str, Any]:
    return {
        "rows": posterior.rows,
        "own_rows": posterior.own.rows if posterior.own else 0,
        "model": {"features": len(posterior.model.features), "weights": len(posterior.model.coordinates)},
        "target": posterior.model.target.name,
        "moments": len(posterior.released.values),
        "noise": f"{posterior.released.noise.law.value} law, rounded",
    }


KIND = Kind(
    name="moments",
    mechanisms={_PURE: ("epsilon",), _GAUSSIAN: ("epsilon", "delta", "rho")},
    entries=("model",),
    holds=lambda value: isinstance(value, RegressionPosterior),
    write=_write,
    read=_read,
    describe=_describe,
    optional=("own",),
)
