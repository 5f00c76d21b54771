"""Whether chains have forgotten where they started: agreement between chains, and what the draws are worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.model.prior import Table

__all__ = ["Diagnostics", "diagnose"]


@dataclass(frozen=True, slots=True, repr=False)
class Diagnostics:
    """R-hat near 1 says that the chains agree; an effective size says how many independent draws the kept ones are worth."""

    r_hat: float
    """Of the parameter with the worst agreement."""
    typical_r_hat: float
    """Exceeded by one parameter in ten."""
    effective_size: float
    """Of the parameter with the smallest."""
    typical_effective_size: float
    """Exceeded by nine parameters in ten."""
    draws: int

    def __repr__(self) -> str:
        return (
            f"<Diagnostics: {'converged' if self.converged else 'NOT converged'}; R-hat {self.r_hat:.2f} at worst, "
            f"{self.typical_r_hat:.2f} typically; {self.draws:,} draws worth {self.effective_size:,.0f} at worst, "
            f"{self.typical_effective_size:,.0f} typically>"
        )

    @property
    def converged(self) -> bool:
        """Whether nine parameters in ten have an R-hat below 1.1 and are worth a hundred draws or more."""
        return self.typical_r_hat < 1.1 and self.typical_effective_size >= min(100, self.draws)


def diagnose(values: Table) -> Diagnostics:
    """From draws of each parameter: rounds, parameters, chains. Each chain counts as two, its first and its second half."""
    rounds, _, chains = values.shape
    if rounds < 4 or chains < 2:
        return Diagnostics(1.0, 1.0, float(rounds * chains), float(rounds * chains), rounds * chains)
    half = rounds // 2
    split = np.concatenate([values[:half], values[half : 2 * half]], axis=2)
    within = split.var(axis=0, ddof=1).mean(axis=1)
    between = split.mean(axis=0).var(axis=1, ddof=1)
    total = within * (half - 1) / half + between
    moving = within > 1e-24
    ratio = np.where(moving, total / np.where(moving, within, 1), 1.0)
    r_hat = np.sqrt(ratio)
    draws = rounds * chains
    # If rounds were independent, the means of half chains would vary by total / half.
    worth = np.where(moving, np.minimum(1, total / np.maximum(half * between, 1e-300)), 1.0) * draws
    return Diagnostics(
        float(r_hat.max()),
        float(np.quantile(r_hat, 0.9)),
        float(worth.min()),
        float(np.quantile(worth, 0.1)),
        draws,
    )
