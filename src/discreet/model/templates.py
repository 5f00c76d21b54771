"""Networks of a known form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from discreet.checks import items_of
from discreet.errors import ModelError
from discreet.model.network import Network
from discreet.model.variable import Variable

__all__ = ["naive_bayes"]


def naive_bayes(
    label: str,
    features: Iterable[str] | Mapping[str, Iterable[object]],
    levels: Iterable[object] = ("0", "1"),
) -> Network:
    """Naive Bayes: the label is the only parent of every feature.

    ``features`` is a list of names, which share ``levels`` with the label, or a mapping from name to its own levels (then
    ``levels`` are the label's).
    """
    if isinstance(features, str):
        raise ModelError(f"The features are one text; give a list such as [{features!r}].")
    shared = Variable(label, levels).levels
    declared = dict(features) if isinstance(features, Mapping) else {}
    names = [str(name) for name in items_of(features, "The features are a list of names, or a mapping from names to levels.")]
    if label in names:
        raise ModelError(f"{label!r} is the label and a feature; rename one.")
    variables = [Variable(label, shared), *(Variable(name, declared.get(name, shared)) for name in names)]
    return Network(variables, {name: [label] for name in names})
