"""Options that several commands share, and what their words mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import BudgetError, ModelError, suggestion
from discreet.guarantee import exact

if TYPE_CHECKING:
    from discreet.mechanisms import Mechanism
    from discreet.model import Prior
    from discreet.posterior import DirichletPosterior

__all__ = [
    "AsJson",
    "Cap",
    "Connection",
    "Data",
    "Delta",
    "Epsilon",
    "Force",
    "Interval",
    "MechanismWord",
    "Missing",
    "NetworkFile",
    "NetworkOption",
    "Output",
    "PosteriorFile",
    "PriorWord",
    "Records",
    "ReleaseFile",
    "Seed",
    "Spark",
    "Sql",
    "make_mechanism",
    "make_prior",
]

_MECHANISMS = ("laplace", "laplace-consistent", "fourier")
_PRIORS = ("uniform", "jeffreys", "bdeu:SIZE")


def _checked_epsilon(value: str) -> str:
    return _checked_budget(value, "epsilon")


def _checked_cap(value: str | None) -> str | None:
    return None if value is None else _checked_budget(value, "cap")


def _checked_delta(value: str | None) -> str | None:
    return None if value is None else _checked_budget(value, "delta")


def _checked_budget(value: str, name: str) -> str:
    """Refuse what is no budget as wrong usage, so that a budget error always means: not enough left."""
    try:
        exact(value, name)
    except BudgetError as error:
        raise typer.BadParameter(str(error)) from None
    return value


def _checked_model_file(value: Path) -> Path:
    """Refuse a table where a public file belongs: what is wrong with a network or release is told with words from it."""
    if value.name.lower().endswith((".csv", ".csv.gz", ".parquet", ".pq")):
        raise typer.BadParameter(f"{value.name!r} is a table of records. Check the order of the arguments.")
    return value


def _checked_mechanism(value: str) -> str:
    if value not in _MECHANISMS:
        raise typer.BadParameter(f"There is no mechanism {value!r}.{suggestion(value, _MECHANISMS)}")
    return value


def _checked_interval(value: str) -> str:
    try:
        fits = value == "none" or 0 < float(value) < 1
    except ValueError:
        fits = False
    if not fits:
        raise typer.BadParameter("An interval is a probability between 0 and 1, such as 0.9, or none to leave it out.")
    return value


_DATA_HELP = "Table of records: .csv, .csv.gz, .ndjson or .parquet; a quoted pattern with * for many files."
Data = Annotated[Path, typer.Argument(metavar="DATA", help=_DATA_HELP)]
Records = Annotated[Path | None, typer.Argument(metavar="DATA", show_default=False, help=_DATA_HELP)]
Sql = Annotated[
    str | None,
    typer.Option("--sql", metavar="QUERY", help="Count what this query selects, in the database of --connection."),
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
    str | None, typer.Option("--spark", metavar="PATH", help="Count a file or folder of Parquet or CSV with Spark.")
]
NetworkFile = Annotated[
    Path,
    typer.Argument(
        metavar="NETWORK", callback=_checked_model_file, help="Network file: .bif, .json, or one of these and .gz."
    ),
]
NetworkOption = Annotated[
    Path,
    typer.Option("--network", metavar="FILE", callback=_checked_model_file, help="Network file: .bif, .json, or with .gz."),
]
ReleaseFile = Annotated[Path, typer.Argument(metavar="FILE", callback=_checked_model_file, help="Release file.")]
PosteriorFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", callback=_checked_model_file, help="Release file, or network file with probabilities (.bif, .json)."
    ),
]
Epsilon = Annotated[
    str, typer.Option("--epsilon", metavar="E", callback=_checked_epsilon, help="Privacy budget, exact: 0.5 or 1/2.")
]
Cap = Annotated[
    str | None,
    typer.Option(
        "--cap", metavar="C", callback=_checked_cap, help="Most that may ever be spent; needed once, when a data set is new."
    ),
]
Delta = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="D",
        callback=_checked_delta,
        help="Delta at which the cap holds, such as 1e-6; for a data set that is new, if releases are not to be pure.",
    ),
]
MechanismWord = Annotated[
    str, typer.Option("--mechanism", metavar="WORD", callback=_checked_mechanism, help=f"One of: {', '.join(_MECHANISMS)}.")
]
PriorWord = Annotated[
    str,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        help=f"{', '.join(_PRIORS)}, or an earlier release file on the same network.",
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
    int | None, typer.Option("--seed", metavar="S", min=0, help="Whole number that makes the random draws repeatable.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]


def make_mechanism(word: str, epsilon: str) -> Mechanism[Any]:
    """Build the mechanism with this name."""
    from discreet.mechanisms import Fourier, Laplace

    match word:
        case "fourier":
            return Fourier(epsilon)
        case "laplace-consistent":
            return Laplace(epsilon, tables="maximal", consistent=True)
    return Laplace(epsilon)


def make_prior(word: str) -> Prior | DirichletPosterior:
    """Find the prior with this name, or the posterior of an earlier release."""
    from discreet.model import JEFFREYS, UNIFORM, BDeu
    from discreet.posterior import DirichletPosterior, load

    kind, _, size = word.partition(":")
    match kind:
        case "uniform" | "jeffreys" if not size:
            return UNIFORM if kind == "uniform" else JEFFREYS
        case "bdeu":
            try:
                return BDeu(float(size or "1"))
            except (ValueError, ModelError):
                raise typer.BadParameter(
                    "Write bdeu:SIZE with a number greater than zero, such as bdeu:10.", param_hint="--prior"
                ) from None
    if not Path(word).exists():
        hint = suggestion(word, _PRIORS)
        raise typer.BadParameter(f"There is neither a prior nor a release file {word!r}.{hint}", param_hint="--prior")
    posterior = load(word).posterior
    if not isinstance(posterior, DirichletPosterior):
        raise typer.BadParameter("Only a release of Dirichlet distributions can be a prior.", param_hint="--prior")
    return posterior
