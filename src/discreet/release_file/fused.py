"""Several releases in one file: each as it was, with its own guarantee, receipts and digest, and what follows for all of them.

The noisy numbers stay in the parts. What the file says of all of them together must follow from what the parts say: the number
of records, the guarantee, the receipts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import reduce
from typing import Any

from discreet.errors import BudgetError, FormatError, ModelError
from discreet.guarantee import Guarantee, PureDP, weakest
from discreet.measure.published import Published
from discreet.measure.together import PublishedTogether
from discreet.model.files.plain_shapes import Constant, OneOf
from discreet.model.files.shape import Entry, Object
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.kind import FileTerms, Kind
from discreet.release_file.measurements import read_own_counts, write_own_counts
from discreet.release_file.networks import impossible_facts, network_entries, network_facts, network_from_entries
from discreet.release_file.parts import check_part, check_twice, check_units

__all__ = ["KIND", "MECHANISM", "guarantee_together"]

MECHANISM = "fusion"
"""What made a fused release, in the place of a mechanism."""
_UNLIKE = "The parts of the release file do not fit together: {} Do not rely on it."


class Persons(Enum):
    """Whether a person may have records in several parts."""

    DISJOINT = "disjoint"
    OVERLAPPING = "overlapping"


class Sites(Enum):
    """Whether the same probabilities are behind all parts."""

    ALIKE = "alike"
    DIFFERING = "differing"


_STATISTICS = Object(
    {
        "persons": Entry(
            OneOf.of(Persons),
            "The persons",
            "disjoint: nobody has records in two parts, and the guarantee is the weakest of theirs. overlapping: budgets add.",
        )
    },
    constants={"kind": Constant("fused")},
    optional={
        "sites": Entry(
            OneOf.of(Sites),
            "The sites",
            "alike, as where it is left out: all parts have the same probabilities. differing: each has its own, around "
            "common ones, and the posterior is of these.",
        )
    },
)


def guarantee_together(guarantees: Sequence[Guarantee], *, overlap: bool) -> Guarantee:
    """What everybody has: the sum of the budgets where a person may be in several releases, else the weakest of them.

    Pure budgets come last in the sum: beside others each is converted by itself, which is sharper than their sum would be.
    """
    alone = weakest(guarantees)  # also refuses kinds that have no exact sum
    ordered = sorted(guarantees, key=lambda each: isinstance(each, PureDP))
    return reduce(lambda one, two: one.compose(two), ordered) if overlap else alone


def _together(value: object) -> PublishedTogether | None:
    released = value.released if isinstance(value, DirichletPosterior) else None
    return released if isinstance(released, PublishedTogether) else None


def _write(posterior: DirichletPosterior) -> dict[str, Any]:
    released = _together(posterior)
    if released is None:
        raise FormatError("Only what was put together by fuse can be saved as such.")
    persons = Persons.OVERLAPPING if released.overlap else Persons.DISJOINT
    return {
        "rows": released.rows,
        **network_entries(posterior.network, posterior.prior),
        "statistics": _STATISTICS.write({"persons": persons, **({"sites": Sites.DIFFERING} if released.sites_differ else {})}),
        **write_own_counts(posterior.own),
    }


def _read(entries: Mapping[str, Any], terms: FileTerms) -> DirichletPosterior:
    network, prior = network_from_entries(entries)
    said = _STATISTICS.read(entries["statistics"], "The statistics")
    overlap, sites_differ = said["persons"] is Persons.OVERLAPPING, said.get("sites") is Sites.DIFFERING
    parts = terms.parts
    if len(parts) < 2 or terms.mechanism.parameters["releases"] != str(len(parts)):
        raise FormatError("The release file does not have the parts that it says it was fused from.")
    try:
        for number, part in enumerate(parts, 1):
            check_part(part, number)
        check_units(parts)
        check_twice(parts)
        promised = guarantee_together([each.unit.protect_one(each.guarantee) for each in parts], overlap=overlap)
        published: list[Published] = [each.value.released for each in parts]
        released = PublishedTogether(network, tuple(published), overlap, sites_differ)
    except (ModelError, BudgetError) as error:
        raise FormatError(_UNLIKE.format(error)) from None
    if promised != terms.guarantee or released.rows != terms.rows:
        raise FormatError(_UNLIKE.format("its guarantee or its number of records is another than follows from them."))
    return DirichletPosterior(network, prior, released, read_own_counts(entries, network))


def _describe(posterior: DirichletPosterior) -> dict[str, Any]:
    released = _together(posterior)
    together = "may be in several of them" if released is not None and released.overlap else "are in one of them each"
    return {
        "rows": 0 if released is None else released.rows,
        "own_rows": posterior.own.rows if posterior.own else 0,
        "releases": 0 if released is None else len(released.parts),
        "persons": together,
        **({"sites": "differ: the posterior is of what they have in common"} if released and released.sites_differ else {}),
        "network": network_facts(posterior.network),
        **impossible_facts(posterior.network),
        "prior": str(posterior.prior),
    }


KIND = Kind(
    _STATISTICS,
    {MECHANISM: ("releases",)},
    ("network", "prior"),
    lambda value: _together(value) is not None,
    _write,
    _read,
    _describe,
    ("own", "parts"),
)
