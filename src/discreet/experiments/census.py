"""A synthetic census: adults with fourteen features and an income, made up by a seeded generator.

No real person is in it; it only has the shape of a census. Income rises with education, hours and weeks of work, rises and
falls again with age, is skewed, and a line explains about half of its variance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.guarantee import BudgetLike
from discreet.model.linear import LinearModel

if TYPE_CHECKING:
    import polars as pl

    from discreet.arrays import Floats

__all__ = ["CENSUS_ROWS", "census_model", "synthetic_census"]

CENSUS_ROWS = 370_000

_YES_NO = (0.0, 1.0)
_BOUNDS = {
    "age": (16.0, 90.0),
    "male": _YES_NO,
    "married": _YES_NO,
    "single": _YES_NO,
    "education_years": (0.0, 16.0),
    "native_born": _YES_NO,
    "hours_per_week": (0.0, 65.0),
    "weeks_worked": (0.0, 52.0),
    "years_in_residence": (0.0, 40.0),
    "owns_dwelling": _YES_NO,
    "family_size": (1.0, 12.0),
    "n_children": (0.0, 9.0),
    "auto_commute": _YES_NO,
    "veteran": _YES_NO,
}
_INCOME = (0.0, 150_000.0)


def census_model(
    radius: BudgetLike | None = 3, noise: BudgetLike | None = "0.25", precision: BudgetLike | None = None, resolution: int = 16
) -> LinearModel:
    """Income by fourteen features, with bounds that nobody needs the records for."""
    return LinearModel(_BOUNDS, ("income", _INCOME), precision, radius, noise, resolution=resolution)


def synthetic_census(rows: int = CENSUS_ROWS, seed: int = 1901) -> pl.DataFrame:
    """Make up records: the fourteen features of ``census_model`` and the income. Equal seeds give equal records."""
    import polars as pl

    generator = np.random.default_rng(seed)
    person = _demography(rows, generator)
    person |= _work(person, generator)
    person["income"] = _income(person, generator)
    whole = {name for name in person if name != "income"} - {"education_years", "years_in_residence"}
    return pl.DataFrame({name: values.astype(np.int16) if name in whole else values for name, values in person.items()})


def _demography(rows: int, generator: np.random.Generator) -> dict[str, Floats]:
    age = np.floor(16 + 74 * generator.beta(1.3, 2.4, rows))
    male = _chance(np.full(rows, 0.49), generator)
    single = _chance(0.04 + 0.93 * np.exp(-np.maximum(age - 18, 0) / 8), generator)
    married = (1 - single) * _chance(np.full(rows, 0.78), generator)
    native = _chance(0.62 + 0.003 * (age - 16), generator)
    schooling = generator.normal(12.4 + 1.0 * native - 0.02 * (age - 40), 3.0)
    children = married * generator.poisson(1.6 * np.exp(-(((age - 38) / 14) ** 2)))
    return {
        "age": age,
        "male": male,
        "married": married,
        "single": single,
        "education_years": np.clip(np.floor(np.minimum(schooling, age - 5)), 0, 16),
        "native_born": native,
        "family_size": np.clip(1 + married + children + generator.poisson(0.7, rows), 1, 12),
        "n_children": np.clip(children, 0, 9),
    }


def _work(person: dict[str, Floats], generator: np.random.Generator) -> dict[str, Floats]:
    age, male = person["age"], person["male"]
    rows = len(age)
    ability = 0.4 + 0.25 * male + 0.02 * (person["education_years"] - 12) - 0.10 * (1 - male) * person["n_children"]
    works = _chance(np.where(age < 65, np.clip(ability + 0.2, 0.05, 0.97), 0.12), generator)
    residence = np.minimum(generator.exponential(2 + (age - 16) / 5), age - 0.5)
    return {
        "hours_per_week": works * np.clip(np.round(generator.normal(35 + 6 * male, 10)), 4, 65),
        "weeks_worked": works * np.clip(np.round(52 - generator.exponential(9, rows)), 1, 52),
        "years_in_residence": np.clip(np.round(residence * 2) / 2, 0, 40),
        "owns_dwelling": _chance(np.clip(0.15 + 0.3 * person["married"] + 0.006 * (age - 16), 0, 0.9), generator),
        "auto_commute": works * _chance(np.full(rows, 0.8), generator),
        "veteran": male * _chance(np.where(age > 35, 0.35, 0.08), generator),
    }


def _income(person: dict[str, Floats], generator: np.random.Generator) -> Floats:
    experience = np.maximum(person["age"] - person["education_years"] - 6, 0)
    log_wage = (
        1.35
        + 0.075 * person["education_years"]
        + 0.030 * experience
        - 0.00045 * experience**2
        + 0.18 * person["male"]
        + 0.06 * person["married"]
        + 0.08 * person["native_born"]
        + 0.05 * person["veteran"]
        + generator.normal(0, 0.55, len(experience))
    )
    earned = person["hours_per_week"] * person["weeks_worked"] * np.exp(log_wage)
    other = (1 + person["owns_dwelling"]) * generator.exponential(2500 + 60 * (person["age"] - 16))
    income: Floats = np.round(earned + other)
    return income


def _chance(probability: Floats, generator: np.random.Generator) -> Floats:
    """One with this probability, otherwise zero."""
    return (generator.random(len(probability)) < probability).astype(np.float64)
