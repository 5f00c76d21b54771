"""Parameters in a release file: draws from a posterior, a point of an annealed one, or one candidate of a public list.

Draws and annealed points lie on a grid: split probabilities as whole numbers in units of 2^-32, kept by the law's floor.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import FormatError
from discreet.guarantee import ZCDP, Guarantee, PureDP
from discreet.measure.strategies.draw_law import DrawLaw, keeps
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.files.plain_shapes import Constant, Integer, Table
from discreet.model.files.shape import FRACTION, Entry, MapOf, Object, OrNull, Shared
from discreet.model.files.strict_json import LARGEST_INTEGER, json_object
from discreet.model.network import Family, Network
from discreet.model.prior import Hierarchical, Prior
from discreet.model.probability import levels_from_splits
from discreet.posterior.draws import PosteriorDraws
from discreet.posterior.point import ChosenPoint, GridPoint, PointPosterior
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, approximate_budget, pure_epsilon, zcdp_rho
from discreet.release_file.networks import (
    NUMBERS,
    impossible_facts,
    network_entries,
    network_facts,
    network_from_entries,
)

__all__ = ["CANDIDATE_KIND", "DRAWS_KIND", "GRID_KIND"]


def _grid(least: int) -> Integer:
    return Integer(least, 2**GRID_BITS - least, "whole numbers between floor and ceiling")


_NO_DRAWS = "There are no draws of {} in the release file. Ask the steward for it again."
_SPLITS = Entry(
    Shared(
        "splits",
        Entry(
            MapOf(Entry(Table(_grid(1), 3, least=1, too_few=_NO_DRAWS), "The draws of {}"), least=1),
            says="Node -> draws -> parent configurations (first parent slowest) -> splits of the levels, as probabilities of"
            " the first part in units of 2^-32. A split parts levels start .. end - 1 after ceil((end - start) / 2) of "
            "them; splits "
            "are listed with those of the first part before those of the second.",
        ),
    ),
    "The draws",
)
_FLOOR = "Split probabilities were kept in [floor, 1 - floor], a multiple of 2^-32"
_DRAWS = Object(
    {
        "floor": Entry(OrNull(FRACTION), "The floor", f"{_FLOOR}; null where they were not."),
        "temper": Entry(FRACTION, "The temper", "Exponent of the likelihood."),
        "splits": _SPLITS,
    },
    constants={"kind": Constant("draws")},
)
_EXPONENT = Entry(FRACTION, "The exponent", "Exponent of the posterior.")
_GRID = Object(
    {"floor": Entry(FRACTION, "The floor", f"{_FLOOR}.", refusal=NOISE_MISFIT), "exponent": _EXPONENT, "splits": _SPLITS},
    constants={"kind": Constant("point")},
)
_CANDIDATE = Object(
    {
        "candidates": Entry(Integer(2), "The number of candidates", "How many tables there were to choose from."),
        "exponent": _EXPONENT,
        "tables": Entry(NUMBERS, "The tables", "The chosen conditional probabilities."),
    },
    constants={"kind": Constant("candidate")},
)


def _write_draws(posterior: PosteriorDraws) -> dict[str, Any]:
    law = posterior.law
    statistics = {"floor": law.floor or None, "temper": law.temper, "splits": posterior.splits}
    return {
        "rows": posterior.rows,
        **network_entries(posterior.network, posterior.prior),
        "statistics": _DRAWS.write(statistics),
    }


def _read_declared(entries: Mapping[str, Any]) -> tuple[Network, Prior]:
    """Network and prior. The law of draws and points is made of the prior's parameters, so these must be fixed."""
    network, prior = network_from_entries(entries)
    if isinstance(prior, Hierarchical):
        raise FormatError("The prior in the release file is one that draws and points are not made with. Ask the steward.")
    return network, prior


def _read_draws(entries: Mapping[str, Any], terms: FileTerms) -> PosteriorDraws:
    network, prior = _read_declared(entries)
    content = _DRAWS.read(entries["statistics"], "The statistics")
    law = DrawLaw(_check_floor(content["floor"] or Fraction(0)), content["temper"])
    splits = _splits_of(content["splits"], network, law.floor)
    posterior = PosteriorDraws(network, prior, law, splits, terms.rows)
    fits = terms.mechanism.parameters["draws"] == str(posterior.released_draws) and law.temper <= 1
    if not (fits and keeps(law, network, prior, _promised(terms), posterior.released_draws)):
        raise FormatError(NOISE_MISFIT)
    return posterior


def _promised(terms: FileTerms) -> Guarantee:
    """The guarantee, which must be of the kind that the mechanism gives and have the budget that it was given."""
    match terms.mechanism.name:
        case "sampler":
            return PureDP(pure_epsilon(terms))
        case "sampler-zcdp":
            return ZCDP(zcdp_rho(terms))
    approximate_budget(terms)
    return terms.guarantee


def _describe_draws(posterior: PosteriorDraws) -> dict[str, Any]:
    floor = posterior.law.floor
    return {
        "rows": posterior.rows,
        "network": network_facts(posterior.network),
        **impossible_facts(posterior.network),
        "prior": str(posterior.prior),
        "draws": posterior.released_draws,
        "floor": f"{float(floor):.6g}" if floor else "none",
        "temper": f"{float(posterior.law.temper):.6g}",
    }


