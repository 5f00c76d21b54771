"""Reading a release file, part by part. Whatever is not exactly as it should be is a FormatError."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import Caveat, Neighbours, PureDP, Receipt
from discreet.json_parts import json_list, json_object, json_text
from discreet.model.network import Network
from discreet.model.network_file import network_from_json
from discreet.model.prior import BDeu, Prior, Symmetric, TablePrior
from discreet.posterior.dirichlet import DirichletPosterior, OwnRecords
from discreet.posterior.fused_counts import FusedCounts
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.release import MechanismRecord, Release
from discreet.posterior.release_file import FORMAT, VERSION, digest
from discreet.posterior.statistics_file import (
    Statistics,
    counts_from_json,
    fraction_from_json,
    integer_from_json,
    statistics_from_json,
)

__all__ = ["release_from_json"]

_REQUIRED = (
    "format", "version", "software", "guarantee", "neighbours", "mechanism", "caveats", "receipts", "rows", "network",
    "prior", "statistics", "digest",
)  # fmt: skip
_LONGEST_TEXT = 2000


def release_from_json(content: object) -> Release[DirichletPosterior]:
    """Check the content of a release file and build the release."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError("This is not a release file of discreet: its format entry says otherwise.")
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise FormatError(f"This release file has another version than {VERSION}. Update discreet to read it.")
    entries = json_object(content, "The release", _REQUIRED, {"own"})
    if entries["digest"] != digest(entries):
        raise FormatError("The release file was damaged or edited: its digest does not fit. Ask the steward for it again.")
    network = network_from_json(entries["network"])
    guarantee = _kind(entries["guarantee"], ("kind", "epsilon"), "The guarantee", "pure")
    epsilon = fraction_from_json(guarantee["epsilon"], "The guarantee")
    mechanism = _mechanism(entries["mechanism"], epsilon)
    receipts = tuple(_receipt(item) for item in json_list(entries["receipts"], "The receipts"))
    if sum(receipt.guarantee.epsilon for receipt in receipts) != epsilon:
        raise FormatError("The receipts in the release file do not pay for its guarantee. Do not rely on it; ask the steward.")
    rows = integer_from_json(entries["rows"], "The number of rows", 1)
    released = statistics_from_json(entries["statistics"], network, epsilon, rows)
    if _made_by(released) != mechanism.name:
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    posterior = DirichletPosterior(
        network,
        _prior(entries["prior"], network),
        released,
        _own(entries["own"], network) if "own" in entries else None,
    )
    return Release(
        posterior,
        PureDP(epsilon),
        _neighbours(entries["neighbours"]),
        mechanism,
        tuple(_caveat(item) for item in json_list(entries["caveats"], "The caveats")),
        receipts,
        _text(entries["software"], "The software"),
    )


def _own(content: object, network: Network) -> OwnRecords:
    entries = json_object(content, "The added records", ("rows", "tables"))
    rows = integer_from_json(entries["rows"], "The number of added records", 1)
    tables = counts_from_json(entries["tables"], network.families, "The added records", 0)
    if any(sum(table.ravel().tolist()) != rows for table in tables.values()):  # in exact integers: int64 could wrap
        raise FormatError("The added records in the release file do not sum to their number.")
    return OwnRecords(tables, rows)


def _prior(content: object, network: Network) -> Prior:
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


_PARAMETERS = {
    "laplace": ("epsilon",),
    "laplace-maximal": ("epsilon",),
    "laplace-consistent": ("epsilon",),
    "fourier": ("epsilon", "stealth", "repair", "weights"),
}


def _made_by(released: Statistics) -> str:
    """The name of the mechanism that makes such statistics."""
    if isinstance(released, FusedCounts):
        return "laplace-consistent" if released.consistent else "laplace-maximal"
    return "laplace" if isinstance(released, NoisyCounts) else "fourier"


def _mechanism(content: object, epsilon: Fraction) -> MechanismRecord:
    entries = json_object(content, "The mechanism", ("name", "parameters"))
    name = _text(entries["name"], "The mechanism")
    if name not in _PARAMETERS:
        raise FormatError("The mechanism in the release file is not known to this version. Update discreet to read it.")
    parameters = json_object(entries["parameters"], "The mechanism", _PARAMETERS[name])
    named = {key: _text(value, "The mechanism") for key, value in parameters.items()}
    if fraction_from_json(named["epsilon"], "The mechanism") != epsilon:
        raise FormatError("The mechanism in the release file does not fit its guarantee. Do not rely on it; ask the steward.")
    return MechanismRecord(name, named)


def _caveat(content: object) -> Caveat:
    entries = json_object(content, "A caveat", ("name", "text"))
    return Caveat(_text(entries["name"], "A caveat"), _text(entries["text"], "A caveat"))


def _receipt(content: object) -> Receipt:
    entries = json_object(content, "A receipt", ("dataset", "number", "epsilon", "spent", "cap", "at"))
    cap = None if entries["cap"] is None else fraction_from_json(entries["cap"], "A receipt")
    return Receipt(
        _text(entries["dataset"], "A receipt"),
        integer_from_json(entries["number"], "A receipt", 1),
        PureDP(fraction_from_json(entries["epsilon"], "A receipt")),
        fraction_from_json(entries["spent"], "A receipt"),
        cap,
        _text(entries["at"], "A receipt"),
    )


def _neighbours(content: object) -> Neighbours:
    try:
        return Neighbours(content)
    except ValueError:
        raise FormatError("The release file names a notion of neighbouring data that is not known.") from None


def _kind(content: object, keys: tuple[str, ...], what: str, kind: str) -> dict[str, Any]:
    entries = json_object(content, what, keys)
    if entries["kind"] != kind:
        raise FormatError(f"{what} is of a kind that is not known to this version. Update discreet.")
    return entries


def _text(content: object, what: str) -> str:
    return json_text(content, what, _LONGEST_TEXT)
