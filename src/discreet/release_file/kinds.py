"""All kinds of release that this version knows, one line for each; and what a release of any kind is, as facts for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import Neighbours
from discreet.model.declaration import kind_of_model
from discreet.release_file import blocks, family_counts, linear_draws, margins, moments, parities, points
from discreet.release_file.kind import Kind
from discreet.releases import Release

__all__ = ["KINDS", "declared_rows", "facts", "kind_named", "kind_of", "makes", "mechanism_names"]

KINDS: tuple[Kind, ...] = (
    family_counts.FAMILY_KIND,
    family_counts.MAXIMAL_KIND,
    parities.KIND,
    blocks.KIND,
    margins.GAUSSIAN_KIND,
    margins.LAPLACE_KIND,
    points.DRAWS_KIND,
    points.GRID_KIND,
    points.CANDIDATE_KIND,
    moments.KIND,
    linear_draws.KIND,
)
_NEIGHBOURS = {Neighbours.REPLACE_ONE: "one record is exchanged for any other; the number of records is public"}


def kind_of(release: Release[Any]) -> Kind:
    """The kind of a release: of its mechanism, and of its value."""
    name = release.mechanism.name
    for kind in KINDS:
        if makes(name, kind) and kind.holds(release.value):
            return kind
    raise FormatError(
        "Only a single release whose value is a released posterior can be saved; of a mechanism that no kind of file lists, "
        "only counts with Laplace or Gaussian noise, or blocks with K-norm noise, repaired by projection."
    )


def makes(name: str, kind: Kind) -> bool:
    """Whether a mechanism of this name makes releases of this kind: one that it lists, or one that none lists."""
    return name in kind.mechanisms or (kind.further and name not in mechanism_names())


def kind_named(name: object) -> Kind:
    """The kind that a file says it is of."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise FormatError("The statistics are of a kind that is not known to this version. Update discreet.")


def mechanism_names() -> tuple[str, ...]:
    """The mechanisms that kinds list."""
    return tuple(name for kind in KINDS for name in kind.mechanisms)


def facts(release: Release[Any]) -> Iterator[tuple[str, str]]:
    """Names and what is true of them, the most important first: for the command, and for a release that shows itself."""
    yield "guarantee", str(release.guarantee)
    yield "it means", release.guarantee.meaning
    if release.guarantee.remark is not None:
        yield "beware", release.guarantee.remark
    yield "neighbours", f"{release.neighbours.value}: {_NEIGHBOURS[release.neighbours]}"
    yield "mechanism", release.mechanism.name
    for name, fact in _describe(release).items():
        yield from _explain(name, fact)
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
