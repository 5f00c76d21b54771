"""The file of a learned graph: what a release goes on from, perhaps on another day. JSON, checked like a release file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.errors import FormatError, ModelError
from discreet.learned import Learned
from discreet.measure.learning import Learning
from discreet.measure.published_pairs import PublishedPairs
from discreet.model.files.network_file import network_from_json, network_to_json
from discreet.model.files.plain_shapes import Constant
from discreet.model.files.shape import Object
from discreet.model.files.strict_json import json_object, parse_json, read_limited
from discreet.model.network import Network
from discreet.output_file import write_atomically
from discreet.release_file.document import ROWS, common_shape, digest
from discreet.release_file.kind import NOISE_MISFIT
from discreet.release_file.learning import learning_to_json, read_learning
from discreet.release_file.networks import NUMBERS
from discreet.release_file.payment import compose
from discreet.release_file.picks import read_picks
from discreet.release_file.units import guarantee_for_one, read_unit, unit_to_json

__all__ = ["FORMAT", "is_learned_file", "learned_text", "read_learned", "save_learned"]

FORMAT = "discreet-learned"
_NOT_ONE = "This is not the file of a learned graph: its format entry says otherwise. discreet.load reads releases."
_PARTS = ("software", "guarantee", "neighbours", "caveats", "receipts")
"""What such a file says as every release does."""


def _shape() -> Object:
    entries = common_shape().entries
    constants = {
        "format": Constant(FORMAT, _NOT_ONE),
        "version": Constant(1, "The file has another version. Update discreet."),
    }
    return Object({name: entries[name] for name in _PARTS}, constants=constants)


def learned_text(learned: Learned) -> bytes:
    """What the file of a learned graph holds. What could not be read again is refused here."""
    said = {name: getattr(learned, name) for name in _PARTS if name != "neighbours"}
    content = {
        **_shape().write({**said, "neighbours": learned.unit.neighbours}),
        **unit_to_json(learned.unit),
        "rows": learned.rows,
        "network": network_to_json(learned.network),
        "learning": learning_to_json(learned.learning),
    }
    if learned.pairs is not None:
        content["concentrations"] = NUMBERS.write(learned.pairs.concentrations)
    whole = {**content, "digest": digest(content)}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in whole.items()]
    try:
        text = ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")
    except UnicodeError:
        raise FormatError("A name in the learned graph is not valid Unicode text.") from None
    _from_json(parse_json(text))
    return text


def save_learned(learned: Learned, path: Path, *, overwrite: bool = False) -> None:
    """Write the file so that readers see the whole of it or none."""
    write_atomically(path, learned_text(learned), overwrite=overwrite)


def is_learned_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says that it holds a learned graph; one that cannot be read says nothing."""
    try:
        content = parse_json(read_limited(path))
    except FormatError:
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def read_learned(path: str | os.PathLike[str]) -> Learned:
    """Read the file of a learned graph and check every part of it; ``release`` goes on from what it gives."""
    try:
        return _from_json(parse_json(read_limited(path)))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    except ModelError as error:
        raise FormatError(f"{path}: the file describes an impossible model: {error}") from None


def _from_json(content: Any) -> Learned:
    shape = _shape()
    given = content if isinstance(content, dict) else {}
    for name, constant in shape.constants.items():
        constant.read(given.get(name), "The file")
    required = (*shape.constants, *shape.entries, "rows", "network", "learning", "digest")
    entries = json_object(given, "The file", required, ("unit", "concentrations"))
    if given["digest"] != digest(given):
        raise FormatError("The file was damaged or edited: its digest does not fit. Ask the steward for it again.")
    said = {name: each.read(entries[name], "The file") for name, each in shape.entries.items()}
    unit = read_unit(entries, said.pop("neighbours"))
    network = network_from_json(entries["network"])
    rows = ROWS.read(entries["rows"], "The file")
    learning = read_learning(entries["learning"], network, rows)
    paid = compose(said["receipts"])
    if not network.learned or paid != said["guarantee"] or learning.cost != guarantee_for_one(paid, unit):
        raise FormatError(NOISE_MISFIT)
    return Learned(network, learning, rows, unit=unit, pairs=_read_grown(entries, network, learning, rows), **said)


def _read_grown(entries: Mapping[str, Any], network: Network, learning: Learning, rows: int) -> PublishedPairs | None:
    """What was fitted to pairs, where a graph was grown from them: where all were measured, or some were picked."""
    measured = next((stage.pairs for stage in learning.stages if stage.pairs is not None), None)
    if "concentrations" not in entries:
        if measured is not None:
            raise FormatError(NOISE_MISFIT)
        return None
    said = NUMBERS.read(entries["concentrations"], "The fitted tables")
    tables = {node: np.array(table, dtype=np.float64) for node, table in said.items()}
    if measured is None:
        return read_picks(learning, network, rows, tables)
    if {node: each.shape for node, each in tables.items()} != {f.node: (f.configurations, f.levels) for f in network.families}:
        raise FormatError("The fitted tables in the file are not those of its network.")
    return PublishedPairs(measured, tables)
