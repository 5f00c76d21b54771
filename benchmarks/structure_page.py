"""The page and the picture of the benchmark of learned graphs."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import Any

from .structure import BARS, CONTENDERS, DATA, DELTA, EPSILONS, RIVALS, SPLITS
from .structure_classifiers import CLASSIFIERS
from .structure_speed import speed_lines

__all__ = ["write_page"]

_HEAD = f"""# Learned graphs on real tables

`python -m benchmarks.structure` wrote this page. Four fifths of the records train, the rest is tested, in {len(SPLITS)} random
splits; bins and levels are declared in `benchmarks/utility_data.py`. The whole budget, replace-one, pays for graph and
probabilities. Numbers are mean log-likelihoods of test records at the posterior mean, in nats, with standard errors; beside
them the mean total variation of all tables of pairs to those of the test records. A dag is grown from noisy pairs: all of
them, measured at once, or where columns are wide and the budget is small those that are picked one by one. It has at most 3
parents, and up to 6 in families of at most 128 cells, unless said otherwise. A tree is chosen edge by edge and then released.
Settings were fixed on other splits of the same tables.
The goal is what was set for the whole pipeline before it was built, near the best of trees and of AIM with a 2-way workload.
"""
_RIVALS = f"""## MST, AIM and PrivBayes

The program runs them, on the same splits, from the formulas of their papers (`benchmarks/structure_rivals.py`,
`benchmarks/structure_privbayes.py`); these rows were measured apart from those of the dag, while both files were still
being written. Replace-one, the number of records known, the same budget, the same conversion of (epsilon, {DELTA}) to
rho. MST and AIM need rho; private-pgm (mbi) fits them by mirror descent, with 1,000 steps at the end and 50 after each
of AIM's choices; AIM's model of nltcs is one table of all columns, fitted by mirror descent of our own. AIM's workload
is all pairs; its junction tree may have 4 megabytes where the paper has 80. PrivBayes has score R with a sensitivity
that holds, 3 records or 2 where the child has two levels, and no hierarchies of levels. Since they give some records
nearly no probability, each is mixed with the uniform distribution, in the share out of six that suits its test records
best, which favours them.
"""


_WORDS = {"likelihood": "log-likelihood", "pairs": "total variation of pairs"}
_SPEED = """## Speed

Of columns of two levels, at epsilon 1, one core, processor time. A beat is one core drawing 1e8 standard normal numbers. A dag
takes some tenths of a second to grow, however many records there are: it is slower than three counts by the fastest counter.
"""
_CLASSIFIERS = """## As classifiers

