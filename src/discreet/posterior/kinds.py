"""All kinds of release that this version knows: one line for each."""

from __future__ import annotations

from discreet.errors import FormatError
from discreet.posterior import (
    blocks_file,
    draws_file,
    family_counts_file,
    margins_file,
    maximal_counts_file,
    moments_file,
    parities_file,
    point_file,
    regression_draws_file,
)
from discreet.posterior.kind import Kind

__all__ = ["KINDS", "is_mechanism", "kind_named", "kind_of"]

KINDS: tuple[Kind, ...] = (
    family_counts_file.KIND,
    maximal_counts_file.KIND,
    parities_file.KIND,
    blocks_file.KIND,
    margins_file.KIND,
    draws_file.KIND,
    point_file.GRID_KIND,
    point_file.CANDIDATE_KIND,
    moments_file.KIND,
    regression_draws_file.KIND,
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


def is_mechanism(name: str) -> bool:
    """Whether this version knows a mechanism by this name."""
    return any(name in kind.mechanisms for kind in KINDS)
