"""A table of records before a posterior: the distribution of one node for each record, and how probable the table is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.beliefs import Beliefs
from discreet.inference.blanket import Blanket, make_blanket
from discreet.inference.elimination import Codes, mixed_radix
from discreet.inference.gaps import complete, eliminations
from discreet.model.impossible import show_combinations
from discreet.model.network import Network

__all__ = ["log_likelihood", "predict", "predict_codes", "predict_proba"]


def predict_proba(beliefs: Beliefs, data: Any, target: str) -> Floats:
    """Probability of each level of the target (columns, in declared order) for each record (rows).

    The probabilities are those of ``query`` given all that the record has; what it leaves out is summed over. A column for
    the target itself is not looked at.
    """
    from discreet.inference.own_records import encode_without  # other questions need no reader of tables

    size = beliefs.network.variable(target).size
    blanket = make_blanket(beliefs, target)
    parts = [predict_codes(beliefs, codes, target, blanket) for codes in encode_without(data, beliefs.network, target)]
    return np.concatenate(parts) if parts else np.empty((0, size))


def predict(beliefs: Beliefs, data: Any, target: str) -> list[str]:
    """The most probable level of the target for each record; of equal ones the first declared."""
    levels = np.array(beliefs.network.variable(target).levels, dtype=object)
    chosen: list[str] = levels[predict_proba(beliefs, data, target).argmax(axis=1)].tolist()
    return chosen


def predict_codes(beliefs: Beliefs, codes: Mapping[str, Codes], target: str, blanket: Blanket | None = None) -> Floats:
    """The same for records that are encoded already: node -> level numbers, the number of levels where one is missing."""
    blanket = blanket or make_blanket(beliefs, target)
    known = {node: column for node, column in codes.items() if node != target}
    rows = len(next(iter(codes.values())))
    whole = complete(beliefs.network, known, blanket.nodes, rows)
    result = np.empty((rows, blanket.levels))
    if whole.any():
        chosen = slice(None) if whole.all() else np.flatnonzero(whole)
        result[chosen] = blanket.probability({node: known[node][chosen] for node in blanket.nodes}, int(whole.sum()))
    for piece, part in eliminations(beliefs, (target,), known, np.flatnonzero(~whole), connected=True):
        result[piece] = part.probability.T
    result[_contain_impossible(beliefs.network, known, rows)] = np.nan
    impossible = int(np.isnan(result[:, 0]).sum())
    if impossible:
        declared = beliefs.network.impossible
        advice = (
            f"Declared impossible: {show_combinations(declared)}. Correct the records, or leave them out."
            if declared
            else "Leave them out, or use a posterior whose prior allows every combination."
        )
        said = f"{impossible} record(s) are impossible in this network, so nothing can be predicted from them."
        raise QueryError(f"{said} {advice}")
    return result


def _contain_impossible(network: Network, codes: Mapping[str, Codes], rows: int) -> npt.NDArray[np.bool_]:
    """Which records contain what the network declares impossible, also where the target does not depend on it."""
    found = np.zeros(rows, dtype=np.bool_)
    for combination in network.impossible:
        if combination.keys() <= codes.keys():
            named = [codes[node] == network.level_index(node, level) for node, level in combination.items()]
            found |= np.logical_and.reduce(named)
    return found


def log_likelihood(beliefs: Beliefs, data: Any) -> float:
    """Log probability of the records at the mean parameters, summed over records; minus infinity if one is impossible.

    What a record leaves out (an absent column, a missing value) is summed over.
    """
    from discreet.inference.own_records import encode

    network = beliefs.network
    tables = {node: beliefs.mean(node) for node in network.nodes}
    total = 0.0
    for codes in encode(data, network):
        rows = len(next(iter(codes.values())))
        whole = complete(network, codes, network.nodes, rows)
        if whole.any():
            chosen = slice(None) if whole.all() else np.flatnonzero(whole)
            total += _complete_records(network, tables, {node: column[chosen] for node, column in codes.items()})
        for piece, part in eliminations(beliefs, (), codes, np.flatnonzero(~whole)):
            total += float(np.broadcast_to(part.log_evidence, piece.shape).sum())
    return total


def _complete_records(network: Network, tables: Mapping[str, Floats], codes: Mapping[str, Codes]) -> float:
    """Each cell of each table, as often as it occurs."""
    total = 0.0
    for family in network.families:
        cells = mixed_radix([codes[member] for member in family.members], family.shape)
        counts = np.bincount(cells, minlength=family.cells)
        seen = np.flatnonzero(counts)
        with np.errstate(divide="ignore"):
            total += float(counts[seen] @ np.log(tables[family.node].reshape(-1)[seen]))
    return total
