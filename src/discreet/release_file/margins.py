"""Counts of margins in a release file, every number with Gaussian or Laplace noise of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np

from discreet.errors import FormatError
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic, fill, number_shape
from discreet.measure.needs import recovers
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.gaussian import MARGIN_COST
from discreet.model.files.plain_shapes import Constant, Table
from discreet.model.files.shape import FRACTION, Entry, ListOf, Object
from discreet.model.network import Network
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, pure_epsilon, zcdp_rho
from discreet.release_file.measurements import (
    LAPLACE,
    MISFIT,
    NOISY,
    MeasuredShape,
    law,
    measured_kind,
    nodes_of,
    some_nodes,
)

__all__ = ["GAUSSIAN_KIND", "GAUSSIAN_MARGINS", "LAPLACE_KIND", "MarginLaw", "margin_parts", "read_margins"]

_GAUSSIAN = "P(k) proportional to exp(-k^2 / (2 variance)) on the integers, independent in every number."
_COUNTS = "Noisy counts of the combinations of levels, the first node slowest."


@dataclass(frozen=True, slots=True)
class MarginLaw:
    """Noise that every count of a margin has for itself, so that one parameter says what the margin cost."""

    kind: str
    noise: Object
    parameter: str
    """What a file calls the parameter of the noise."""
    says: str
    """Of the parameter, in the schema."""
    law: type[LaplaceNoise] | type[GaussianNoise]
    given: Callable[[Any], Fraction]
    """The parameter of a law."""
    cost: int
    """What a margin costs, times the parameter: one record moves two of its cells by one."""
    budget: Callable[[FileTerms], Fraction]
    """What was paid for in all."""

    @property
    def statistics(self) -> Object:
        """The shape of such margins."""
        margin = Object(
            {
                "nodes": some_nodes("The nodes of a margin", least=1),
                self.parameter: Entry(FRACTION, f"The {self.parameter} of a margin", self.says),
                "counts": Entry(Table(NOISY, 1), "The counts of a margin", _COUNTS),
            }
        )
        margins = Entry(ListOf(Entry(margin, "A margin"), least=1), "The margins")
        return Object({"noise": Entry(self.noise, "The noise"), "margins": margins}, constants={"kind": Constant(self.kind)})


def _parts(noise: MarginLaw, published: Published) -> dict[str, Any]:
    return margin_parts(noise, published.measurements)


def margin_parts(noise: MarginLaw, measurements: Sequence[Measurement]) -> dict[str, Any]:
    """The entries of counts with noise of this law."""
    if any(each.statistic is not Statistic.COUNTS for each in measurements):
        raise FormatError("Only counts have a place among the margins of a release file.")
    margins = [
        {"nodes": each.nodes, noise.parameter: noise.given(each.law), "counts": each.published.ravel()}
        for each in measurements
    ]
    return {"noise": {}, "margins": margins}


def _read(noise: MarginLaw, statistics: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    found, spent = read_margins(noise, statistics, network)
    # All that was paid for must have been used, and no more.
    if spent != noise.budget(terms):
        raise FormatError(NOISE_MISFIT)
    families = [set(family.members) for family in network.families]
    if not all(any(members.issuperset(each.nodes) for members in families) for each in found):
        raise FormatError(MISFIT)
    if len({each.nodes for each in found}) < len(found) or not recovers(network, found):
        raise FormatError(MISFIT)
    return Published(network, found, terms.rows)


def read_margins(
    noise: MarginLaw, statistics: Mapping[str, Any], network: Network
) -> tuple[tuple[Measurement, ...], Fraction]:
    """The margins of a file, of any nodes of the network, and what they cost together."""
    found = tuple(_read_margin(noise, margin, network) for margin in statistics["margins"])
    return found, sum((noise.cost / noise.given(each.law) for each in found), Fraction(0))


def _read_margin(noise: MarginLaw, margin: Mapping[str, Any], network: Network) -> Measurement:
    nodes = nodes_of(margin["nodes"], network)
    measurement = Measurement(nodes, Statistic.COUNTS, noise.law(margin[noise.parameter]))
    shape = number_shape(network, measurement)
    if len(margin["counts"]) != math.prod(shape):
        raise FormatError("The numbers of a measurement are too many or too few in the file.")
    return fill([measurement], [np.array(margin["counts"], dtype=np.int64).reshape(shape)])[0]


def _kind(noise: MarginLaw, mechanisms: Mapping[str, tuple[str, ...]], told: str) -> Kind:
    parts, read = partial(_parts, noise), partial(_read, noise)
    repairs = (Repair.PROJECT,)
    shape = MeasuredShape(noise.statistics, mechanisms, noise.law, repairs, parts, read, noise=told, further=True)
    return measured_kind(shape)


GAUSSIAN_MARGINS = MarginLaw(
    "margins",
    law("discrete-gaussian", _GAUSSIAN),
    "variance",
    "The parameter of the margin's noise; the inverses sum to rho.",
    GaussianNoise,
    lambda law: cast("Fraction", law.parameter),
    MARGIN_COST,
    zcdp_rho,
)
GAUSSIAN_KIND = _kind(GAUSSIAN_MARGINS, {"gaussian": ("rho",)}, "standard deviation at most ")
LAPLACE_KIND = _kind(
    MarginLaw(
        "laplace-margins",
        law("discrete-laplace", LAPLACE),
        "scale",
        "Of the margin's noise; 2 over the scale is the margin's share of epsilon, and the shares sum to epsilon.",
        LaplaceNoise,
        lambda law: cast("Fraction", law.scale),
        2,
        pure_epsilon,
    ),
    {},
    "scale at most ",
)
