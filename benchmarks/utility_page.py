"""The page docs/utility.md: words from here, every number from the results of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .pictures import draw_utility
from .utility_contenders import APPROXIMATE, COIN, CONTENDERS, DELTA, FREQUENCIES, PURE
from .utility_results import MEASURES, Run, UtilityResults

__all__ = ["OURS", "behind", "draw_pictures", "page", "picture", "tables"]

OURS = {PURE: "discreet Auto", APPROXIMATE: "discreet Gaussian"}
"""Whom the contenders of a guarantee are compared with."""
_CALIBRATED = {guarantee: f"{name}, calibrated" for guarantee, name in OURS.items()}

_GOALS = {"0.5": 0.75, "1": 0.85}
"""Accuracy in the paper's experiment, by epsilon."""
_LEAST_EPSILON = "0.1"
"""Where few records train, classifiers should not fall behind who looks at no feature, even here."""

_TITLES = {
    "paper": "The paper's first experiment",
    "nltcs": "National Long Term Care Survey",
    "fertility": "Mothers of the 1980 census",
    "adult": "Adult",
    "nltcs-500": "National Long Term Care Survey, 500 records",
    "fertility-500": "Mothers of the 1980 census, 500 records",
    "adult-500": "Adult, 500 records",
}
_WORDS = {
    "paper": "A class and sixteen features, all binary, with parameters drawn uniformly: 1,000 records, of which 50 train.",
    "nltcs": "Sixteen binary questions about disability; the class is `x5`. 21,574 records, of which four fifths train.",
    "fertility": """\
Whether a mother of two has more children, from seven features, two of them numbers in declared bins. 254,654 records, of which
four fifths train and 20,000 test.""",
    "adult": """\
Whether an income is above 50K, from eleven features, five of them numbers in declared bins. 48,842 records, of which four
fifths train.""",
    "nltcs-500": "The same questions and test records, but only 500 records train.",
    "fertility-500": "The same features and test records, but only 500 records train.",
    "adult-500": "The same features and test records, but only 500 records train.",
}


def page(results: UtilityResults) -> str:
    """The whole page."""
    data = [name for name in _TITLES if any(score.data == name for score in results.scores)]
    lines = [*_INTRODUCTION.splitlines(), "", *_runs(results)]
    for heading, references in (("as released", OURS), ("calibrated", _CALIBRATED)):
        found = [f"- {peer}" for peer in behind(results, references)]
        lines += ["", f"Ahead of discreet, {heading}, and by how much:" if found else f"Ahead of discreet, {heading}: nobody."]
        lines += ["", *found] if found else []
    for name in data:
        lines += ["", f"## {_TITLES[name]}", "", *_WORDS[name].splitlines(), ""]
        lines += [f"![Accuracy against epsilon: {_TITLES[name]}](pictures/{picture(name)})", ""]
        lines += [*_goals(results, name), *_least(results, name), *list(tables(results, name))[:-1]]
    return "\n".join(lines) + "\n"


def _runs(results: UtilityResults) -> Iterator[str]:
    """With what whom was measured, and how long it took."""
    yield from ("Measured in one run:" if len(results.seconds) == 1 else _SEVERAL_RUNS, "")
    for run, seconds in results.seconds.items():
        versions = ", ".join(f"{name} {version}" for name, version in run.versions)
        yield f"- commit {run.commit.partition(' ')[0]}, {versions}, {seconds / 60:.0f} minutes:"
        yield from (f"  - {line}" for line in _measured(results, run))


def _measured(results: UtilityResults, run: Run) -> Iterator[str]:
    """Whose numbers are from a run. Data sets with the same contenders are told together."""
    cases = {case for case, scores in results.cases.items() if scores[0].run == run}
    found: dict[tuple[str, ...], list[str]] = {}
    for data in _TITLES:
        every, names = _epsilons(results, data), []
        for name in CONTENDERS:
            here = [epsilon for epsilon in every if (data, epsilon, name) in cases]
            if here:
                names.append(f"*{name}*" + ("" if here == every else f" at epsilon {', '.join(here)}"))
        if names:
            found.setdefault(tuple(names), []).append(data)
    yield from (f"on {', '.join(data)}: {', '.join(names)}" for names, data in found.items())


def picture(data: str) -> str:
    """The name of the picture of one data set."""
    return f"utility-{data}.png"


def draw_pictures(results: UtilityResults, folder: Path) -> None:
    """One for each data set that was run."""
    for name in dict.fromkeys(score.data for score in results.scores):
        draw_utility(results, name, _TITLES[name], folder / picture(name))


def _goals(results: UtilityResults, data: str) -> Iterator[str]:
    """How often ours must be right in the paper's experiment, and how often it is."""
    reached = {epsilon: list(results.values(data, epsilon, OURS[PURE], "accuracy").values()) for epsilon in _GOALS}
    if data == "paper" and all(reached.values()):
        means = {epsilon: float(np.mean(values)) for epsilon, values in reached.items()}
        verdicts = {epsilon: "reached" if mean >= _GOALS[epsilon] else "missed" for epsilon, mean in means.items()}
        words = [f"{_GOALS[one]} at epsilon {one}, {verdicts[one]} with {mean:.3f}" for one, mean in means.items()]
        yield from (f"Goals for the accuracy of `Auto`: {'; '.join(words)}.", "")


