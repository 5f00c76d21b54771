"""How long chains run."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.chains.diagnostics import LARGEST_R_HAT
from discreet.checks import check_whole
from discreet.errors import ModelError
from discreet.model.network import Network

__all__ = ["Effort"]

_FEWEST, _MANY = 4, 12
_LARGE = 2**11
"""Cells of a network from which on time grows with the number of chains: as few of them as can tell whether they agree."""
_SMALL = 2**8
"""Cells of a network up to which a round takes the time of its calls, and more chains take no longer."""
_ROUNDS = {_SMALL + 1: (13, 40), 2**10: (30, 120), 2**11: (40, 180), 2**12: (30, 130), 2**14: (36, 130), 2**16: (24, 80)}
"""Rounds of the warm-up and after it for networks below so many cells: what can be done in the time that people wait."""
_LARGEST = (10, 30)
"""For networks beyond all of these."""
_ROUND_COST, _FULL_COST, _CELL_COST, _MANY_CELLS = 4.5, 8.4e-3, 10.8e-3, 3000
"""What a round costs with four chains, each cell in it that stands out from noise, and each of the first so many cells.

In thousandths of the time in which a core draws 1e8 normals. Most of very many cells are empty, and not looked at."""
_MANY_LEVELS, _WIDE = 16, 1.5
"""How many times as much a round costs in networks with nodes of more levels: there exact steps take turns with others."""
_AT_FIRST = (1500.0, 2100.0, 6000.0)
"""What the chains of a question may cost at first: of networks of few nodes, of others, and of large ones."""
_FURTHER, _FURTHEST = (2650.0, 6800.0, 28_000.0), (6500.0, 6800.0, 28_000.0)
"""What they may cost in all where they do not agree, and where they do not agree by so much that it would have to be said."""
_FEW_NODES, _FEW_CELLS = 60, 2560
"""A network of more nodes and more cells is large, and nobody expects its answers at once."""
_SHORTEST, _FIRST = 60, 200
"""Rounds in all that the chains of a question run at least, and at most at first."""
_AGREED = 1.04
"""Chains of a question go on where R-hat of its answer is larger: a little less than what is wanted, since it is uncertain."""
_TIMES = (1.25, 1.5, 2)
"""To how many times as long they go on before that is looked at again."""
_LEARNING = 24
"""Rounds of the warm-up that the chains of a question have at least, to learn the length of their steps."""
_WARM_UP = 5
"""The warm-up of chains whose rounds were asked for is one round for so many, at least."""
_ENOUGH = 1.3
"""How many times as many rounds are run as seem to be needed."""
_KEPT = 2**25
"""Most counts that are kept: a quarter of a gigabyte."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the chains run. Fewer than four chains or rounds cannot tell whether they agree."""

    chains: int = 8
    warm_up: int = 30
    rounds: int = 120
    learning: int | None = None
    """Rounds of the warm-up in which the length of steps is learned; None for all of it.

    Chains that go on have fewer, those of the warm-up that they began with, and may go on again.
    """

    def __post_init__(self) -> None:
        check_whole(self.chains, "The number of chains", _FEWEST)
        check_whole(self.rounds, "The number of rounds", _FEWEST)
        check_whole(self.warm_up, "The number of rounds of the warm-up", 0)
        if self.learning is not None:
            check_whole(self.learning, "The number of rounds in which steps are learned", 0)
            if self.learning > self.warm_up:
                raise ModelError("Steps are learned in the warm-up: learning is no more than warm_up.")

    @classmethod
    def usual(cls, cells: int) -> Effort:
        """What a network of so many cells needs.

        Whether chains agree depends on their length: all but small networks have the fewest chains that can tell.
        """
        warm_up, rounds = next((rounds for most, rounds in _ROUNDS.items() if cells < most), _LARGEST)
        return cls(_MANY if cells <= _SMALL else _FEWEST, warm_up, rounds)

    @classmethod
    def of_question(cls, network: Network, cells: int, full: int) -> Effort:
        """What a question needs for which chains visit so many cells: short, since most agree soon.

        So many of them stand out from the noise of what was published (``surroundings.py``).
        """
        total = int(np.clip(_AT_FIRST[_kind(network)] / _cost(network, cells, full), _SHORTEST, _FIRST))
        in_time = total * _cost(network, cells, full) <= _FURTHEST[_kind(network)]
        warm_up = max(total // 5, _LEARNING if in_time else 0)
        return cls(_FEWEST, warm_up, total - warm_up)

    def further(self, network: Network, cells: int, full: int, r_hat: float) -> Effort | None:
        """A longer one, where chains of this one do not agree on an answer: as long as they need, or as people can wait."""
        if r_hat <= _AGREED:
            return None
        most = (_FURTHEST if r_hat > LARGEST_R_HAT else _FURTHER)[_kind(network)] / _cost(network, cells, full)
        # R-hat squared is one and about the share of independent draws: that falls as chains grow.
        needed = _ENOUGH * (r_hat**2 - 1) / (_AGREED**2 - 1)
        possible = [times for times in _TIMES if times * self.total <= most]
        if not possible:
            return None
        times = next((times for times in possible if times >= needed), possible[-1])
        total, warm_up = (int(np.ceil(times * rounds)) for rounds in (self.total, self.warm_up))
        learning = self.warm_up if self.learning is None else self.learning
        longer = replace(self, warm_up=warm_up, rounds=total - warm_up, learning=learning)
        return longer if longer.within(cells).rounds > self.rounds else None  # memory may set a limit

    def with_rounds(self, rounds: int) -> Effort:
        """One of so many rounds after its warm-up, which is longer for very many."""
        asked = replace(self, rounds=rounds, learning=None)
        return replace(asked, warm_up=max(asked.warm_up, rounds // _WARM_UP))

    def longer(self, times: int) -> Effort:
        """So many times as many rounds, of the warm-up, too."""
        return replace(self, warm_up=times * self.warm_up, rounds=times * self.rounds)

    @property
    def total(self) -> int:
        """All rounds."""
        return self.warm_up + self.rounds

    def within(self, cells: int) -> Effort:
        """Half as many chains for networks of so many cells that each takes its time; fewer rounds where they fill the memory.

        More chains make an answer from small tables surer at no cost, but whether they agree depends on their length alone.
        """
        chains = self.chains if cells < _LARGE else max(_FEWEST, self.chains // 2)
        chains = min(chains, max(_FEWEST, _KEPT // (16 * cells)))
        return replace(self, chains=chains, rounds=min(self.rounds, max(_FEWEST, _KEPT // (chains * cells))))


def _cost(network: Network, cells: int, full: int) -> float:
    wide = any(variable.size > _MANY_LEVELS for variable in network.variables)
    return (_WIDE if wide else 1) * (_ROUND_COST + _FULL_COST * full + _CELL_COST * min(cells, _MANY_CELLS))


def _kind(network: Network) -> int:
    """Whether a network has few nodes, more of them, or more nodes and more cells."""
    return int(len(network.nodes) > _FEW_NODES) + int(len(network.nodes) > _FEW_NODES and network.cells > _FEW_CELLS)
