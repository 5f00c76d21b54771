"""Noisy parities in a release file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import FormatError
from discreet.measure.noisy_parities import NoisyParities, Repair
from discreet.measure.strategies.odd_weight import largest_odd_weight
from discreet.measure.strategies.parity_weights import ParityWeights, Weights
from discreet.model.files.json_parts import LARGEST_INTEGER, json_integer, json_list, json_object
from discreet.model.network import Network
from discreet.release_file.dirichlet import dirichlet_kind
from discreet.release_file.kind import NOISE_MISFIT, Terms, pure_epsilon
from discreet.release_file.noise import discrete_laplace_from_json, discrete_laplace_to_json

__all__ = ["KIND"]

_LARGEST_WEIGHT = 2**30
_FIRST_WIDTH = 12
"""Widest table that is made to check the weights at first: nearly always the last, and nobody waits for it."""


def _write(released: NoisyParities) -> dict[str, Any]:
    places = {node: place for place, node in enumerate(released.network.nodes)}
    return {
        "noise": discrete_laplace_to_json(released.weights.sensitivity / released.epsilon),
        "sensitivity": released.weights.sensitivity,
        "sets": [sorted(places[node] for node in gamma) for gamma in released.odd],
        "weights": [released.weights.weights[gamma] for gamma in released.odd],
        "odd": list(released.odd.values()),
        "repair": released.repair.value,
        "increment": released.increment,
    }


def _read(content: object, network: Network, terms: Terms) -> NoisyParities:
    keys = ("kind", "noise", "sensitivity", "sets", "weights", "odd", "repair", "increment")
    entries = json_object(content, "The statistics", keys)
    if any(variable.size != 2 for variable in network.variables):
        raise FormatError("Parities belong to a network whose variables have two levels.")
    odd = _by_set(entries["sets"], entries["odd"], network, -LARGEST_INTEGER)
    epsilon, weights = pure_epsilon(terms), _weights(entries, network)
    if discrete_laplace_from_json(entries["noise"]) != weights.sensitivity / epsilon:
        raise FormatError(NOISE_MISFIT)
    if terms.mechanism.parameters["weights"] == Weights.EQUAL.value and set(weights.weights.values()) != {1}:
        raise FormatError(NOISE_MISFIT)
    try:
        repair = Repair(entries["repair"])
    except ValueError:
        raise FormatError("The repair of the statistics is not known to this version. Update discreet.") from None
    increment = json_integer(entries["increment"], "The increment", 0)
    return NoisyParities(network, odd, weights, epsilon, terms.rows, repair, increment)


def _weights(entries: Mapping[str, Any], network: Network) -> ParityWeights:
    """Weights, and a sensitivity that is not too small for them."""
    weights = _by_set(entries["sets"], entries["weights"], network, 1)
    sensitivity = json_integer(entries["sensitivity"], "The sensitivity", 1)
    if max(weights.values()) > _LARGEST_WEIGHT or sensitivity > sum(weights.values()):
        raise FormatError(NOISE_MISFIT)
    # What one flip moves can be told for certain, and is nearly always the most that any can; a larger bound was safe, too.
    found = largest_odd_weight(network, weights, _FIRST_WIDTH)
    if found.attained <= sensitivity < found.bound:  # open: look as closely as the release did
        found = largest_odd_weight(network, weights)
    if found.attained > sensitivity:
        raise FormatError(NOISE_MISFIT)
    return ParityWeights(weights, sensitivity)


def _by_set(sets: object, values: object, network: Network, smallest: int) -> dict[frozenset[str], int]:
    """Numbers of exactly the non-empty sets of the downward closure."""
    found: dict[frozenset[str], int] = {}
    listed, numbers = json_list(sets, "The sets"), json_list(values, "The odd counts and weights")
    if len(listed) != len(numbers):
        raise FormatError("The statistics must have one odd count and one weight for each set.")
    for places, value in zip(listed, numbers, strict=True):
        nodes = [json_integer(place, "A node of a set", 0) for place in json_list(places, "A set")]
        if any(place >= len(network.nodes) for place in nodes):
            raise FormatError("A set of the statistics names a node that does not exist.")
        gamma = frozenset(network.nodes[place] for place in nodes)
        found[gamma] = json_integer(value, "An odd count or weight", smallest)
    if len(found) != len(listed) or found.keys() != network.downward_closure - {frozenset()}:
        raise FormatError("The sets of the statistics are not those of the network.")
    return found


KIND = dirichlet_kind("parities", {"fourier": ("epsilon", "stealth", "repair", "weights")}, NoisyParities, _write, _read)
