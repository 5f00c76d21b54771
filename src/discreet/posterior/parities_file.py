"""Noisy parities in a release file."""

from __future__ import annotations

from typing import Any

from discreet.bounds.parity_sensitivity import least_sensitivity
from discreet.errors import FormatError
from discreet.json_parts import LARGEST_INTEGER, json_integer, json_list, json_object
from discreet.model.network import Network
from discreet.posterior.dirichlet_file import dirichlet_kind
from discreet.posterior.kind import NOISE_MISFIT, Terms, pure_epsilon
from discreet.posterior.noise_file import discrete_laplace_from_json, discrete_laplace_to_json
from discreet.posterior.noisy_parities import NoisyParities, Repair

__all__ = ["KIND"]


def _write(released: NoisyParities) -> dict[str, Any]:
    places = {node: place for place, node in enumerate(released.network.nodes)}
    return {
        "noise": discrete_laplace_to_json(released.scale),
        "sensitivity": released.sensitivity,
        "sets": [sorted(places[node] for node in gamma) for gamma in released.odd],
        "odd": list(released.odd.values()),
        "repair": released.repair.value,
        "increment": released.increment,
    }


def _read(content: object, network: Network, terms: Terms) -> NoisyParities:
    keys = ("kind", "noise", "sensitivity", "sets", "odd", "repair", "increment")
    entries = json_object(content, "The statistics", keys)
    if any(variable.size != 2 for variable in network.variables):
        raise FormatError("Parities belong to a network whose variables have two levels.")
    odd = _odd_counts(entries["sets"], entries["odd"], network)
    scale = discrete_laplace_from_json(entries["noise"])
    sensitivity = json_integer(entries["sensitivity"], "The sensitivity", 1)
    # The exact sensitivity may take a solver; that it is at least what some flips move can be told at once.
    if scale != sensitivity / pure_epsilon(terms) or not least_sensitivity(network) <= sensitivity <= len(odd):
        raise FormatError(NOISE_MISFIT)
    try:
        repair = Repair(entries["repair"])
    except ValueError:
        raise FormatError("The repair of the statistics is not known to this version. Update discreet.") from None
    increment = json_integer(entries["increment"], "The increment", 0)
    return NoisyParities(network, odd, scale, terms.rows, sensitivity, repair, increment)


def _odd_counts(sets: object, values: object, network: Network) -> dict[frozenset[str], int]:
    """The numbers of exactly the non-empty sets of the downward closure."""
    odd: dict[frozenset[str], int] = {}
    listed, numbers = json_list(sets, "The sets"), json_list(values, "The odd counts")
    if len(listed) != len(numbers):
        raise FormatError("The statistics must have one odd count for each set.")
    for places, value in zip(listed, numbers, strict=True):
        nodes = [json_integer(place, "A node of a set", 0) for place in json_list(places, "A set")]
        if any(place >= len(network.nodes) for place in nodes):
            raise FormatError("A set of the statistics names a node that does not exist.")
        odd[frozenset(network.nodes[place] for place in nodes)] = json_integer(value, "An odd count", -LARGEST_INTEGER)
    if len(odd) != len(listed) or odd.keys() != network.downward_closure - {frozenset()}:
        raise FormatError("The sets of the statistics are not those of the network.")
    return odd


KIND = dirichlet_kind("parities", {"fourier": ("epsilon", "stealth", "repair")}, NoisyParities, _write, _read)
