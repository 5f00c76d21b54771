"""The kind of release whose posterior was grown from pairs that were picked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.errors import FormatError, ModelError
from discreet.guarantee import PureDP
from discreet.measure.learning import Learning, amount_of
from discreet.measure.picks import PickedPairs
from discreet.measure.published_pairs import PublishedPairs
from discreet.model.files.plain_shapes import Constant
from discreet.model.files.shape import Entry, Object
from discreet.model.network import Network
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, pure_epsilon, zcdp_rho
from discreet.release_file.learning import LEARNING, learning_of, learning_to_json
from discreet.release_file.networks import NUMBERS, network_entries, network_facts, network_from_entries

__all__ = ["KIND", "read_picks"]

_GROWN = "Dirichlet parameters of the probabilities that were fitted to the pairs, of the network that was grown from them."
_PICKS = Object(
    {"learning": LEARNING, "concentrations": Entry(NUMBERS, "The fitted tables", _GROWN)},
    constants={"kind": Constant("grown-picks")},
)
_UNFIT = "The fitted tables in the file are not those of its network."


def read_picks(learning: Learning, network: Network, rows: int, tables: Mapping[str, Floats]) -> PublishedPairs:
    """What was picked and what was fitted to it, if both fit the network."""
    sizes = {variable.name: variable.size for variable in network.variables}
    shapes = {family.node: (family.configurations, family.levels) for family in network.families}
    if {node: table.shape for node, table in tables.items()} != shapes:
        raise FormatError(_UNFIT)
    if any(stage.pairs is not None for stage in learning.stages):
        raise FormatError(NOISE_MISFIT)
    try:
        return PublishedPairs(PickedPairs(sizes, rows, learning.measurements), tables, learning)
    except ModelError as error:
        raise FormatError(str(error)) from None


def _published(posterior: DirichletPosterior) -> tuple[PublishedPairs, Learning]:
    released = posterior.released
    if not isinstance(released, PublishedPairs) or released.learning is None:
        raise FormatError("What was released is not known to this version, so it cannot be saved. Update discreet.")
    return released, released.learning


def _write(posterior: DirichletPosterior) -> dict[str, Any]:
    published, learning = _published(posterior)
    if posterior.own is not None:
        raise FormatError("A release of pairs with records of one's own cannot be saved; ask it as it is.")
    statistics = {
        "kind": _PICKS.constants["kind"].value,
        "learning": learning_to_json(learning),
        "concentrations": NUMBERS.write(published.concentrations),
    }
    return {"rows": published.rows, **network_entries(posterior.network, posterior.prior), "statistics": statistics}


def _read(entries: Mapping[str, Any], terms: FileTerms) -> DirichletPosterior:
    network, prior = network_from_entries(entries)
    said = _PICKS.read(entries["statistics"], "The statistics")
    learning = learning_of(said["learning"], network, terms.rows)
    paid = pure_epsilon(terms) if isinstance(learning.cost, PureDP) else zcdp_rho(terms)
    if amount_of(learning.cost) != paid or not network.learned:
        raise FormatError(NOISE_MISFIT)
    tables = {node: np.array(table, dtype=np.float64) for node, table in said["concentrations"].items()}
    return DirichletPosterior(network, prior, read_picks(learning, network, terms.rows, tables))


def _describe(posterior: DirichletPosterior) -> dict[str, Any]:
    published, learning = _published(posterior)
    pairs = {frozenset(each.nodes) for each in learning.measurements if len(each.nodes) > 1}
    return {
        "rows": published.rows,
        "network": network_facts(posterior.network),
        "graph": f"dag, grown from {len(pairs)} pairs, which were picked and measured one by one",
    }


def _holds(value: object) -> bool:
    released = value.released if isinstance(value, DirichletPosterior) else None
    return isinstance(released, PublishedPairs) and released.learning is not None


_MECHANISMS = {"picked-pairs": ("epsilon",), "picked-pairs-gaussian": ("rho",)}
KIND = Kind(_PICKS, _MECHANISMS, ("network", "prior"), _holds, _write, _read, _describe)
