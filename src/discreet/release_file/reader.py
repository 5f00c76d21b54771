"""Reading a release file, part by part. Whatever is not exactly as it should be is a FormatError."""

from __future__ import annotations

from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import Caveat, Neighbours
from discreet.model.files.json_parts import json_integer, json_list, json_object, json_text
from discreet.release_file.guarantees import guarantee_from_json, receipts_from_json
from discreet.release_file.kind import Kind, Terms
from discreet.release_file.kinds import is_mechanism, kind_named
from discreet.release_file.writer import FORMAT, VERSION, digest
from discreet.releases import MechanismRecord, Release

__all__ = ["release_from_json"]

_REQUIRED = (
    "format", "version", "software", "guarantee", "neighbours", "mechanism", "caveats", "receipts", "rows", "statistics",
    "digest",
)  # fmt: skip
_LONGEST_TEXT = 2000


def release_from_json(content: object) -> Release[Any]:
    """Check the content of a release file and build the release."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(
            "This is not a release file of discreet: its format entry says otherwise. read_network reads networks."
        )
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise FormatError(f"This release file has another version than {VERSION}. Update discreet to read it.")
    json_object(content, "The release", _REQUIRED, content)
    if content["digest"] != digest(content):
        raise FormatError("The release file was damaged or edited: its digest does not fit. Ask the steward for it again.")
    kind = _kind(content["statistics"])
    entries = json_object(content, "The release", (*_REQUIRED, *kind.entries), kind.optional)
    guarantee = guarantee_from_json(entries["guarantee"])
    mechanism = _mechanism(entries["mechanism"], kind)
    terms = Terms(guarantee, mechanism, json_integer(entries["rows"], "The number of rows", 1))
    return Release(
        kind.read(entries, terms),
        guarantee,
        _neighbours(entries["neighbours"]),
        mechanism,
        tuple(_caveat(item) for item in json_list(entries["caveats"], "The caveats")),
        receipts_from_json(entries["receipts"], guarantee),
        _text(entries["software"], "The software"),
    )


def _kind(content: object) -> Kind:
    return kind_named(content.get("kind") if isinstance(content, dict) else None)


def _mechanism(content: object, kind: Kind) -> MechanismRecord:
    entries = json_object(content, "The mechanism", ("name", "parameters"))
    name = _text(entries["name"], "The mechanism")
    if not is_mechanism(name):
        raise FormatError("The mechanism in the release file is not known to this version. Update discreet to read it.")
    if name not in kind.mechanisms:
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    parameters = json_object(entries["parameters"], "The mechanism", kind.mechanisms[name])
    return MechanismRecord(name, {key: _text(value, "The mechanism") for key, value in parameters.items()})


def _caveat(content: object) -> Caveat:
    entries = json_object(content, "A caveat", ("name", "text"))
    return Caveat(_text(entries["name"], "A caveat"), _text(entries["text"], "A caveat"))


def _neighbours(content: object) -> Neighbours:
    try:
        return Neighbours(content)
    except ValueError:
        raise FormatError("The release file names a notion of neighbouring data that is not known.") from None


def _text(content: object, what: str) -> str:
    return json_text(content, what, _LONGEST_TEXT)
