"""All kinds of release that this version knows, one line for each."""

from __future__ import annotations

from typing import Any

from discreet.errors import FormatError
from discreet.release_file import (
    blocks,
    family_counts,
    fused,
    linear_draws,
    margins,
    moments,
    pairs,
    parities,
    picks,
    points,
)
from discreet.release_file.kind import Kind
from discreet.releases import Release

__all__ = ["FUSED", "KINDS", "kind_named", "kind_of", "makes", "mechanism_names"]

FUSED = fused.KIND
"""The kind whose files hold other releases."""
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
    pairs.KIND,
    picks.KIND,
    FUSED,
)


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
