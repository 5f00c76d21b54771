"""Records with gaps: what each leaves out is summed over, many records at a time.

Records that leave out the same nodes share a plan in which what they have is indexed. Where gaps are scattered, so that almost
every record would need a plan of its own, one plan serves all: a node that only some records have stays free, and is
multiplied by a factor that is one at the record's level, or everywhere if the record has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import QueryError
from discreet.inference.beliefs import Beliefs
from discreet.inference.elimination import Codes, Elimination, batches, eliminate
from discreet.inference.elimination_order import EliminationPlan, make_plan
from discreet.model.network import Network

__all__ = ["Rows", "complete", "eliminations"]

Rows: TypeAlias = npt.NDArray[np.intp]

_COLUMNS_AT_ONCE = 32
_PLAN_COST = 2**18
"""Making one plan takes about as long as multiplying so many cells."""


def complete(network: Network, codes: Mapping[str, Codes], nodes: Iterable[str], rows: int) -> npt.NDArray[np.bool_]:
    """Which records have a level for each of the nodes."""
    found = np.ones(rows, dtype=np.bool_)
    for node in nodes:
        if node not in codes:
            return np.zeros(rows, dtype=np.bool_)
        found &= codes[node] < network.variable(node).size
    return found


def eliminations(
    beliefs: Beliefs, targets: tuple[str, ...], codes: Mapping[str, Codes], rows: Rows, *, connected: bool = False
) -> Iterator[tuple[Rows, Elimination]]:
    """Distribution of the targets for some of the records given what each has: pieces of the rows with their results.

    A result may have a batch of one, which then holds for all rows of the piece.
    """
    if not rows.size:
        return
    network = beliefs.network
    tables: dict[str, Floats] = {}
    for chosen, plan, present in _questions(network, targets, codes, rows, connected):
        for family in plan.families:
            if family.node not in tables:
                tables[family.node] = beliefs.mean(family.node)
        for piece in batches(plan, chosen.size):
            part = {node: codes[node][chosen[piece]] for node in present}
            yield chosen[piece], eliminate(plan, tables, part)


def _questions(
    network: Network, targets: tuple[str, ...], codes: Mapping[str, Codes], rows: Rows, connected: bool
) -> Iterator[tuple[Rows, EliminationPlan, list[str]]]:
    """Rows, their plan, and the nodes whose codes it needs."""
    patterns = _patterns(network, codes, rows)
    shared = _shared_plan(network, targets, codes, rows, len(patterns), connected) if len(patterns) > 1 else None
    if shared is not None:
        yield rows, shared, list(codes)
        return
    for chosen in patterns:
        present = [node for node, column in codes.items() if column[chosen[0]] < network.variable(node).size]
        yield chosen, make_plan(network, targets, frozenset(present), connected=connected), present


def _shared_plan(
    network: Network, targets: tuple[str, ...], codes: Mapping[str, Codes], rows: Rows, patterns: int, connected: bool
) -> EliminationPlan | None:
    """One plan for all rows, if that costs less than a plan for each pattern of gaps."""
    sizes = {node: network.variable(node).size for node in codes}
    always = frozenset(node for node, column in codes.items() if (column[rows] < sizes[node]).all())
    try:
        plan = make_plan(network, targets, always, frozenset(codes) - always, connected=connected)
    except QueryError:  # too wide without what most records have
        return None
    return plan if rows.size * plan.cells <= patterns * _PLAN_COST else None


def _patterns(network: Network, codes: Mapping[str, Codes], rows: Rows) -> list[Rows]:
    """Group records that have the same gaps."""
    kinds = np.zeros(rows.size, dtype=np.int64)
    for number, (node, column) in enumerate(codes.items(), start=1):
        kinds = 2 * kinds + (column[rows] < network.variable(node).size)
        if number % _COLUMNS_AT_ONCE == 0:  # one bit for each column: renumber before they run out
            kinds = np.unique(kinds, return_inverse=True)[1].reshape(-1).astype(np.int64)
    order = np.argsort(kinds, kind="stable")
    return [rows[members] for members in np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1)]
