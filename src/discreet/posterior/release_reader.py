"""Reading a release file, part by part. Whatever is not exactly as it should be is a FormatError."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.bounds.laplace import laplace_scale
from discreet.errors import FormatError
from discreet.guarantee import Caveat, Neighbours, PureDP, Receipt
from discreet.json_parts import json_list, json_object, json_text
from discreet.model.network import Network
from discreet.model.network_file import network_from_json
from discreet.model.prior import BDeu, Prior, Symmetric, TablePrior
from discreet.posterior.dirichlet import DirichletPosterior, OwnRecords
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.release import MechanismRecord, Release
from discreet.posterior.release_file import FORMAT, VERSION, digest

__all__ = ["release_from_json"]

_REQUIRED = (
    "format", "version", "software", "guarantee", "neighbours", "mechanism", "caveats", "receipts", "rows", "network",
    "prior", "statistics", "digest",
)  # fmt: skip
_LARGEST_COUNT = 2**62
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
    epsilon = _fraction(guarantee["epsilon"], "The guarantee")
    mechanism = _mechanism(entries["mechanism"], epsilon)
    receipts = tuple(_receipt(item) for item in json_list(entries["receipts"], "The receipts"))
    if sum(receipt.guarantee.epsilon for receipt in receipts) != epsilon:
        raise FormatError("The receipts in the release file do not pay for its guarantee. Do not rely on it; ask the steward.")
    rows = _count(entries["rows"], "The number of rows", smallest=1)
    posterior = DirichletPosterior(
        network,
        _prior(entries["prior"], network),
        _statistics(entries["statistics"], network, epsilon, rows),
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


def _statistics(content: object, network: Network, epsilon: Fraction, rows: int) -> NoisyCounts:
    entries = _kind(content, ("kind", "noise", "tables"), "The statistics", "family-counts")
    noise = json_object(entries["noise"], "The noise", ("law", "scale"))
    scale = _fraction(noise["scale"], "The noise")
    if noise["law"] != "discrete-laplace" or scale != laplace_scale(network, epsilon):
        raise FormatError("The noise in the release file does not fit its guarantee. Do not rely on it; ask the steward.")
    return NoisyCounts(_tables(entries["tables"], network, "The statistics", smallest=-_LARGEST_COUNT), scale, rows)


def _own(content: object, network: Network) -> OwnRecords:
    entries = json_object(content, "The added records", ("rows", "tables"))
    rows = _count(entries["rows"], "The number of added records", smallest=1)
    tables = _tables(entries["tables"], network, "The added records", smallest=0)
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


def _tables(content: object, network: Network, what: str, *, smallest: int) -> dict[str, npt.NDArray[np.int64]]:
    entries = json_object(content, what, network.nodes)
    tables = {}
    for family in network.families:
        table = json_list(entries[family.node], what)
        if len(table) != family.configurations or any(type(row) is not list or len(row) != family.levels for row in table):
            raise FormatError(f"The table of {family.node!r} has the wrong shape in the file.")
        if any(type(value) is not int or not smallest <= value < _LARGEST_COUNT for row in table for value in row):
            raise FormatError(f"The table of {family.node!r} holds something that is not a count.")
        tables[family.node] = np.array(table, dtype=np.int64)
    return tables


def _mechanism(content: object, epsilon: Fraction) -> MechanismRecord:
    entries = json_object(content, "The mechanism", ("name", "parameters"))
    if entries["name"] != "laplace":
        raise FormatError("The mechanism in the release file is not known to this version. Update discreet to read it.")
    parameters = json_object(entries["parameters"], "The mechanism", ("epsilon",))
    if _fraction(parameters["epsilon"], "The mechanism") != epsilon:
        raise FormatError("The mechanism in the release file does not fit its guarantee. Do not rely on it; ask the steward.")
    return MechanismRecord("laplace", parameters)


def _caveat(content: object) -> Caveat:
    entries = json_object(content, "A caveat", ("name", "text"))
    return Caveat(_text(entries["name"], "A caveat"), _text(entries["text"], "A caveat"))


def _receipt(content: object) -> Receipt:
    entries = json_object(content, "A receipt", ("dataset", "number", "epsilon", "spent", "cap", "at"))
    cap = None if entries["cap"] is None else _fraction(entries["cap"], "A receipt")
    return Receipt(
        _text(entries["dataset"], "A receipt"),
        _count(entries["number"], "A receipt", smallest=1),
        PureDP(_fraction(entries["epsilon"], "A receipt")),
        _fraction(entries["spent"], "A receipt"),
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


def _count(content: object, what: str, *, smallest: int) -> int:
    if type(content) is not int or not smallest <= content < _LARGEST_COUNT:
        raise FormatError(f"{what} must be a whole number of at least {smallest}.")
    return content


def _fraction(content: object, what: str) -> Fraction:
    text = _text(content, what)
    # As long as those that a ledger can hold, and so as any that was ever charged.
    if not re.fullmatch(r"[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?", text):
        raise FormatError(f"{what} must hold a positive number such as 1/2.")
    return Fraction(text)
