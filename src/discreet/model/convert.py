"""Models that are made elsewhere: from files, from a schema, and from other libraries.

Those of other libraries are recognised by what they can do; none of these is imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from discreet.errors import ModelError, of_kind, suggestion
from discreet.model.declaration import Model, kind_of_model
from discreet.model.files.linear_file import read_linear_model
from discreet.model.files.network_file import read_network
from discreet.model.files.schema_file import SCHEMA_ENDING, read_schema
from discreet.model.network import Network
from discreet.model.probability import ProbabilityTable, check_probabilities
from discreet.model.schema import Schema
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable

__all__ = ["as_model", "as_network", "from_networkx", "from_pgmpy", "from_pyagrum"]

_READERS: Mapping[str, Callable[[str | os.PathLike[str]], Model]] = {".toml": read_linear_model}
"""How a file of a model is read, by the end of its name; one with another name is a network's."""


def as_model(thing: Any, target: str | None = None) -> Any:
    """Take a model as it is, or one from its file: TOML for a LinearModel; and whatever ``as_network`` takes for a Network.

    A schema, or the path of its file, has no graph: of it naive Bayes is made, for the column that ``target`` names.
    """
    schema = _schema_of(thing)
    if schema is not None:
        return _without_graph(schema, target)
    if target is not None:
        raise ModelError("target is for a schema, of which naive Bayes is made; a model has its own graph. Leave target out.")
    if kind_of_model(thing) is not None:
        return thing
    if isinstance(thing, (str, os.PathLike)):
        return _READERS.get(os.path.splitext(os.fspath(thing))[1].lower(), read_network)(thing)  # noqa: PTH122 - also bytes
    return as_network(thing)


def _schema_of(thing: object) -> Schema | None:
    """A schema, or the one in a file whose name ends like that of a schema; None for whatever is none."""
    if isinstance(thing, (str, os.PathLike)) and os.fsdecode(thing).lower().endswith(SCHEMA_ENDING):
        return read_schema(thing)
    return thing if isinstance(thing, Schema) else None


def _without_graph(schema: Schema, target: str | None) -> Network:
    schema.check_finished()
    if target is None:
        raise ModelError(
            "A schema has no graph. Name the column that is to be predicted, such as target='income', for naive Bayes; or "
            "make a network of it: Network(schema, parents)."
        )
    return naive_bayes(schema, target)


def as_network(thing: object) -> Network:
    """Take a Network, the path of a network file, a networkx graph whose nodes have "levels", a pgmpy or a pyAgrum model."""
    if isinstance(thing, Network):
        return thing
    if isinstance(thing, Schema):
        return _without_graph(thing, None)
    if isinstance(thing, (str, os.PathLike)):
        return read_network(thing)
    if hasattr(thing, "get_cpds"):
        return from_pgmpy(thing)[0]
    if hasattr(thing, "cpt") and hasattr(thing, "variableFromName"):
        return from_pyagrum(thing)[0]
    if hasattr(thing, "nodes") and hasattr(thing, "edges"):
        return from_networkx(thing)
    raise ModelError(
        f"{of_kind(thing)} is not a network. Give a Network, the path of a .bif or .json file, "
        "a networkx DiGraph whose nodes have 'levels', or a model of pgmpy or pyAgrum."
    )


def from_networkx(graph: Any, levels: Mapping[Any, Iterable[object]] | None = None) -> Network:
    """Build from a directed graph. ``levels`` maps a node to its levels; without it nodes carry an attribute "levels"."""
    if not hasattr(graph, "nodes"):
        raise ModelError(f"{of_kind(graph)} is no graph; give a networkx DiGraph.")
    if not hasattr(graph, "predecessors"):
        raise ModelError("The graph has no directions; give a networkx DiGraph.")
    nodes = list(graph.nodes)
    names = {node: str(node) for node in nodes}
    declared = dict(levels) if levels is not None else {}
    for node in declared:
        if node not in names:
            raise ModelError(f"Levels are given for {node!r}, which is not a node.{suggestion(str(node), names.values())}")
    variables: list[Variable] = []
    for node in nodes:
        found = declared.get(node, graph.nodes[node].get("levels"))
        if found is None:
            raise ModelError(f"The levels of {names[node]!r} are not known; pass levels={{{names[node]!r}: [...]}}.")
        variables.append(Variable(names[node], found))
    return Network(variables, {names[node]: [names[parent] for parent in graph.predecessors(node)] for node in nodes})


