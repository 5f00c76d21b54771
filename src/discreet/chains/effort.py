"""How long chains run."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.checks import check_whole

__all__ = ["Effort"]

_FEWEST = 4
_LARGE = 2**11
"""Cells of a network from which on time grows with the number of chains: as few of them as can tell whether they agree."""
_SMALL = 2**8
"""Cells of a network up to which chains forget within a few rounds, and a round takes the time of its calls."""
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
        """What a network of so many cells needs: small ones forget sooner, and take more chains at no cost.

        Whether chains agree depends on their length: others have the fewest that can tell, as long as the time allows.
        """
        if cells <= _SMALL:
            return cls(12, 20, 60)
        return cls(_FEWEST, 40, 240) if cells < _LARGE else cls()

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
