"""The page and the picture of the benchmark of learned graphs."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import Any

from .structure import BARS, CONTENDERS, DATA, DELTA, EPSILONS, SPLITS

__all__ = ["write_page"]

_HEAD = f"""# Learned graphs on real tables

`python -m benchmarks.structure` wrote this page. Four fifths of the records train, the rest is tested, in {len(SPLITS)} random
splits; bins and levels are declared in `benchmarks/utility_data.py`. The whole budget, replace-one, pays for graph and
probabilities. Numbers are mean log-likelihoods of test records at the posterior mean, in nats, with standard errors; beside
them the mean total variation of all tables of pairs to those of the test records. A dag is grown from noisy pairs: all of
them, measured at once, or where columns are wide and the budget is small those that are picked one by one. It has at most 3
parents, and up to 6 in families of at most 128 cells, unless said otherwise. A tree is chosen edge by edge and then released.
Settings were fixed on other splits of the same tables.
The aim is what was set for the whole pipeline before it was built, near the best of trees and of AIM with a 2-way workload.
"""
_TAIL = """
MST, AIM and PrivBayes were not run beside these: the aims stand for what they reached elsewhere, on other splits.
"""


def _summary(rows: list[dict[str, Any]], name: str) -> str:
    values = [row[name] for row in rows]
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{mean(values):.3f} ± {error:.3f}"


def _likelihood(results: list[dict[str, Any]], data: str, kind: str) -> list[str]:
    lines = ["| | " + " | ".join(f"epsilon {each}" for each in EPSILONS) + " |", "|---|" + "---|" * len(EPSILONS)]
    lines.append("| aim | " + " | ".join(f"{bar}" for bar in BARS[data, kind]) + " |")
    for contender in CONTENDERS:
        cells = []
        for epsilon in EPSILONS:
            found = [
                row
                for row in results
                if (row["data"], row["kind"], row["contender"], row["epsilon"]) == (data, kind, contender, epsilon)
            ]
            cells.append(f"{_summary(found, 'likelihood')}; {mean(row['pairs'] for row in found):.3f}" if found else "-")
        lines.append(f"| {contender} | " + " | ".join(cells) + " |")
    return lines


def _classifiers(results: list[dict[str, Any]], data: str) -> list[str]:
    lines = ["| | " + " | ".join(f"epsilon {each}" for each in EPSILONS) + " |", "|---|" + "---|" * len(EPSILONS)]
    for name in ("naive Bayes", "tan", "dag"):
        cells = []
        for epsilon in EPSILONS:
            found = [row for row in results if (row["data"], row["classifier"], row["epsilon"]) == (data, name, epsilon)]
            cells.append(f"{mean(r['accuracy'] for r in found):.3f}; {mean(r['loss'] for r in found):.3f}" if found else "-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def write_page(results: dict[str, list[dict[str, Any]]], page: Path, picture: Path) -> None:
    """Write both from the results."""
    lines = [_HEAD]
    for data in DATA:
        for kind, said in (("pure", "pure epsilon"), ("zcdp", f"zero-concentrated, delta {DELTA}")):
            lines += [f"## {data}, {said}", "", *_likelihood(results.get("likelihood", []), data, kind), ""]
    lines += ["![Test log-likelihood by epsilon](pictures/structure.png)", ""]
    if results.get("classifiers"):
        lines += ["## As classifiers", "", "Accuracy; log-loss, pure epsilon.", ""]
        for data in DATA:
            lines += [f"{data}:", "", *_classifiers(results["classifiers"], data), ""]
    page.write_text("\n".join([*lines, _TAIL.strip(), ""]))
    _draw(results.get("likelihood", []), picture)


def _draw(results: list[dict[str, Any]], picture: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(13, 3.4))
    for axis, (data, kind) in zip(axes, BARS, strict=True):
        for contender in CONTENDERS:
            means = []
            for epsilon in EPSILONS:
                found = [
                    row["likelihood"]
                    for row in results
                    if (row["data"], row["kind"], row["contender"], row["epsilon"]) == (data, kind, contender, epsilon)
                ]
                means.append(mean(found) if found else float("nan"))
            axis.plot([float(each) for each in EPSILONS], means, marker="o", label=contender)
        axis.plot([float(each) for each in EPSILONS], BARS[data, kind], "k--", label="aim")
        axis.set_xscale("log")
        axis.set_xticks([float(each) for each in EPSILONS], EPSILONS)
        axis.set_title(f"{data}, {kind}")
        axis.set_xlabel("epsilon")
    axes[0].set_ylabel("nats for each record")
    axes[-1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, dpi=110)
