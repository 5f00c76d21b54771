"""Exact noise: many values of the discrete Laplace law at a time, against OpenDP's exact sampler."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.noise.laplace import discrete_laplace

from .results import OURS, Goal, Kind, Row
from .timing import measured

_VALUES = 100_000
_SCALES = (2, 16, 74, 2000)


def run() -> list[Row]:
    """Scales from one binary variable at epsilon 1 to large networks at small epsilon; 74 is ALARM at epsilon 1."""
    rows = []
    for scale in _SCALES:
        contenders = {
            OURS: lambda scale=scale: partial(_ours, Fraction(scale)),
            "OpenDP": lambda scale=scale: _opendp(float(scale)),
        }
        rows += measured("noise", f"scale {scale:,}, {_VALUES:,} values", contenders, {"OpenDP": Goal(Kind.FASTER, 25)})
    return rows


def _ours(scale: Fraction) -> Any:
    return discrete_laplace(scale, _VALUES, OperatingSystemBits())


def _opendp(scale: float) -> Callable[[], Any]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    law = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=scale)
    return partial(law, [0] * _VALUES)
