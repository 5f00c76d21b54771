"""Questions in words: nodes, and `node=level` for what is seen, set or compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from discreet.model import Network

__all__ = [
    "Against",
    "ArrowsAreCauses",
    "Do",
    "Given",
    "check_declared",
    "check_words",
    "read_question",
    "split_given",
    "split_question",
    "split_targets",
]

Given = Annotated[
    list[str] | None, typer.Option("--given", metavar="NODE=LEVEL", help="What is known; repeat for several nodes.")
]
Do = Annotated[
    list[str] | None,
    typer.Option("--do", metavar="NODE=LEVEL", help="What is set, instead of seen; repeat for several nodes."),
]
Against = Annotated[
    list[str] | None,
    typer.Option("--against", metavar="NODE=LEVEL", help="Compare with the same question, with this level instead."),
]
ArrowsAreCauses = Annotated[
    bool, typer.Option("--arrows-are-causes", help="Allow --do for a learned graph: you know that its arrows are causes.")
]


def read_question(
    network: Network, target: str, given: list[str] | None, do: list[str] | None, against: list[str] | None
) -> tuple[list[str], Any, Any]:
    """The nodes that are asked for, what is given and what is set; these two are pairs where two questions are compared."""
    targets = split_targets(target, network)
    known, made = split_given(given, network), split_given(do, network, "--do")
    if not against:
        return targets, known, made
    instead = split_given(against, network, "--against")
    for node in instead:
        if node not in known and node not in made:
            said = f"{node!r} has no level in the question; say which by --given or --do."
            raise typer.BadParameter(said, param_hint="--against")
    seen, other = ({node: instead.get(node, level) for node, level in levels.items()} for levels in (known, made))
    return targets, (known, seen), (made, other)


def check_declared(file: Path, do: object, *, arrows_are_causes: bool) -> None:
    """Refuse to set nodes of a graph that nobody has declared: naive Bayes that was taken for want of another says so."""
    import discreet
    from discreet.errors import FormatError, QueryError

    if not do or arrows_are_causes:
        return
    try:
        said = discreet.load(file).caveats
    except FormatError:  # a network with its tables, which somebody has declared; whatever else is refused when it is read
        return
    if any(caveat.name == "assumed-graph" for caveat in said):
        raise QueryError(
            "Nobody has declared the arrows of this network: it was assumed, and its arrows are not causes, so setting a "
            "level means nothing. Ask with --given, or, if you know that the arrows are causes, add --arrows-are-causes."
        )


def check_words(
    network: Network, targets: list[str], given: Any, do: Any, *, arrows_are_causes: bool, interval: float | None, draws: int
) -> None:
    """Refuse a question, or two to compare, that cannot be answered, without looking at a posterior."""
    from discreet.inference.compare import check_pair
    from discreet.inference.question import check_interval, check_question

    check = check_pair if isinstance(given, tuple) else check_question
    check(network, targets, given, do, arrows_are_causes=arrows_are_causes)
    check_interval(interval, draws, math.prod(network.variable(node).size for node in targets))


def split_question(text: str, network: Network) -> tuple[list[str], dict[str, str]]:
    """Read ``nodes given node=level, node=level``."""
    target, _, known = text.partition(" given ")
    words = [word.strip() for word in known.split(",") if word.strip()]
    return split_targets(target.strip(), network), split_given(words, network, "--question")


def split_given(words: Iterable[str] | None, network: Network, option: str = "--given") -> dict[str, str]:
    """Read ``node=level`` words. The longest node that has the level wins; what is unknown is left for the query to refuse."""
    given: dict[str, str] = {}
    for word in words or ():
        node, level = _split_pair(word, network, option)
        if node in given:
            raise typer.BadParameter(f"{node!r} is given twice; keep one.", param_hint=option)
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


def _split_pair(word: str, network: Network, option: str) -> tuple[str, str]:
    node, separator, level = word.partition("=")
    if not separator:
        raise typer.BadParameter(f"{word!r} is not of the form node=level.", param_hint=option)
    places = [place for place, character in enumerate(word) if character == "="]
    readings = [(word[:place], word[place + 1 :]) for place in reversed(places) if word[:place] in network.parents]
    for known, rest in readings:
        if rest in network.variable(known).levels:
            return known, rest
    return readings[0] if readings else (node, level)
