"""Noisy parities among the measurements of a release file: odd counts with weights, whose sensitivity is proved anew."""

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
from discreet.model.files.strict_json import LARGEST_INTEGER, json_fraction, json_integer, json_list, json_object
from discreet.model.network import Network
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, pure_epsilon

__all__ = ["read_parities", "write_parities"]

_LARGEST_WEIGHT = 2**30
_FIRST_WIDTH = 12
"""Widest table that is made to check the weights at first: nearly always the last, and nobody waits for it."""


def write_parities(published: Published) -> dict[str, Any]:
    """The entries of the statistics."""
    places = {node: place for place, node in enumerate(published.network.nodes)}
    laws = [cast("WeightedNoise", each.law) for each in published.measurements]
    return {
        "noise": {"law": "discrete-laplace", "scale": str(laws[0].sensitivity / laws[0].epsilon)},
        "sensitivity": laws[0].sensitivity,
        "sets": [sorted(places[node] for node in each.nodes) for each in published.measurements],
        "weights": [law.weight for law in laws],
        "odd": [int(each.published) for each in published.measurements],
        "repair": published.repair.value,
        "increment": published.increment,
    }


def read_parities(entries: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    """What the entries of the statistics say."""
    if any(variable.size != 2 for variable in network.variables):
        raise FormatError("Parities belong to a network whose variables have two levels.")
    odd = _by_set(entries["sets"], entries["odd"], network, -LARGEST_INTEGER)
    weights, sensitivity = _weights(entries, network)
    epsilon = pure_epsilon(terms)
    noise = json_object(entries["noise"], "The noise", ("law", "scale"))
    scale = json_fraction(noise["scale"], "The noise")
    if noise["law"] != "discrete-laplace" or scale != sensitivity / epsilon:
        raise FormatError(NOISE_MISFIT)
    if terms.mechanism.parameters["weights"] == Weights.EQUAL.value and set(weights.values()) != {1}:
        raise FormatError(NOISE_MISFIT)
    try:
        repair = Repair(entries["repair"])
    except ValueError:
        raise FormatError("The repair of the statistics is not known to this version. Update discreet.") from None
    increment = json_integer(entries["increment"], "The increment", 0)
    if repair.value != terms.mechanism.parameters["repair"] or (increment and repair is not Repair.INCREMENT):
        raise FormatError("The repair of the statistics is not that of the mechanism. Do not rely on it; ask the steward.")
    measurements = tuple(
        Measurement(nodes, Statistic.PARITY, WeightedNoise(weights[nodes], sensitivity, epsilon), np.array(number))
        for nodes, number in odd.items()
    )
    return Published(network, measurements, terms.rows, repair, increment)


def _weights(entries: Mapping[str, Any], network: Network) -> tuple[dict[tuple[str, ...], int], int]:
    """Weights, and a sensitivity that is not too small for them."""
    weights = _by_set(entries["sets"], entries["weights"], network, 1)
    sensitivity = json_integer(entries["sensitivity"], "The sensitivity", 1)
    if max(weights.values()) > _LARGEST_WEIGHT or sensitivity > sum(weights.values()):
        raise FormatError(NOISE_MISFIT)
    # What one flip moves can be told for certain, and is nearly always the most that any can; a larger bound was safe, too.
    by_set = {frozenset(nodes): weight for nodes, weight in weights.items()}
    found = largest_odd_weight(network, by_set, _FIRST_WIDTH)
    if found.attained <= sensitivity < found.bound:  # open: look as closely as the release did
        found = largest_odd_weight(network, by_set)
    if found.attained > sensitivity:
        raise FormatError(NOISE_MISFIT)
    return weights, sensitivity


def _by_set(sets: object, values: object, network: Network, smallest: int) -> dict[tuple[str, ...], int]:
    """Numbers of exactly the non-empty sets of the downward closure, the nodes of each in the network's order."""
    found: dict[tuple[str, ...], int] = {}
    listed, numbers = json_list(sets, "The sets"), json_list(values, "The odd counts and weights")
    if len(listed) != len(numbers):
        raise FormatError("The statistics must have one odd count and one weight for each set.")
    for places, value in zip(listed, numbers, strict=True):
        chosen = {json_integer(place, "A node of a set", 0) for place in json_list(places, "A set")}
        if any(place >= len(network.nodes) for place in chosen):
            raise FormatError("A set of the statistics names a node that does not exist.")
        nodes = tuple(network.nodes[place] for place in sorted(chosen))
        found[nodes] = json_integer(value, "An odd count or weight", smallest)
    if len(found) != len(listed) or {frozenset(nodes) for nodes in found} != network.downward_closure - {frozenset()}:
        raise FormatError("The sets of the statistics are not those of the network.")
    return found
