"""Further answers of a release, all of them without budget: `discreet probability`, `expect`, `information` and `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import AsJson, HolderPrior, Interval, NoCache, PosteriorFile, Seed, make_prior
from discreet.cli.questions import ArrowsAreCauses, Do, Given, check_declared, split_given
from discreet.cli.render import note, prepare, print_json, print_table
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.inference.explain import Explanation
    from discreet.inference.quantities import Quantity
    from discreet.posterior import Posterior

__all__ = ["expect", "explain", "information", "probability"]


def probability(
    file: PosteriorFile,
    levels: Annotated[list[str], typer.Argument(metavar="NODE=LEVEL...", help="Levels whose probability is asked.")],
    given: Given = None,
    do: Do = None,
    arrows_are_causes: ArrowsAreCauses = False,
    interval: Interval = "0.9",
    seed: Seed = None,
    prior: HolderPrior = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Say how probable it is that nodes have these levels together. Costs no privacy budget.

    Example: discreet probability clinic.json smoke=yes lung=yes
    """
    check_declared(file, do, arrows_are_causes=arrows_are_causes)
    posterior = _read(file, prior, no_cache)
    network = posterior.network
    of, known, made = split_given(levels, network, "NODE=LEVEL"), split_given(given, network), split_given(do, network, "--do")
    with progress("Asking"):
        how = _how(interval, seed)
        found = posterior.probability(of, known, made, arrows_are_causes=arrows_are_causes, **how)
    _print(found, as_json)


def expect(
    file: PosteriorFile,
    node: Annotated[str, typer.Argument(metavar="NODE", help="Node whose levels are numbers or bins.")],
    given: Given = None,
    do: Do = None,
    value: Annotated[
        list[str] | None, typer.Option("--value", metavar="LEVEL=NUMBER", help="What a level counts as; repeat for several.")
    ] = None,
    arrows_are_causes: ArrowsAreCauses = False,
    interval: Interval = "0.9",
    seed: Seed = None,
    prior: HolderPrior = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Say the expected value of a node whose levels are numbers or bins. Costs no privacy budget.

    Example: discreet expect clinic.json xray --value clear=0 --value unclear=1 --value shadow=2
    """
    check_declared(file, do, arrows_are_causes=arrows_are_causes)
    posterior = _read(file, prior, no_cache)
    known, made = split_given(given, posterior.network), split_given(do, posterior.network, "--do")
    how = {"arrows_are_causes": arrows_are_causes, "values": _values(value or []), **_how(interval, seed)}
    with progress("Asking"):
        found = posterior.expected_value(node, known, made, **how)
    _print(found, as_json)


def information(
    file: PosteriorFile,
    one: Annotated[str, typer.Argument(metavar="NODE", help="A node.")],
    other: Annotated[str, typer.Argument(metavar="NODE", help="Another node.")],
    given: Given = None,
    interval: Interval = "0.9",
    seed: Seed = None,
    prior: HolderPrior = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Say how many bits one node tells of another, on average. Costs no privacy budget.

    Example: discreet information clinic.json smoke lung
    """
    posterior = _read(file, prior, no_cache)
    with progress("Asking"):
        known = split_given(given, posterior.network)
        found = posterior.mutual_information(one, other, known, **_how(interval, seed))
    _print(found, as_json)


def explain(
    file: PosteriorFile,
    given: Given = None,
    prior: HolderPrior = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Find the levels of all nodes that are most probable together, given some. Costs no privacy budget.

    Example: discreet explain clinic.json --given lung=yes
    """
    posterior = _read(file, prior, no_cache)
    with progress("Asking"):
        found = prepare(posterior).explain(split_given(given, posterior.network))
    _print(found, as_json)


def _read(file: Any, prior: str | None, no_cache: bool) -> Posterior:
    from discreet.release_file.document import read_posterior

    return read_posterior(file, prior=make_prior(prior), cache=not no_cache)


def _how(interval: str, seed: int | None) -> dict[str, Any]:
    import numpy as np

    return {"interval": None if interval == "none" else float(interval), "generator": np.random.default_rng(seed)}


def _values(words: list[str]) -> dict[str, float]:
    """Numbers for levels; the last equals sign is the one before the number."""
    found: dict[str, float] = {}
    for word in words:
        level, _, number = word.rpartition("=")
        try:
            found[level] = float(number)
        except ValueError:
            raise typer.BadParameter(f"{word!r} is not of the form level=number.", param_hint="--value") from None
    return found


def _print(found: Quantity | Explanation, as_json: bool) -> None:
    caution, remark = getattr(found, "caution", None), getattr(found, "remark", None)
    if caution is not None:
        note(f"Beware: {caution}")
    if as_json:
        print_json(found.to_dict())
        return
    headings, rows = found.table()
    print_table(found.title, headings, rows)
    if remark is not None:
        note(remark)
