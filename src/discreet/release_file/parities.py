"""Noisy parities in a release file: odd counts with weights, whose sensitivity is proved anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from discreet.errors import FormatError
from discreet.measure.laws import WeightedNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.odd_weight import largest_odd_weight
from discreet.measure.strategies.parity_weights import Weights
from discreet.model.files.plain_shapes import Constant, Integer, OneOf, Table
from discreet.model.files.shape import Entry, Object
from discreet.model.files.strict_json import LARGEST_INTEGER
from discreet.model.network import Network
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, pure_epsilon
from discreet.release_file.measurements import LAPLACE_NOISE, MeasuredShape, measured_kind

__all__ = ["KIND"]

_WEIGHT = Integer(1, 2**30, "whole numbers from 1 to 2^30")
_FIRST_WIDTH = 12
"""Widest table that is made to check the weights at first: nearly always the last, and nobody waits for it."""
_SENSITIVITY = (
    "How far one replaced record can move the odd counts, each move counted with its weight; the scale is this over epsilon."
)
_SETS = "The non-empty sets of the downward closure, as places of nodes in the network."
_WEIGHTS = "For each set, its weight: the noise on its odd count has the scale divided by this."
_ODD = "For each set, the noisy number of records in which an odd number of its nodes shows its second level."
_PARITIES = Object(
    {
        "noise": LAPLACE_NOISE,
        "sensitivity": Entry(Integer(1), "The sensitivity", _SENSITIVITY),
        "sets": Entry(Table(Integer(0), 2), "The sets", _SETS),
        "weights": Entry(Table(_WEIGHT, 1), "The weights", _WEIGHTS),
        "odd": Entry(Table(Integer(-LARGEST_INTEGER), 1), "The odd counts", _ODD),
        "repair": Entry(
            OneOf.of(Repair), refusal="The repair of the statistics is not known to this version. Update discreet."
        ),
        "increment": Entry(Integer(0), "The increment"),
    },
    constants={"kind": Constant("parities")},
)


def _parts(published: Published) -> dict[str, Any]:
    places = {node: place for place, node in enumerate(published.network.nodes)}
    laws = [cast("WeightedNoise", each.law) for each in published.measurements]
    return {
        "noise": {"scale": laws[0].sensitivity / laws[0].epsilon},
        "sensitivity": laws[0].sensitivity,
        "sets": [sorted(places[node] for node in each.nodes) for each in published.measurements],
        "weights": [law.weight for law in laws],
        "odd": [int(each.published) for each in published.measurements],
        "repair": published.repair,
        "increment": published.increment,
    }


def _read(statistics: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    if any(variable.size != 2 for variable in network.variables):
        raise FormatError("Parities belong to a network whose variables have two levels.")
    repair, increment = statistics["repair"], statistics["increment"]
    if repair.value != terms.mechanism.parameters["repair"] or (increment and repair is not Repair.INCREMENT):
        raise FormatError("The repair of the statistics is not that of the mechanism. Do not rely on it; ask the steward.")
    sets, weights, sensitivity = _sets(statistics, network), statistics["weights"], statistics["sensitivity"]
    epsilon = pure_epsilon(terms)
    equal = terms.mechanism.parameters["weights"] != Weights.EQUAL.value or set(weights) == {1}
    if not equal or statistics["noise"]["scale"] != sensitivity / epsilon:
        raise FormatError(NOISE_MISFIT)
    _check_sensitivity(sensitivity, dict(zip(map(frozenset, sets), weights, strict=True)), network)
    measurements = tuple(
        Measurement(nodes, Statistic.PARITY, WeightedNoise(weight, sensitivity, epsilon), np.array(number))
        for nodes, weight, number in zip(sets, weights, statistics["odd"], strict=True)
    )
    return Published(network, measurements, terms.rows, repair, increment)


def _sets(statistics: Mapping[str, Any], network: Network) -> list[tuple[str, ...]]:
    """Exactly the non-empty sets of the downward closure, the nodes of each in the network's order."""
    listed = [sorted(set(places)) for places in statistics["sets"]]
    if not len(listed) == len(statistics["weights"]) == len(statistics["odd"]):
        raise FormatError("The statistics must have one odd count and one weight for each set.")
    if any(place >= len(network.nodes) for places in listed for place in places):
        raise FormatError("A set of the statistics names a node that does not exist.")
    found = [tuple(network.nodes[place] for place in places) for places in listed]
    if len(set(found)) < len(found) or set(map(frozenset, found)) != network.downward_closure - {frozenset()}:
        raise FormatError("The sets of the statistics are not those of the network.")
    return found


def _check_sensitivity(sensitivity: int, weights: Mapping[frozenset[str], int], network: Network) -> None:
    """It is not too small for the weights, and not larger than any could be."""
    if sensitivity > sum(weights.values()):
        raise FormatError(NOISE_MISFIT)
    # What one flip moves can be told for certain, and is nearly always the most that any can; a larger bound was safe, too.
    found = largest_odd_weight(network, weights, _FIRST_WIDTH)
    if found.attained <= sensitivity < found.bound:  # open: look as closely as the release did
        found = largest_odd_weight(network, weights)
    if found.attained > sensitivity:
        raise FormatError(NOISE_MISFIT)


_FOURIER = {"fourier": ("epsilon", "stealth", "repair", "weights")}
KIND = measured_kind(MeasuredShape(_PARITIES, _FOURIER, WeightedNoise, tuple(Repair), _parts, _read))
