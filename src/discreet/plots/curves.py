"""Curves with their names at their ends: means with a band of standard errors, for the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.plots.figure import COLOURS, new_figure

__all__ = ["Chart", "Curve", "plot_curves"]

_MARKERS = "osD^vP*X"
_LINE_HEIGHT = 0.052
"""Room for one label, as a share of the height of the axes."""
_LABEL_PLACE = 1.07
"""Where labels begin, as a share of the width of the axes; a thin line leads there from the end of the curve."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: where it goes, how sure that is, and what it is called."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Words around the curves."""

    title: str
    x_label: str
    y_label: str
    note: str = ""
    second_axis: tuple[str, Sequence[float], Sequence[str]] | None = None
    """A scale above the picture: its name, places and words."""


def plot_curves(curves: Sequence[Curve], chart: Chart, *paths: Path) -> None:
    """Draw the curves on a logarithmic horizontal axis and save the picture under each path."""
    figure = new_figure(10, 6)
    import matplotlib as mpl  # it is there, now that there is a figure

    with mpl.rc_context({"svg.hashsalt": "discreet", "svg.fonttype": "path"}):  # the same picture, the same file
        axis = figure.subplots()
        for place, curve in enumerate(curves):
            _draw(axis, curve, place)
        _dress(axis, chart, curves)
        _label(axis, curves)
        for path in paths:
            figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


def _draw(axis: Any, curve: Curve, place: int) -> None:
    colour, x, y, error = COLOURS[place % len(COLOURS)], np.asarray(curve.x), np.asarray(curve.y), np.asarray(curve.error)
    axis.fill_between(x, y - error, y + error, color=colour, alpha=0.2, linewidth=0)
    style = {"linestyle": "--" if curve.dashed else "-", "marker": _MARKERS[place % len(_MARKERS)]}
    axis.plot(x, y, color=colour, linewidth=2.2, markersize=6, **style)


def _dress(axis: Any, chart: Chart, curves: Sequence[Curve]) -> None:
    axis.set_xscale("log")
    ticks = sorted({value for curve in curves for value in curve.x})
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_xticks([], minor=True)
    axis.set_xlabel(chart.x_label, fontsize=13)
    axis.set_ylabel(chart.y_label, fontsize=13)
    axis.set_title(chart.title, fontsize=15, loc="left", pad=12)
    axis.tick_params(labelsize=12)
    axis.grid(axis="y", color="#dddddd", linewidth=0.8)
    axis.set_axisbelow(True)
    axis.spines[["right", "top"]].set_visible(False)
    if chart.second_axis is not None:
        name, places, words = chart.second_axis
        above = axis.secondary_xaxis("top")
        above.set_xticks(places, words)
        above.set_xticks([], minor=True)
        above.set_xlabel(name, fontsize=12)
        above.tick_params(labelsize=11)
    if chart.note:
        axis.figure.supxlabel(chart.note, fontsize=10.5, color="#444444")


def _label(axis: Any, curves: Sequence[Curve]) -> None:
    """Write each name beside the end of its curve, moved up or down where two would overlap, and lead the curve to it."""
    low, high = axis.get_ylim()
    order = sorted(range(len(curves)), key=lambda place: curves[place].y[-1])
    sizes = [_LINE_HEIGHT * (1 + curves[place].label.count("\n")) for place in order]
    heights = spread([(curves[place].y[-1] - low) / (high - low) for place in order], sizes)
    for place, height in zip(order, heights, strict=True):
        curve, colour = curves[place], COLOURS[place % len(COLOURS)]
        marker = {"marker": _MARKERS[place % len(_MARKERS)], "markersize": 6, "clip_on": False}
        axis.plot([_LABEL_PLACE - 0.015], [height], color=colour, transform=axis.transAxes, **marker)
        leader = {"arrowstyle": "-", "color": colour, "linewidth": 1, "shrinkA": 0, "shrinkB": 0}
        axis.annotate(
            "", xy=(curve.x[-1], curve.y[-1]), xytext=(_LABEL_PLACE - 0.015, height), textcoords="axes fraction",
            arrowprops=leader, annotation_clip=False,
        )  # fmt: skip
        axis.annotate(
            curve.label, xy=(_LABEL_PLACE, height), xycoords="axes fraction", va="center", fontsize=12,
            color=colour, annotation_clip=False,
        )  # fmt: skip


def spread(heights: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Move ascending middles of labels of these sizes apart until none overlap: groups that touch share their middle.

    All stay between 0 and 1 as long as there is room for them.
    """
    groups: list[tuple[float, list[float]]] = []  # middle, sizes of its members
    for height, size in zip(heights, sizes, strict=True):
        middle, members = _inside(height, size), [size]
        while groups and middle - groups[-1][0] < (sum(members) + sum(groups[-1][1])) / 2 - 1e-12:
            before, others = groups.pop()
            middle = (before * sum(others) + middle * sum(members)) / (sum(others) + sum(members))
            members = others + members
            middle = _inside(middle, sum(members))
        groups.append((middle, members))
    return [
        middle - sum(members) / 2 + sum(members[:place]) + members[place] / 2
        for middle, members in groups
        for place in range(len(members))
    ]


def _inside(middle: float, size: float) -> float:
    """The nearest middle with which something of this size stays between 0 and 1."""
    return min(max(middle, size / 2), 1 - size / 2) if size < 1 else 0.5
