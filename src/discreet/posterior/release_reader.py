"""Reading a release file, part by part. Whatever is not exactly as it should be is a FormatError."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.bounds.laplace import laplace_scale
from discreet.errors import FormatError
from discreet.guarantee import Caveat, Neighbours, PureDP, Receipt
from discreet.model.network import Network
from discreet.model.network_file import network_from_json
from discreet.model.prior import BDeu, Prior, Symmetric, TablePrior
from discreet.posterior.dirichlet import DirichletPosterior, OwnRecords
from discreet.posterior.noisy_counts import NoisyCounts
from discreet.posterior.release import MechanismRecord, Release
from discreet.posterior.release_file import FORMAT, VERSION, digest

__all__ = ["release_from_json"]

_REQUIRED = {
    "format", "version", "software", "guarantee", "neighbours", "mechanism", "caveats", "receipts", "rows", "network",
    "prior", "statistics", "digest",
}  # fmt: skip
_LARGEST_COUNT = 2**62


def release_from_json(content: object) -> Release[DirichletPosterior]:
    """Check the content of a release file and build the release."""
    entries = _object(content, "the file")
    if entries.get("format") != FORMAT:
        raise FormatError("This is not a release file of discreet: its format entry says otherwise.")
    if type(entries.get("version")) is not int or entries["version"] != VERSION:
        raise FormatError(f"This release file has another version than {VERSION}. Update discreet to read it.")
    _keys(entries, _REQUIRED, {"own"}, "the file")
    if entries["digest"] != digest(entries):
        raise FormatError("The release file was damaged or edited: its digest does not fit. Ask the steward for it again.")
    network = network_from_json(entries["network"])
    guarantee = _kind(entries["guarantee"], {"kind", "epsilon"}, "the guarantee", "pure")
    epsilon = _fraction(guarantee["epsilon"], "the guarantee")
    mechanism = _mechanism(entries["mechanism"], epsilon)
    receipts = tuple(_receipt(item) for item in _list(entries["receipts"], "receipts"))
    if sum(receipt.guarantee.epsilon for receipt in receipts) != epsilon:
        raise FormatError("The receipts in the release file do not pay for its guarantee. Do not rely on it; ask the steward.")
    rows = _count(entries["rows"], "rows", smallest=1)
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
        tuple(_caveat(item) for item in _list(entries["caveats"], "caveats")),
        receipts,
        _text(entries["software"], "software"),
    )


def _statistics(content: object, network: Network, epsilon: Fraction, rows: int) -> NoisyCounts:
    entries = _kind(content, {"kind", "noise", "tables"}, "statistics", "family-counts")
    noise = _object(entries["noise"], "the noise")
    _keys(noise, {"law", "scale"}, set(), "the noise")
    scale = _fraction(noise["scale"], "the noise")
    if noise["law"] != "discrete-laplace" or scale != laplace_scale(network, epsilon):
        raise FormatError("The noise in the release file does not fit its guarantee. Do not rely on it; ask the steward.")
    return NoisyCounts(_tables(entries["tables"], network, "statistics", smallest=-_LARGEST_COUNT), scale, rows)


def _own(content: object, network: Network) -> OwnRecords:
    entries = _object(content, "own")
    _keys(entries, {"rows", "tables"}, set(), "own")
    rows = _count(entries["rows"], "own rows", smallest=1)
    tables = _tables(entries["tables"], network, "own", smallest=0)
    if any(sum(table.ravel().tolist()) != rows for table in tables.values()):  # in exact integers: int64 could wrap
        raise FormatError("The added records in the release file do not sum to their number.")
    return OwnRecords(tables, rows)


def _prior(content: object, network: Network) -> Prior:
    entries = _object(content, "the prior")
    match entries:
        case {"kind": "symmetric", "weight": float() as weight} if len(entries) == 2:
            return Symmetric(weight)
        case {"kind": "bdeu", "sample_size": float() as size} if len(entries) == 2:
            return BDeu(size)
        case {"kind": "tables", "tables": dict() as tables} if len(entries) == 2:
            _keys(tables, set(network.nodes), set(), "the prior's tables")
            if all(_is_numeric(table) for table in tables.values()):
                return TablePrior(network, tables)
    raise FormatError("The prior in the release file is not one that is known.")


def _is_numeric(table: object) -> bool:
    """Whether this is a list of lists of numbers; NumPy would also read numbers out of texts."""
    return isinstance(table, list) and all(
        isinstance(row, list) and all(type(value) in (int, float) for value in row) for row in table
    )


def _tables(content: object, network: Network, where: str, *, smallest: int) -> dict[str, npt.NDArray[np.int64]]:
    entries = _object(content, f"the tables of {where}")
    _keys(entries, set(network.nodes), set(), f"the tables of {where}")
    tables = {}
    for family in network.families:
        table = _list(entries[family.node], f"a table of {where}")
        if len(table) != family.configurations or any(type(row) is not list or len(row) != family.levels for row in table):
            raise FormatError(f"The table of {family.node!r} in {where} has the wrong shape.")
        if any(type(value) is not int or not smallest <= value < _LARGEST_COUNT for row in table for value in row):
            raise FormatError(f"The table of {family.node!r} in {where} holds something that is not a count.")
        tables[family.node] = np.array(table, dtype=np.int64)
    return tables


def _mechanism(content: object, epsilon: Fraction) -> MechanismRecord:
    entries = _object(content, "the mechanism")
    _keys(entries, {"name", "parameters"}, set(), "the mechanism")
    parameters = _object(entries["parameters"], "the mechanism's parameters")
    named = {key: _text(value, "the mechanism's parameters") for key, value in parameters.items()}
    if entries["name"] != "laplace":
        raise FormatError("The mechanism in the release file is not known to this version. Update discreet to read it.")
    if set(named) != {"epsilon"} or _fraction(named["epsilon"], "the mechanism") != epsilon:
        raise FormatError("The mechanism in the release file does not fit its guarantee. Do not rely on it; ask the steward.")
    return MechanismRecord("laplace", named)


def _caveat(content: object) -> Caveat:
    entries = _object(content, "a caveat")
    _keys(entries, {"name", "text"}, set(), "a caveat")
    return Caveat(_text(entries["name"], "a caveat"), _text(entries["text"], "a caveat"))


def _receipt(content: object) -> Receipt:
    entries = _object(content, "a receipt")
    _keys(entries, {"dataset", "number", "epsilon", "spent", "cap", "at"}, set(), "a receipt")
    cap = None if entries["cap"] is None else _fraction(entries["cap"], "a receipt")
    return Receipt(
        _text(entries["dataset"], "a receipt"),
        _count(entries["number"], "a receipt", smallest=1),
        PureDP(_fraction(entries["epsilon"], "a receipt")),
        _fraction(entries["spent"], "a receipt"),
        cap,
        _text(entries["at"], "a receipt"),
    )


def _neighbours(content: object) -> Neighbours:
    try:
        return Neighbours(content)
    except ValueError:
        raise FormatError("The release file names a notion of neighbouring data that is not known.") from None


def _kind(content: object, keys: set[str], where: str, kind: str) -> Mapping[str, Any]:
    entries = _object(content, where)
    _keys(entries, keys, set(), where)
    if entries["kind"] != kind:
        raise FormatError(f"The kind of {where} in the release file is not known to this version. Update discreet.")
    return entries


def _object(content: object, where: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise FormatError(f"Release file: {where} must be an object.")
    return content


def _list(content: object, where: str) -> list[Any]:
    if not isinstance(content, list):
        raise FormatError(f"Release file: {where} must be a list.")
    return content


def _text(content: object, where: str) -> str:
    if not isinstance(content, str) or len(content) > 2000:
        raise FormatError(f"Release file: {where} must hold text of at most 2000 characters.")
    return content


def _count(content: object, where: str, *, smallest: int) -> int:
    if type(content) is not int or not smallest <= content < _LARGEST_COUNT:
        raise FormatError(f"Release file: {where} must be a whole number of at least {smallest}.")
    return content


def _fraction(content: object, where: str) -> Fraction:
    text = _text(content, where)
    # As long as those that a ledger can hold, and so as any that was ever charged.
    if not re.fullmatch(r"[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?", text):
        raise FormatError(f"Release file: {where} must hold a positive number such as 1/2.")
    return Fraction(text)


def _keys(entries: Mapping[str, Any], required: set[str], optional: set[str], where: str) -> None:
    if not required <= set(entries) <= required | optional:
        raise FormatError(f"Release file: {where} has missing or unknown entries.")
