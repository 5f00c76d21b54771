"""`discreet query`: the distribution of nodes given the levels of others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import AsJson, Interval, Plugin, PosteriorFile, Seed, check_not_swapped, whole
from discreet.cli.progress import progress, ready
from discreet.cli.render import note, print_json, print_table

if TYPE_CHECKING:
    from discreet.model import Network

__all__ = ["query", "split_given", "split_targets"]


def query(
    file: PosteriorFile,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Node to ask for, or several, separated by commas.")],
    given: Annotated[
        list[str] | None, typer.Option("--given", metavar="NODE=LEVEL", help="What is known; repeat for several nodes.")
    ] = None,
    interval: Interval = "0.9",
    draws: Annotated[int, typer.Option("--draws", metavar="N", parser=whole(1), help="Draws for the interval.")] = 1000,
    seed: Seed = None,
    plugin: Plugin = False,
    as_json: AsJson = False,
) -> None:
    """Ask for the distribution of nodes given the levels of others, with a credible interval. Costs no privacy budget.

    Example: discreet query clinic.json lung --given smoke=yes
    """
    import numpy as np

    from discreet.inference.query import check_question
    from discreet.release_file.document import read_posterior

    check_not_swapped(file, target)
    posterior = read_posterior(file, plugin=plugin)
    targets, known = split_targets(target, posterior.network), split_given(given or (), posterior.network)
    wanted = None if interval == "none" else float(interval)
    check_question(posterior.network, targets, known, wanted, draws)  # a wrong word should not have to wait for the chain
    ready(posterior)
    with progress("Asking"):
        answer = posterior.query(targets, known, interval=wanted, draws=draws, generator=np.random.default_rng(seed))
    if as_json:
        print_json(answer.to_dict())
        return
    headings, rows = answer.table()
    print_table(answer.title, headings, rows, numbers=len(headings) - len(targets))
    if answer.remark is not None:
        note(answer.remark)


def split_given(words: Iterable[str], network: Network) -> dict[str, str]:
    """Read ``node=level`` words. The longest node that has the level wins; what is unknown is left for the query to refuse."""
    given: dict[str, str] = {}
    for word in words:
        node, level = _split_pair(word, network)
        if node in given:
            raise typer.BadParameter(f"{node!r} is given twice; keep one.", param_hint="--given")
        given[node] = level
    return given


def split_targets(text: str, network: Network) -> list[str]:
    """Read nodes separated by commas."""
    parts = text.split(",")
    targets: list[str] = []
    start = 0
    while start < len(parts):
        ends = range(len(parts), start, -1)
        end = next((end for end in ends if _join(parts[start:end], network) in network.parents), start + 1)
        targets.append(_join(parts[start:end], network))
        start = end
    return targets


def _join(parts: list[str], network: Network) -> str:
    """Join words with the commas between them; spaces around them count only where a node is called so."""
    exact = ",".join(parts)
    return exact if exact in network.parents else exact.strip()


def _split_pair(word: str, network: Network) -> tuple[str, str]:
    node, separator, level = word.partition("=")
    if not separator:
        raise typer.BadParameter(f"{word!r} is not of the form node=level.", param_hint="--given")
    places = [place for place, character in enumerate(word) if character == "="]
    readings = [(word[:place], word[place + 1 :]) for place in reversed(places) if word[:place] in network.parents]
    for known, rest in readings:
        if rest in network.variable(known).levels:
            return known, rest
    return readings[0] if readings else (node, level)