def _least(results: UtilityResults, data: str) -> Iterator[str]:
    """Where few records train: whether ours fall behind who looks at no feature."""
    if "-" not in data or not results.values(data, _LEAST_EPSILON, FREQUENCIES, "log-loss"):
        return
    losses = {name: _mean(results, data, _LEAST_EPSILON, name, "log-loss") for name in (COIN, FREQUENCIES)}
    better = min(losses, key=losses.__getitem__)
    words = [f"Goal for the log-loss at epsilon {_LEAST_EPSILON}: not above that of {better}, {losses[better]:.4f}."]
    for name in OURS.values():
        gain = results.gain(data, _LEAST_EPSILON, name, better, "log-loss")
        if gain is not None:
            verdict = "reaches it" if gain.mean >= 0 else "misses it"
            words.append(
                f"*{name}* {verdict}, {abs(gain.mean):.4f} ± {gain.error:.4f} {'below' if gain.mean >= 0 else 'above'}."
            )
    yield from (" ".join(words), "")


def behind(results: UtilityResults, references: dict[str, str]) -> list[str]:
    """Every peer that is better than ours of the same guarantee by over two standard errors, where, and by how much."""
    found = []
    for data in dict.fromkeys(score.data for score in results.scores):
        for measure in MEASURES:
            for name, contender in CONTENDERS.items():
                if contender.ours or contender.guarantee not in references:
                    continue
                reference = references[contender.guarantee]
                gains = {one: results.gain(data, one, name, reference, measure) for one in _epsilons(results, data)}
                where = [f"{epsilon} ({gain.mean:.5f})" for epsilon, gain in gains.items() if gain is not None and gain.ahead]
                if where:
                    found.append(f"{name} in {measure} on {data} at epsilon {', '.join(where)}")
    return found


def tables(results: UtilityResults, data: str) -> Iterator[str]:
    """One table for each measure: contenders by epsilon, and in brackets what they gain over ours."""
    epsilons = _epsilons(results, data)
    for measure in MEASURES:
        yield f"| {measure} | " + " | ".join(f"epsilon {epsilon}" for epsilon in epsilons) + " |"
        yield "| --- " * (len(epsilons) + 1) + "|"
        for name in CONTENDERS:
            cells = [_cell(results, data, epsilon, name, measure) for epsilon in epsilons]
            if any(cells):
                yield f"| {name} | " + " | ".join(cells) + " |"
        yield ""


def _cell(results: UtilityResults, data: str, epsilon: str, name: str, measure: str) -> str:
    if not results.values(data, epsilon, name, measure):
        return ""
    text = f"{_mean(results, data, epsilon, name, measure):.4f}"
    reference = OURS.get(CONTENDERS[name].guarantee)
    gain = None if reference in (None, name) else results.gain(data, epsilon, name, reference, measure)
    if gain is None:
        return text
    mark = "**" if gain.ahead else ""
    return f"{text} ({mark}{gain.mean:+.4f}{mark} ± {gain.error:.4f})"


def _mean(results: UtilityResults, data: str, epsilon: str, name: str, measure: str) -> float:
    return float(np.mean(list(results.values(data, epsilon, name, measure).values())))


def _epsilons(results: UtilityResults, data: str) -> list[str]:
    return list(dict.fromkeys(score.epsilon for score in results.scores if score.data == data))


_SEVERAL_RUNS = """\
Measured in several runs on the same splits; whoever is named later was measured anew. Minutes are those of a whole run, also
of what a later one measured anew."""

_INTRODUCTION = f"""\
# Utility

`make bench-utility` measured these numbers and wrote this page; change `benchmarks/`, not the page. Private classifiers, all
of them naive Bayes, predict the class of test records that they were not trained on. All contenders get the same random
splits, the same declared levels, the number of records, and the whole budget; neighbours replace one record.

A number is the mean over the splits: 100 for the paper's experiment, 10 for real data. In brackets is what a contender gains
over discreet on the same splits, positive where it is better, ± one standard error; bold where that is more than two. What is
private with epsilon alone is compared with `Auto`, what needs delta = {DELTA} with `Gaussian`, both with their posteriors as
they come. Splits of one data set share records, so the standard errors are a little too small; and among so many comparisons
some that are even come out bold by chance, about one in thirty.

- *coin* gives every class the same probability; *class frequencies* are those of the training records, exactly and not
  privately. Neither looks at a feature: a classifier that falls behind them would better have said nothing.
- *paper*: the four mechanisms of the paper, with constants that keep their promise. The first two take noisy counts for exact.
- *private-pgm* measures the class with each feature and splits its budget evenly. Its fitted counts are taken as they are, or
  update the same uniform prior as ours.
- *diffprivlib* is `GaussianNB` on level numbers, with bounds from the declared levels.
- *calibrated* spends a fifth of the budget on how often predictions of which confidence are right, and corrects the log-odds
  by a power and a shift ([how](guide/confidence.md)). Where there are too few records to see it, the release gets everything.
- *not private* is the posterior given the records. Real features depend on one another given the class. Naive Bayes denies
  that, and is too sure of itself however well its parameters are known: on the care survey its log-loss is above that of a
  coin, 0.693. There a mechanism whose noise pulls all probabilities to the middle has a smaller log-loss than the exact
  posterior, and one that takes the edge off the larger class may be more accurate. Calibration is the remedy for both."""
