"""Draws from a posterior, all that was published of it: a handful of joint draws of every parameter, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.checks import check_whole
from discreet.display import Display, Displayed
from discreet.inference.beliefs import GeneratorLike
from discreet.measure.strategies.draw_law import DrawLaw
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.family import leave_out_impossible
from discreet.model.network import Network
from discreet.model.prior import Prior
from discreet.model.probability import levels_from_splits
from discreet.posterior.posterior import Posterior, display_of

__all__ = ["PosteriorDraws"]


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorDraws(Displayed, Posterior):
    """Joint draws of all parameters from prior x likelihood^temper, cut and rounded to a grid of multiples of 2^-32.

    Each draw was paid for. There is no distribution behind them from which more could be taken: whoever wants more draws
    needs another release. Levels that are declared impossible were drawn like all others and are left out afterwards, which
    gives the distribution of those that remain.
    """

    network: Network
    prior: Prior
    law: DrawLaw
    splits: Mapping[str, Integers] = field(repr=False)
    """Node -> draws x configurations x splits, in units of 2^-32; see ``model/probability.py``."""
    rows: int

    def _display(self) -> Display:
        return display_of(self, self, None, ("draws", f"{self.released_draws:,}"))

    @property
    def released_draws(self) -> int:
        """How many draws were published."""
        return len(self.splits[self.network.nodes[0]])

    @property
    def without_spread(self) -> str | None:
        """One draw has no spread."""
        if self.released_draws > 1:
            return None
        return "No interval: one draw was released, and one draw does not say how far off it may be."

    @cached_property
    def _tables(self) -> dict[str, Floats]:
        drawn = {node: levels_from_splits(values / 2**GRID_BITS) for node, values in self.splits.items()}
        return {node: leave_out_impossible(self.network.family(node), table) for node, table in drawn.items()}

    def mean(self, node: str) -> Floats:
        """The average of the draws, configurations x levels.

        Given the data the parameters of different configurations are independent, so a product of their averages estimates
        the same as the average of their products, from all combinations of draws.
        """
        return np.asarray(self._tables[self.network.variable(node).name].mean(axis=0))

    def draws(self, count: int, generator: GeneratorLike = None) -> dict[str, Floats]:  # noqa: ARG002 - the interface
        """The published draws over and over, in order: not more than ``released_draws`` of them are different."""
        chosen = np.arange(check_whole(count, "The number of draws")) % self.released_draws
        return {node: table[chosen] for node, table in self._tables.items()}
