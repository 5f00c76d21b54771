"""Nodes and levels as words of the command line. Their names may contain the separators, so known names decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from discreet.model import Network

__all__ = ["split_given", "split_targets"]


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