def from_pgmpy(model: Any) -> tuple[Network, dict[str, ProbabilityTable]]:
    """Build from a pgmpy DiscreteBayesianNetwork with its CPDs; the probabilities come along in our layout."""
    if not hasattr(model, "get_cpds"):
        raise ModelError(f"{of_kind(model)} is no model of pgmpy; give a DiscreteBayesianNetwork.")
    cpds = {cpd.variable: cpd for cpd in model.get_cpds() or ()}
    missing = [node for node in model.nodes() if node not in cpds]
    if missing:
        raise ModelError(
            f"The model has no CPD for {missing[0]!r}, so its levels are not known; add CPDs (model.fit or add_cpds), "
            "or use from_networkx(model, levels)."
        )
    if not all(hasattr(cpd, "state_names") and hasattr(cpd, "values") for cpd in cpds.values()):
        raise ModelError("Only discrete models can be used: every CPD must be a TabularCPD.")
    variables: list[Variable] = []
    parents: dict[str, list[str]] = {}
    for node in model.nodes():
        given = list(cpds[node].variables[1:])
        if set(given) != set(model.predecessors(node)):
            raise ModelError(f"The CPD and the edges of {str(node)!r} disagree about its parents; call model.check_model().")
        variables.append(Variable(str(node), cpds[node].state_names[node]))
        parents[str(node)] = [str(parent) for parent in given]
    network = Network(variables, parents)
    return network, {str(node): _table(network, node, cpds) for node in model.nodes()}


def _table(network: Network, node: Any, cpds: Mapping[Any, Any]) -> ProbabilityTable:
    """Put the node's axis last and every axis into the order of the levels, which may differ from CPD to CPD."""
    cpd = cpds[node]
    values = np.asarray(cpd.values, dtype=np.float64)
    for axis, member in enumerate(cpd.variables):
        here = [str(state) for state in cpd.state_names[member]]
        levels = network.variable(str(member)).levels
        if sorted(here) != sorted(levels):
            raise ModelError(f"The CPD of {str(node)!r} has other states for {str(member)!r} than the CPD of {str(member)!r}.")
        values = np.take(values, [here.index(level) for level in levels], axis=axis)
    family = network.family(str(node))
    return check_probabilities(network, str(node), np.moveaxis(values, 0, -1).reshape(family.configurations, family.levels))


def from_pyagrum(model: Any) -> tuple[Network, dict[str, ProbabilityTable]]:
    """Build from a pyAgrum BayesNet; the probabilities come along in our layout. Nodes come in the order of their numbers."""
    if not hasattr(model, "variableFromName"):
        raise ModelError(f"{of_kind(model)} is no model of pyAgrum; give a BayesNet.")
    found = [model.variable(number) for number in sorted(model.nodes())]
    tensors = {each.name(): model.cpt(each.name()) for each in found}
    # pyAgrum lists the node first; its arrays have the axes in the opposite order.
    parents = {node: list(tensor.names[1:]) for node, tensor in tensors.items()}
    network = Network([Variable(each.name(), each.labels()) for each in found], parents)
    tables = {}
    for family in network.families:
        axes = list(reversed(tensors[family.node].names))
        array = np.asarray(tensors[family.node].toarray(), dtype=np.float64)
        table = np.transpose(array, [axes.index(member) for member in family.members])
        tables[family.node] = check_probabilities(network, family.node, table.reshape(family.configurations, family.levels))
    return network, tables
