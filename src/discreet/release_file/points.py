"""Released points in a release file: grid points of an annealed posterior, or one of the candidates of a public list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import PureDP
from discreet.measure.strategies.draw_law import DrawLaw, keeps
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.files.plain_shapes import Constant, Integer
from discreet.model.files.shape import FRACTION, Entry, Object
from discreet.model.files.strict_json import LARGEST_INTEGER, json_object
from discreet.model.probability import levels_from_splits
from discreet.posterior.point import ChosenPoint, GridPoint, PointPosterior
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, pure_epsilon
from discreet.release_file.networks import NUMBERS, network_entries, network_facts, network_from_entries
from discreet.release_file.tables import SPLITS, check_floor, splits_of

__all__ = ["CANDIDATE_KIND", "GRID_KIND"]

_FLOOR = "Split probabilities were kept in [floor, 1 - floor], a multiple of 2^-32."
_EXPONENT = Entry(FRACTION, "The exponent", "Exponent of the posterior.")
_GRID = Object(
    {"floor": Entry(FRACTION, "The floor", _FLOOR, refusal=NOISE_MISFIT), "exponent": _EXPONENT, "splits": SPLITS},
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


def _write(posterior: PointPosterior) -> dict[str, Any]:
    released: Any = posterior.released
    if isinstance(released, GridPoint):
        splits = {node: [table] for node, table in released.splits.items()}  # one draw
        statistics = _GRID.write({"floor": released.floor, "exponent": released.temper, "splits": splits})
    else:
        chosen = {"candidates": released.candidates, "exponent": released.temper, "tables": posterior.tables}
        statistics = _CANDIDATE.write(chosen)
    return {"rows": released.rows, **network_entries(posterior.network, released.prior), "statistics": statistics}


def _read_grid(entries: Mapping[str, Any], terms: FileTerms) -> PointPosterior:
    network, prior = network_from_entries(entries)
    content = _GRID.read(entries["statistics"], "The statistics")
    law = DrawLaw(check_floor(content["floor"]), content["exponent"])
    drawn = splits_of(content["splits"], network, law.floor)
    single = all(len(table) == 1 for table in drawn.values())
    if not (single and keeps(law, network, prior, PureDP(pure_epsilon(terms)), 1)):
        raise FormatError(NOISE_MISFIT)
    splits = {node: table[0] for node, table in drawn.items()}
    tables = {node: levels_from_splits(table / 2**GRID_BITS) for node, table in splits.items()}
    return PointPosterior(network, tables, GridPoint(splits, law.floor, law.temper, prior, terms.rows))


def _read_candidate(entries: Mapping[str, Any], terms: FileTerms) -> PointPosterior:
    network, prior = network_from_entries(entries)
    content = _CANDIDATE.read(entries["statistics"], "The statistics")
    pure_epsilon(terms)  # what the exponent must be follows from all the candidates, of which the file holds one
    if content["exponent"] > LARGEST_INTEGER:  # no budget makes such an exponent, and no float holds it
        raise FormatError(NOISE_MISFIT)
    tables = json_object(content["tables"], "The tables", network.nodes)
    return PointPosterior(network, tables, ChosenPoint(content["candidates"], content["exponent"], prior, terms.rows))


def _describe(posterior: PointPosterior) -> dict[str, Any]:
    released: Any = posterior.released
    facts = {"rows": released.rows, "network": network_facts(posterior.network), "exponent": f"{float(released.temper):.6g}"}
    if isinstance(released, GridPoint):
        return {**facts, "floor": f"{float(released.floor):.6g}"}
    return {**facts, "candidates": released.candidates}


GRID_KIND = Kind(
    _GRID,
    {"map": ("epsilon",)},
    ("network", "prior"),
    lambda value: isinstance(value, PointPosterior) and isinstance(value.released, GridPoint),
    _write,
    _read_grid,
    _describe,
)
CANDIDATE_KIND = Kind(
    _CANDIDATE,
    {"map-candidates": ("epsilon",), "map-permute-and-flip": ("epsilon",)},
    ("network", "prior"),
    lambda value: isinstance(value, PointPosterior) and isinstance(value.released, ChosenPoint),
    _write,
    _read_candidate,
    _describe,
)
