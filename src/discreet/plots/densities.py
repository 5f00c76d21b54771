"""Posterior densities side by side: what a private posterior believes against what the exact one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from discreet.arrays import Floats

__all__ = ["Panel", "plot_densities"]

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey.
_EXACT, _PRIVATE, _TRUTH = "#7f7f7f", "#0072B2", "#D55E00"

_MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Panel:
    """One quantity: its name, its true value and draws from two posteriors."""

    title: str
    truth: float
    exact: Floats
    private: Floats


def plot_densities(panels: Sequence[Panel], path: Path, title: str) -> None:
    """Draw one small density plot per panel and save the picture."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise DiscreetError('Pictures need matplotlib. Install it with: pip install "discreet[plots]"') from None

    columns = 3
    rows = -(-(len(panels) + 1) // columns)
    figure = Figure(figsize=(4.2 * columns, 2.9 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=False):
        _draw(axis, panel)
    for axis in axes[len(panels) :]:
        axis.axis("off")
    _explain(axes[len(panels)])
    figure.suptitle(title, fontsize=13)
    figure.savefig(path, dpi=130)


def _draw(axis: Any, panel: Panel) -> None:
    both = np.concatenate([panel.exact, panel.private, [panel.truth]])
    low, high = both.min(), both.max()
    margin = 0.08 * (high - low)
    grid = np.linspace(max(0, low - margin), min(1, high + margin), 300)
    for draws, colour in ((panel.exact, _EXACT), (panel.private, _PRIVATE)):
        density = _density(draws, grid)
        axis.fill_between(grid, density, color=colour, alpha=0.25, linewidth=0)
        axis.plot(grid, density, color=colour, linewidth=1.8)
    axis.axvline(panel.truth, color=_TRUTH, linestyle="--", linewidth=1.6)
    axis.set_title(panel.title, fontsize=10, wrap=True)
    axis.set_yticks([])
    axis.locator_params(axis="x", nbins=6)
    axis.set_ylim(bottom=0)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:.{_percent_digits(axis.get_xticks())}%}")
    axis.spines[["left", "right", "top"]].set_visible(False)


def _percent_digits(ticks: Floats) -> int:
    """Decimals in which all ticks of an axis are exactly what they say: steps of 2.5 points need one."""
    exact = (digits for digits in range(_MOST_DIGITS) if np.allclose(np.round(100 * ticks, digits), 100 * ticks, 0, 1e-9))
    return next(exact, _MOST_DIGITS)


def _density(draws: Floats, grid: Floats) -> Floats:
    """A Gaussian kernel estimate with Silverman's width."""
    width = 0.9 * min(draws.std(), (np.subtract(*np.quantile(draws, [0.75, 0.25]))) / 1.34) * len(draws) ** -0.2
    distance = (grid[:, None] - draws[None, :]) / max(width, 1e-9)
    return np.asarray(np.exp(-(distance**2) / 2).sum(axis=1) / (len(draws) * max(width, 1e-9) * np.sqrt(2 * np.pi)))


def _explain(axis: Any) -> None:
    """Labels in place of a legend."""
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    for height, colour, style, words in (
        (0.78, _PRIVATE, "-", "private release"),
        (0.58, _EXACT, "-", "exact posterior, never published"),
        (0.38, _TRUTH, "--", "truth"),
    ):
        axis.plot([0.02, 0.14], [height, height], color=colour, linestyle=style, linewidth=3)
        axis.text(0.19, height, words, va="center", fontsize=11, color=colour)
    words = "The private curve is as wide as sampling\nand the noise of privacy make it."
    axis.text(0.02, 0.12, words, va="center", fontsize=9)
