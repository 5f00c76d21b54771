"""`export`: the probabilities of a release as a network file that other programs read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_path
from discreet.errors import FormatError, of_kind, suggestion
from discreet.interop.network_formats import FORMATS, Format
from discreet.interop.plain_names import rename
from discreet.output_file import write_atomically
from discreet.posterior.posterior import Posterior
from discreet.releases import Release, software

__all__ = ["choose_format", "export", "mean_tables", "posterior_of"]

_MOST_REMARKS = 1000


def export(
    source: Release[Any] | Posterior, path: str | os.PathLike[str], to: str | None = None, *, overwrite: bool = False
) -> Mapping[str, str]:
    """Write the expected probabilities of a release, or of a posterior, as a network file of another program.

    ``to`` is "bif", "xmlbif", "xdsl" (GeNIe) or "net" (Hugin); without it the end of the name says which. Such a file has
    one number for each probability: intervals stay in the release file. Names that the format cannot hold are changed; what
    was changed is returned, and stands in the file as a remark.
    """
    posterior, kind = posterior_of(source), choose_format(path, to)
    renamed = rename(posterior.network, kind.nodes, kind.levels)
    tables = {renamed.nodes[node]: table for node, table in mean_tables(posterior).items()}
    text = kind.write(renamed, tables, _remarks(source, renamed.changed, kind.nodes.taken))
    write_atomically(path, text, overwrite=overwrite)
    return renamed.changed


def choose_format(path: str | os.PathLike[str], to: str | None) -> Format:
    """The format that is called so, or, where nothing is said, the one that the file's name ends like."""
    name = Path(check_path(path))
    if to is not None:
        word = to.strip().lower().removeprefix(".") if isinstance(to, str) else ""
        found = FORMATS.get(word)
        if found is None:
            raise FormatError(f"There is no format of that name for networks.{suggestion(to, FORMATS)}")
        return found
    by_ending = {ending: kind for kind in FORMATS.values() for ending in kind.endings}
    found = by_ending.get(name.suffix.lower())
    if found is None:
        raise FormatError(f"{name.name!r} does not say what to write; give to=, one of: {', '.join(FORMATS)}.")
    return found


def posterior_of(source: object) -> Posterior:
    """The posterior of a release, or a posterior as it is; whatever is about a network."""
    found = source.posterior if isinstance(source, Release) else source
    if isinstance(found, Posterior):
        return found
    if getattr(found, "model", None) is not None:
        raise FormatError("This is about a linear model, which is no network: ask its posterior for coefficients.")
    raise FormatError(f"{of_kind(source)} cannot be exported; give a release or a posterior of a network.")


def mean_tables(posterior: Posterior) -> dict[str, Floats]:
    """Expected probabilities of all nodes, with rows that sum to one as nearly as floats can."""
    found = {}
    for node in posterior.network.nodes:
        table = np.asarray(posterior.mean(node), dtype=np.float64)
        found[node] = table / table.sum(axis=1, keepdims=True)
    return found


def _remarks(source: object, changed: Mapping[str, str], words: Iterable[str]) -> list[str]:
    """What whoever opens the file should know: where it comes from, and which names are others. Plain ASCII, one line each."""
    mark = re.compile("|".join(words) or "$.", re.IGNORECASE)
    said = ["Expected probabilities, without their intervals. The release file has both."]
    if isinstance(source, Release):
        said.append(f"Made from a differentially private release: {source.guarantee}.")
    said.append(f"Written by {software()}.")
    told = list(changed.items())[:_MOST_REMARKS]
    # Names come from anybody's file: as JSON, a line break in one cannot end the remark.
    return [*said, *(f"Changed name: {json.dumps(new)} was {_quote(old, mark)}" for old, new in told)]


def _quote(name: str, mark: re.Pattern[str]) -> str:
    """A name as JSON. Readers may look for words of their format in remarks, too: beside one, marks are spelled as codes."""
    text = json.dumps(name)
    if not mark.search(name):
        return text
    return '"' + re.sub(r"[^\w\\]", lambda found: f"\\u{ord(found[0]):04x}", text[1:-1]) + '"'
