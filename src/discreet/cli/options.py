"""Options that several commands share, and what their words mean."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.checks import is_table
from discreet.errors import BudgetError, ModelError, suggestion
from discreet.guarantee import exact

if TYPE_CHECKING:
    from discreet.mechanisms.subject import Subject
    from discreet.model import Prior
    from discreet.posterior import DirichletPosterior

__all__ = [
    "AsJson",
    "Cap",
    "Connection",
    "Dataset",
    "Delta",
    "Epsilon",
    "Force",
    "HolderPrior",
    "Interval",
    "LedgerFile",
    "MechanismWord",
    "ModelOption",
    "Missing",
    "NoCache",
    "NetworkFile",
    "NetworkOption",
    "OptionalEpsilon",
    "Output",
    "PlanDelta",
    "PosteriorFile",
    "PriorWord",
    "ReleaseFile",
    "Seed",
    "Spark",
    "Sql",
    "check_delta",
    "check_fits",
    "check_not_swapped",
    "checked_model_file",
    "make_prior",
    "whole",
]

_NETWORK_WORDS = ("auto", "laplace", "laplace-consistent", "fourier", "knorm", "gaussian", "sampler", "map")
_LINEAR_WORDS = ("regression-moments", "regression-moments-gaussian", "regression-sampler")
"""Words for `--mechanism` beside a network, and beside a linear model; the first is the default."""
_DECLARED_BY = {"networks": "--network", "linear models": "--model"}
_LONGEST_NUMBER = 1000
"""Digits of a whole number: Python refuses to read much longer ones."""
_PRIORS = ("hierarchical", "uniform", "jeffreys", "bdeu:SIZE")


def _checked_epsilon(value: str) -> str:
    return _checked_budget(value, "epsilon")


def _checked_cap(value: str | None) -> str | None:
    return None if value is None else _checked_budget(value, "The budget")


def _checked_delta(value: str | None) -> str | None:
    if value is not None and exact(_checked_budget(value, "delta")) >= 1:
        raise typer.BadParameter("delta must be below 1; it should be far below 1 / rows, such as 1e-6.")
    return value


def _checked_budget(value: str, name: str) -> str:
    """Refuse what is no budget as wrong usage, so that a budget error always means: not enough left."""
    try:
        exact(value, name)
    except BudgetError as error:
        raise typer.BadParameter(str(error)) from None
    return value


def checked_model_file(value: Path | None) -> Path | None:
    """Refuse a table where a public file belongs: what is wrong with a network or release is told with words from it."""
    if value is not None and is_table(value):
        raise typer.BadParameter(f"{value.name!r} is a table of records. Check the order of the arguments.")
    return value


def _checked_mechanism(value: str | None) -> str | None:
    known = (*_NETWORK_WORDS, *_LINEAR_WORDS)
    word = None if value is None else value.strip().casefold()
    if word is not None and word not in known:
        raise typer.BadParameter(f"There is no mechanism {value!r}.{suggestion(value, known)}")
    return word


def _checked_interval(value: str) -> str:
    try:
        fits = value == "none" or 0 < float(value) < 1
    except ValueError:
        fits = False
    if not fits:
        raise typer.BadParameter("An interval is a probability between 0 and 1, such as 0.9, or none to leave it out.")
    return value


def whole(least: int) -> Callable[[object], int]:
    """How to read a whole number of at least ``least``."""

    def read(given: object) -> int:
        digits = str(given).strip().removeprefix("+")
        if not digits.isdecimal() or len(digits) > _LONGEST_NUMBER or int(digits) < least:
            raise typer.BadParameter(f"It must be a whole number of at least {least}, in digits.")
        return int(digits)

    return read


def check_not_swapped(file: Path, word: str | None) -> None:
    """Say so where a file and a name are in each other's place."""
    if word is not None and not os.path.exists(file) and os.path.isfile(word):  # noqa: PTH110, PTH113 - a Path may raise
        raise typer.BadParameter(f"There is no file {str(file)!r}, but {word!r} is one. The file comes first, then the name.")


