"""Pictures to put into one's own figures: each takes matplotlib axes, ``ax``, or makes some, draws, and returns them.

Intervals have two colours: what the records leave open, and what privacy adds to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import QueryError
from discreet.guarantee import PureDP
from discreet.model.network import Network
from discreet.plots.figure import COLOURS, as_axes, plain_axes, plain_text
from discreet.plots.posteriors import draw_bar, draw_legend

if TYPE_CHECKING:
    from discreet.arrays import Floats
    from discreet.inference.beliefs import Beliefs
    from discreet.planning.plan import Plans

__all__ = ["draw_budget", "draw_forest", "draw_network", "draw_plans"]

_MARKERS = "osD^vP*X"
_MOST_ROWS = 60
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
    ax.set_title(plain_text(node, _LONGEST_NAME), fontsize=10, loc="left")
    plain_axes(ax)
    draw_legend(ax)
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
    """The graph, parents above their children: the darker a node, the narrower the intervals of its probabilities."""
    network = posterior.network
    places = _layers(network)
    wide = max(x for x, _ in places.values()) + 1
    ax = as_axes(ax, 2.0 * max(2.0, wide), 1.4 * (1 - min(y for _, y in places.values())) + 0.8)
    boxes = {node: _draw_node(ax, node, place, _mean_width(posterior, node, interval)) for node, place in places.items()}
    for node, parents in network.parents.items():
        for parent in parents:
            ends = {"patchA": boxes[parent], "patchB": boxes[node], "shrinkA": 1, "shrinkB": 2}
            arrow = {"arrowstyle": "-|>", "color": "#7f7f7f", "linewidth": 1.2, "mutation_scale": 14, **ends}
            ax.annotate("", xy=places[node], xytext=places[parent], arrowprops=arrow)
    ax.set_xlim(-0.6, wide - 0.4)
    ax.set_ylim(min(y for _, y in places.values()) - 0.6, 0.6)
    ax.axis("off")
    ax.set_title(f"mean half width of the {100 * interval:.10g} % intervals; darker is surer", fontsize=10, loc="left")
    return ax


def _draw_node(ax: Any, node: str, place: tuple[float, float], width: float | None) -> Any:
    """A node with how sure its probabilities are; its box, to lead arrows to."""
    sure = 0.0 if width is None else 1 - min(1.0, width)
    name = plain_text(node, _LONGEST_NAME)
    said = name if width is None else f"{name}\n\u00b1 {100 * width / 2:.1f} points"
    box = {"boxstyle": "round,pad=0.45", "facecolor": _shade(sure), "edgecolor": "#333333", "linewidth": 0.8}
    colour = "white" if sure > _DARK else "black"
    return ax.text(*place, said, ha="center", va="center", fontsize=9, color=colour, bbox=box).get_bbox_patch()


def _layers(network: Network) -> dict[str, tuple[float, float]]:
    """Where nodes stand: as far down as the longest way to them is, side by side in the order of the declaration."""
    depth: dict[str, int] = {}
    for node in network.topological_order:
        depth[node] = 1 + max((depth[parent] for parent in network.parents[node]), default=-1)
    rows = [[node for node in network.nodes if depth[node] == level] for level in range(max(depth.values()) + 1)]
    widest = max(len(row) for row in rows)
    found: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(rows):
        # Every other row a little aside: else an arrow past a row would run behind its nodes.
        left = (widest - len(row)) / 2 + 0.45 * (level % 2)
        found |= {node: (left + place, -float(level)) for place, node in enumerate(row)}
    return found


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
