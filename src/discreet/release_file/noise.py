"""The law of the noise in a release file, where every released number has the same."""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import FormatError
from discreet.model.files.json_parts import json_fraction, json_object
from discreet.release_file.kind import NOISE_MISFIT

__all__ = ["discrete_laplace_from_json", "discrete_laplace_to_json"]

_LAW = "discrete-laplace"


def discrete_laplace_to_json(scale: Fraction) -> dict[str, str]:
    """The entry ``noise`` for discrete Laplace noise of this scale."""
    return {"law": _LAW, "scale": str(scale)}


def discrete_laplace_from_json(content: object) -> Fraction:
    """The scale of discrete Laplace noise."""
    noise = json_object(content, "The noise", ("law", "scale"))
    if noise["law"] != _LAW:
        raise FormatError(NOISE_MISFIT)
    return json_fraction(noise["scale"], "The noise")
