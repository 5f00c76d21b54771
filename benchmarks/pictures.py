"""Pictures of what the studies of coverage and of utility measured, for people who would rather look than read tables."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from benchmarks.coverage_results import Result, Setting
from benchmarks.utility_results import UtilityResults
from discreet.plots.curves import Chart, Curve, plot_curves

__all__ = ["PICTURES", "draw_coverage", "draw_utility"]

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

_CONTENDERS = {
    "not private": "not private",
    "discreet Auto, calibrated": "discreet,\ncalibrated",
    "discreet Auto": "discreet,\nas released",
    "private-pgm": "private-pgm",
    "paper, Algorithm 1": "Algorithm 1",
    "paper, sampler": "sampler",
    "paper, MAP": "MAP",
    "diffprivlib": "diffprivlib",
}
"""Who is drawn, and their names in the picture: all that promise epsilon alone, once each."""


def draw_coverage(results: dict[Setting, Result], network: str, title: str, path: Path) -> None:
    """How often 90 % intervals hold conditional probabilities, with the mechanism that is chosen unasked."""
    found = {key: result for key, result in results.items() if (key.network, key.mechanism) == (network, "auto")}
    curves = []
    for kind, words, dashed in (("others", "knows the noise", False), ("plug-in others", "plug-in", True)):
        for rows in dict.fromkeys(setting.rows for setting in found):
            points = [(float(setting.epsilon), result) for setting, result in found.items() if setting.rows == rows]
            shares = [100 * result.tallies[kind].share for _, result in points]
            label = f"{words}, {rows:,} records"
            curves.append(Curve(label, [epsilon for epsilon, _ in points], shares, [0] * len(points), dashed))
    note = "conditional probabilities of nodes with parents; intervals should hold them 90 % of the time"
    plot_curves(curves, Chart(title, "epsilon", "truth inside the 90 % interval, in percent", note), path)


def draw_utility(results: UtilityResults, data: str, title: str, path: Path) -> None:
    """Accuracy of who promises epsilon alone."""
    epsilons = sorted({score.epsilon for score in results.scores if score.data == data}, key=float)
    curves = []
    for name, label in _CONTENDERS.items():
        values = [list(results.values(data, epsilon, name, "accuracy").values()) for epsilon in epsilons]
        if all(len(each) > 1 for each in values):
            errors = [float(np.std(each, ddof=1)) / math.sqrt(len(each)) for each in values]
            curves.append(Curve(label, [float(one) for one in epsilons], [float(np.mean(each)) for each in values], errors))
    note = "means over random splits; bands: one standard error"
    plot_curves(curves, Chart(title, "epsilon", "accuracy on unseen records", note), path)
