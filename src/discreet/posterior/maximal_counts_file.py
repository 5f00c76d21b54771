"""Noisy counts of the maximal families in a release file."""

from __future__ import annotations

from typing import Any

from discreet.bounds.needs import WIDEST_FAMILY, too_wide
from discreet.errors import FormatError
from discreet.json_parts import json_fraction, json_object
from discreet.model.network import Network
from discreet.posterior.dirichlet_file import dirichlet_kind
from discreet.posterior.fused_counts import FusedCounts
from discreet.posterior.kind import NOISE_MISFIT, Terms, pure_epsilon
from discreet.posterior.tables_file import counts_from_json, lists

__all__ = ["KIND"]

_MECHANISMS = {False: "laplace-maximal", True: "laplace-consistent"}
"""By whether the tables are fused."""


def _write(released: FusedCounts) -> dict[str, Any]:
    scales = {node: str(scale) for node, scale in released.scales.items()}
    return {
        "noise": {"law": "discrete-laplace", "scales": scales},
        "tables": lists(released.tables),
        "consistent": released.consistent,
    }


def _read(content: object, network: Network, terms: Terms) -> FusedCounts:
    entries = json_object(content, "The statistics", ("kind", "noise", "tables", "consistent"))
    families = network.maximal_families
    if too_wide(network):
        raise FormatError(f"Such counts belong to a network without families of more than {WIDEST_FAMILY} nodes.")
    noise = json_object(entries["noise"], "The noise", ("law", "scales"))
    given = json_object(noise["scales"], "The noise", [family.node for family in families])
    scales = {family.node: json_fraction(given[family.node], "The noise") for family in families}
    # One record moves a table by at most 2, so each table cost 2 / scale; all that was paid for must have been used.
    if noise["law"] != "discrete-laplace" or sum(2 / scale for scale in scales.values()) != pure_epsilon(terms):
        raise FormatError(NOISE_MISFIT)
    if type(entries["consistent"]) is not bool:
        raise FormatError("The statistics must say whether they are consistent: true or false.")
    if terms.mechanism.name != _MECHANISMS[entries["consistent"]]:
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    tables = counts_from_json(entries["tables"], families, "The statistics")
    return FusedCounts(network, tables, scales, terms.rows, entries["consistent"])


KIND = dirichlet_kind(
    "maximal-counts", dict.fromkeys(_MECHANISMS.values(), ("epsilon",)), FusedCounts, _write, _read, noise="scale at most "
)
