"""Tables and splits for the benchmark of utility: the paper's first experiment, and real data with declared levels.

Levels and bins are written down here, from the descriptions that come with the data; nothing is read off the records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

import discreet as dc
from benchmarks.networks import public_data

__all__ = ["DATA", "Task", "at_hand", "task"]

DATA = ("paper", "nltcs", "fertility", "adult", "nltcs-500", "fertility-500", "adult-500")
"""A number in a name says how many records train; the test records are those of the name without it."""
_MOST_TESTED = 20_000
"""Records that are predicted, at most."""

_ADULT = {
    "workclass": "?|Federal-gov|Local-gov|Never-worked|Private|Self-emp-inc|Self-emp-not-inc|State-gov|Without-pay",
    "marital_status": "Divorced|Married-AF-spouse|Married-civ-spouse|Married-spouse-absent|Never-married|Separated|Widowed",
    "occupation": "?|Adm-clerical|Armed-Forces|Craft-repair|Exec-managerial|Farming-fishing|Handlers-cleaners"
    "|Machine-op-inspct|Other-service|Priv-house-serv|Prof-specialty|Protective-serv|Sales|Tech-support|Transport-moving",
    "relationship": "Husband|Not-in-family|Other-relative|Own-child|Unmarried|Wife",
    "race": "Amer-Indian-Eskimo|Asian-Pac-Islander|Black|Other|White",
    "sex": "Female|Male",
}
_ADULT_BINS = {
    "age": (25, 35, 45, 55, 65),
    "education_num": (9, 10, 13, 14),
    "hours_per_week": (35, 41, 51),
    "capital_gain": (1,),
    "capital_loss": (1,),
}
_FERTILITY = ("gender1", "gender2", "afam", "hispanic", "other")
_FERTILITY_BINS = {"age": (25, 28, 31, 34), "work_weeks": (1, 26, 52)}


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Train on one table, predict the target of the other."""

    network: dc.Network
    target: str
    train: pl.DataFrame
    test: pl.DataFrame

    @property
    def truth(self) -> np.ndarray:
        """The level numbers of the target in the test records."""
        return self.codes(self.test, self.target)

    def codes(self, frame: pl.DataFrame, node: str) -> np.ndarray:
        """Level numbers of one column."""
        levels = self.network.variable(node).levels
        return frame[node].replace_strict(list(levels), range(len(levels)), return_dtype=pl.Int64).to_numpy()

    def margins(self) -> dict[str, np.ndarray]:
        """Exact counts of (target, feature) in the training records."""
        label = self.codes(self.train, self.target)
        found = {}
        for variable in self.network.variables:
            if variable.name != self.target:
                table = np.zeros((self.network.variable(self.target).size, variable.size))
                np.add.at(table, (label, self.codes(self.train, variable.name)), 1)
                found[variable.name] = table
        return found


def task(data: str, seed: int) -> Task:
    """One random split; the paper's experiment draws new parameters for each."""
    generator = np.random.default_rng(seed)
    if data == "paper":
        return _paper(generator)
    name, _, few = data.partition("-")
    network, target, frame = _READERS[name]()
    order = generator.permutation(frame.height)
    train = frame.height * 4 // 5
    return Task(network, target, frame[order[: int(few or train)]], frame[order[train:][:_MOST_TESTED]])


def at_hand(data: str) -> bool:
    """Whether the experiment can be run here: real data are files that do not come with the project."""
    return data == "paper" or (public_data() / f"{data.partition('-')[0]}.parquet").exists()


def _paper(generator: np.random.Generator) -> Task:
    """Naive Bayes with 16 binary features and uniform parameters: 1,000 records, of which 50 train."""
    network = dc.naive_bayes("y", [f"x{number}" for number in range(16)])
    drawn = {node: table[0] for node, table in dc.DirichletPosterior(network).draws(1, generator).items()}
    records = dc.PointPosterior(network, drawn).sample(1000, generator).with_columns(pl.all().cast(pl.String))
    return Task(network, "y", records[:50], records[50:])


@lru_cache(maxsize=1)
def _nltcs() -> tuple[dc.Network, str, pl.DataFrame]:
    features = [f"x{number}" for number in range(16) if number != 5]
    frame = pl.read_parquet(public_data() / "nltcs.parquet").with_columns(pl.all().cast(pl.String))
    return dc.naive_bayes("x5", features), "x5", frame


@lru_cache(maxsize=1)
def _fertility() -> tuple[dc.Network, str, pl.DataFrame]:
    frame = pl.read_parquet(public_data() / "fertility.parquet")
    binned = [_binned(column, bins) for column, bins in _FERTILITY_BINS.items()]
    frame = frame.select("morekids", *_FERTILITY, *binned).with_columns(pl.all().cast(pl.String))
    levels = {name: ["0", "1"] for name in _FERTILITY} | {name: _numbers(bins) for name, bins in _FERTILITY_BINS.items()}
    return dc.naive_bayes("morekids", levels), "morekids", frame


@lru_cache(maxsize=1)
def _adult() -> tuple[dc.Network, str, pl.DataFrame]:
    frame = pl.read_parquet(public_data() / "adult.parquet")
    binned = [_binned(column, bins) for column, bins in _ADULT_BINS.items()]
    income = pl.col("income").str.strip_chars(" .")
    frame = frame.select(income, *_ADULT, *binned).with_columns(pl.all().cast(pl.String))
    levels = {name: words.split("|") for name, words in _ADULT.items()}
    levels |= {name: _numbers(bins) for name, bins in _ADULT_BINS.items()}
    return dc.naive_bayes("income", levels, ["<=50K", ">50K"]), "income", frame


def _binned(column: str, bins: tuple[int, ...]) -> pl.Expr:
    """How many of the bounds a value reaches."""
    return pl.sum_horizontal([(pl.col(column) >= bound).cast(pl.Int64) for bound in bins]).alias(column)


def _numbers(bins: tuple[int, ...]) -> list[str]:
    return [str(number) for number in range(len(bins) + 1)]


_READERS: dict[str, Callable[[], tuple[dc.Network, str, pl.DataFrame]]] = {
    "nltcs": _nltcs,
    "fertility": _fertility,
    "adult": _adult,
}
