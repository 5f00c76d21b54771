"""The JSON Schema of release files, from the shapes that read and write them. ``make schema`` writes it to the docs."""

from __future__ import annotations

import json
from typing import Any

from discreet.model.files.linear_file import LINEAR_MODEL
from discreet.model.files.network_file import NETWORK
from discreet.model.files.plain_shapes import Schema, Shape
from discreet.model.files.shape import Entry, Object, Tagged
from discreet.release_file import kinds
from discreet.release_file.document import ROWS, VERSION, common_shape
from discreet.release_file.learning import LEARNING
from discreet.release_file.measurements import OWN_COUNTS
from discreet.release_file.moments import OWN_MOMENTS
from discreet.release_file.networks import PRIOR
from discreet.release_file.units import UNIT

__all__ = ["release_schema", "schema_text"]

_WIDTH = 120
_ABOUT = (
    "A differentially private posterior: what was released, the law of its noise, and all that must be said about it. "
    "Entries depend on the kind of its statistics. Beyond this schema a reader checks that tables fit the network, that "
    "the noise fits the guarantee and that the digest fits the content."
)
_OWN = (
    "Records that a holder of the file added: exact counts of a network or sums of products of a linear model, "
    "protected by nothing."
)
_DIGEST = (
    "SHA-256 of all other entries as JSON with sorted keys, no spaces and ASCII escapes. Finds damage; it is no signature."
)
_PARTS = "The releases that a fused file was made of, each as it was, with its own guarantee, receipts and digest."
_PART: Schema = {"$ref": "#", "not": {"required": ["parts"]}}
_FUSED: Schema = {"properties": {"kind": {"const": kinds.FUSED.name}}}
_PARTS_OF_FUSED: Schema = {
    "if": {"properties": {"statistics": _FUSED}},
    "then": {"required": ["parts"]},
    "else": {"properties": {"parts": False}},
}
_DECLARATIONS: dict[str, Shape] = {
    "network": Entry(NETWORK, says="The public network, in the format of a network file."),
    "model": Entry(LINEAR_MODEL, says="The public declaration of a linear model."),
    "prior": PRIOR,
}
"""What a release may be about, besides what it says of itself. Which of them a file has, its kind says."""


def release_schema() -> Schema:
    """What a release file may hold, in the words of JSON Schema."""
    shared: Schema = {}
    common = common_shape()
    statistics = Tagged("kind", tuple(kind.statistics for kind in kinds.KINDS), "")
    whole = Object({**common.entries, "rows": ROWS, "statistics": statistics}, constants=common.constants).schema(shared)
    properties = {
        **whole["properties"],
        **{name: shape.schema(shared) for name, shape in _DECLARATIONS.items()},
        "unit": UNIT.schema(shared),
        "learning": LEARNING.schema(shared),
        "own": {"description": _OWN, "oneOf": [shape.schema(shared) for shape in (OWN_COUNTS, OWN_MOMENTS)]},
        "parts": {"type": "array", "minItems": 2, "items": _PART, "description": _PARTS},
        "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$", "description": _DIGEST},
    }
    declared = dict.fromkeys(kind.entries for kind in kinds.KINDS)  # each once, in their order
    open_kinds = {"properties": {"kind": {"enum": [kind.name for kind in kinds.KINDS if kind.further]}}}
    listed = {"properties": {"name": {"enum": list(kinds.mechanism_names())}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"discreet release file, version {VERSION}",
        "description": _ABOUT,
        **whole,
        "required": [*whole["required"], "digest"],
        "oneOf": [{"required": list(entries)} for entries in declared],
        "allOf": [_PARTS_OF_FUSED],
        "if": {"properties": {"statistics": open_kinds}},
        "else": {"properties": {"mechanism": listed}},
        "properties": properties,
        "$defs": shared,
    }


def schema_text() -> str:
    """The schema as a file: what fits on a line stands on one."""
    return _lay_out(release_schema(), 0) + "\n"


def _lay_out(value: Any, indent: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if indent + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {_lay_out(each, indent + 2)}" for name, each in value.items()]
    else:
        items = [_lay_out(each, indent + 2) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{' ' * indent}{closing}"
