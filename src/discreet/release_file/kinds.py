"""All kinds of release that this version knows: one line for each."""

from __future__ import annotations

from discreet.errors import FormatError
from discreet.release_file import (
    blocks,
    draws,
    family_counts,
    linear_draws,
    margins,
    maximal_counts,
    moments,
    parities,
    points,
)
from discreet.release_file.kind import Kind

__all__ = ["KINDS", "kind_named", "kind_of", "mechanism_names"]

KINDS: tuple[Kind, ...] = (
    family_counts.KIND,
    maximal_counts.KIND,
    parities.KIND,
    blocks.KIND,
    margins.KIND,
    draws.KIND,
    points.GRID_KIND,
    points.CANDIDATE_KIND,
    moments.KIND,
    linear_draws.KIND,
)


def kind_of(value: object) -> Kind:
    """The kind of a release with this value."""
    for kind in KINDS:
        if kind.holds(value):
            return kind
    raise FormatError("Only a single release whose value is a released posterior can be saved.")


def kind_named(name: object) -> Kind:
    """The kind that a file says it is of."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise FormatError("The statistics are of a kind that is not known to this version. Update discreet.")


def mechanism_names() -> tuple[str, ...]:
    """The mechanisms that this version knows."""
    return tuple(name for kind in KINDS for name in kind.mechanisms)
