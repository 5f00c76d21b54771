"""Bars with intervals, one below the other: what an answer looks like. Drawn from plain numbers, so anybody may ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.checks import check_path
from discreet.errors import QueryError
from discreet.plots.figure import new_figure, plain_axes, plain_text

__all__ = ["Bar", "plot_bars", "plot_intervals"]

# Okabe and Ito's palette: told apart by readers with any colour vision, and in grey.
_BAR, _SURE, _OPEN = "#0072B2", "#D55E00", "#7f7f7f"
_MOST = 60
"""Lines that a picture can show and people can read."""
_KINDS = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True)
class Bar:
    """A number with its name, and the ends of its interval where it has one."""

    label: str
    value: float
    lower: float | None = None
    upper: float | None = None


def plot_bars(bars: Sequence[Bar], path: str | Path, title: str, axis_label: str) -> None:
    """Draw bars from zero, with a whisker for each interval, and save the picture."""
    axis, save = _begin(bars, path, title, axis_label)
    for height, bar in enumerate(reversed(bars)):
        axis.barh(height, bar.value, color=_BAR, alpha=0.55, height=0.62)
        if bar.lower is not None and bar.upper is not None:
            axis.plot([bar.lower, bar.upper], [height, height], color="black", linewidth=1.8, solid_capstyle="butt")
    axis.set_xlim(left=0)
    save()


def plot_intervals(bars: Sequence[Bar], path: str | Path, title: str, axis_label: str) -> None:
    """Draw differences as points with intervals around a line at zero; those whose interval is off the line stand out."""
    axis, save = _begin(bars, path, title, axis_label)
    axis.axvline(0, color="#999999", linewidth=1, zorder=0)
    for height, bar in enumerate(reversed(bars)):
        low, high = (bar.value if end is None else end for end in (bar.lower, bar.upper))
        colour = _SURE if low > 0 or high < 0 else _OPEN
        axis.plot([low, high], [height, height], color=colour, linewidth=3, solid_capstyle="butt")
        axis.plot([bar.value], [height], marker="o", markersize=5, color=colour)
    save()


def _begin(bars: Sequence[Bar], path: str | Path, title: str, axis_label: str) -> tuple[Any, Any]:
    """An axis with a line for each bar, and how to save the picture when it is drawn."""
    place = Path(check_path(path))
    if place.suffix.lower() not in _KINDS:
        raise QueryError(f"The name of a picture ends in {', '.join(_KINDS[:-1])} or {_KINDS[-1]}.")
    if len(bars) > _MOST:
        raise QueryError(f"A picture of {len(bars):,} lines cannot be read; at most {_MOST} fit. Ask for fewer levels.")
    figure = new_figure(8.4, 1.2 + 0.36 * len(bars))
    axis = figure.subplots()
    labels = [plain_text(bar.label) for bar in reversed(bars)]
    axis.set_yticks(range(len(bars)), labels)
    axis.set_ylim(-0.7, len(bars) - 0.3)
    axis.set_xlabel(axis_label)
    plain_axes(axis)
    figure.suptitle(plain_text(title), fontsize=12)
    return axis, lambda: figure.savefig(place, dpi=130)
