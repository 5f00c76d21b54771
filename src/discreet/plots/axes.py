"""Pictures to put into one's own figures: each takes matplotlib axes, ``ax``, or makes some, draws, and returns them.

Intervals have two colours: what the records leave open, and what privacy adds to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import QueryError
from discreet.guarantee import PureDP
from discreet.model.network import Network
from discreet.page.layout import Box, lay_out
from discreet.plots.figure import COLOURS, as_axes, plain_axes, plain_text
from discreet.plots.posteriors import draw_bar, draw_legend

if TYPE_CHECKING:
    from discreet.arrays import Floats
    from discreet.inference.beliefs import Beliefs
    from discreet.planning.plan import Plans

__all__ = ["draw_budget", "draw_forest", "draw_network", "draw_plans"]

_MARKERS = "osD^vP*X"
_MOST_ROWS = 60
_POINTS = 72
"""Points in an inch, in which figures are measured."""
_FONT = 9
_LEAST_WIDTH = 4.8
"""Inches of a figure that the title needs."""
_LONGEST_NAME = 20
"""Characters of a node's name for which its box has room."""
_DARK = 0.75
"""How sure a node is whose box is too dark for black letters."""
_LEAST_SPAN = timedelta(minutes=1)
"""Room beside the first and the last charge."""


def draw_forest(posterior: Beliefs, node: str, ax: Any = None, *, interval: float = 0.9) -> Any:
    """Intervals of all conditional probabilities of a node, one below the other, in the order of its table."""
    family = posterior.network.family(node)
    bounds = getattr(posterior, "interval", None)
    if bounds is None or posterior.without_spread is not None:
        raise QueryError(f"{posterior.without_spread or 'These draws have no intervals of their own.'} There is none to draw.")
    if family.cells > _MOST_ROWS:
        raise QueryError(f"The table of {node!r} has {family.cells:,} cells; at most {_MOST_ROWS} can be drawn legibly.")
    lower, upper = bounds(node, interval)
    share = getattr(posterior, "noise_share", None)
    found = None if share is None else share(node)
    noise = np.zeros_like(lower) if found is None else found
    mean, labels = posterior.mean(node), _cell_names(posterior.network, node)
    ax = as_axes(ax, 7.6, 1.2 + 0.32 * family.cells)
    for place, (name, *numbers) in enumerate(
        zip(labels, *(each.ravel() for each in (lower, mean, upper, noise)), strict=True)
    ):
        low, middle, high, part = (float(number) for number in numbers)
        draw_bar(ax, family.cells - 1 - place, (low, middle, high), (1 - part) ** 0.5, name)
    ax.set_yticks(range(family.cells), [plain_text(label) for label in reversed(labels)])
    ax.set_ylim(-0.7, family.cells - 0.3)
    ax.set_xlim(0, 1)
    ax.set_xlabel(f"probability, {100 * interval:.10g} % credible intervals")
    plain_axes(ax)
    draw_legend(ax, plain_text(node))
    return ax


def _cell_names(network: Network, node: str) -> list[str]:
    """``ill | smoke=yes`` for every cell of a node's table, in its order."""
    family = network.family(node)
    levels = [network.variable(member).levels for member in family.members]
    found = []
    for *given, level in product(*levels):
        known = ", ".join(f"{parent}={word}" for parent, word in zip(family.parents, given, strict=True))
        found.append(f"{level} | {known}" if known else level)
    return found


def draw_network(posterior: Beliefs, ax: Any = None, *, interval: float = 0.9) -> Any:
    """The graph, parents above their children: the darker a node, the narrower the intervals of its probabilities.

    Arrows go around nodes. In axes of yours that are smaller than the graph the letters are smaller, too.
    """
    network = posterior.network
    widths = {node: _mean_width(posterior, node, interval) for node in network.nodes}
    said = {node: _node_text(node, width) for node, width in widths.items()}
    layout = lay_out(network.parents, {node: _box_size(text) for node, text in said.items()})
    ax = as_axes(ax, max(_LEAST_WIDTH, layout.width / _POINTS + 0.4), layout.height / _POINTS + 0.7)
    room = ax.get_window_extent().size * _POINTS / ax.figure.dpi
    scale = min(1.0, room[0] / layout.width, room[1] / layout.height)
    for *_, path in layout.arrows:
        _draw_arrow(ax, path, scale)
    for node, text in said.items():
        _draw_node(ax, layout.boxes[node], text, widths[node], scale)
    ax.set_xlim(-6, layout.width + 6)
    ax.set_ylim(layout.height + 6, -6)  # parents above
    ax.set_aspect("equal", anchor="NW")  # the box of a name is as wide as the name in axes of any shape
    ax.axis("off")
    ax.set_title(f"mean half width of the {100 * interval:.10g} % intervals; darker is surer", fontsize=10, loc="left")
    return ax


def _node_text(node: str, width: float | None) -> str:
    """A node's name and how far its probabilities may be off."""
    name = plain_text(node, _LONGEST_NAME)
    return name if width is None else f"{name}\n\u00b1 {100 * width / 2:.1f} points"


def _box_size(text: str) -> tuple[float, float]:
    """Width and height of a box for a text, in points."""
    lines = text.split("\n")
    return 14 + 0.62 * _FONT * max(map(len, lines)), 10 + 1.35 * _FONT * len(lines)


