"""Pictures of posteriors: what a private one believes against what the exact one does, and intervals of coefficients.

Densities stand side by side. Of the interval of a coefficient, the part that is the price of privacy is told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.model.linear import INTERCEPT
from discreet.plots.figure import COLOURS, as_axes, new_figure, plain_axes, plain_text

if TYPE_CHECKING:
    from discreet.arrays import Floats
    from discreet.posterior.linear import RegressionPosterior

__all__ = [
    "Panel", "draw_bar", "draw_coefficients", "draw_density", "draw_legend", "estimate_density", "percent_axis",
    "plot_coefficients", "plot_densities",
]  # fmt: skip

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
    columns = 3
    rows = -(-(len(panels) + 1) // columns)
    figure = new_figure(4.2 * columns, 2.9 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=False):
        draw_density(panel, axis)
    for axis in axes[len(panels) :]:
        axis.axis("off")
    _explain_panels(axes[len(panels)])
    figure.suptitle(plain_text(title, 120), fontsize=13)
    figure.savefig(path, dpi=130)


def draw_density(panel: Panel, ax: Any = None) -> Any:
    """The density of a private posterior against the exact one, on matplotlib axes, which are returned."""
    axis = as_axes(ax, 4.2, 2.9)
    both = np.concatenate([panel.exact, panel.private, [panel.truth]])
    low, high = both.min(), both.max()
    margin = 0.08 * (high - low)
    grid = np.linspace(max(0, low - margin), min(1, high + margin), 300)
    for draws, colour in ((panel.exact, _EXACT), (panel.private, _PRIVATE)):
        density = estimate_density(draws, grid)
        axis.fill_between(grid, density, color=colour, alpha=0.25, linewidth=0)
        axis.plot(grid, density, color=colour, linewidth=1.8)
    axis.axvline(panel.truth, color=_TRUTH, linestyle="--", linewidth=1.6)
    axis.set_title(panel.title, fontsize=10, wrap=True)
    axis.set_yticks([])
    axis.set_ylim(bottom=0)
    percent_axis(axis)
    axis.spines[["left", "right", "top"]].set_visible(False)
    return axis


def percent_axis(axis: Any) -> None:
    """Probabilities below the picture, in percent."""
    axis.locator_params(axis="x", nbins=6)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:.{_percent_digits(axis.get_xticks())}%}")


def _percent_digits(ticks: Floats) -> int:
    """Decimals in which all ticks of an axis are exactly what they say: steps of 2.5 points need one."""
    exact = (digits for digits in range(_MOST_DIGITS) if np.allclose(np.round(100 * ticks, digits), 100 * ticks, 0, 1e-9))
    return next(exact, _MOST_DIGITS)


def estimate_density(draws: Floats, grid: Floats) -> Floats:
    """A Gaussian kernel estimate with Silverman's width."""
    width = 0.9 * min(draws.std(), (np.subtract(*np.quantile(draws, [0.75, 0.25]))) / 1.34) * len(draws) ** -0.2
    distance = (grid[:, None] - draws[None, :]) / max(width, 1e-9)
    return np.asarray(np.exp(-(distance**2) / 2).sum(axis=1) / (len(draws) * max(width, 1e-9) * np.sqrt(2 * np.pi)))


def _explain_panels(axis: Any) -> None:
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


_RECORDS, _PRIVACY, _MIDDLE = COLOURS[0], COLOURS[1], "#111111"


def plot_coefficients(posterior: RegressionPosterior, path: Path, title: str, interval: float = 0.9) -> None:
    """Draw one interval per feature and save the picture."""
    figure = new_figure(8.4, 1.7 + 0.36 * len(posterior.model.features))
    draw_coefficients(posterior, figure.subplots(), interval=interval)
    figure.suptitle(plain_text(title, 120), fontsize=13)
    figure.savefig(path, dpi=130)


def draw_coefficients(posterior: RegressionPosterior, ax: Any = None, *, interval: float = 0.9) -> Any:
    """Draw one interval per feature on matplotlib axes, which are returned.

    Features have units of their own, so a coefficient is drawn as what the feature's whole declared range does to the target.
    The inner bar is the interval that the records would leave without privacy, the outer one the whole credible interval.
    """
    ranges = {column.name: column.high - column.low for column in posterior.model.features}
    entries = [entry for entry in posterior.summary(interval) if entry.name != INTERCEPT]
    spreads = {spread.name: spread for spread in posterior.spreads()}
    axis = as_axes(ax, 8.4, 1.7 + 0.36 * len(entries))
    for height, entry in enumerate(reversed(entries)):
        spread, width = spreads[entry.name], ranges[entry.name]
        total = (spread.records**2 + spread.privacy**2) ** 0.5
        low, middle, high = (width * value for value in (entry.lower, entry.mean, entry.upper))
        draw_bar(axis, height, (low, middle, high), spread.records / total if total > 0 else 0.0, entry.name)
    axis.axvline(0, color="#999999", linewidth=1, zorder=0)
    axis.set_yticks(range(len(entries)), [plain_text(entry.name) for entry in reversed(entries)])
    axis.set_ylim(-0.7, len(entries) - 0.3)
    axis.set_xlabel(f"change of {plain_text(posterior.model.target.name)} over the declared range of the feature")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    axis.locator_params(axis="x", nbins=8)
    plain_axes(axis)
    draw_legend(axis, _interval_words(interval))
    return axis


def draw_bar(axis: Any, height: float, ends: tuple[float, float, float], share: float, name: str) -> None:
    """The whole interval, and inside it the share that is left without privacy."""
    low, middle, high = ends
    axis.plot([low, high], [height, height], color=_PRIVACY, linewidth=5, solid_capstyle="butt", label=f"_{name}")
    inner = [middle + share * (low - middle), middle + share * (high - middle)]
    axis.plot(inner, [height, height], color=_RECORDS, linewidth=9, solid_capstyle="butt")
    axis.plot([middle], [height], marker="|", markersize=11, markeredgewidth=1.4, color=_MIDDLE, zorder=3)


def draw_legend(axis: Any, title: str) -> None:
    """What the two colours of an interval mean, below a title: beside it there may be no room."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=_RECORDS, linewidth=9, label="left by the records"),
        Line2D([], [], color=_PRIVACY, linewidth=5, label="added by privacy"),
    ]
    spacing = {"handlelength": 1.4, "columnspacing": 1.4, "borderpad": 0.2, "borderaxespad": 0.2}
    axis.legend(handles=handles, frameon=False, fontsize=9, ncols=2, loc="lower left", bbox_to_anchor=(0.0, 1.0), **spacing)
    axis.set_title(title, fontsize=10, loc="left", pad=22)


def _interval_words(interval: float) -> str:
    return f"{100 * interval:.10g} % credible intervals"
