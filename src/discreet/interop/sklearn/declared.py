"""What an estimator was told, as a network or a linear model. Everything is declared; nothing is read off the records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet.errors import ModelError, of_kind, quoted, suggestion
from discreet.model import LinearModel, Network, Schema, SchemaColumn, Variable, as_network

__all__ = ["LEARNED", "declare_line", "declare_network", "feature_columns"]

_FEATURES = (
    "Declare what the features are: schema=dc.read_schema(path), a list of Variable(name, levels), a mapping from names to "
    'levels, or one SchemaColumn(name, "number", cuts=[...]) for every column alike.'
)
_BOUNDS = (
    "Declare the range of every feature: bounds=(low, high) for all alike, a mapping from names to (low, high), a list of "
    "them, or schema=... with constraints."
)
LEARNED = ("tan", "learn")
"""Words for a graph that is learned: naive Bayes with edges between the features, or what is expected to do best."""
_WORDS = ("naive_bayes", *LEARNED)


def declare_network(network: Any, schema: Any, target: str, classes: Any, names: Sequence[str]) -> Network:
    """The network of a classifier. ``names`` are what the columns of X are called, for declarations that hold for each."""
    if not (isinstance(network, str) and network.strip().lower() in _WORDS):
        made = as_network(_known_word_or_file(network))
        if schema is not None:
            raise ModelError("A network has its levels already: leave schema out.")
        return _with_target(made, target, classes)
    features = {each.name: each for each in _features(schema, target, names)}
    told = features.get(target) if classes is None else Variable(target, _texts(classes))
    label = told or _of_schema(schema, target)
    nodes = [each for each in features.values() if each.name != target]
    return Network([label, *nodes], {each.name: [target] for each in nodes})


def feature_columns(network: Network, target: str) -> list[str]:
    """What tables call the features of a network, in the declared order."""
    return [each.column for each in network.variables if each.name != target]


def declare_line(
    bounds: Any, schema: Any, target: str, target_bounds: Any, names: Sequence[str], prior: Mapping[str, Any], intercept: bool
) -> LinearModel:
    """The linear model of a regression, from bounds or from a schema that has them."""
    if schema is not None:
        if bounds is not None or not isinstance(schema, Schema):
            raise ModelError("Give bounds, or a schema that has them, such as dc.read_schema(path): not both.")
        ranges: Mapping[str, Any] = schema.bounds([name for name in schema.names if name != target])
        target_bounds = schema.column(target).bounds() if target_bounds is None else target_bounds
    else:
        ranges = _ranges(bounds, names)
    if target_bounds is None:
        raise ModelError("Declare the range of the target: target_bounds=(low, high), known without looking at the records.")
    return LinearModel(dict(ranges), (target, target_bounds), intercept=intercept, **prior)


def _known_word_or_file(network: Any) -> Any:
    """What was given, unless it is a word that looks like no file and is none."""
    if isinstance(network, str) and not Path(network).suffix and not Path(network).exists():
        raise ModelError(
            f"network={quoted(network)} is no word for a graph, and no file.{suggestion(network, _WORDS)} Or give a Network, "
            "or the path of a network file."
        )
    return network


def _ranges(bounds: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(bounds, Mapping):
        return dict(bounds)
    if not isinstance(bounds, tuple | list):
        raise ModelError(_BOUNDS)
    if len(bounds) == 2 and not any(isinstance(bound, tuple | list) for bound in bounds):
        return dict.fromkeys(names, tuple(bounds))
    if len(bounds) != len(names):
        raise ModelError(f"There are {len(bounds)} pairs of bounds and {len(names)} features; give one pair for each.")
    return dict(zip(names, bounds, strict=True))


def _features(schema: Any, target: str, names: Sequence[str]) -> list[Variable]:
    if isinstance(schema, Schema):
        return [column.variable() for column in schema.columns if column.name != target]
    if isinstance(schema, SchemaColumn):
        return [replace(schema, name=name, column=None).variable() for name in names]
    if isinstance(schema, Variable):
        return [Variable(name, schema.levels, schema.reading) for name in names]
    if isinstance(schema, Mapping):
        return [Variable(name, levels) for name, levels in schema.items()]
    if not isinstance(schema, Iterable) or isinstance(schema, str):
        raise ModelError(_FEATURES if schema is None else f"{of_kind(schema)} declares no features. {_FEATURES}")
    listed = list(schema)
    if not listed or not all(isinstance(each, Variable) for each in listed):
        raise ModelError(_FEATURES)
    return listed


def _of_schema(schema: Any, target: str) -> Variable:
    if isinstance(schema, Schema) and target in schema.names:
        return schema.column(target).variable()
    raise ModelError(
        "Declare the classes: classes=[...], in the order of the columns of predict_proba; or name as target a column of the "
        "schema. They are never read off y: which classes occur may be private."
    )


def _with_target(network: Network, target: str, classes: Any) -> Network:
    if target not in network.nodes:
        raise ModelError(f"target={target!r} is not a node of the network.{suggestion(target, network.nodes)}")
    if classes is not None and _texts(classes) != network.variable(target).levels:
        raise ModelError(f"The classes are not the levels of {target!r}, in their order. Leave classes out, or give those.")
    return network


def _texts(classes: Any) -> tuple[str, ...]:
    """Classes as levels, by their texts."""
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise ModelError("The classes are a list, such as [0, 1] or ['no', 'yes'].")
    return tuple(str(each) for each in classes)