def _write_point(posterior: PointPosterior) -> dict[str, Any]:
    released: Any = posterior.released
    if isinstance(released, GridPoint):
        splits = {node: [table] for node, table in released.splits.items()}  # one draw
        statistics = _GRID.write({"floor": released.floor, "exponent": released.temper, "splits": splits})
    else:
        chosen = {"candidates": released.candidates, "exponent": released.temper, "tables": posterior.tables}
        statistics = _CANDIDATE.write(chosen)
    return {"rows": released.rows, **network_entries(posterior.network, released.prior), "statistics": statistics}


def _read_grid(entries: Mapping[str, Any], terms: FileTerms) -> PointPosterior:
    network, prior = _read_declared(entries)
    content = _GRID.read(entries["statistics"], "The statistics")
    law = DrawLaw(_check_floor(content["floor"]), content["exponent"])
    drawn = _splits_of(content["splits"], network, law.floor)
    single = all(len(table) == 1 for table in drawn.values())
    if not (single and keeps(law, network, prior, PureDP(pure_epsilon(terms)), 1)):
        raise FormatError(NOISE_MISFIT)
    splits = {node: table[0] for node, table in drawn.items()}
    tables = {node: levels_from_splits(table / 2**GRID_BITS) for node, table in splits.items()}
    return PointPosterior(network, tables, GridPoint(splits, law.floor, law.temper, prior, terms.rows))


def _read_candidate(entries: Mapping[str, Any], terms: FileTerms) -> PointPosterior:
    network, prior = _read_declared(entries)
    content = _CANDIDATE.read(entries["statistics"], "The statistics")
    pure_epsilon(terms)  # what the exponent must be follows from all the candidates, of which the file holds one
    if content["exponent"] > LARGEST_INTEGER:  # no budget makes such an exponent, and no float holds it
        raise FormatError(NOISE_MISFIT)
    tables = json_object(content["tables"], "The tables", network.nodes)
    return PointPosterior(network, tables, ChosenPoint(content["candidates"], content["exponent"], prior, terms.rows))


def _describe_point(posterior: PointPosterior) -> dict[str, Any]:
    released: Any = posterior.released
    facts = {
        "rows": released.rows,
        "network": network_facts(posterior.network),
        **impossible_facts(posterior.network),
        "prior": str(released.prior),
        "exponent": f"{float(released.temper):.6g}",
    }
    if isinstance(released, GridPoint):
        return {**facts, "floor": f"{float(released.floor):.6g}"}
    return {**facts, "candidates": released.candidates}


def _splits_of(tables: dict[str, list[Any]], network: Network, floor: Fraction) -> dict[str, Integers]:
    """Node -> draws x configurations x splits; every node with the same number of draws, kept by the floor."""
    json_object(tables, "The draws", network.nodes)
    kept = _grid(max(int(floor * 2**GRID_BITS), 1))
    found = {family.node: _checked(tables[family.node], family, kept) for family in network.families}
    if len({len(table) for table in found.values()}) != 1:
        raise FormatError("The nodes in the release file do not have the same number of draws.")
    return found


def _checked(draws: list[Any], family: Family, kept: Integer) -> Integers:
    rows = list(chain.from_iterable(draws))
    if {len(draw) for draw in draws} != {family.configurations} or {len(row) for row in rows} != {family.levels - 1}:
        raise FormatError(f"The draws of {family.node!r} have the wrong shape in the file.")
    if not kept.holds(list(chain.from_iterable(rows))):
        raise FormatError(f"The draws of {family.node!r} must be {kept.called}.")
    return np.array(draws, dtype=np.int64)


def _check_floor(floor: Fraction) -> Fraction:
    """A floor on the grid, below one half; 0 for none."""
    if floor >= Fraction(1, 2) or (floor * 2**GRID_BITS).denominator != 1:
        raise FormatError("The floor in the release file is not a multiple of 2^-32 below one half.")
    return floor


DRAWS_KIND = Kind(
    _DRAWS,
    {
        "sampler": ("epsilon", "draws"),
        "sampler-zcdp": ("rho", "draws"),
        "sampler-renyi": ("epsilon", "delta", "draws"),
    },
    ("network", "prior"),
    lambda value: isinstance(value, PosteriorDraws),
    _write_draws,
    _read_draws,
    _describe_draws,
)
GRID_KIND = Kind(
    _GRID,
    {"map": ("epsilon",)},
    ("network", "prior"),
    lambda value: isinstance(value, PointPosterior) and isinstance(value.released, GridPoint),
    _write_point,
    _read_grid,
    _describe_point,
)
CANDIDATE_KIND = Kind(
    _CANDIDATE,
    {"map-candidates": ("epsilon",), "map-permute-and-flip": ("epsilon",)},
    ("network", "prior"),
    lambda value: isinstance(value, PointPosterior) and isinstance(value.released, ChosenPoint),
    _write_point,
    _read_candidate,
    _describe_point,
)
