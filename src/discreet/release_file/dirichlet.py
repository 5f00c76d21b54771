"""Releases whose value is a Dirichlet posterior: all alike but for the shape of their measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import decimal
from discreet.inference.own_counts import OwnRecords
from discreet.measure.published import Published
from discreet.model.files.strict_json import json_integer, json_object
from discreet.model.network import Network
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.kind import FileTerms, Kind
from discreet.release_file.measurements import MeasuredShape, fits, read_measurements, write_measurements
from discreet.release_file.networks import network_entries, network_facts, network_from_entries
from discreet.release_file.noisy_statistics import NOISY_STATISTICS
from discreet.release_file.tables import counts_from_json, lists

__all__ = ["measured_kind"]


def measured_kind(shape: MeasuredShape) -> Kind:
    """The kind of release whose posterior has measurements of this shape."""

    def holds(value: object) -> bool:
        if not isinstance(value, DirichletPosterior) or value.released is None:
            return False
        return not shape.further or fits(shape, _published(value))  # whose name does not say the kind, whose law does

    def write(posterior: DirichletPosterior) -> dict[str, Any]:
        published = _published(posterior)
        entries = {
            "rows": published.rows,
            **network_entries(posterior.network, posterior.prior),
            "statistics": write_measurements(shape, published),
        }
        if posterior.own is not None:
            entries["own"] = {"rows": posterior.own.rows, "tables": lists(posterior.own.tables)}
        return entries

    def read(entries: Mapping[str, Any], terms: FileTerms) -> DirichletPosterior:
        network, prior = network_from_entries(entries)
        own = _own(entries["own"], network) if "own" in entries else None
        return DirichletPosterior(network, prior, read_measurements(shape, entries["statistics"], network, terms), own)

    def describe(posterior: DirichletPosterior) -> dict[str, Any]:
        published = _published(posterior)
        return {
            "rows": published.rows,
            "own_rows": posterior.own.rows if posterior.own else 0,
            "network": network_facts(posterior.network),
            "noise_scale": decimal(published.scale),
            "noise": f"{shape.noise}{float(published.scale):,.6g} on every released number",
        }

    statistics = NOISY_STATISTICS[shape.name]
    entries = ("network", "prior")
    return Kind(statistics, shape.mechanisms, entries, holds, write, read, describe, ("own",), shape.further)


def _published(posterior: DirichletPosterior) -> Published:
    if not isinstance(posterior.released, Published):
        raise FormatError("What was released is not known to this version, so it cannot be saved. Update discreet.")
    return posterior.released


def _own(content: object, network: Network) -> OwnRecords:
    entries = json_object(content, "The added records", ("rows", "tables"))
    rows = json_integer(entries["rows"], "The number of added records", 1)
    tables = counts_from_json(entries["tables"], network.families, "The added records", 0)
    if any(sum(table.ravel().tolist()) != rows for table in tables.values()):  # in exact integers: int64 could wrap
        raise FormatError("The added records in the release file do not sum to their number.")
    return OwnRecords(tables, rows)
