"""Released points in a release file: grid points of an annealed posterior, or one of the candidates of a public list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import PureDP
from discreet.measure.strategies.draw_law import DrawLaw, keeps
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.files.json_parts import json_fraction, json_integer, json_list, json_number, json_object
from discreet.model.splits import levels_from_splits
from discreet.posterior.point import ChosenPoint, GridPoint, PointPosterior
from discreet.release_file.kind import NOISE_MISFIT, Kind, Terms, pure_epsilon
from discreet.release_file.networks import network_entries, network_facts, network_from_entries
from discreet.release_file.splits import floor_from_json, splits_from_json
from discreet.release_file.tables import lists

__all__ = ["CANDIDATE_KIND", "GRID_KIND"]


def _write(posterior: PointPosterior) -> dict[str, Any]:
    released: Any = posterior.released
    if isinstance(released, GridPoint):
        statistics = {
            "kind": "point",
            "floor": str(released.floor),
            "exponent": str(released.temper),
            "splits": {node: [table.tolist()] for node, table in released.splits.items()},
        }
    else:
        statistics = {
            "kind": "candidate",
            "candidates": released.candidates,
            "exponent": str(released.temper),
            "tables": lists(posterior.tables),
        }
    return {"rows": released.rows, **network_entries(posterior.network, released.prior), "statistics": statistics}


def _read_grid(entries: Mapping[str, Any], terms: Terms) -> PointPosterior:
    network, prior = network_from_entries(entries)
    content = json_object(entries["statistics"], "The statistics", ("kind", "floor", "exponent", "splits"))
    law = DrawLaw(floor_from_json(content["floor"]), json_fraction(content["exponent"], "The exponent"))
    drawn = splits_from_json(content["splits"], network, law.floor)
    single = all(len(table) == 1 for table in drawn.values())
    if not (single and law.floor and keeps(law, network, prior, PureDP(pure_epsilon(terms)), 1)):
        raise FormatError(NOISE_MISFIT)
    splits = {node: table[0] for node, table in drawn.items()}
    tables = {node: levels_from_splits(table / 2**GRID_BITS) for node, table in splits.items()}
    return PointPosterior(network, tables, GridPoint(splits, law.floor, law.temper, prior, terms.rows))


def _read_candidate(entries: Mapping[str, Any], terms: Terms) -> PointPosterior:
    network, prior = network_from_entries(entries)
    content = json_object(entries["statistics"], "The statistics", ("kind", "candidates", "exponent", "tables"))
    pure_epsilon(terms)  # what the exponent must be follows from all the candidates, of which the file holds one
    given = json_object(content["tables"], "The tables", network.nodes)
    tables = {node: [_row(row) for row in json_list(rows, "The tables")] for node, rows in given.items()}
    chosen = ChosenPoint(
        json_integer(content["candidates"], "The number of candidates", 2),
        json_fraction(content["exponent"], "The exponent"),
        prior,
        terms.rows,
    )
    if any(value <= 0 for rows in tables.values() for row in rows for value in row):
        raise FormatError("A candidate in a release file has a probability of zero, which none may have. Do not rely on it.")
    return PointPosterior(network, tables, chosen)


def _row(content: object) -> list[float]:
    return [json_number(value, "The tables") for value in json_list(content, "The tables")]


def _describe(posterior: PointPosterior) -> dict[str, Any]:
    released: Any = posterior.released
    facts = {"rows": released.rows, "network": network_facts(posterior.network), "temper": f"{float(released.temper):.6g}"}
    if isinstance(released, GridPoint):
        return {**facts, "floor": f"{float(released.floor):.6g}"}
    return {**facts, "candidates": released.candidates}


GRID_KIND = Kind(
    "point",
    {"map": ("epsilon",)},
    ("network", "prior"),
    lambda value: isinstance(value, PointPosterior) and isinstance(value.released, GridPoint),
    _write,
    _read_grid,
    _describe,
)
CANDIDATE_KIND = Kind(
    "candidate",
    {"map-candidates": ("epsilon",), "map-permute-and-flip": ("epsilon",)},
    ("network", "prior"),
    lambda value: isinstance(value, PointPosterior) and isinstance(value.released, ChosenPoint),
    _write,
    _read_candidate,
    _describe,
)
