"""How much fits into a page: how many draws, and whether a browser can answer questions about the network at all."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.errors import QueryError
from discreet.model.min_fill import min_fill
from discreet.model.network import Network

__all__ = ["Room", "find_room", "too_large"]

_WANTED, _USUAL, _FEWEST = 1000, 200, 64
"""Draws that a question to the library takes, that a page has where they fit, and that intervals need at the least."""
_BYTES_OF_A_DRAW = 8 / 3
"""Of one probability: two bytes, written as text."""
_SMALL_FILE, _LARGE_FILE, _LARGEST_FILE = 1.1e6, 8e6, 3.2e7
_WORK, _MOST_WORK = 1e8, 1e7
"""Products for one click, over all draws, that a browser takes some seconds for; and those for one draw that still fit into
its memory, at about twenty bytes each. Where all nodes take too long, the page computes intervals of the one asked about."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a page can hold of a network."""

    draws: int
    order: tuple[str, ...]
    """In which order nodes are summed out."""
    wide: str | None
    """Why the page cannot answer questions; None where it can."""


def too_large(network: Network) -> bool:
    """Whether even the fewest draws of all probabilities would make a file that nobody can open."""
    return _FEWEST * network.cells * _BYTES_OF_A_DRAW > _LARGEST_FILE


def find_room(network: Network) -> Room:
    """As many draws as fit into a file that can be sent and computed with in a browser. Larger networks get fewer."""
    cost = network.cells * _BYTES_OF_A_DRAW
    if too_large(network):
        raise QueryError(
            f"This network has {network.cells:,} probabilities; with draws of all of them a page would be too large to open. "
            "Ask it with `discreet query` or in Python; `discreet report` writes the facts of the release without script."
        )
    scopes = [frozenset(family.members) for family in network.families]
    order, _, work = min_fill(scopes, (), {variable.name: variable.size for variable in network.variables})
    fitting = min(_WANTED, max(_SMALL_FILE / cost, min(_USUAL, _LARGE_FILE / cost)))
    if work > _MOST_WORK:
        return Room(_even(fitting), order, _explain(work))
    return Room(_even(min(fitting, max(_FEWEST, _WORK / work))), order, None)


def _even(draws: float) -> int:
    """They come in pairs."""
    return max(_FEWEST, int(draws) // 2 * 2)


def _explain(work: int) -> str:
    return (
        f"The nodes of this network depend on one another so closely that one answer needs {work:,} products for each "
        "draw: too many for a browser. The tables are all here; ask for more with the command or in Python."
    )
