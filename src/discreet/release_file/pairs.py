"""All pairs of columns with noise, in a release file; and the kind of release whose posterior was grown from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.errors import FormatError, ModelError
from discreet.measure.pairs import PairForm, PairMoments
from discreet.measure.published_pairs import PublishedPairs
from discreet.model.files.plain_shapes import Constant, Integer, OneOf, Table
from discreet.model.files.shape import FRACTION, Entry, Object
from discreet.model.files.strict_json import LARGEST_INTEGER
from discreet.model.network import Network
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, pure_epsilon, zcdp_rho
from discreet.release_file.networks import NUMBERS, network_entries, network_facts, network_from_entries

__all__ = ["KIND", "PAIRS", "pair_parts", "read_pairs"]

_NUMBER = Integer(-LARGEST_INTEGER + 1, LARGEST_INTEGER - 1)
_LAW = OneOf.of(PairForm)
_SCALE = (
    "Of the noise, in units of h: of a Wishart matrix with density proportional to exp(-trace / scale), of which the noise is "
    "the difference of two; or the variance of Gaussian noise."
)
_NUMBERS = (
    "With u = (1, the contrasts of every column), sums over the records of u_i u_j, i < j of different columns, row by row, "
    "plus noise. The i-th contrast of a column is 1 for the levels before the i-th, counted from 0, -i for that level and 0 "
    "after it; h is the root of i (i + 1), and 1 for the one. Noise of entry (i, j) is multiplied by both h."
)
_ENTRIES = {
    "law": Entry(_LAW, "The law of the noise", "Which noise all numbers have together."),
    "scale": Entry(FRACTION, "The scale of the pairs", _SCALE),
    "numbers": Entry(Table(_NUMBER, 1), "The numbers of the pairs", _NUMBERS),
}
PAIRS = Object(_ENTRIES, constants={"kind": Constant("pairs")})
_GROWN = "Dirichlet parameters of the probabilities that were fitted to the pairs, of the network that was grown from them."
_GROWN_PAIRS = Object(
    {**_ENTRIES, "concentrations": Entry(NUMBERS, "The fitted tables", _GROWN)}, constants={"kind": Constant("grown-pairs")}
)


def pair_parts(pairs: PairMoments) -> dict[str, Any]:
    """The entries of noisy pairs."""
    return {"law": pairs.form, "scale": pairs.scale, "numbers": pairs.numbers.astype(np.int64)}


def read_pairs(said: Mapping[str, Any], network: Network, rows: int) -> PairMoments:
    """The pairs of all columns of a network."""
    sizes = {variable.name: variable.size for variable in network.variables}
    numbers = np.array(said["numbers"], dtype=np.int64).astype(object)
    try:
        return PairMoments(sizes, said["law"], said["scale"], rows, numbers)
    except ModelError as error:
        raise FormatError(str(error)) from None


def _published(posterior: DirichletPosterior) -> tuple[PublishedPairs, PairMoments]:
    released = posterior.released
    if not isinstance(released, PublishedPairs) or not isinstance(released.pairs, PairMoments):
        raise FormatError("What was released is not known to this version, so it cannot be saved. Update discreet.")
    return released, released.pairs


def _write(posterior: DirichletPosterior) -> dict[str, Any]:
    published, pairs = _published(posterior)
    if posterior.own is not None:
        raise FormatError("A release of pairs with records of one's own cannot be saved; ask it as it is.")
    statistics = {**pair_parts(pairs), "concentrations": dict(published.concentrations)}
    return {
        "rows": published.rows,
        **network_entries(posterior.network, posterior.prior),
        "statistics": _GROWN_PAIRS.write(statistics),
    }


def _read(entries: Mapping[str, Any], terms: FileTerms) -> DirichletPosterior:
    network, prior = network_from_entries(entries)
    said = _GROWN_PAIRS.read(entries["statistics"], "The statistics")
    pairs = read_pairs(said, network, terms.rows)
    paid = pure_epsilon(terms) if pairs.form is PairForm.WISHART else zcdp_rho(terms)
    if pairs.cost != paid or not network.learned:
        raise FormatError(NOISE_MISFIT)
    tables = {node: np.array(table, dtype=np.float64) for node, table in said["concentrations"].items()}
    shapes = {family.node: (family.configurations, family.levels) for family in network.families}
    if {node: table.shape for node, table in tables.items()} != shapes:
        raise FormatError("The fitted tables in the release file are not those of its network.")
    return DirichletPosterior(network, prior, PublishedPairs(pairs, tables))


def _describe(posterior: DirichletPosterior) -> dict[str, Any]:
    published, pairs = _published(posterior)
    return {
        "rows": published.rows,
        "network": network_facts(posterior.network),
        "graph": "dag, grown from all pairs, which were measured at once",
        "noise": f"standard deviation {pairs.deviation:,.6g} on every contrast of a pair",
    }


def _holds(value: object) -> bool:
    released = value.released if isinstance(value, DirichletPosterior) else None
    return isinstance(released, PublishedPairs) and released.learning is None


_MECHANISMS = {"pairs": ("epsilon",), "pairs-gaussian": ("rho",)}
KIND = Kind(_GROWN_PAIRS, _MECHANISMS, ("network", "prior"), _holds, _write, _read, _describe)
