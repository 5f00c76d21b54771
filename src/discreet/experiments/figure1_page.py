"""Figure 1 drawn and described."""

from __future__ import annotations

from pathlib import Path

from discreet.experiments.averages import Average, averages
from discreet.experiments.figure1 import EFFORT
from discreet.experiments.pages import markdown_table, write_csv, write_page
from discreet.experiments.study import Outcome
from discreet.plots.curves import Chart, Curve, plot_curves

__all__ = ["write_figure1"]

OUR_BEST = "our best: the mechanism with the least predicted error (Auto), read by a posterior that knows its noise"
_MECHANISM, _EPSILON, _TRUE, _ACCURACY = 1, 2, 3, 4
_READING = (
    "Accuracy of naive Bayes on unseen records, against the epsilon of the release; bands are one standard error. The dashed"
    " curve is the posterior sampler with the epsilon that the paper gives for it: what it really spends is beside it in the"
    ' table, and below 2 log 2 = 1.386 it is not defined. All other curves spend what they say. "Our best" is the mechanism'
    " with the least predicted error, read by the posterior that knows about its noise; its chains are short here"
    f" ({EFFORT.chains} chains, {EFFORT.warm_up} + {EFFORT.rounds} rounds), which is enough for predictions. Fourier adds as"
    " many records as make all counts non-negative 90 % of the time."
)


def write_figure1(outcome: Outcome, folder: Path, seconds: float) -> tuple[Path, ...]:
    """Write the table, the picture in two formats and the page."""
    paths = tuple(folder / f"figure1.{ending}" for ending in ("csv", "png", "svg", "md"))
    write_csv(paths[0], outcome.study.columns, outcome.rows)
    found = averages(outcome.rows, (_MECHANISM, _EPSILON), _ACCURACY)
    costs = averages(outcome.rows, (_MECHANISM, _EPSILON), _TRUE)
    settings = outcome.study.settings
    title = "Figure 1: naive Bayes" + outcome.remark
    source = Path(settings["data"]).name if settings["data"] else f"{settings['features']} features, synthetic"
    note = f"{source}; {settings['rows']} training records, {outcome.done} repeats; dashed: spends more than it says"
    plot_curves(
        _curves(found, costs), Chart(title, "epsilon", "accuracy on unseen records", f"{note}\n{OUR_BEST}"), *paths[1:3]
    )
    body = f"![{title}](figure1.png)\n\n" + _table(found, costs)
    write_page(paths[3], title, _READING, body, outcome.settings, seconds)
    return paths


def _curves(found: dict[tuple[object, ...], Average], costs: dict[tuple[object, ...], Average]) -> list[Curve]:
    names = list(dict.fromkeys(str(key[0]) for key in found))
    epsilons = sorted({float(str(key[1])) for key in found if key[1] is not None})
    curves = []
    for name in names:
        places = [epsilon for epsilon in epsilons if (name, epsilon) in found or (name, None) in found]
        here = [found.get((name, epsilon)) or found[name, None] for epsilon in places]
        label, dashed = name, _overspends(name, places, costs)
        if dashed:
            label = f"{name}\n(true epsilon {costs[name, places[-1]].mean:,.0f}\nat {places[-1]:g})"
        curves.append(Curve(label, places, [each.mean for each in here], [each.error for each in here], dashed))
    return curves


def _overspends(name: str, epsilons: list[float], costs: dict[tuple[object, ...], Average]) -> bool:
    return any((name, epsilon) in costs and costs[name, epsilon].mean > epsilon * 1.001 for epsilon in epsilons)


def _table(found: dict[tuple[object, ...], Average], costs: dict[tuple[object, ...], Average]) -> str:
    rows = []
    for (name, epsilon), average in found.items():
        cost = costs.get((name, epsilon))
        rows.append((name, "" if epsilon is None else epsilon, "" if cost is None else f"{cost.mean:.4g}", str(average)))
    return markdown_table(("mechanism", "epsilon", "true epsilon", "accuracy ± standard error"), rows)
