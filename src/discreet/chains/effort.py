"""How long chains run."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.checks import check_whole

__all__ = ["Effort"]

_FEWEST, _MANY = 4, 12
_LARGE = 2**11
"""Cells of a network from which on time grows with the number of chains: as few of them as can tell whether they agree."""
_SMALL = 2**8
"""Cells of a network up to which a round takes the time of its calls, and more chains take no longer."""
_ROUNDS = {_SMALL + 1: (16, 48), 2**11: (36, 160), 2**12: (30, 100), 2**14: (36, 130), 2**16: (24, 80)}
"""Rounds of the warm-up and after it for networks below so many cells: what can be done in the time that people wait."""
_LARGEST = (10, 30)
"""For networks beyond all of these."""
_KEPT = 2**25
"""Most counts that are kept: a quarter of a gigabyte."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the chains run. Fewer than four chains or rounds cannot tell whether they agree."""

    chains: int = 8
    warm_up: int = 30
    rounds: int = 120

    def __post_init__(self) -> None:
        check_whole(self.chains, "The number of chains", _FEWEST)
        check_whole(self.rounds, "The number of rounds", _FEWEST)
        check_whole(self.warm_up, "The number of rounds of the warm-up", 0)

    @classmethod
    def usual(cls, cells: int) -> Effort:
        """What a network of so many cells needs.

        Whether chains agree depends on their length: all but small networks have the fewest chains that can tell.
        """
        warm_up, rounds = next((rounds for most, rounds in _ROUNDS.items() if cells < most), _LARGEST)
        return cls(_MANY if cells <= _SMALL else _FEWEST, warm_up, rounds)

    def longer(self, times: int) -> Effort:
        """So many times as many rounds, of the warm-up, too."""
        return Effort(self.chains, times * self.warm_up, times * self.rounds)

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
        return Effort(chains, self.warm_up, min(self.rounds, max(_FEWEST, _KEPT // (chains * cells))))
