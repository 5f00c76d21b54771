"""Intervals of the coefficients of a regression, with the part of their width that is the price of privacy told apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError
from discreet.model.linear import INTERCEPT

if TYPE_CHECKING:
    from discreet.posterior.coefficients import Coefficient
    from discreet.posterior.linear import RegressionPosterior, Spread

__all__ = ["plot_coefficients"]

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey.
_RECORDS, _PRIVACY = "#0072B2", "#E69F00"


def plot_coefficients(posterior: RegressionPosterior, path: Path, title: str, interval: float = 0.9) -> None:
    """Draw one interval per feature and save the picture.

    Features have units of their own, so a coefficient is drawn as what the feature's whole declared range does to the target.
    The inner bar is the interval that the records would leave without privacy, the outer one the whole credible interval.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise DiscreetError('Pictures need matplotlib. Install it with: pip install "discreet[plots]"') from None

    ranges = {column.name: column.high - column.low for column in posterior.model.features}
    entries = [entry for entry in posterior.summary(interval) if entry.name != INTERCEPT]
    spreads = {spread.name: spread for spread in posterior.spreads()}
    figure = Figure(figsize=(8.4, 1.7 + 0.36 * len(entries)), layout="constrained")
    axis = figure.subplots()
    for height, entry in enumerate(reversed(entries)):
        _draw(axis, height, entry, spreads[entry.name], ranges[entry.name])
    axis.axvline(0, color="#999999", linewidth=1, zorder=0)
    axis.set_yticks(range(len(entries)), [entry.name for entry in reversed(entries)])
    axis.set_ylim(-0.7, len(entries) - 0.3)
    axis.set_xlabel(f"change of {posterior.model.target.name} over the declared range of the feature")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    axis.locator_params(axis="x", nbins=8)
    axis.spines[["left", "right", "top"]].set_visible(False)
    axis.tick_params(axis="y", length=0)
    axis.set_title(_explain(interval), fontsize=10, loc="left")
    _legend(axis)
    figure.suptitle(title, fontsize=13)
    figure.savefig(path, dpi=130)


def _draw(axis: Any, height: int, entry: Coefficient, spread: Spread, width: float) -> None:
    """The whole interval, and inside it the share that is left without privacy."""
    total = (spread.records**2 + spread.privacy**2) ** 0.5
    share = spread.records / total if total > 0 else 0.0
    low, middle, high = (width * value for value in (entry.lower, entry.mean, entry.upper))
    axis.plot([low, high], [height, height], color=_PRIVACY, linewidth=5, solid_capstyle="butt")
    inner = [middle + share * (low - middle), middle + share * (high - middle)]
    axis.plot(inner, [height, height], color=_RECORDS, linewidth=9, solid_capstyle="butt")
    axis.plot([middle], [height], marker="|", markersize=8, color="white", zorder=3)


def _legend(axis: Any) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=_RECORDS, linewidth=9, label="left by the records"),
        Line2D([], [], color=_PRIVACY, linewidth=5, label="added by privacy"),
    ]
    axis.legend(handles=handles, frameon=False, fontsize=9, ncols=2, loc="upper right", bbox_to_anchor=(1.0, 1.09))


def _explain(interval: float) -> str:
    return f"{100 * interval:.10g} % credible intervals"