`PrivateBayesClassifier` with `network="naive_bayes"`, `"tan"` and `"learn"`, which takes what is expected to do best:
accuracy; log-loss on test records, pure epsilon, three splits of their own. Calibrated ones spend a fifth of the budget
on calibration, and a calibrated tan predicts halfway between its graph and naive Bayes: the weight was chosen on two
other splits, by somebody who had seen how the graph alone did on these. It is ahead of calibrated naive Bayes
everywhere but on adult at epsilon 0.1. Of nltcs the column x5 is predicted, of adult the income. `"learn"` took a dag
everywhere but on adult at epsilon 0.1, where it took naive Bayes: there the two differ by the noise of their draws
alone. Calibrated naive Bayes is ahead of what `"learn"` took on adult at epsilon 0.3, and a dag that pays for
calibration, too, falls behind on nltcs at epsilon 0.1.
"""


def _summary(rows: list[dict[str, Any]], name: str) -> str:
    values = [row[name] for row in rows]
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{mean(values):.3f} ± {stdev(values) / len(values) ** 0.5:.3f}"


def _likelihood(results: list[dict[str, Any]], data: str, kind: str) -> list[str]:
    lines = ["| | " + " | ".join(f"epsilon {each}" for each in EPSILONS) + " |", "|---|" + "---|" * len(EPSILONS)]
    lines.append("| goal | " + " | ".join(f"{bar}" for bar in BARS[data, kind]) + " |")
    for contender in [*CONTENDERS, *(name for name, (own, _) in RIVALS.items() if own == kind)]:
        cells = []
        for epsilon in EPSILONS:
            found = [
                row
                for row in results
                if (row["data"], row["kind"], row["contender"], row["epsilon"]) == (data, kind, contender, epsilon)
            ]
            few = " (one split)" if len(found) == 1 else ""
            cells.append(f"{_summary(found, 'likelihood')}; {mean(row['pairs'] for row in found):.3f}{few}" if found else "-")
        lines.append(f"| {contender} | " + " | ".join(cells) + " |")
    return lines


def _classifiers(results: list[dict[str, Any]], data: str) -> list[str]:
    lines = ["| | " + " | ".join(f"epsilon {each}" for each in EPSILONS) + " |", "|---|" + "---|" * len(EPSILONS)]
    for name in CLASSIFIERS:
        cells = []
        for epsilon in EPSILONS:
            found = [row for row in results if (row["data"], row["classifier"], row["epsilon"]) == (data, name, epsilon)]
            cells.append(f"{mean(r['accuracy'] for r in found):.3f}; {mean(r['loss'] for r in found):.3f}" if found else "-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def _standing(results: list[dict[str, Any]]) -> list[str]:
    """Where a rival is ahead of a dag on the splits that it was run on, in log-likelihood or in total variation."""
    said = []
    for row_kind, better in (("likelihood", 1), ("pairs", -1)):
        for name, (kind, _) in RIVALS.items():
            for data in DATA:
                for epsilon in EPSILONS:
                    own, other = (_by_seed(results, data, kind, epsilon, who, row_kind) for who in ("dag", name))
                    both = own.keys() & other.keys()
                    gap = mean(better * (other[seed] - own[seed]) for seed in both) if both else 0
                    if gap > 0:
                        said.append(f"- {name} on {data} at epsilon {epsilon}, by {gap:.3f} in {_WORDS[row_kind]}")
    return ["A rival is ahead of the dag on the same splits:", "", *said] if said else ["No rival is ahead of the dag."]


def _by_seed(results: list[dict[str, Any]], data: str, kind: str, epsilon: str, name: str, what: str) -> dict[int, float]:
    wanted = (data, kind, name, epsilon)
    return {
        row["seed"]: row[what] for row in results if (row["data"], row["kind"], row["contender"], row["epsilon"]) == wanted
    }


def write_page(results: dict[str, list[dict[str, Any]]], page: Path, picture: Path) -> None:
    """Write both from the results."""
    lines = [_HEAD]
    for data in DATA:
        for kind, said in (("pure", "pure epsilon"), ("zcdp", f"zero-concentrated, delta {DELTA}")):
            lines += [f"## {data}, {said}", "", *_likelihood(results.get("likelihood", []), data, kind), ""]
    lines += ["![Test log-likelihood by epsilon](pictures/structure.png)", ""]
    if results.get("classifiers"):
        lines += [_CLASSIFIERS]
        for data in DATA:
            lines += [f"{data}:", "", *_classifiers(results["classifiers"], data), ""]
    lines += [_RIVALS, *_standing(results.get("likelihood", [])), "", _SPEED, *speed_lines(results.get("speed", [])), ""]
    page.write_text("\n".join(lines))
    _draw(results.get("likelihood", []), picture)


def _draw(results: list[dict[str, Any]], picture: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(13, 3.4))
    for axis, (data, kind) in zip(axes, BARS, strict=True):
        for number, contender in enumerate([*CONTENDERS, *RIVALS]):
            means = []
            for epsilon in EPSILONS:
                found = [
                    row["likelihood"]
                    for row in results
                    if (row["data"], row["kind"], row["contender"], row["epsilon"]) == (data, kind, contender, epsilon)
                ]
                means.append(mean(found) if found else float("nan"))
            line = "o-" if contender in CONTENDERS else "s:"
            axis.plot([float(each) for each in EPSILONS], means, line, color=f"C{number}", markersize=4, label=contender)
        axis.plot([float(each) for each in EPSILONS], BARS[data, kind], "k--", label="goal")
        axis.set_xscale("log")
        axis.set_xticks([float(each) for each in EPSILONS], EPSILONS)
        axis.set_title(f"{data}, {kind}")
        axis.set_xlabel("epsilon")
    axes[0].set_ylabel("nats for each record")
    figure.tight_layout()
    figure.legend(*axes[-1].get_legend_handles_labels(), loc="lower center", ncols=8, fontsize=8, frameon=False)
    figure.subplots_adjust(bottom=0.24)
    figure.savefig(picture, dpi=110)
