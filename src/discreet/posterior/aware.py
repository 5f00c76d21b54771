"""Which posterior knows about the noise of a released value: that of noisy statistics, if the law of their noise is known."""

from __future__ import annotations

from typing import Any

from discreet.measure.published_pairs import PublishedPairs
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.running import USUAL, Running, run_by

__all__ = ["aware_of"]


def aware_of(value: Any, running: Running = USUAL) -> Any:
    """The noise-aware posterior of a released Dirichlet one, any other value as it is; its chains, if any, are run so."""
    if not isinstance(value, DirichletPosterior) or value.released is None or isinstance(value.released, PublishedPairs):
        return run_by(value, running)
    return NoiseAwarePosterior(value.network, value.prior, value.released, value.own, running=running)
