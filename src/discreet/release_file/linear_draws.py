"""Draws of regression weights in a release file."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.errors import FormatError, ModelError
from discreet.guarantee import decimal
from discreet.model.files.json_parts import json_fraction, json_list, json_object
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json
from discreet.planning.linear import draw_epsilon
from discreet.posterior.linear_draws import PLACES, RegressionDraws
from discreet.release_file.kind import NOISE_MISFIT, Kind, Terms, pure_epsilon

__all__ = ["KIND"]


def _write(value: RegressionDraws) -> dict[str, Any]:
    statistics = {"kind": "regression-draws", "tempering": str(value.temper), "steps": [list(draw) for draw in value.steps]}
    return {"rows": value.rows, "model": linear_model_to_json(value.model), "statistics": statistics}


def _read(entries: Mapping[str, Any], terms: Terms) -> RegressionDraws:
    model = linear_model_from_json(entries["model"])
    statistics = json_object(entries["statistics"], "The statistics", ("kind", "tempering", "steps"))
    temper = json_fraction(statistics["tempering"], "The tempering")
    listed = json_list(statistics["steps"], "The draws")
    steps = tuple(tuple(_step(step) for step in json_list(draw, "A draw")) for draw in listed)
    if terms.mechanism.parameters["draws"] != str(len(steps)):
        raise FormatError("The release file does not hold as many draws as its mechanism was asked for.")
    try:
        cost = len(steps) * temper * draw_epsilon(model)
        value = RegressionDraws(model, steps, temper, terms.rows)
    except ModelError as error:
        raise FormatError(str(error)) from None
    if cost != pure_epsilon(terms):
        raise FormatError(NOISE_MISFIT)
    if any(not _in_ball(draw, value) for draw in steps):
        raise FormatError("A draw in the release file lies outside the radius of its model.")
    return value


def _step(value: object) -> int:
    if type(value) is not int or value.bit_length() > 120:
        raise FormatError("The draws in the release file must be whole numbers of steps.")
    return value


def _in_ball(draw: tuple[int, ...], value: RegressionDraws) -> bool:
    """Whether a draw, before it was rounded, can have had a norm of at most radius / sqrt(number of weights)."""
    radius = value.model.radius or Fraction(0)
    nearest = sum(max(2 * abs(step) - 1, 0) ** 2 for step in draw)  # in half steps, towards zero
    return bool(nearest * len(draw) <= radius**2 * 4 ** (PLACES + 1))


def _describe(value: RegressionDraws) -> dict[str, Any]:
    return {
        "rows": value.rows,
        "model": {"features": len(value.model.features), "weights": len(value.model.coordinates)},
        "target": value.model.target.name,
        "draws": len(value.steps),
        "temper": decimal(value.temper),
    }


KIND = Kind(
    name="regression-draws",
    mechanisms={"regression-sampler": ("epsilon", "draws")},
    entries=("model",),
    holds=lambda value: isinstance(value, RegressionDraws),
    write=_write,
    read=_read,
    describe=_describe,
)
