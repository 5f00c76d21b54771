"""Measurements in a release file: one shape of the entry ``statistics`` for each kind of release, written and read here.

A shape says which law of noise its measurements have and how they are repaired; what it cannot say is not written. What is
read must be what the mechanism measures for the guarantee that the file claims.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np

from discreet.arrays import Integers
from discreet.errors import FormatError
from discreet.measure.blocks import Bundle, Group, join_parts, split_parts
from discreet.measure.laws import GaussianNoise, KNormNoise, LaplaceNoise, Law, WeightedNoise
from discreet.measure.measurement import Measurement, Statistic, fill, number_shape
from discreet.measure.needs import WIDEST_FAMILY, recovers, too_wide
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.gaussian import MARGIN_COST
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements
from discreet.measure.strategies.laplace import family_measurements
from discreet.model.files.strict_json import LARGEST_INTEGER, json_fraction, json_list, json_object
from discreet.model.network import Family, Network
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, pure_epsilon, zcdp_rho
from discreet.release_file.parities import read_parities, write_parities
from discreet.release_file.tables import counts_from_json

__all__ = ["SHAPES", "MeasuredShape", "fits", "read_measurements", "write_measurements"]

_MISFIT = "The measurements in the release file are not those of its network. Do not rely on it; ask the steward."


@dataclass(frozen=True, slots=True)
class MeasuredShape:
    """How measurements of one law of noise stand in a file."""

    name: str
    mechanisms: Mapping[str, tuple[str, ...]]
    """Those that make such measurements, with the names of all their parameters."""
    law: type
    repairs: tuple[Repair, ...]
    entries: tuple[str, ...]
    """Besides the kind."""
    write: Callable[[Published], dict[str, Any]]
    read: Callable[[Mapping[str, Any], Network, FileTerms], Published]
    wide: bool = False
    """Whether there may be families that are too wide to be put together from others."""
    noise: str = "scale "
    """Comes before the scale of the noise when it is told to people."""
    further: bool = False
    """Whether mechanisms that no kind lists make such measurements, too: ``read`` then goes by the law of the noise alone."""


def fits(shape: MeasuredShape, published: Published) -> bool:
    """Whether measurements are of this shape."""
    return published.repair in shape.repairs and all(isinstance(each.law, shape.law) for each in published.measurements)


def write_measurements(shape: MeasuredShape, published: Published) -> dict[str, Any]:
    """The entry ``statistics``."""
    if not fits(shape, published):
        raise FormatError("The measurements are not those of their mechanism, so they cannot be saved.")
    return {"kind": shape.name, **shape.write(published)}


def read_measurements(shape: MeasuredShape, content: object, network: Network, terms: FileTerms) -> Published:
    """The measurements in an entry ``statistics``, checked against what the file claims."""
    entries = json_object(content, "The statistics", ("kind", *shape.entries))
    if too_wide(network) and not shape.wide:
        raise FormatError(f"Such statistics belong to a network without families of more than {WIDEST_FAMILY} nodes.")
    published = shape.read(entries, network, terms)
    if published.scale > LARGEST_INTEGER:  # no mechanism makes such noise, and no float holds it
        raise FormatError(NOISE_MISFIT)
    return published


def _tables(published: Published) -> dict[str, Any]:
    """The table of each family, configurations x levels, by its node."""
    families = ((each, published.network.family(each.nodes[-1])) for each in published.measurements)
    return {family.node: each.published.reshape(-1, family.levels).tolist() for each, family in families}


def _tables_read(content: object, families: tuple[Family, ...]) -> list[Integers]:
    tables = counts_from_json(content, families, "The statistics")
    return [tables[family.node].reshape(family.shape) for family in families]


def _law_checked(content: object, law: str, *more: str) -> dict[str, Any]:
    noise = json_object(content, "The noise", ("law", *more))
    if noise["law"] != law:
        raise FormatError(NOISE_MISFIT)
    return noise


def _write_families(published: Published) -> dict[str, Any]:
    return {"noise": {"law": "discrete-laplace", "scale": str(published.scale)}, "tables": _tables(published)}


def _read_families(entries: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    noise = _law_checked(entries["noise"], "discrete-laplace", "scale")
    measurements = family_measurements(network, pure_epsilon(terms))
    if any(json_fraction(noise["scale"], "The noise") != each.law.scale for each in measurements):
        raise FormatError(NOISE_MISFIT)
    numbers = _tables_read(entries["tables"], network.families)
    return Published(network, fill(measurements, numbers), terms.rows, Repair.CLAMP)


def _write_maximal(published: Published) -> dict[str, Any]:
    scales = {each.nodes[-1]: str(each.law.scale) for each in published.measurements}
    return {
        "noise": {"law": "discrete-laplace", "scales": scales},
        "tables": _tables(published),
        "consistent": published.repair is Repair.PROJECT,
    }


def _read_maximal(entries: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    families = network.maximal_families
    noise = _law_checked(entries["noise"], "discrete-laplace", "scales")
    given = json_object(noise["scales"], "The noise", [family.node for family in families])
    laws = [LaplaceNoise(json_fraction(given[family.node], "The noise")) for family in families]
    # One record moves a table by at most 2, so each table cost 2 / scale; all that was paid for must have been used.
    if sum(2 / law.scale for law in laws) != pure_epsilon(terms):
        raise FormatError(NOISE_MISFIT)
    if type(entries["consistent"]) is not bool:
        raise FormatError("The statistics must say whether they are consistent: true or false.")
    if terms.mechanism.name != ("laplace-consistent" if entries["consistent"] else "laplace-maximal"):
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    numbers = _tables_read(entries["tables"], families)
    measurements = [Measurement(family.members, Statistic.COUNTS, law) for family, law in zip(families, laws, strict=True)]
    repair = Repair.PROJECT if entries["consistent"] else Repair.CLAMP
    return Published(network, fill(measurements, numbers), terms.rows, repair)


def _write_blocks(published: Published) -> dict[str, Any]:
    waiting = iter(published.measurements)
    bundles = [
        {
            "epsilon": str(bundle.epsilon),
            "groups": [
                {
                    "parents": list(group.parents),
                    "counted": group.counted,
                    "children": list(group.children),
                    "blocks": join_parts(group, [next(waiting).published for _ in group.parts]).tolist(),
                }
                for group in bundle.groups
            ],
        }
        for bundle in bundles_of(published.measurements)
    ]
    return {"noise": {"law": "rounded-k-norm"}, "bundles": bundles}


def _read_blocks(entries: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    _law_checked(entries["noise"], "rounded-k-norm")
    bundles, parts = [], []
    for entry in json_list(entries["bundles"], "The bundles"):
        content = json_object(entry, "A bundle", ("epsilon", "groups"))
        groups = [_read_group(each, network) for each in json_list(content["groups"], "The groups")]
        epsilon = json_fraction(content["epsilon"], "A share of epsilon")
        bundles.append(Bundle(tuple(group for group, _ in groups), epsilon))
        parts += [part for group, block in groups for part in split_parts(group, block)]
    # One record moves a bundle by at most 2 in its norm, which its share paid for; all that was paid for must have been used.
    if sum(bundle.epsilon for bundle in bundles) != pure_epsilon(terms):
        raise FormatError(NOISE_MISFIT)
    measurements = knorm_measurements(bundles)
    parents = [group.parents for bundle in bundles for group in bundle.groups]
    once = len(set(parents)) == len(parents) and all(bundle.groups for bundle in bundles)
    if not once or not recovers(network, measurements):
        raise FormatError(_MISFIT)
    shaped = [part.reshape(number_shape(network, each)) for part, each in zip(parts, measurements, strict=True)]
    return Published(network, fill(measurements, shaped), terms.rows)


def _read_group(content: object, network: Network) -> tuple[Group, Integers]:
    entries = json_object(content, "A group", ("parents", "counted", "children", "blocks"))
    parents, children = (_nodes(entries[name], network) for name in ("parents", "children"))
    counted = entries["counted"]
    if type(counted) is not bool or (counted and not parents) or not (counted or children):
        raise FormatError(_MISFIT)
    if not any(set(family.parents) == set(parents) for family in network.families):
        raise FormatError(_MISFIT)
    if any(set(network.family(child).parents) != set(parents) for child in children):
        raise FormatError(_MISFIT)
    sizes = [tuple(network.variable(node).size for node in nodes) for nodes in (parents, children)]
    group = Group(parents, sizes[0], counted, children, sizes[1])
    table = json_list(entries["blocks"], "The blocks")
    if len(table) != group.configurations or any(type(row) is not list or len(row) != group.width for row in table):
        raise FormatError("The blocks of a group have the wrong shape in the file.")
    return group, _integers([value for row in table for value in row], (group.configurations, group.width))


@dataclass(frozen=True, slots=True)
class _MarginLaw:
    """Noise that every count of a margin has for itself, so that one parameter says what the margin cost."""

    name: str
    parameter: str
    """What a file calls the parameter of the noise."""
    law: Callable[[Fraction], Law]
    given: Callable[[Any], Fraction]
    """The parameter of a law."""
    cost: int
    """What a margin costs, times the parameter: one record moves two of its cells by one."""
    budget: Callable[[FileTerms], Fraction]
    """What was paid for in all."""


_GAUSSIAN = _MarginLaw(
    "discrete-gaussian", "variance", GaussianNoise, lambda law: cast("Fraction", law.parameter), MARGIN_COST, zcdp_rho
)
_LAPLACE = _MarginLaw("discrete-laplace", "scale", LaplaceNoise, lambda law: cast("Fraction", law.scale), 2, pure_epsilon)


def _write_margins(noise: _MarginLaw, published: Published) -> dict[str, Any]:
    if any(each.statistic is not Statistic.COUNTS for each in published.measurements):
        raise FormatError("Only counts have a place among the margins of a release file.")
    margins = [
        {
            "nodes": list(each.nodes),
            noise.parameter: str(noise.given(each.law)),
            "counts": each.published.ravel().tolist(),
        }
        for each in published.measurements
    ]
    return {"noise": {"law": noise.name}, "margins": margins}


def _read_margins(noise: _MarginLaw, entries: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    _law_checked(entries["noise"], noise.name)
    found = tuple(_read_margin(noise, entry, network) for entry in json_list(entries["margins"], "The margins"))
    # All that was paid for must have been used, and no more.
    if sum(noise.cost / noise.given(each.law) for each in found) != noise.budget(terms):
        raise FormatError(NOISE_MISFIT)
    if len({each.nodes for each in found}) < len(found) or not recovers(network, found):
        raise FormatError(_MISFIT)
    return Published(network, found, terms.rows)


def _read_margin(noise: _MarginLaw, content: object, network: Network) -> Measurement:
    entries = json_object(content, "A margin", ("nodes", noise.parameter, "counts"))
    nodes = _nodes(entries["nodes"], network)
    if not nodes or not any(set(family.members) >= set(nodes) for family in network.families):
        raise FormatError(_MISFIT)
    law = noise.law(json_fraction(entries[noise.parameter], f"The {noise.parameter} of a margin"))
    measurement = Measurement(nodes, Statistic.COUNTS, law)
    numbers = _integers(json_list(entries["counts"], "The counts of a margin"), number_shape(network, measurement))
    return fill([measurement], [numbers])[0]


def _nodes(content: object, network: Network) -> tuple[str, ...]:
    """Different nodes of the network, in its order."""
    names = json_list(content, "The nodes of a measurement")
    places = {node: place for place, node in enumerate(network.nodes)}
    found = [places.get(name, -1) if isinstance(name, str) else -1 for name in names]
    if -1 in found or found != sorted(set(found)):
        raise FormatError(_MISFIT)
    return tuple(names)


def _integers(values: Sequence[object], shape: tuple[int, ...]) -> Integers:
    if len(values) != math.prod(shape):
        raise FormatError("The numbers of a measurement are too many or too few in the file.")
    if any(type(value) is not int or not -LARGEST_INTEGER < value < LARGEST_INTEGER for value in values):
        raise FormatError("The numbers of a measurement hold something that is not a whole number.")
    return np.array(values, dtype=np.int64).reshape(shape)


_MAXIMAL = {"laplace-maximal": ("epsilon",), "laplace-consistent": ("epsilon",)}
_FOURIER = {"fourier": ("epsilon", "stealth", "repair", "weights")}
_PARITIES = ("noise", "sensitivity", "sets", "weights", "odd", "repair", "increment")
_ONLY = (Repair.PROJECT,)

SHAPES: tuple[MeasuredShape, ...] = (
    MeasuredShape("family-counts", {"laplace": ("epsilon",)}, LaplaceNoise, (Repair.CLAMP,), ("noise", "tables"),
          _write_families, _read_families, wide=True),
    MeasuredShape("maximal-counts", _MAXIMAL, LaplaceNoise, (Repair.PROJECT, Repair.CLAMP), ("noise", "tables", "consistent"),
          _write_maximal, _read_maximal, noise="scale at most "),
    MeasuredShape("parities", _FOURIER, WeightedNoise, tuple(Repair), _PARITIES, write_parities, read_parities),
    MeasuredShape("blocks", {"knorm": ("epsilon",)}, KNormNoise, _ONLY, ("noise", "bundles"),
          _write_blocks, _read_blocks, noise="scale at most ", further=True),
    MeasuredShape("margins", {"gaussian": ("rho",)}, GaussianNoise, _ONLY, ("noise", "margins"),
          partial(_write_margins, _GAUSSIAN), partial(_read_margins, _GAUSSIAN), noise="standard deviation at most ",
          further=True),
    MeasuredShape("laplace-margins", {}, LaplaceNoise, _ONLY, ("noise", "margins"),
          partial(_write_margins, _LAPLACE), partial(_read_margins, _LAPLACE), noise="scale at most ", further=True),
)  # fmt: skip
