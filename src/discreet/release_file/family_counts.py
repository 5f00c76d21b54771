"""Counts of families with Laplace noise in a release file: of all families alike, or of the maximal ones by shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import FormatError
from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, fill
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.laplace import family_measurements, maximal_measurements
from discreet.model.files.plain_shapes import Constant, Integer, Table, Truth
from discreet.model.files.shape import FRACTION, Entry, MapOf, Object, Shared
from discreet.model.files.strict_json import LARGEST_INTEGER, json_object
from discreet.model.network import Network
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, pure_epsilon
from discreet.release_file.measurements import LAPLACE, LAPLACE_NOISE, MeasuredShape, law, measured_kind
from discreet.release_file.networks import family_tables

__all__ = ["FAMILY_KIND", "MAXIMAL_KIND"]

_COUNTS = Shared("counts", MapOf(Entry(Table(Integer(-LARGEST_INTEGER), 2), "The table of {}")))
_ROWS = "node -> rows (parent configurations, first parent slowest) of levels."
_SCALES = (
    "Node -> scale of the noise on each count of its table; 2 over the scale is the table's share of epsilon, and the "
    "shares sum to epsilon."
)
_FAMILY = Object(
    {
        "noise": LAPLACE_NOISE,
        "tables": Entry(_COUNTS, "The statistics", f"Noisy counts before clamping: {_ROWS}"),
    },
    constants={"kind": Constant("family-counts")},
)
_MAXIMAL = Object(
    {
        "noise": Entry(law("discrete-laplace", LAPLACE, scales=Entry(MapOf(FRACTION, least=1), says=_SCALES)), "The noise"),
        "tables": Entry(_COUNTS, "The statistics", f"Noisy counts of the families that no other family contains: {_ROWS}"),
        "consistent": Entry(
            Truth(),
            says="Whether the tables are to be fused by least squares into tables that agree and are not negative.",
            refusal="The statistics must say whether they are consistent: true or false.",
        ),
    },
    constants={"kind": Constant("maximal-counts")},
)


def _tables(published: Published) -> dict[str, Any]:
    """The table of each family, configurations x levels, by its node."""
    families = ((each, published.network.family(each.nodes[-1])) for each in published.measurements)
    return {family.node: each.published.reshape(-1, family.levels) for each, family in families}


def _fill(measurements: tuple[Measurement, ...], tables: dict[str, list[Any]], network: Network) -> tuple[Measurement, ...]:
    """The measurements of some families, with the numbers of these families and no others."""
    families = tuple(network.family(each.nodes[-1]) for each in measurements)
    found = family_tables(tables, families, "The statistics")
    return fill(measurements, [found[family.node].reshape(family.shape) for family in families])


def _family_parts(published: Published) -> dict[str, Any]:
    return {"noise": {"scale": published.scale}, "tables": _tables(published)}


def _read_families(statistics: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    measurements = family_measurements(network, pure_epsilon(terms))
    if any(each.law.scale != statistics["noise"]["scale"] for each in measurements):
        raise FormatError(NOISE_MISFIT)
    return Published(network, _fill(measurements, statistics["tables"], network), terms.rows, Repair.CLAMP)


def _maximal_parts(published: Published) -> dict[str, Any]:
    return {
        "noise": {"scales": {each.nodes[-1]: each.law.scale for each in published.measurements}},
        "tables": _tables(published),
        "consistent": published.repair is Repair.PROJECT,
    }


def _read_maximal(statistics: Mapping[str, Any], network: Network, terms: FileTerms) -> Published:
    measurements = maximal_measurements(network, pure_epsilon(terms))
    demanded = {each.nodes[-1]: each.law.scale for each in measurements}
    scales = json_object(statistics["noise"]["scales"], "The noise", demanded)
    # One record moves a table by at most 2, so each table cost 2 / scale: in sum what was paid, whoever split it. The best
    # split follows from the network in integers, the same on every machine: any other is not the mechanism's.
    if sum(2 / scale for scale in scales.values()) != pure_epsilon(terms) or scales != demanded:
        raise FormatError(NOISE_MISFIT)
    if terms.mechanism.name != ("laplace-consistent" if statistics["consistent"] else "laplace-maximal"):
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    repair = Repair.PROJECT if statistics["consistent"] else Repair.CLAMP
    return Published(network, _fill(measurements, statistics["tables"], network), terms.rows, repair)


FAMILY_KIND = measured_kind(
    MeasuredShape(_FAMILY, {"laplace": ("epsilon",)}, LaplaceNoise, (Repair.CLAMP,), _family_parts, _read_families, wide=True)
)
MAXIMAL_KIND = measured_kind(
    MeasuredShape(
        _MAXIMAL,
        {"laplace-maximal": ("epsilon",), "laplace-consistent": ("epsilon",)},
        LaplaceNoise,
        (Repair.PROJECT, Repair.CLAMP),
        _maximal_parts,
        _read_maximal,
        noise="scale at most ",
    )
)
