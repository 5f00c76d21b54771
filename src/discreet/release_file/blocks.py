"""Blocks with K-norm noise in a release file: what the children of the same parents count, in bundles that share epsilon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import FormatError
from discreet.measure.blocks import Bundle, Group, join_parts, split_parts
from discreet.measure.laws import KNormNoise
from discreet.measure.measurement import Measurement, fill, number_shape
from discreet.measure.needs import recovers
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements
from discreet.model.files.plain_shapes import Constant, Table, Truth
from discreet.model.files.shape import FRACTION, Entry, ListOf, Object
from discreet.model.network import Network
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, pure_epsilon
from discreet.release_file.measurements import MISFIT, NOISY, MeasuredShape, law, measured_kind, nodes_of, some_nodes

__all__ = ["BLOCKS", "KIND", "block_parts", "read_blocks"]

_KNORM = (
    "For each bundle a real vector z with density proportional to exp(-norm(z) epsilon / 2), epsilon the bundle's "
    "share, rounded to integers; norm is the largest over the groups of the sum over the blocks of the largest over the"
    " parts of the L1 norm."
)
_COUNTED = "Whether a block begins with the number of records in its configuration."
_CHILDREN = "Of a binary child the block has one number, first level minus second; of any other the counts of all levels."
_GROUP = Object(
    {
        "parents": some_nodes("The nodes of a group"),
        "counted": Entry(Truth(), "Whether the parents are counted", _COUNTED),
        "children": some_nodes("The nodes of a group", _CHILDREN),
        "blocks": Entry(Table(NOISY, 2), "The blocks", "One row for each configuration of the parents, the first slowest."),
    }
)
_BUNDLE = Object(
    {
        "epsilon": Entry(FRACTION, "A share of epsilon", "The bundle's share; the shares sum to epsilon."),
        "groups": Entry(ListOf(Entry(_GROUP, "A group"), least=1), "The groups"),
    }
)
BLOCKS = Object(
    {
        "noise": Entry(law("rounded-k-norm", _KNORM), "The noise"),
        "bundles": Entry(ListOf(Entry(_BUNDLE, "A bundle"), least=1), "The bundles"),
    },
    constants={"kind": Constant("blocks")},
)


def _parts(published: Published) -> dict[str, Any]:
    return block_parts(published.measurements)


def block_parts(measurements: Sequence[Measurement]) -> dict[str, Any]:
    """The entries of measurements that are all parts of their bundles."""
    waiting = iter(measurements)
    bundles = [
        {
            "epsilon": bundle.epsilon,
            "groups": [
                {
                    "parents": group.parents,
                    "counted": group.counted,
                    "children": group.children,
                    "blocks": join_parts(group, [next(waiting).published for _ in group.parts]),
                }
                for group in bundle.groups
            ],
        }
        for bundle in bundles_of(measurements)
    ]
    return {"noise": {}, "bundles": bundles}


def read_blocks(statistics: Mapping[str, Any], network: Network) -> tuple[tuple[Bundle, ...], tuple[Measurement, ...]]:
    """The bundles of a file and their measurements, with numbers; of nodes that the network has, whatever its families."""
    bundles, parts = [], []
    for bundle in statistics["bundles"]:
        groups = [(_group(each, network), each["blocks"]) for each in bundle["groups"]]
        bundles.append(Bundle(tuple(group for group, _ in groups), bundle["epsilon"]))
        parts += [part for group, blocks in groups for part in split_parts(group, _blocks(group, blocks))]
    measurements = knorm_measurements(bundles)
    shaped = [part.reshape(number_shape(network, each)) for part, each in zip(parts, measurements, strict=True)]
    return tuple(bundles), fill(measurements, shaped)


def _read(statistics: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    bundles, measurements = read_blocks(statistics, network)
    # One record moves a bundle by at most 2 in its norm, which its share paid for; all that was paid for must have been used.
    if sum(bundle.epsilon for bundle in bundles) != pure_epsilon(terms):
        raise FormatError(NOISE_MISFIT)
    groups = [group for bundle in bundles for group in bundle.groups]
    if len({group.parents for group in groups}) < len(groups) or not all(_has_families(group, network) for group in groups):
        raise FormatError(MISFIT)
    if not recovers(network, measurements):
        raise FormatError(MISFIT)
    return Published(network, measurements, terms.rows)


def _group(content: Mapping[str, Any], network: Network) -> Group:
    """A group of nodes of the network."""
    parents, children = (nodes_of(content[name], network) for name in ("parents", "children"))
    counted = content["counted"]
    if (counted and not parents) or not (counted or children) or set(parents) & set(children):
        raise FormatError(MISFIT)
    sizes = [tuple(network.variable(node).size for node in nodes) for nodes in (parents, children)]
    return Group(parents, sizes[0], counted, children, sizes[1])


def _has_families(group: Group, network: Network) -> bool:
    """Whether the children have exactly these parents, or some family does."""
    parents = set(group.parents)
    return any(set(family.parents) == parents for family in network.families) and all(
        set(network.family(child).parents) == parents for child in group.children
    )


def _blocks(group: Group, rows: list[list[int]]) -> Integers:
    if len(rows) != group.configurations or any(len(row) != group.width for row in rows):
        raise FormatError("The blocks of a group have the wrong shape in the file.")
    return np.array(rows, dtype=np.int64)


KIND = measured_kind(
    MeasuredShape(
        BLOCKS,
        {"knorm": ("epsilon",)},
        KNormNoise,
        (Repair.PROJECT,),
        _parts,
        _read,
        noise="scale at most ",
        further=True,
    )
)
