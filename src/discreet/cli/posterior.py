"""The posterior that a command asks, ready to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from discreet.cli.progress import progress
from discreet.cli.render import note

if TYPE_CHECKING:
    from discreet.inference.beliefs import Beliefs

__all__ = ["ready"]

B = TypeVar("B", bound="Beliefs")


def ready(posterior: B) -> B:
    """Where a posterior knows about noise, find the tables that could be behind the release, with progress."""
    from discreet.posterior import NoiseAwarePosterior

    if isinstance(posterior, NoiseAwarePosterior):
        with progress("Weighing the noise", lambda: posterior.effort.total, "rounds") as advance:
            posterior.prepare(advance)
        if not posterior.diagnostics.converged:
            note(f"Beware: the chains do not agree well (R-hat {posterior.diagnostics.r_hat:.2f}); results are rough.")
    return posterior
