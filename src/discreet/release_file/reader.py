"""Reading a release file, part by part. Whatever is not exactly as it should be is a FormatError."""

from __future__ import annotations

import re
from typing import Any

from discreet.errors import FormatError
from discreet.model.files.json_parts import json_object
from discreet.release_file.common import ROWS, WORD, common_shape
from discreet.release_file.guarantees import check_payment
from discreet.release_file.kind import Kind, Terms
from discreet.release_file.kinds import kind_named, makes, mechanism_names
from discreet.release_file.writer import digest
from discreet.releases import MechanismRecord, Release

__all__ = ["release_from_json"]


def release_from_json(content: object) -> Release[Any]:
    """Check the content of a release file and build the release."""
    common = common_shape()
    given = content if isinstance(content, dict) else {}
    for name, constant in common.constants.items():  # before anything else: other formats have other entries
        constant.read(given.get(name), "The release")
    required = (*common.constants, *common.entries, "rows", "statistics", "digest")
    json_object(given, "The release", required, given)
    if given["digest"] != digest(given):
        raise FormatError("The release file was damaged or edited: its digest does not fit. Ask the steward for it again.")
    kind = _kind(given["statistics"])
    entries = json_object(given, "The release", (*required, *kind.entries), kind.optional)
    said = {name: shape.read(entries[name], "The release") for name, shape in common.entries.items()}
    _check_mechanism(said["mechanism"], kind)
    terms = Terms(said["guarantee"], said["mechanism"], ROWS.read(entries["rows"], "The release"))
    value = kind.read(entries, terms)
    check_payment(said["receipts"], said["guarantee"])
    return Release(value, **said)


def _kind(content: object) -> Kind:
    return kind_named(content.get("kind") if isinstance(content, dict) else None)


def _check_mechanism(mechanism: MechanismRecord, kind: Kind) -> None:
    """It makes releases of this kind, and has the parameters that it has."""
    if not kind.further and mechanism.name not in mechanism_names():
        raise FormatError("The mechanism in the release file is not known to this version. Update discreet to read it.")
    if not makes(mechanism.name, kind):
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    if mechanism.name in kind.mechanisms:
        json_object(mechanism.parameters, "The mechanism", kind.mechanisms[mechanism.name])
    elif not all(re.fullmatch(WORD, word) for word in (mechanism.name, *mechanism.parameters)):
        raise FormatError("The mechanism must have a name, and names of parameters, of small letters, digits and hyphens.")
