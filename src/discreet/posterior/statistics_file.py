"""The released statistics in a release file: noisy counts of all families, of the maximal ones, or noisy parities.

Noise is checked against the guarantee.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.bounds.laplace import laplace_scale
from discreet.bounds.odd_weight import largest_odd_weight
from discreet.bounds.parity_weights import ParityWeights
from discreet.errors import FormatError
from discreet.json_parts import json_list, json_object, json_text
from discreet.model.network import Family, Network
from discreet.posterior.fused_counts import FusedCounts
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.noisy_parities import NoisyParities, Repair
from discreet.posterior.residuals import WIDEST

__all__ = [
    "counts_from_json",
    "fraction_from_json",
    "integer_from_json",
    "lists",
    "statistics_from_json",
    "statistics_to_json",
]

Statistics: TypeAlias = NoisyCounts | NoisyParities | FusedCounts

_LARGEST_COUNT = 2**62
_LARGEST_WEIGHT = 2**30
_CHECKED_WIDTH = 12
"""Widest table that is made to check the weights of parities: no file makes its reader work for long."""
_LONGEST_TEXT = 2000
_MISFIT = "The noise in the release file does not fit its guarantee. Do not rely on it; ask the steward."


def statistics_to_json(released: Statistics) -> dict[str, Any]:
    """The entry ``statistics`` of a release file."""
    if isinstance(released, FusedCounts):
        scales = {node: str(scale) for node, scale in released.scales.items()}
        return {
            "kind": "maximal-counts",
            "noise": {"law": "discrete-laplace", "scales": scales},
            "tables": lists(released.tables),
            "consistent": released.consistent,
        }
    if isinstance(released, NoisyCounts):
        noise = {"law": "discrete-laplace", "scale": str(released.scale)}
        return {"kind": "family-counts", "noise": noise, "tables": lists(released.tables)}
    places = {node: place for place, node in enumerate(released.network.nodes)}
    sensitivity = released.weights.sensitivity
    return {
        "kind": "parities",
        "noise": {"law": "discrete-laplace", "scale": str(sensitivity / released.epsilon)},
        "sensitivity": sensitivity,
        "sets": [sorted(places[node] for node in gamma) for gamma in released.odd],
        "weights": [released.weights.weights[gamma] for gamma in released.odd],
        "odd": list(released.odd.values()),
        "repair": released.repair.value,
        "increment": released.increment,
    }


def statistics_from_json(content: object, network: Network, epsilon: Fraction, rows: int) -> Statistics:
    """Check the statistics and build them; the noise must be what the guarantee demands."""
    kind = content.get("kind") if isinstance(content, dict) else None
    if kind == "family-counts":
        entries = json_object(content, "The statistics", ("kind", "noise", "tables"))
        scale = _scale(entries["noise"])
        if scale != laplace_scale(network, epsilon):
            raise FormatError(_MISFIT)
        tables = counts_from_json(entries["tables"], network.families, "The statistics", -_LARGEST_COUNT)
        return NoisyCounts(tables, scale, rows)
    if kind == "maximal-counts":
        return _maximal(content, network, epsilon, rows)
    if kind == "parities":
        return _parities(content, network, epsilon, rows)
    raise FormatError("The statistics are of a kind that is not known to this version. Update discreet.")


def _maximal(content: object, network: Network, epsilon: Fraction, rows: int) -> FusedCounts:
    entries = json_object(content, "The statistics", ("kind", "noise", "tables", "consistent"))
    families = network.maximal_families
    if max(len(family.members) for family in families) > WIDEST:
        raise FormatError(f"Counts of maximal families belong to a network without families of more than {WIDEST} nodes.")
    noise = json_object(entries["noise"], "The noise", ("law", "scales"))
    given = json_object(noise["scales"], "The noise", [family.node for family in families])
    scales = {family.node: fraction_from_json(given[family.node], "The noise") for family in families}
    # One record moves a table by at most 2, so each table cost 2 / scale; all that was paid for must have been used.
    if noise["law"] != "discrete-laplace" or sum(2 / scale for scale in scales.values()) != epsilon:
        raise FormatError(_MISFIT)
    if type(entries["consistent"]) is not bool:
        raise FormatError("The statistics must say whether they are consistent: true or false.")
    tables = counts_from_json(entries["tables"], families, "The statistics", -_LARGEST_COUNT)
    return FusedCounts(network, tables, scales, rows, entries["consistent"])


def _parities(content: object, network: Network, epsilon: Fraction, rows: int) -> NoisyParities:
    keys = ("kind", "noise", "sensitivity", "sets", "weights", "odd", "repair", "increment")
    entries = json_object(content, "The statistics", keys)
    if any(variable.size != 2 for variable in network.variables):
        raise FormatError("Parities belong to a network whose variables have two levels.")
    odd = _by_set(entries["sets"], entries["odd"], network, -_LARGEST_COUNT)
    weights = _by_set(entries["sets"], entries["weights"], network, 1)
    scale, sensitivity = _scale(entries["noise"]), integer_from_json(entries["sensitivity"], "The sensitivity", 1)
    # What one flip moves can be told at once, and is nearly always the most that any can; a larger bound was safe, too.
    if max(weights.values()) > _LARGEST_WEIGHT or scale != sensitivity / epsilon or sensitivity > sum(weights.values()):
        raise FormatError(_MISFIT)
    if largest_odd_weight(network, weights, _CHECKED_WIDTH).attained > sensitivity:
        raise FormatError(_MISFIT)
    try:
        repair = Repair(entries["repair"])
    except ValueError:
        raise FormatError("The repair of the statistics is not known to this version. Update discreet.") from None
    increment = integer_from_json(entries["increment"], "The increment", 0)
    return NoisyParities(network, odd, ParityWeights(weights, sensitivity), epsilon, rows, repair, increment)


def _by_set(sets: object, values: object, network: Network, smallest: int) -> dict[frozenset[str], int]:
    """Numbers of exactly the non-empty sets of the downward closure."""
    found: dict[frozenset[str], int] = {}
    listed, numbers = json_list(sets, "The sets"), json_list(values, "The odd counts and weights")
    if len(listed) != len(numbers):
        raise FormatError("The statistics must have one odd count and one weight for each set.")
    for places, value in zip(listed, numbers, strict=True):
        nodes = [integer_from_json(place, "A node of a set", 0) for place in json_list(places, "A set")]
        if any(place >= len(network.nodes) for place in nodes):
            raise FormatError("A set of the statistics names a node that does not exist.")
        gamma = frozenset(network.nodes[place] for place in nodes)
        found[gamma] = integer_from_json(value, "An odd count or weight", smallest)
    if len(found) != len(listed) or found.keys() != network.downward_closure - {frozenset()}:
        raise FormatError("The sets of the statistics are not those of the network.")
    return found


def _scale(content: object) -> Fraction:
    noise = json_object(content, "The noise", ("law", "scale"))
    if noise["law"] != "discrete-laplace":
        raise FormatError(_MISFIT)
    return fraction_from_json(noise["scale"], "The noise")


def counts_from_json(
    content: object, families: tuple[Family, ...], what: str, smallest: int
) -> dict[str, npt.NDArray[np.int64]]:
    """Tables of integers for these families and no others."""
    entries = json_object(content, what, [family.node for family in families])
    tables = {}
    for family in families:
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
