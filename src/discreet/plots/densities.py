"""The density of an answer against that of a baseline: another release, one without privacy, or known probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import QueryError
from discreet.inference.beliefs import GeneratorLike
from discreet.inference.query import query, query_draws
from discreet.plots.figure import COLOURS, as_axes, plain_text
from discreet.plots.posteriors import estimate_density, percent_axis

if TYPE_CHECKING:
    from discreet.arrays import Floats
    from discreet.inference.beliefs import Beliefs
    from discreet.inference.question import Levels

__all__ = ["draw_answer"]

_DRAWS = 2000
_MOST_LEVELS = 6
_POINTS = 400


def draw_answer(
    posterior: Beliefs,
    node: str,
    given: Levels | None = None,
    ax: Any = None,
    *,
    baseline: Beliefs | None = None,
    names: tuple[str, str] = ("release", "baseline"),
    generator: GeneratorLike = None,
) -> Any:
    """How probable each level of a node is, as densities; those of a baseline are dashed. Of two levels the rarer is.

    What knows its probabilities exactly is a line. The axes are returned.
    """
    known = dict(given or {})
    drawn = [_draw_levels(each, node, known, generator) for each in (posterior, baseline) if each is not None]
    levels = list(posterior.network.variable(node).levels)
    if baseline is not None and list(baseline.network.variable(node).levels) != levels:
        raise QueryError(f"The baseline has other levels of {node!r}; compare posteriors of the same network.")
    if len(levels) > _MOST_LEVELS:
        raise QueryError(f"{node!r} has {len(levels):,} levels; at most {_MOST_LEVELS} densities can be told apart.")
    shown = list(range(len(levels))) if len(levels) > 2 else [int(drawn[0].mean(axis=1).argmin())]
    ax = as_axes(ax, 7.0, 3.6)
    for place in shown:
        grid = _grid([each[place] for each in drawn])
        for values, dashed in zip((each[place] for each in drawn), (False, True), strict=False):
            _draw_curve(ax, values, grid, COLOURS[place], dashed)
    _dress(ax, [levels[place] for place in shown], [COLOURS[place] for place in shown], names[: len(drawn)])
    asked = f"{node} = {levels[shown[0]]}" if len(shown) == 1 else node
    said = ", ".join(f"{name} = {level}" for name, level in known.items())
    ax.set_title(plain_text(f"{asked} given {said}" if said else asked), fontsize=10, loc="left")
    return ax


def _draw_levels(beliefs: Beliefs, node: str, given: Levels, generator: GeneratorLike) -> Floats:
    """Draws of the probability of each level; a single one where it is known."""
    if beliefs.without_spread is not None:
        return np.asarray(query(beliefs, node, given, interval=None).probability)[:, None]
    return query_draws(beliefs, node, given, _DRAWS, generator)


def _grid(samples: list[Floats]) -> Floats:
    both = np.concatenate(samples)
    margin = 0.08 * (both.max() - both.min()) + 1e-3
    return np.linspace(max(0.0, both.min() - margin), min(1.0, both.max() + margin), _POINTS)


def _draw_curve(ax: Any, values: Floats, grid: Floats, colour: str, dashed: bool) -> None:
    style = {"color": colour, "linestyle": "--" if dashed else "-", "linewidth": 1.8}
    if values.size == 1:
        ax.axvline(float(values[0]), **style)
        return
    density = estimate_density(values, grid)
    ax.plot(grid, density, **style)
    if not dashed:
        ax.fill_between(grid, density, color=colour, alpha=0.2, linewidth=0)


def _dress(ax: Any, levels: list[str], colours: list[str], names: tuple[str, ...]) -> None:
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    if len(levels) > 1:
        handles += [
            Line2D([], [], color=c, linewidth=6, label=plain_text(name, 24)) for name, c in zip(levels, colours, strict=True)
        ]
    if len(names) > 1:
        styles: Any = zip(names, ("-", "--"), strict=True)
        handles += [Line2D([], [], color="#333333", linestyle=style, label=plain_text(name, 24)) for name, style in styles]
    if handles:
        ax.legend(handles=handles, frameon=False, fontsize=9)
    ax.set_yticks([])
    ax.set_ylim(bottom=0)
    ax.set_xlabel("probability")
    percent_axis(ax)
    ax.spines[["left", "right", "top"]].set_visible(False)
