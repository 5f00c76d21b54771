"""People to practise on: a table as offices have it, with raw ages and hours and a codebook beside it.

The columns are like those of the census extract that many know as "adult". The probabilities are made up, so nobody is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.output_file import OutputFile, write_atomically
from discreet.posterior.point import PointPosterior

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CODEBOOK", "TABLE", "people", "write_people"]

TABLE, CODEBOOK = "people.csv", "people-codebook.csv"
PEOPLE = 10_000
_SEED = 1994

_RANGES = {
    "age": {"young": (17, 24), "early": (25, 34), "middle": (35, 49), "late": (50, 64), "old": (65, 90)},
    "hours": {"part": (5, 34), "full": (35, 44), "long": (45, 80)},
}
"""Bands that raw numbers are drawn from, both ends included. The table shows the numbers alone."""
_LEVELS = {
    **{name: list(bands) for name, bands in _RANGES.items()},
    "sex": ["F", "M"],
    "education": ["primary", "secondary", "college", "university"],
    "marital": ["single", "married", "widowed"],
    "occupation": ["service", "trade", "office", "professional", "?"],
    "income": ["<=50K", ">50K"],
}
_PARENTS = {
    "marital": ["age"],
    "occupation": ["education"],
    "hours": ["sex"],
    "income": ["education", "marital"],
}
_TABLES = {  # by parent configuration, first parent slowest
    "age": [[0.16, 0.22, 0.32, 0.20, 0.10]],
    "sex": [[0.5, 0.5]],
    "education": [[0.14, 0.42, 0.26, 0.18]],
    "marital": [[0.9, 0.1, 0.0], [0.5, 0.49, 0.01], [0.28, 0.69, 0.03], [0.2, 0.7, 0.1], [0.1, 0.5, 0.4]],
    "occupation": [
        [0.44, 0.36, 0.08, 0.02, 0.1],
        [0.28, 0.38, 0.22, 0.06, 0.06],
        [0.18, 0.2, 0.4, 0.18, 0.04],
        [0.06, 0.06, 0.26, 0.6, 0.02],
    ],
    "hours": [[0.36, 0.5, 0.14], [0.14, 0.54, 0.32]],
    "income": [
        *([0.99, 0.01], [0.9, 0.1], [0.96, 0.04]),
        *([0.96, 0.04], [0.68, 0.32], [0.92, 0.08]),
        *([0.92, 0.08], [0.55, 0.45], [0.86, 0.14]),
        *([0.8, 0.2], [0.3, 0.7], [0.7, 0.3]),
    ],
}
_COLUMNS = ("age", "sex", "education", "marital", "occupation", "hours", "income")
_CODEBOOK = """variable,value,label,type,minimum,maximum,cuts
age,,age in years,integer,17,90,25 35 50 65
sex,F,woman
sex,M,man
education,primary,primary school
education,secondary,secondary school
education,college,some college
education,university,university degree
marital,single,never married
marital,married,married
marital,widowed,widowed or divorced
occupation,service,service worker
occupation,trade,craft or trade
occupation,office,clerk or sales
occupation,professional,professional or manager
occupation,?,not stated
hours,,hours of work in a week,integer,1,99,35 45
income,<=50K,at most 50 thousand a year
income,>50K,more than 50 thousand a year
"""


def people(rows: int = PEOPLE, seed: int = _SEED) -> pl.DataFrame:
    """Made-up people, the same every time: raw ages and hours, and words for the rest."""
    import polars as pl

    generator = np.random.default_rng(seed)
    network = Network([Variable(name, levels) for name, levels in _LEVELS.items()], _PARENTS)
    drawn = PointPosterior(network, _TABLES).sample(rows, generator)
    numbers = [pl.Series(name, _numbers(drawn[name], bands, generator)) for name, bands in _RANGES.items()]
    return drawn.with_columns(numbers).select(_COLUMNS)


def write_people(folder: Path, *, overwrite: bool = False) -> None:
    """Leave the table and its codebook in a folder. Files that are there stay, unless they are to be replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (TABLE, CODEBOOK):
        OutputFile(folder / name, overwrite=overwrite).close()  # neither is written where one cannot be
    write_atomically(folder / TABLE, people().write_csv(), overwrite=overwrite)
    write_atomically(folder / CODEBOOK, _CODEBOOK, overwrite=overwrite)


def _numbers(bands: pl.Series, ranges: Mapping[str, tuple[int, int]], generator: np.random.Generator) -> list[int]:
    return [int(generator.integers(*ranges[band], endpoint=True)) for band in bands]
