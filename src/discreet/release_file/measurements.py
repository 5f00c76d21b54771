"""Releases of noisy measurements, whose value is a Dirichlet posterior: all alike but for the shape of their statistics.

A shape says which law of noise its measurements have and how they are repaired; what it cannot say is not written. What is
read must be what the mechanism measures for the guarantee that the file claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import decimal, short
from discreet.inference.own_counts import OwnRecords
from discreet.measure.needs import WIDEST_FAMILY, too_wide
from discreet.measure.published import Published, Repair
from discreet.model.family import empty_cells
from discreet.model.files.plain_shapes import Constant, Integer, Shape, Table, Text
from discreet.model.files.shape import FRACTION, Entry, ListOf, MapOf, Object, Shared
from discreet.model.files.strict_json import LARGEST_INTEGER
from discreet.model.network import Network
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind
from discreet.release_file.networks import (
    family_tables,
    impossible_facts,
    network_entries,
    network_facts,
    network_from_entries,
)

__all__ = [
    "LAPLACE", "LAPLACE_NOISE", "MISFIT", "NOISY", "OWN_COUNTS", "MeasuredShape", "law", "measured_kind", "nodes_of",
    "read_own_counts", "some_nodes", "write_own_counts",
]  # fmt: skip

MISFIT = "The measurements in the release file are not those of its network. Do not rely on it; ask the steward."
NOISY = Integer(-LARGEST_INTEGER + 1, LARGEST_INTEGER - 1)
"""A number with noise."""
LAPLACE = "P(k) proportional to exp(-|k| / scale) on the integers, independent in every number."


def law(name: str, says: str, **entries: Shape) -> Object:
    """The noise, of one law, with its parameters."""
    return Object(entries, constants={"law": Constant(name, NOISE_MISFIT, says)})


LAPLACE_NOISE = Entry(Shared("noise", law("discrete-laplace", LAPLACE, scale=FRACTION)), "The noise")
"""The same Laplace law for every number."""
OWN_COUNTS = Object(
    {
        "rows": Entry(Integer(1), "The number of added records"),
        "tables": Entry(MapOf(Entry(Table(Integer(0), 2), "The table of {}")), "The added records"),
    }
)
"""Records that a holder added to such a release."""


def some_nodes(what: str, says: str = "", least: int = 0) -> Entry:
    """The shape of a list of different nodes; ``nodes_of`` looks whether there are such nodes."""
    return Entry(ListOf(Text(1000), least), what, says, also={"uniqueItems": True})


def nodes_of(names: tuple[str, ...], network: Network) -> tuple[str, ...]:
    """Different nodes of the network, in its order."""
    places = {node: place for place, node in enumerate(network.nodes)}
    found = [places.get(name, -1) for name in names]
    if -1 in found or found != sorted(set(found)):
        raise FormatError(MISFIT)
    return names


@dataclass(frozen=True, slots=True)
class MeasuredShape:
    """How measurements of one law of noise stand in a file."""

    statistics: Object
    """The entry ``statistics``: what ``parts`` gives is written by it, and ``read`` is given what it has read."""
    mechanisms: Mapping[str, tuple[str, ...]]
    """Those that make such measurements, with the names of all their parameters."""
    law: type
    repairs: tuple[Repair, ...]
    parts: Callable[[Published], dict[str, Any]]
    """The entries of the statistics, from what was published."""
    read: Callable[[Mapping[str, Any], Network, FileTerms], Published]
    """What was published, checked against what the file claims, where the shape cannot say it: that tables are those of the
    network, and that the noise is what the guarantee demands."""
    wide: bool = False
    """Whether there may be families that are too wide to be put together from others."""
    noise: str = "scale "
    """Comes before the scale of the noise when it is told to people."""
    further: bool = False
    """Whether mechanisms that no kind lists make such measurements, too: ``read`` then goes by the law of the noise alone."""


def measured_kind(shape: MeasuredShape) -> Kind:
    """The kind of release whose posterior has measurements of this shape."""

    def holds(value: object) -> bool:
        if not isinstance(value, DirichletPosterior) or value.released is None:
            return False
        return not shape.further or _fits(shape, _published(value))  # whose name does not say the kind, whose law does

    def write(posterior: DirichletPosterior) -> dict[str, Any]:
        published = _published(posterior)
        if not _fits(shape, published):
            raise FormatError("The measurements are not those of their mechanism, so they cannot be saved.")
        entries = {
            "rows": published.rows,
            **network_entries(posterior.network, posterior.prior),
            "statistics": shape.statistics.write(shape.parts(published)),
        }
        return {**entries, **_write_learning(published), **write_own_counts(posterior.own)}

    def read(entries: Mapping[str, Any], terms: FileTerms) -> DirichletPosterior:
        network, prior = network_from_entries(entries)
        own = read_own_counts(entries, network)
        published = _read_measurements(shape, entries["statistics"], network, terms)
        return DirichletPosterior(network, prior, _add_learning(published, entries, terms), own)

    def describe(posterior: DirichletPosterior) -> dict[str, Any]:
        published = _published(posterior)
        return {
            "rows": published.rows,
            "own_rows": posterior.own.rows if posterior.own else 0,
            "network": network_facts(posterior.network),
            **impossible_facts(posterior.network),
            **learning_facts(published),
            "prior": str(posterior.prior),
            "noise_scale": decimal(published.scale),
            "noise": f"{shape.noise}{float(published.scale):,.6g} on every released number",
        }

    entries = ("network", "prior")
    return Kind(shape.statistics, shape.mechanisms, entries, holds, write, read, describe, ("own", "learning"), shape.further)


def learning_facts(published: Published) -> dict[str, str]:
    """How the graph came about, where it was learned."""
    if published.learning is None:
        return {}
    return {"graph": f"{published.learning.form}, learned from the same records for {short(published.learning.cost)}"}


def _fits(shape: MeasuredShape, published: Published) -> bool:
    """Whether measurements are of this shape."""
    return published.repair in shape.repairs and all(isinstance(each.law, shape.law) for each in published.measurements)


def _published(posterior: DirichletPosterior) -> Published:
    if not isinstance(posterior.released, Published):
        raise FormatError("What was released is not known to this version, so it cannot be saved. Update discreet.")
    return posterior.released


def _read_measurements(shape: MeasuredShape, content: object, network: Network, terms: FileTerms) -> Published:
    statistics = shape.statistics.read(content, "The statistics")
    if too_wide(network) and not shape.wide:
        raise FormatError(f"Such statistics belong to a network without families of more than {WIDEST_FAMILY} nodes.")
    published = shape.read(statistics, network, terms)
    if published.scale > LARGEST_INTEGER:  # no mechanism makes such noise, and no float holds it
        raise FormatError(NOISE_MISFIT)
    return published


def _write_learning(published: Published) -> dict[str, Any]:
    if published.learning is None:
        return {}
    from discreet.release_file.learning import learning_to_json  # as below

    return {"learning": learning_to_json(published.learning)}


def _add_learning(published: Published, entries: Mapping[str, Any], terms: FileTerms) -> Published:
    """What was published on the way to the graph, which must be what its receipts have paid for."""
    if "learning" not in entries:
        return published
    # The way to a graph is written by shapes of this file's kinds, which are made with what stands here.
    from discreet.release_file.learning import read_learning

    learning = read_learning(entries["learning"], published.network, terms.rows)
    if not published.network.learned or learning.cost != terms.learning:
        raise FormatError(NOISE_MISFIT)
    return replace(published, learning=learning)


def write_own_counts(own: OwnRecords | None) -> dict[str, Any]:
    """The entry of records that a holder added, if any."""
    return {} if own is None else {"own": OWN_COUNTS.write(own)}


def read_own_counts(entries: Mapping[str, Any], network: Network) -> OwnRecords | None:
    """The records that a holder added; None where a file has none."""
    if "own" not in entries:
        return None
    own = OWN_COUNTS.read(entries["own"], "The added records")
    tables = family_tables(own["tables"], network.families, "The added records")
    if any(sum(table.ravel().tolist()) != own["rows"] for table in tables.values()):  # in exact integers: int64 could wrap
        raise FormatError("The added records in the release file do not sum to their number.")
    if any(table[empty_cells(network.family(node))].any() for node, table in tables.items()):
        raise FormatError("The added records in the release file have what its network declares impossible.")
    return OwnRecords(tables, own["rows"])
