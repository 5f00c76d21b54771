"""Noisy counts of all families in a release file."""

from __future__ import annotations

from typing import Any

from discreet.errors import FormatError
from discreet.measure.noisy_counts import NoisyCounts
from discreet.measure.strategies.laplace import laplace_scale
from discreet.model.files.json_parts import json_object
from discreet.model.network import Network
from discreet.release_file.dirichlet import dirichlet_kind
from discreet.release_file.kind import NOISE_MISFIT, Terms, pure_epsilon
from discreet.release_file.noise import discrete_laplace_from_json, discrete_laplace_to_json
from discreet.release_file.tables import counts_from_json, lists

__all__ = ["KIND"]


def _write(released: NoisyCounts) -> dict[str, Any]:
    return {"noise": discrete_laplace_to_json(released.scale), "tables": lists(released.tables)}


def _read(content: object, network: Network, terms: Terms) -> NoisyCounts:
    entries = json_object(content, "The statistics", ("kind", "noise", "tables"))
    scale = discrete_laplace_from_json(entries["noise"])
    if scale != laplace_scale(network, pure_epsilon(terms)):
        raise FormatError(NOISE_MISFIT)
    return NoisyCounts(counts_from_json(entries["tables"], network.families, "The statistics"), scale, terms.rows)


KIND = dirichlet_kind("family-counts", {"laplace": ("epsilon",)}, NoisyCounts, _write, _read)
