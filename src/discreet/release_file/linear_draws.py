"""Draws of regression weights in a release file."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.errors import FormatError, ModelError
from discreet.guarantee import decimal
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json
from discreet.model.files.plain_shapes import Constant, Integer, Table
from discreet.model.files.shape import FRACTION, Entry, Object
from discreet.posterior.linear_draws import PLACES, RegressionDraws
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, pure_epsilon

__all__ = ["KIND"]

_LARGEST_STEP = 2**120 - 1
_TEMPERING = (
    "How many times every record counts in the posterior that was drawn from; times the cost of a draw and their number"
    " this is epsilon."
)
_STEPS = "For each draw, the scaled weights over the square root of their number, the intercept first, in steps of 2^-32."
_STATISTICS = Object(
    {
        "tempering": Entry(FRACTION, "The tempering", _TEMPERING),
        "steps": Entry(
            Table(Integer(-_LARGEST_STEP, _LARGEST_STEP, "whole numbers of steps"), 2),
            "The draws in the release file",
            _STEPS,
            also={"minItems": 1},
        ),
    },
    constants={"kind": Constant("regression-draws")},
)


def _write(value: RegressionDraws) -> dict[str, Any]:
    return {
        "rows": value.rows,
        "model": linear_model_to_json(value.model),
        "statistics": _STATISTICS.write({"tempering": value.temper, "steps": value.steps}),
    }


def _read(entries: Mapping[str, Any], terms: FileTerms) -> RegressionDraws:
    from discreet.planning.linear import draw_epsilon  # other kinds of release need no plans

    model = linear_model_from_json(entries["model"])
    statistics = _STATISTICS.read(entries["statistics"], "The statistics")
    tempering, steps = statistics["tempering"], tuple(map(tuple, statistics["steps"]))
    if terms.mechanism.parameters["draws"] != str(len(steps)):
        raise FormatError("The release file does not hold as many draws as its mechanism was asked for.")
    try:
        cost = len(steps) * tempering * draw_epsilon(model)
        value = RegressionDraws(model, steps, tempering, terms.rows)
    except ModelError as error:
        raise FormatError(str(error)) from None
    if cost != pure_epsilon(terms):
        raise FormatError(NOISE_MISFIT)
    if any(not _in_ball(draw, value) for draw in steps):
        raise FormatError("A draw in the release file lies outside the radius of its model.")
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
        "prior": value.model.prior_summary,
        "draws": len(value.steps),
        "temper": decimal(value.temper),
    }


KIND = Kind(
    statistics=_STATISTICS,
    mechanisms={"regression-sampler": ("epsilon", "draws")},
    entries=("model",),
    holds=lambda value: isinstance(value, RegressionDraws),
    write=_write,
    read=_read,
    describe=_describe,
)
