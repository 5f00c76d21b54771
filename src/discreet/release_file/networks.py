"""The entries ``network`` and ``prior`` of a release file: what was public before; and tables of the network's families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import FormatError
from discreet.model.files.network_file import network_from_json, network_to_json
from discreet.model.files.plain_shapes import Constant, Number, Table
from discreet.model.files.shape import Entry, MapOf, Object, Shared, Tagged
from discreet.model.files.strict_json import json_object
from discreet.model.impossible import show_combinations
from discreet.model.network import Family, Network
from discreet.model.prior import BDeu, Hierarchical, Prior, Symmetric, TablePrior

__all__ = [
    "NUMBERS", "PRIOR", "family_tables", "impossible_facts", "network_entries", "network_facts", "network_from_entries",
]  # fmt: skip

NUMBERS = Shared("numbers", MapOf(Entry(Table(Number(positive=True), 2), "The table of {}")))
"""Node -> rows (parent configurations, first parent slowest) of levels."""
PRIOR = Tagged(
    "kind",
    (
        Object({"weight": Number(positive=True)}, Symmetric, {"kind": Constant("symmetric")}),
        Object({"sample_size": Number(positive=True)}, BDeu, {"kind": Constant("bdeu")}),
        Object(
            dict.fromkeys(("centre", "strength", "spread"), Number(positive=True)),
            Hierarchical,
            {"kind": Constant("hierarchical")},
        ),
        Object({"tables": NUMBERS}, dict, {"kind": Constant("tables")}, TablePrior),
    ),
    "{} in the release file is not one that is known.",
)


def network_entries(network: Network, prior: Prior) -> dict[str, Any]:
    """Both entries, as JSON can carry them."""
    return {"network": network_to_json(network), "prior": _prior_to_json(prior)}


def network_from_entries(entries: Mapping[str, Any]) -> tuple[Network, Prior]:
    """Check both entries and build what they say."""
    network = network_from_json(entries["network"])
    return network, _prior_from_json(entries["prior"], network)


def network_facts(network: Network) -> dict[str, int]:
    """How large a network is."""
    return {"nodes": len(network.nodes), "edges": network.edges, "cells": network.cells}


def impossible_facts(network: Network) -> dict[str, str]:
    """What a network declares impossible, if anything."""
    return {"impossible": show_combinations(network.impossible)} if network.impossible else {}


def family_tables(tables: Mapping[str, list[Any]], families: tuple[Family, ...], what: str) -> dict[str, Integers]:
    """Tables of integers, configurations x levels, for these families and no others."""
    json_object(tables, what, [family.node for family in families])
    for family in families:
        table = tables[family.node]
        if len(table) != family.configurations or any(len(row) != family.levels for row in table):
            raise FormatError(f"The table of {family.node!r} has the wrong shape in the file.")
    return {family.node: np.array(tables[family.node], dtype=np.int64) for family in families}


def _prior_to_json(prior: Prior) -> dict[str, Any]:
    if not isinstance(prior, Symmetric | BDeu | Hierarchical | TablePrior):
        raise FormatError(f"A prior of type {type(prior).__name__} cannot be saved; turn it into a TablePrior.")
    return PRIOR.write(prior)


def _prior_from_json(content: object, network: Network) -> Prior:
    prior = PRIOR.read(content, "The prior")
    if isinstance(prior, dict):  # tables, which fit one network
        return TablePrior(network, json_object(prior["tables"], "The prior", network.nodes))
    found: Prior = prior
    return found
