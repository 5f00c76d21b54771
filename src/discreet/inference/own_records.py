"""Records of the holder's own, on their way into questions: the only file of inference that reads tables.

They are counted and encoded as they are, without noise. Nearly always they are the third party's, so nothing here is private.
The exception is ``encode_complete``: through it the steward's records become a table that is as private as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.checks import check_reading
from discreet.counts import family_counts
from discreet.counts.families import check_possible
from discreet.counts.histograms import histogram
from discreet.counts.moments import moments, outer_products
from discreet.data import Codes, code_batches
from discreet.data.fixed_point import fixed_point_batches
from discreet.errors import DomainError
from discreet.inference.own_counts import OwnMoments, OwnRecords
from discreet.model.family import empty_cells
from discreet.model.impossible import show_combinations
from discreet.model.linear import LinearModel
from discreet.model.network import Network

__all__ = ["count_own_records", "encode", "encode_complete", "encode_without", "own_moments", "vectors"]

_FINE = 40
"""Binary places of a feature for prediction: far beyond what a prediction can show."""


def count_own_records(
    data: Any, network: Network, missing: str | None = None, progress: Callable[[int], None] | None = None
) -> OwnRecords:
    """Count records exactly, for a posterior that takes them in."""
    check_reading(missing, None, progress)
    tables = family_counts(data, Network(network.variables, network.parents), missing=missing, progress=progress)
    _check_own(tables, network)
    return OwnRecords(tables, int(tables[network.nodes[0]].sum()))


def _check_own(tables: Mapping[str, npt.NDArray[np.int64]], network: Network) -> None:
    """Refuse what the network declares impossible. Unlike a steward, a holder cannot change it, and may leave records out."""
    if any(family.impossible and tables[family.node][empty_cells(family)].any() for family in network.families):
        raise DomainError(
            "The table holds a combination of levels that the release declares impossible: "
            f"{show_combinations(network.impossible)}. Correct the records, or leave out those that have one."
        )


def own_moments(data: Any, model: LinearModel, progress: Callable[[int], None] | None = None) -> OwnMoments:
    """Add up the moments of records exactly, for a posterior that takes them in."""
    check_reading(None, None, progress)
    found = moments(data, model, progress=progress)
    return OwnMoments(found.rows, tuple(tuple(row) for row in outer_products(found, model)))


def encode(data: Any, network: Network) -> Iterator[Codes]:
    """Batches node -> level numbers. Columns may be absent; a missing value has the number of levels as its code."""
    return code_batches(data, network, partial=True)


def encode_complete(data: Any, network: Network, missing: str | None = None) -> Iterator[Codes]:
    """Batches node -> level numbers of records as a release reads them: every column is there, every value declared.

    So the codes of a record do not depend on other records, and none has to be left out. Records that are declared
    impossible are refused, as a release refuses them.
    """
    check_reading(missing, None, None)
    for codes in code_batches(data, network, missing=missing):
        if network.impossible:
            check_possible({family.node: histogram(family, codes) for family in network.families}, network)
        yield codes


def encode_without(data: Any, network: Network, target: str) -> Iterator[Codes]:
    """The same for all nodes but one, whose column is not looked at: it may be absent, or hold anything."""
    others = [variable for variable in network.variables if variable.name != target]
    if not others:  # nothing but the target: its column says how many records there are
        return encode(data, network)
    return encode(data, Network(others))


def vectors(data: Any, model: LinearModel) -> Iterator[Floats]:
    """Batches of the scaled vectors x of records, one row each. Other columns than the features are not looked at."""
    for steps in fixed_point_batches(data, model.features, _FINE):
        features = steps / 2**_FINE
        whole = np.column_stack([np.ones(len(features)), features]) if model.intercept else features
        yield whole / np.sqrt(len(model.coordinates))
