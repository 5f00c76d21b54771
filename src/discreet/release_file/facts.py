"""What a release of any kind is, as facts for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import Neighbours
from discreet.model.declaration import kind_of_model
from discreet.release_file.kinds import kind_of
from discreet.releases import Release
from discreet.unit import RECORD

__all__ = ["NEIGHBOURS", "declared_rows", "facts"]

NEIGHBOURS = {
    Neighbours.REPLACE_ONE: "one record is exchanged for any other; the number of records is public",
    Neighbours.REPLACE_PERSON: "one person with all records is exchanged for any other; the number of persons is public",
    Neighbours.REPLACE_ROWS: "so many records of one person are exchanged for others; the number of records is public",
}


def facts(release: Release[Any]) -> Iterator[tuple[str, str]]:
    """Names and what is true of them, the most important first: for the command, and for a release that shows itself."""
    yield "guarantee", str(release.guarantee)
    yield "it means", release.meaning
    if release.guarantee.remark is not None:
        yield "beware", release.guarantee.remark
    yield "neighbours", f"{release.neighbours.value}: {NEIGHBOURS[release.neighbours]}"
    if release.unit != RECORD:
        yield "protects", str(release.unit)
    yield "mechanism", release.mechanism.name
    for name, fact in _describe(release).items():
        yield from _explain("persons" if name == "rows" and release.unit.noun == "person" else name, fact)
    for number, part in enumerate(release.parts, 1):
        yield f"release {number}", _explain_part(part)
    for receipt in release.receipts:
        yield "receipt", str(receipt)
    for caveat in release.caveats:
        yield caveat.label, caveat.text
    yield "software", release.software


def declared_rows(value: object) -> tuple[tuple[str, ...], list[tuple[str, str, str]]]:
    """Headings and rows of the declaration that a posterior is about; none where a value is about no model."""
    model = getattr(value, "model", None)
    kind = kind_of_model(model)
    return ((), []) if kind is None else (kind.headings, kind.rows(model))


def _explain_part(part: Release[Any]) -> str:
    """How many records one of the fused releases has, whom it protects and how well, and how it was made."""
    said = f"{part.value.released.rows:,} {part.unit.noun}s, {part.guarantee}, by {part.mechanism.name}"
    return said if part.unit == RECORD else f"{said}; protects {part.unit}"


def _describe(release: Release[Any]) -> dict[str, Any]:
    try:
        return kind_of(release).describe(release.value)
    except FormatError:  # something that was made of a release, by map or combine
        return {"value": type(release.value).__name__}


def _explain(name: str, fact: Any) -> Iterator[tuple[str, str]]:
    """One fact in words; what says nothing is left out."""
    match name, fact:
        case "own_rows", int():
            if fact:
                yield "own rows", f"{fact:,} (added later, without noise)"
        case "noise_scale", _:  # the same as "noise", for programs
            return
        case _, dict():
            yield name, ", ".join(f"{value:,} {what}" for what, value in fact.items())
        case _, int():
            yield name.replace("_", " "), f"{fact:,}"
        case _:
            yield name.replace("_", " "), str(fact)
