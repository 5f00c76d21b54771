"""Releases whose value is a Dirichlet posterior: all alike but for the statistics that got noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from discreet.errors import FormatError
from discreet.guarantee import decimal
from discreet.json_parts import LARGEST_INTEGER, json_integer, json_object
from discreet.model.network import Network
from discreet.posterior.dirichlet import DirichletPosterior, OwnRecords, Statistics
from discreet.posterior.kind import NOISE_MISFIT, Kind, Terms
from discreet.posterior.network_entries import network_entries, network_facts, network_from_entries
from discreet.posterior.tables_file import counts_from_json, lists

__all__ = ["dirichlet_kind"]

S = TypeVar("S", bound=Statistics)


def dirichlet_kind(
    name: str,
    mechanisms: Mapping[str, tuple[str, ...]],
    released: type[S],
    write: Callable[[S], dict[str, Any]],
    read: Callable[[object, Network, Terms], S],
    noise: str = "scale ",
) -> Kind:
    """The kind of release whose posterior has such statistics.

    ``write`` makes the entry ``statistics`` without its kind, ``read`` checks the whole entry. ``noise`` comes before the
    scale of the noise when it is told to people, such as "scale at most ".
    """

    def holds(value: object) -> bool:
        return isinstance(value, DirichletPosterior) and type(value.released) is released

    def written(posterior: DirichletPosterior) -> dict[str, Any]:
        statistics: Any = posterior.released
        entries = {
            "rows": statistics.rows,
            **network_entries(posterior.network, posterior.prior),
            "statistics": {"kind": name, **write(statistics)},
        }
        if posterior.own is not None:
            entries["own"] = {"rows": posterior.own.rows, "tables": lists(posterior.own.tables)}
        return entries

    def from_entries(entries: Mapping[str, Any], terms: Terms) -> DirichletPosterior:
        network, prior = network_from_entries(entries)
        own = _own(entries["own"], network) if "own" in entries else None
        statistics = read(entries["statistics"], network, terms)
        if statistics.scale > LARGEST_INTEGER:  # no mechanism makes such noise, and no float holds it
            raise FormatError(NOISE_MISFIT)
        return DirichletPosterior(network, prior, statistics, own)

    def describe(posterior: DirichletPosterior) -> dict[str, Any]:
        statistics: Any = posterior.released
        return {
            "rows": statistics.rows,
            "own_rows": posterior.own.rows if posterior.own else 0,
            "network": network_facts(posterior.network),
            "noise_scale": decimal(statistics.scale),
            "noise": f"{noise}{float(statistics.scale):,.6g} on every released number",
        }

    return Kind(name, mechanisms, ("network", "prior"), holds, written, from_entries, describe, ("own",))


def _own(content: object, network: Network) -> OwnRecords:
    entries = json_object(content, "The added records", ("rows", "tables"))
    rows = json_integer(entries["rows"], "The number of added records", 1)
    tables = counts_from_json(entries["tables"], network.families, "The added records", 0)
    if any(sum(table.ravel().tolist()) != rows for table in tables.values()):  # in exact integers: int64 could wrap
        raise FormatError("The added records in the release file do not sum to their number.")
    return OwnRecords(tables, rows)
