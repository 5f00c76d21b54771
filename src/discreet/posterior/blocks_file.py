"""Noisy blocks, the statistics of K-norm noise, in a release file."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.bounds.blocks import Bundle, Group
from discreet.bounds.knorm import measured_parts
from discreet.bounds.needs import WIDEST_FAMILY, Measured, needs, too_wide
from discreet.errors import FormatError
from discreet.json_parts import LARGEST_INTEGER, json_fraction, json_list, json_object
from discreet.model.network import Network
from discreet.posterior.dirichlet_file import dirichlet_kind
from discreet.posterior.kind import NOISE_MISFIT, Terms, pure_epsilon
from discreet.posterior.noisy_blocks import NoisyBlocks
from discreet.posterior.noisy_counts import Counts

__all__ = ["KIND"]

_MISFIT = "The blocks in the release file are not those of its network. Do not rely on it; ask the steward."


def _write(released: NoisyBlocks) -> dict[str, Any]:
    bundles = [
        {
            "epsilon": str(bundle.epsilon),
            "groups": [
                {
                    "parents": list(group.parents),
                    "counted": group.counted,
                    "children": list(group.children),
                    "blocks": block.tolist(),
                }
                for group, block in zip(bundle.groups, blocks, strict=True)
            ],
        }
        for bundle, blocks in zip(released.bundles, released.blocks, strict=True)
    ]
    return {"noise": {"law": "rounded-k-norm"}, "bundles": bundles}


def _read(content: object, network: Network, terms: Terms) -> NoisyBlocks:
    entries = json_object(content, "The statistics", ("kind", "noise", "bundles"))
    if json_object(entries["noise"], "The noise", ("law",))["law"] != "rounded-k-norm":
        raise FormatError(NOISE_MISFIT)
    if too_wide(network):
        raise FormatError(f"Blocks belong to a network without families of more than {WIDEST_FAMILY} nodes.")
    bundles, blocks = [], []
    for entry in json_list(entries["bundles"], "The bundles"):
        parts = json_object(entry, "A bundle", ("epsilon", "groups"))
        groups = [_group(each, network) for each in json_list(parts["groups"], "The groups")]
        bundles.append(Bundle(tuple(group for group, _ in groups), json_fraction(parts["epsilon"], "A share of epsilon")))
        blocks.append(tuple(block for _, block in groups))
    # One record moves a bundle by at most 2 in its norm, which its share paid for; all that was paid for must have been used.
    paid = sum(bundle.epsilon for bundle in bundles)
    if paid != pure_epsilon(terms) or any(bundle.scale > LARGEST_INTEGER for bundle in bundles):
        raise FormatError(NOISE_MISFIT)
    _check_layout(bundles, network)
    return NoisyBlocks(network, tuple(bundles), tuple(blocks), terms.rows)


def _group(content: object, network: Network) -> tuple[Group, Counts]:
    entries = json_object(content, "A group", ("parents", "counted", "children", "blocks"))
    parents, children = (_nodes(entries[name], network) for name in ("parents", "children"))
    counted = entries["counted"]
    if type(counted) is not bool or (counted and not parents) or not (counted or children):
        raise FormatError(_MISFIT)
    sizes = [tuple(network.variable(node).size for node in nodes) for nodes in (parents, children)]
    group = Group(parents, sizes[0], counted, children, sizes[1])
    if not any(set(family.parents) == set(parents) for family in network.families):
        raise FormatError(_MISFIT)
    if any(set(network.family(child).parents) != set(parents) for child in children):
        raise FormatError(_MISFIT)
    return group, _numbers(entries["blocks"], group)


def _nodes(content: object, network: Network) -> tuple[str, ...]:
    """Different nodes of the network, in its order."""
    names = json_list(content, "The nodes of a group")
    places = {node: place for place, node in enumerate(network.nodes)}
    found = [places.get(name, -1) if isinstance(name, str) else -1 for name in names]
    if -1 in found or found != sorted(set(found)):
        raise FormatError(_MISFIT)
    return tuple(names)


def _numbers(content: object, group: Group) -> Counts:
    table = json_list(content, "The blocks")
    if len(table) != group.configurations or any(type(row) is not list or len(row) != group.width for row in table):
        raise FormatError("The blocks of a group have the wrong shape in the file.")
    if any(type(value) is not int or not -LARGEST_INTEGER < value < LARGEST_INTEGER for row in table for value in row):
        raise FormatError("The blocks of a group hold something that is not a whole number.")
    return np.array(table, dtype=np.int64)


def _check_layout(bundles: list[Bundle], network: Network) -> None:
    """Nothing is measured twice, and all families can be recovered."""
    if not all(bundle.groups for bundle in bundles):
        raise FormatError(_MISFIT)
    groups = [group for bundle in bundles for group in bundle.groups]
    tables = [table for table, _ in measured_parts(bundles)]
    if len({group.parents for group in groups}) < len(groups) or not _recovers(network, tables):
        raise FormatError(_MISFIT)


def _recovers(network: Network, tables: list[Measured]) -> bool:
    return bool((needs(network).information(tables).sum(axis=1) > 0).all())


KIND = dirichlet_kind("blocks", {"knorm": ("epsilon",)}, NoisyBlocks, _write, _read, noise="scale at most ")
