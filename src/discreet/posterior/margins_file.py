"""Noisy margins, the statistics of Gaussian noise, in a release file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.bounds.gaussian import MARGIN_COST, Margin
from discreet.bounds.needs import WIDEST_FAMILY, Measured, needs, too_wide
from discreet.errors import FormatError
from discreet.json_parts import LARGEST_INTEGER, json_fraction, json_list, json_object
from discreet.model.network import Network
from discreet.posterior.dirichlet_file import dirichlet_kind
from discreet.posterior.kind import NOISE_MISFIT, Terms, zcdp_rho
from discreet.posterior.noisy_counts import Counts
from discreet.posterior.noisy_margins import NoisyMargins

__all__ = ["KIND"]

_MISFIT = "The margins in the release file are not those of its network. Do not rely on it; ask the steward."


def _write(released: NoisyMargins) -> dict[str, Any]:
    margins = [
        {"nodes": list(margin.nodes), "variance": str(margin.variance), "counts": table.ravel().tolist()}
        for margin, table in zip(released.margins, released.tables, strict=True)
    ]
    return {"noise": {"law": "discrete-gaussian"}, "margins": margins}


def _read(content: object, network: Network, terms: Terms) -> NoisyMargins:
    entries = json_object(content, "The statistics", ("kind", "noise", "margins"))
    if json_object(entries["noise"], "The noise", ("law",))["law"] != "discrete-gaussian":
        raise FormatError(NOISE_MISFIT)
    if too_wide(network):
        raise FormatError(f"Margins belong to a network without families of more than {WIDEST_FAMILY} nodes.")
    found = [_margin(entry, network) for entry in json_list(entries["margins"], "The margins")]
    margins = tuple(margin for margin, _ in found)
    # One record moves two cells of a margin by one, which costs 1 / variance; all that was paid for must have been used.
    if sum(MARGIN_COST / margin.variance for margin in margins) != zcdp_rho(terms):
        raise FormatError(NOISE_MISFIT)
    tables = [Measured(margin.nodes) for margin in margins]
    if len(set(tables)) < len(tables) or not (needs(network).information(tables).sum(axis=1) > 0).all():
        raise FormatError(_MISFIT)
    return NoisyMargins(network, margins, tuple(table for _, table in found), terms.rows)


def _margin(content: object, network: Network) -> tuple[Margin, Counts]:
    entries = json_object(content, "A margin", ("nodes", "variance", "counts"))
    nodes = json_list(entries["nodes"], "The nodes of a margin")
    places = {node: place for place, node in enumerate(network.nodes)}
    order = [places.get(name, -1) if isinstance(name, str) else -1 for name in nodes]
    inside = any(set(family.members) >= set(nodes) for family in network.families) if -1 not in order else False
    if not nodes or not inside or order != sorted(set(order)):
        raise FormatError(_MISFIT)
    shape = tuple(network.variable(node).size for node in nodes)
    counts = json_list(entries["counts"], "The counts of a margin")
    if len(counts) != math.prod(shape):
        raise FormatError("The counts of a margin have the wrong number in the file.")
    if any(type(value) is not int or not -LARGEST_INTEGER < value < LARGEST_INTEGER for value in counts):
        raise FormatError("The counts of a margin hold something that is not a count.")
    margin = Margin(tuple(nodes), json_fraction(entries["variance"], "The variance of a margin"))
    return margin, np.array(counts, dtype=np.int64).reshape(shape)


KIND = dirichlet_kind("margins", {"gaussian": ("rho",)}, NoisyMargins, _write, _read, noise="standard deviation at most ")
