"""Releases as models of pgmpy, pyAgrum and networkx, and back.

Models of these libraries hold one number for each probability: the expected one. Credal networks of pyAgrum hold two, the ends
of its interval. Each library is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_probability
from discreet.errors import ModelError, QueryError
from discreet.interop.export import mean_tables, posterior_of
from discreet.model.convert import from_networkx, from_pgmpy, from_pyagrum
from discreet.model.network import Network
from discreet.posterior.posterior import Posterior
from discreet.releases import Release

__all__ = ["from_networkx", "from_pgmpy", "from_pyagrum", "to_credal", "to_networkx", "to_pgmpy", "to_pyagrum"]


def to_networkx(source: Release[Any] | Posterior | Network) -> Any:
    """A networkx DiGraph. Nodes have "levels" and, where the source knows them, "probabilities": configurations x levels.

    The first parent of a table's rows changes slowest; parents come in the order in which the graph's edges were added.
    """
    import networkx as nx

    network = source if isinstance(source, Network) else posterior_of(source).network
    tables = {} if isinstance(source, Network) else mean_tables(posterior_of(source))
    graph = nx.DiGraph()
    for variable in network.variables:
        known = {"probabilities": tables[variable.name]} if tables else {}
        graph.add_node(variable.name, levels=list(variable.levels), **known)
    graph.add_edges_from((parent, node) for node, parents in network.parents.items() for parent in parents)
    return graph


def to_pgmpy(source: Release[Any] | Posterior) -> Any:
    """A DiscreteBayesianNetwork of pgmpy with the expected probabilities."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    posterior = posterior_of(source)
    network = posterior.network
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(network.nodes)
    model.add_edges_from((parent, node) for node, parents in network.parents.items() for parent in parents)
    for node, table in mean_tables(posterior).items():
        family = network.family(node)
        states = {member: list(network.variable(member).levels) for member in family.members}
        sizes = [network.variable(parent).size for parent in family.parents]
        model.add_cpds(TabularCPD(node, family.levels, table.T, list(family.parents) or None, sizes or None, states))
    return model


def to_pyagrum(source: Release[Any] | Posterior) -> Any:
    """A BayesNet of pyAgrum with the expected probabilities."""
    posterior = posterior_of(source)
    return _bayes_net(posterior.network, mean_tables(posterior).__getitem__)


def to_credal(source: Release[Any] | Posterior, *, interval: float = 0.9) -> Any:
    """A CredalNet of pyAgrum: every probability may lie anywhere in its credible interval.

    Each interval holds its own probability with the stated credibility, so all of them together hold with less. Where a
    posterior has no spread, there are no intervals to give. Where all nodes have two levels, ``pyagrum.CNLoopyPropagation``
    can be asked at once.
    """
    import pyagrum

    posterior = posterior_of(source)
    check_probability(interval)
    if posterior.without_spread is not None:
        raise QueryError(f"{posterior.without_spread} A credal network needs intervals.")
    ends = {node: _interval(posterior, node, interval) for node in posterior.network.nodes}
    lower = _bayes_net(posterior.network, lambda node: ends[node][0])
    upper = _bayes_net(posterior.network, lambda node: ends[node][1])
    credal = pyagrum.CredalNet(lower, upper)
    credal.intervalToCredal()
    if all(variable.size == 2 for variable in posterior.network.variables):
        credal.computeBinaryCPTMinMax()  # CNLoopyPropagation asks for it
    return credal


def _interval(posterior: Posterior, node: str, interval: float) -> tuple[Floats, Floats]:
    """Ends of the intervals of a node's probabilities, from the posterior itself or from its draws."""
    known = getattr(posterior, "interval", None)
    if known is not None:
        lower, upper = known(node, interval)
        return lower, upper
    drawn, tail = posterior.draws_of([node], 4000, 0)[node], (1 - interval) / 2
    lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return lower, upper


def _bayes_net(network: Network, table_of: Callable[[str], Floats]) -> Any:
    """A BayesNet whose tables are these. pyAgrum's arrays have the node last and the parents in the order it keeps."""
    import pyagrum

    model = pyagrum.BayesNet()
    for variable in network.variables:
        model.add(pyagrum.LabelizedVariable(variable.name, variable.name, list(variable.levels)))
    for node, parents in network.parents.items():
        for parent in parents:
            model.addArc(parent, node)
    for family in network.families:
        axes = list(reversed(model.cpt(family.node).names))
        if sorted(axes) != sorted(family.members):
            raise ModelError(f"pyAgrum has other parents of {family.node!r}; rename nodes whose names it takes for numbers.")
        table = np.asarray(table_of(family.node)).reshape(family.shape)
        turned = np.transpose(table, [family.members.index(axis) for axis in axes])
        model.cpt(family.node)[:] = np.ascontiguousarray(turned)
    return model
