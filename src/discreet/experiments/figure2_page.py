"""Figure 2 drawn and described."""

from __future__ import annotations

from pathlib import Path

from discreet.experiments.averages import Average, averages
from discreet.experiments.figure2 import SAMPLER
from discreet.experiments.pages import markdown_table, write_csv, write_page
from discreet.experiments.study import Outcome
from discreet.plots.curves import Chart, Curve, plot_curves

__all__ = ["write_figure2"]

_NAME, _PRECISION, _TRUE, _PRINTED, _ERROR = 1, 2, 3, 4, 5
_READING = (
    "Mean squared error of linear regression on unseen records, against the precision b of the prior, weights of norm at most"
    " 10 / sqrt(b), noise 1; features and target are scaled to [-1, 1] by their bounds. Bands are one standard error. The"
    " dashed curve is one draw from the posterior, which costs the true epsilon above the picture; the appendix of the paper"
    " would have it cost the printed one, at the edge of the ball. The other private curves cost epsilon 1 at most: the"
    " same draw with every record counted less, and noisy moments read by the posterior that knows about their noise (its"
    " prior is not truncated), once with noise 1 declared, as for the others, and once with the noise of the target left to"
    " be learned."
)
Averages = dict[tuple[object, ...], Average]


def write_figure2(outcome: Outcome, folder: Path, seconds: float) -> tuple[Path, ...]:
    """Write the table, the picture in two formats and the page."""
    paths = tuple(folder / f"figure2.{ending}" for ending in ("csv", "png", "svg", "md"))
    write_csv(paths[0], outcome.study.columns, outcome.rows)
    found = averages(outcome.rows, (_NAME, _PRECISION), _ERROR)
    true, printed = (averages(outcome.rows, (_NAME, _PRECISION), column) for column in (_TRUE, _PRINTED))
    settings = outcome.study.settings
    title = "Figure 2: linear regression" + outcome.remark
    source = Path(settings["data"]).name if settings["data"] else f"synthetic census, {settings['rows']:,} records"
    note = f"{source}; a tenth for training, {outcome.done} repeats; bounds {settings['bounds']}"
    places = [float(precision) for precision in settings["precisions"]]
    words = [
        f"{true[SAMPLER, place].mean:.3g}\n({printed[SAMPLER, place].mean / 1e6:.2g} M)" for place in settings["precisions"]
    ]
    above = ("true epsilon of one draw of the sampler (as printed, in millions)", places, words)
    chart = Chart(title, "precision b of the prior", "mean squared error, scaled target", note, above)
    plot_curves(_curves(found), chart, *paths[1:3])
    write_page(
        paths[3], title, _READING, f"![{title}](figure2.png)\n\n" + _table(found, true, printed), outcome.settings, seconds
    )
    return paths


def _curves(found: Averages) -> list[Curve]:
    names = list(dict.fromkeys(str(key[0]) for key in found))
    curves = []
    for name in names:
        here = {float(str(key[1])): average for key, average in found.items() if key[0] == name}
        means, errors = [each.mean for each in here.values()], [each.error for each in here.values()]
        curves.append(
            Curve(
                name.replace(", ", ",\n").replace(" at ", "\nat "),
                list(here),
                means,
                errors,
                name == SAMPLER,
            )
        )
    return curves


def _table(found: Averages, true: Averages, printed: Averages) -> str:
    rows = []
    for key, average in found.items():
        costs = [f"{costs[key].mean:.3g}" if key in costs else "" for costs in (true, printed)]
        rows.append((*key, *costs, f"{average.mean:.4f} ± {average.error:.4f}"))
    return markdown_table(("estimator", "precision", "true epsilon", "printed epsilon", "error ± standard error"), rows)