def _draw_node(ax: Any, box: Box, text: str, width: float | None, scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch  # it is there, since there are axes

    sure = 0.0 if width is None else 1 - min(1.0, width)
    look: dict[str, Any] = {"facecolor": _shade(sure), "edgecolor": "#333333", "linewidth": 0.8 * scale, "zorder": 2}
    ax.add_patch(FancyBboxPatch((box.x, box.y), box.width, box.height, boxstyle="round,pad=0,rounding_size=5", **look))
    middle = box.x + box.width / 2, box.y + box.height / 2
    colour = "white" if sure > _DARK else "black"
    ax.text(*middle, text, ha="center", va="center", fontsize=_FONT * scale, color=colour, zorder=3)


def _draw_arrow(ax: Any, path: str, scale: float) -> None:
    """The way of an arrow, which is a path of SVG made of moves, curves and lines down, as a line with a head."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Line

    points, codes = list[tuple[float, float]](), list[Any]()
    for word, numbers in re.findall(r"([MCV])([-\d. ]+)", path):
        given = [float(number) for number in numbers.split()]
        points += [(points[-1][0], given[0])] if word == "V" else zip(given[::2], given[1::2], strict=True)
        codes += {"M": [Line.MOVETO], "V": [Line.LINETO], "C": 3 * [Line.CURVE4]}[word]
    look: dict[str, Any] = {"color": "#7f7f7f", "linewidth": 1.1 * scale, "mutation_scale": 11 * scale, "zorder": 1}
    ax.add_patch(FancyArrowPatch(path=Line(points, codes), arrowstyle="-|>", **look))


def _mean_width(posterior: Beliefs, node: str, interval: float) -> float | None:
    bounds = getattr(posterior, "interval", None)
    if bounds is None or posterior.without_spread is not None:
        return None
    lower, upper = bounds(node, interval)
    return float(np.mean(upper - lower))


def _shade(sure: float) -> tuple[float, float, float]:
    """From white, of which nothing is known, to the blue of what is sure."""
    full: Floats = np.array([0.0, 0.447, 0.698])
    red, green, blue = (1 - sure) + sure * full
    return float(red), float(green), float(blue)


def draw_plans(plans: Sequence[Plans], ax: Any = None) -> Any:
    """Privacy against utility: the predicted error of every mechanism in plans that were made at several budgets.

    What is not pure stands at the epsilon that it was planned for, with its delta.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for group in plans:
        epsilon = next((float(each.guarantee.epsilon) for each in group if isinstance(each.guarantee, PureDP)), None)
        for each in group:
            error = each.privacy_error if each.parameter_error is None else each.parameter_error.mean
            if error is not None and epsilon is not None:
                found.setdefault(each.mechanism, []).append((epsilon, error))
    if not found:
        raise QueryError("No plan predicts an error at a pure epsilon: make plans with dc.plan(network, rows, epsilon).")
    ax = as_axes(ax, 7.0, 4.4)
    for place, (name, points) in enumerate(found.items()):
        x, y = zip(*sorted(points), strict=True)
        style = {"marker": _MARKERS[place % len(_MARKERS)], "markersize": 5, "linestyle": "-" if place % 2 == 0 else "--"}
        ax.plot(x, y, linewidth=1.6, color=COLOURS[place % len(COLOURS)], label=name, **style)
    ax.set_xscale("log")
    ax.set_yscale("log")
    budgets = sorted({x for points in found.values() for x, _ in points})
    ax.set_xticks(budgets, [f"{budget:.6g}" for budget in budgets])
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}".startswith(("2", "5")) else "")
    ax.set_xlabel("epsilon: less privacy to the right")
    ax.set_ylabel("predicted error: less utility above")
    ax.legend(frameon=False, fontsize=9)
    plain_axes(ax, rows=False)
    return ax


def draw_budget(account: Any, ax: Any = None) -> Any:
    """What was spent of a budget over time, of one of ``Ledger.datasets(path)``."""
    charges = [charge for charge in account.charges if charge.spent is not None]
    if not charges:
        raise QueryError("Nothing was charged to this data set yet, so there is nothing to draw.")
    ax = as_axes(ax, 7.0, 3.4)
    times = [datetime.fromisoformat(charge.at) for charge in charges]
    spent = [float(charge.spent) for charge in charges]
    ax.step([times[0], *times], [0.0, *spent], where="post", color=COLOURS[0], linewidth=2)
    ax.plot(times, spent, "o", color=COLOURS[0], markersize=4)
    ax.axhline(float(account.cap), color=COLOURS[4], linestyle="--", linewidth=1.4, label="cap")
    ax.set_xlim(times[0] - _LEAST_SPAN, times[-1] + _LEAST_SPAN)
    ax.set_ylim(0, 1.08 * float(account.cap))
    ax.set_ylabel("epsilon spent")
    ax.set_title(plain_text(f"data set {account.dataset!r}"), fontsize=10, loc="left")
    _say_days_once(ax)
    ax.legend(frameon=False, fontsize=9)
    plain_axes(ax, rows=False)
    return ax


def _say_days_once(ax: Any) -> None:
    """Times on a scale that says the day once."""
    import matplotlib.dates  # it is there, since there are axes

    dates: Any = matplotlib.dates
    locator = dates.AutoDateLocator()
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