Sql = Annotated[
    str | None,
    typer.Option("--sql", metavar="QUERY", help="The records that this query selects in the database of --connection."),
]
Connection = Annotated[
    str | None,
    typer.Option(
        "--connection",
        metavar="URL",
        envvar="DISCREET_CONNECTION",
        show_default=False,
        help="The database: postgresql://user@host/database, sqlite:///file or duckdb:///file.",
    ),
]
Spark = Annotated[
    str | None,
    typer.Option("--spark", metavar="PATH", help="The records in a file or folder of Parquet or CSV, read by Spark."),
]
NetworkFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="NETWORK",
        show_default=False,
        callback=checked_model_file,
        help="Network file: .bif, .json, or one of these and .gz.",
    ),
]
NetworkOption = Annotated[
    Path | None,
    typer.Option("--network", metavar="FILE", callback=checked_model_file, help="Network file: .bif, .json, or with .gz."),
]
ModelOption = Annotated[
    Path | None,
    typer.Option("--model", metavar="FILE", callback=checked_model_file, help="Linear model instead of a network: .toml."),
]
ReleaseFile = Annotated[Path, typer.Argument(metavar="FILE", callback=checked_model_file, help="Release file.")]
PosteriorFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", callback=checked_model_file, help="Release file, or network file with probabilities (.bif, .json)."
    ),
]
Epsilon = Annotated[
    str, typer.Option("--epsilon", metavar="E", callback=_checked_epsilon, help="Privacy budget, exact: 0.5 or 1/2.")
]
OptionalEpsilon = Annotated[
    str | None, typer.Option("--epsilon", metavar="E", callback=_checked_cap, help="Privacy budget, exact: 0.5 or 1/2.")
]
Cap = Annotated[
    str | None,
    typer.Option(
        "--cap", metavar="C", callback=_checked_cap, help="Most that may ever be spent; needed once, when a data set is new."
    ),
]
LedgerFile = Annotated[
    Path, typer.Option("--ledger", metavar="FILE", help="Ledger of the privacy budget; made with --cap of release.")
]
Dataset = Annotated[str, typer.Option("--dataset", metavar="NAME", help="Data set in the ledger.")]
Delta = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="D",
        callback=_checked_delta,
        help="Delta at which the cap holds, such as 1e-6; for a data set that is new, if releases are not to be pure.",
    ),
]
PlanDelta = Annotated[
    str | None,
    typer.Option("--delta", metavar="D", callback=_checked_delta, help="Compare Gaussian noise, too, at this delta."),
]
MechanismWord = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        metavar="WORD",
        show_default=f"{_NETWORK_WORDS[0]}, or {_LINEAR_WORDS[0]} with --model",
        callback=_checked_mechanism,
        help=f"One of: {', '.join((*_NETWORK_WORDS, *_LINEAR_WORDS))}.",
    ),
]
PriorWord = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        show_default=f"{_PRIORS[0]}; {_PRIORS[1]} for draws and points",
        help=f"{', '.join(_PRIORS)}, or an earlier release file on the same network.",
    ),
]
HolderPrior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        show_default="the file's",
        help=f"Your own prior instead: {', '.join(_PRIORS)}, or a release file on the same network.",
    ),
]
Missing = Annotated[
    str | None, typer.Option("--missing", metavar="LEVEL", help="Declared level that stands for missing values.")
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="File to write.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")]
Interval = Annotated[
    str,
    typer.Option("--interval", metavar="LEVEL", callback=_checked_interval, help="Credibility of the interval, or none."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="S", parser=whole(0), help="Whole number that makes the random draws repeatable."),
]
Plugin = Annotated[
    bool, typer.Option("--plugin", help="Take the noisy counts for exact ones, as the paper does: intervals are too narrow.")
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Find anew what was found about the release before, and keep nothing of it.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]


def check_fits(subject: Subject[Any], word: str | None, missing: str | None, prior: str | None) -> None:
    """Refuse a mechanism, or an option, that does not belong to this kind of model."""
    from discreet.mechanisms.arguments import SUBJECTS

    if subject.kind.declares_prior and (missing is not None or prior is not None):
        raise typer.BadParameter(f"--missing and --prior are not for {subject.kind.plural}: these declare their own prior.")
    if word is None or word in subject.words:
        return
    home = next(other.kind for other in SUBJECTS if word in other.words)
    said = f"{word!r} is not for {subject.kind.plural}: it is for {home.plural}, which {_DECLARED_BY[home.plural]} declares."
    raise typer.BadParameter(f"{said}{suggestion(word, subject.words)}", param_hint="--mechanism")


def check_delta(word: str | None, delta: object) -> None:
    """Refuse Gaussian noise where the ledger has, or would be made with, no delta."""
    if word in ("gaussian", "regression-moments-gaussian") and delta is None:
        said = "Gaussian noise needs a ledger with a delta: add --delta 1e-6 when the data set is new."
        raise typer.BadParameter(said, param_hint="--mechanism")


def make_prior(given: str | None) -> Prior | DirichletPosterior | None:
    """Find the prior with this name, or the posterior of an earlier release; None where nothing is said."""
    from discreet.model.prior import as_prior
    from discreet.posterior import DirichletPosterior
    from discreet.release_file.document import load

    if given is None:
        return None
    try:
        return as_prior(given)
    except ModelError as error:
        if not Path(given).exists():
            named = Path(given).suffix == ".json"
            said = f"There is no file {given!r}." if named else f"{error} Or give an earlier release file."
            raise typer.BadParameter(said, param_hint="--prior") from None
    posterior = load(given).plugin
    if not isinstance(posterior, DirichletPosterior):
        raise typer.BadParameter("Only a release of Dirichlet distributions can be a prior.", param_hint="--prior")
    return posterior
