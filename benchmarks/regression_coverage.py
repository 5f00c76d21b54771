"""How often the 90 % intervals of RegressionMoments hold the true coefficients, with correlated features and a learned prior.

    python -m benchmarks.regression_coverage

Makes data sets of every setting on both cores, goes on where it was stopped, keeps what it finds in a JSON file beside this
one, and writes the table of docs/guide/intervals.md. Features are normal with the same correlation between any two and clipped
to their bounds, three standard deviations from the middle. True slopes are ``fixed``, 0.3 / k of alternating signs for the
k-th, or ``drawn`` from the prior, without those that would take the target out of its bounds. The target has noise of
standard deviation 0.15.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtr

import discreet as dc
from benchmarks.coverage_page import GUIDE, joined
from discreet.chains.learned_moments import SLOPE_WIDTH
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.model.linear import SLOPE_SCALE

RESULTS = Path(__file__).with_name("regression_coverage.json")
BEGIN, END = "<!-- regression coverage -->\n", "<!-- end of regression coverage -->\n"
TRUTHS, CORRELATIONS, FEATURES = ("fixed", "drawn"), (0.0, 0.5, 0.9), (2, 6, 12)
ROWS, EPSILONS = (500, 5_000, 50_000), ("0.1", "1", "5")
_DEVIATION, _OFFSET, _REACH = 0.15, -0.3, 3.0


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """One cell of the study."""

    truth: str
    correlation: float
    features: int
    rows: int
    epsilon: str


Found = dict[Setting, list[list[bool]]]
"""For each data set of a setting, whether each coefficient is in its interval: the intercept first."""


def all_settings() -> list[Setting]:
    """Every combination."""
    return [Setting(*cell) for cell in itertools.product(TRUTHS, CORRELATIONS, FEATURES, ROWS, EPSILONS)]


def replicate(setting: Setting, number: int) -> list[bool]:
    """One data set, released and asked. Records follow from the number, noise does not."""
    generator = np.random.default_rng([setting.rows, setting.features, round(10 * setting.correlation), number])
    names = [f"x{place}" for place in range(setting.features)]
    model = dc.LinearModel(dict.fromkeys(names, (-1, 1)), ("y", (-1, 1)))
    slopes = true_slopes(setting, generator)
    x = draw_features(setting, generator)
    y = _OFFSET + x @ slopes + _DEVIATION * generator.standard_normal(setting.rows)
    data = pl.DataFrame(x, schema=names).with_columns(y=pl.Series(y))
    posterior = RegressionMoments(setting.epsilon).release(data, model, ledger=dc.Ledger.unlimited()).posterior
    truth = [_OFFSET, *slopes.tolist()]
    return [entry.lower < value < entry.upper for entry, value in zip(posterior.summary(0.9), truth, strict=True)]


def true_slopes(setting: Setting, generator: np.random.Generator) -> np.ndarray:
    """The same in every data set, or drawn anew from the prior until three standard deviations stay within the bounds."""
    if setting.truth == "fixed":
        place = np.arange(1, setting.features + 1)
        return 0.3 / place * (-1.0) ** place
    while True:
        scale = SLOPE_SCALE / np.sqrt(setting.features) * np.exp(draw_log_scale(generator))
        slopes = scale * generator.standard_normal(setting.features)
        shared, own = setting.correlation * slopes.sum() ** 2, (1 - setting.correlation) * np.sum(slopes**2)
        if 3 * np.sqrt((shared + own) / _REACH**2 + _DEVIATION**2) < 1 - abs(_OFFSET):
            return slopes


def draw_log_scale(generator: np.random.Generator) -> float:
    """From the prior of log tau less its centre: normal, with an exponential tail to the left of one width."""
    normal, tail = np.sqrt(2 * np.pi) * ndtr(1), np.exp(-0.5)
    if generator.random() < tail / (normal + tail):
        return -SLOPE_WIDTH * (1 + generator.exponential())
    while (drawn := generator.standard_normal()) < -1:
        pass
    return SLOPE_WIDTH * drawn


def draw_features(setting: Setting, generator: np.random.Generator) -> np.ndarray:
    """Normal, any two with the same correlation, clipped to [-1, 1]."""
    shared, own = generator.standard_normal((setting.rows, 1)), generator.standard_normal((setting.rows, setting.features))
    together = np.sqrt(setting.correlation) * shared + np.sqrt(1 - setting.correlation) * own
    return np.clip(together / _REACH, -1, 1)


def read_found(path: Path) -> Found:
    """Results by setting; none if there is no file."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {Setting(*row["setting"]): [[bool(each) for each in held] for held in row["held"]] for row in rows}


def write_found(path: Path, found: Found) -> None:
    """One line for each setting."""
    rows = [
        json.dumps({"setting": astuple(setting), "held": [[int(each) for each in held] for held in found[setting]]})
        for setting in sorted(found)
    ]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def with_table(text: str, found: Found) -> str:
    """The guide with a new table."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + table(found) + "\n" + END + rest.split(END)[1]


def table(found: Found) -> str:
    """A line for each kind of truth, correlation and number of records; models of all sizes together."""
    head = ["true slopes", "correlation", "records", "data sets", *(f"epsilon {epsilon}" for epsilon in EPSILONS)]
    lines = []
    for truth, correlation, rows in dict.fromkeys((each.truth, each.correlation, each.rows) for each in sorted(found)):
        cells = [_pooled(found, truth, correlation, rows, epsilon) for epsilon in EPSILONS]
        sets = sorted({len(held) for held in cells})
        many = "to".join(f" {count} " for count in dict.fromkeys((sets[0], sets[-1]))).strip()
        lines.append(joined([truth, f"{correlation:g}", f"{rows:,}", many, *map(_share, cells)]))
    return "".join([joined(head), joined(["---"] * len(head)), *lines])


def _pooled(found: Found, truth: str, correlation: float, rows: int, epsilon: str) -> list[list[bool]]:
    return [held for features in FEATURES for held in found.get(Setting(truth, correlation, features, rows, epsilon), [])]


def _share(sets: list[list[bool]]) -> str:
    """The share of intervals that hold the truth, in percent, and its standard error: data sets, not intervals, are free."""
    if not sets:
        return "not measured"
    held, all_of = np.array([sum(each) for each in sets]), np.array([len(each) for each in sets])
    share = held.sum() / all_of.sum()
    error = np.sqrt(np.sum((held - share * all_of) ** 2)) / all_of.sum()
    return f"{100 * share:.0f} ± {100 * error:.0f}"


def main() -> int:
    """Make what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=20, help="data sets of each setting")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", type=Path, default=RESULTS, help="data sets that this file has are not made again")
    options = parser.parse_args()
    found = read_found(options.into)
    with ProcessPoolExecutor(options.workers) as pool:
        for number in range(options.sets):
            missing = [setting for setting in all_settings() if len(found.get(setting, [])) <= number]
            made = pool.map(replicate, missing, [number] * len(missing))
            for setting, held in zip(missing, made, strict=True):
                found.setdefault(setting, []).append(held)
            write_found(options.into, found)
            print(f"data set {number + 1} of {options.sets}", file=sys.stderr, flush=True)
    if options.into == RESULTS:
        GUIDE.write_text(with_table(GUIDE.read_text(encoding="utf-8"), found), encoding="utf-8")
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
