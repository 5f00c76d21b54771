"""The released statistics in a release file: noisy family counts, or noisy parities; noise is checked against guarantee."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.bounds.laplace import laplace_scale
from discreet.errors import FormatError
from discreet.json_parts import json_list, json_object, json_text
from discreet.model.network import Network
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.noisy_parities import NoisyParities, Repair

__all__ = [
    "counts_from_json",
    "fraction_from_json",
    "integer_from_json",
    "lists",
    "statistics_from_json",
    "statistics_to_json",
]

_LARGEST_COUNT = 2**62
_LONGEST_TEXT = 2000
_MISFIT = "The noise in the release file does not fit its guarantee. Do not rely on it; ask the steward."


def statistics_to_json(released: NoisyCounts | NoisyParities) -> dict[str, Any]:
    """The entry ``statistics`` of a release file."""
    noise = {"law": "discrete-laplace", "scale": str(released.scale)}
    if isinstance(released, NoisyCounts):
        return {"kind": "family-counts", "noise": noise, "tables": lists(released.tables)}
    places = {node: place for place, node in enumerate(released.network.nodes)}
    return {
        "kind": "parities",
        "noise": noise,
        "sensitivity": released.sensitivity,
        "sets": [sorted(places[node] for node in gamma) for gamma in released.odd],
        "odd": list(released.odd.values()),
        "repair": released.repair.value,
        "increment": released.increment,
    }


def statistics_from_json(content: object, network: Network, epsilon: Fraction, rows: int) -> NoisyCounts | NoisyParities:
    """Check the statistics and build them; the noise must be what the guarantee demands."""
    kind = content.get("kind") if isinstance(content, dict) else None
    if kind == "family-counts":
        entries = json_object(content, "The statistics", ("kind", "noise", "tables"))
        scale = _scale(entries["noise"])
        if scale != laplace_scale(network, epsilon):
            raise FormatError(_MISFIT)
        return NoisyCounts(counts_from_json(entries["tables"], network, "The statistics", -_LARGEST_COUNT), scale, rows)
    if kind == "parities":
        return _parities(content, network, epsilon, rows)
    raise FormatError("The statistics are of a kind that is not known to this version. Update discreet.")


def _parities(content: object, network: Network, epsilon: Fraction, rows: int) -> NoisyParities:
    keys = ("kind", "noise", "sensitivity", "sets", "odd", "repair", "increment")
    entries = json_object(content, "The statistics", keys)
    if any(variable.size != 2 for variable in network.variables):
        raise FormatError("Parities belong to a network whose variables have two levels.")
    odd = _odd_counts(entries["sets"], entries["odd"], network)
    scale, sensitivity = _scale(entries["noise"]), integer_from_json(entries["sensitivity"], "The sensitivity", 1)
    # The exact sensitivity takes a solver; what can be told at once is that it is at least what flipping one node, or all,
    # moves, and at most all sets.
    flips = [{node} for node in network.nodes] + [set(network.nodes)]
    least = max(sum(len(gamma & flip) % 2 for gamma in odd) for flip in flips)
    if scale != sensitivity / epsilon or not least <= sensitivity <= len(odd):
        raise FormatError(_MISFIT)
    try:
        repair = Repair(entries["repair"])
    except ValueError:
        raise FormatError("The repair of the statistics is not known to this version. Update discreet.") from None
    increment = integer_from_json(entries["increment"], "The increment", 0)
    return NoisyParities(network, odd, scale, rows, sensitivity, repair, increment)


def _odd_counts(sets: object, values: object, network: Network) -> dict[frozenset[str], int]:
    """The numbers of exactly the non-empty sets of the downward closure."""
    odd: dict[frozenset[str], int] = {}
    listed, numbers = json_list(sets, "The sets"), json_list(values, "The odd counts")
    if len(listed) != len(numbers):
        raise FormatError("The statistics must have one odd count for each set.")
    for places, value in zip(listed, numbers, strict=True):
        nodes = [integer_from_json(place, "A node of a set", 0) for place in json_list(places, "A set")]
        if any(place >= len(network.nodes) for place in nodes):
            raise FormatError("A set of the statistics names a node that does not exist.")
        odd[frozenset(network.nodes[place] for place in nodes)] = integer_from_json(value, "An odd count", -_LARGEST_COUNT)
    if len(odd) != len(listed) or odd.keys() != network.downward_closure - {frozenset()}:
        raise FormatError("The sets of the statistics are not those of the network.")
    return odd


def _scale(content: object) -> Fraction:
    noise = json_object(content, "The noise", ("law", "scale"))
    if noise["law"] != "discrete-laplace":
        raise FormatError(_MISFIT)
    return fraction_from_json(noise["scale"], "The noise")


def counts_from_json(content: object, network: Network, what: str, smallest: int) -> dict[str, npt.NDArray[np.int64]]:
    """Tables of integers for all families of a network."""
    entries = json_object(content, what, network.nodes)
    tables = {}
    for family in network.families:
        table = json_list(entries[family.node], what)
        if len(table) != family.configurations or any(type(row) is not list or len(row) != family.levels for row in table):
            raise FormatError(f"The table of {family.node!r} has the wrong shape in the file.")
        if any(type(value) is not int or not smallest <= value < _LARGEST_COUNT for row in table for value in row):
            raise FormatError(f"The table of {family.node!r} holds something that is not a count.")
        tables[family.node] = np.array(table, dtype=np.int64)
    return tables


def lists(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables as JSON can carry them."""
    return {node: table.tolist() for node, table in tables.items()}


def integer_from_json(content: object, what: str, smallest: int) -> int:
    """A whole number that 64 bits can hold."""
    if type(content) is not int or not smallest <= content < _LARGEST_COUNT:
        raise FormatError(f"{what} must be a whole number of at least {smallest}.")
    return content


def fraction_from_json(content: object, what: str) -> Fraction:
    """An exact positive number, as long as any that a ledger can hold, and so as any that was ever charged."""
    text = json_text(content, what, _LONGEST_TEXT)
    if not re.fullmatch(r"[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?", text):
        raise FormatError(f"{what} must hold a positive number such as 1/2.")
    return Fraction(text)
