"""The entries ``network`` and ``prior`` of a release file: what was public before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import FormatError
from discreet.model.files.json_parts import json_object
from discreet.model.files.network_file import network_from_json, network_to_json
from discreet.model.network import Network
from discreet.model.prior import BDeu, Prior, Symmetric, TablePrior
from discreet.release_file.tables import lists

__all__ = ["network_entries", "network_facts", "network_from_entries"]


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


def _prior_to_json(prior: Prior) -> dict[str, Any]:
    match prior:
        case Symmetric(weight):
            return {"kind": "symmetric", "weight": float(weight)}
        case BDeu(sample_size):
            return {"kind": "bdeu", "sample_size": float(sample_size)}
        case TablePrior():
            return {"kind": "tables", "tables": lists(prior.tables)}
    raise FormatError(f"A prior of type {type(prior).__name__} cannot be saved; turn it into a TablePrior.")


def _prior_from_json(content: object, network: Network) -> Prior:
    entries = content if isinstance(content, dict) else {}
    match entries:
        case {"kind": "symmetric", "weight": float() as weight} if len(entries) == 2:
            return Symmetric(weight)
        case {"kind": "bdeu", "sample_size": float() as size} if len(entries) == 2:
            return BDeu(size)
        case {"kind": "tables", "tables": dict() as tables} if len(entries) == 2:
            json_object(tables, "The prior", network.nodes)
            if all(_is_numeric(table) for table in tables.values()):
                return TablePrior(network, tables)
    raise FormatError("The prior in the release file is not one that is known.")


def _is_numeric(table: object) -> bool:
    """Whether this is a list of lists of numbers; NumPy would also read numbers out of texts."""
    return isinstance(table, list) and all(
        isinstance(row, list) and all(type(value) in (int, float) for value in row) for row in table
    )
