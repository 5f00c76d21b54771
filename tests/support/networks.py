"""Random networks and records for property tests."""

import itertools
import math

import polars as pl
from hypothesis import strategies as st

from discreet.model.network import Network
from discreet.model.variable import Variable


@st.composite
def networks(draw, max_nodes=5, max_levels=4, max_parents=3, max_cells=20_000):
    """A random directed acyclic graph with 1 to max_nodes nodes."""
    count = draw(st.integers(1, max_nodes))
    names = [f"n{i}" for i in range(count)]
    variables = [Variable(name, [f"l{k}" for k in range(draw(st.integers(2, max_levels)))]) for name in names]
    parents = {}
    for index, name in enumerate(names):
        if index:
            chosen = draw(st.lists(st.sampled_from(names[:index]), unique=True, max_size=max_parents))
            sizes = [variables[names.index(parent)].size for parent in chosen]
            while math.prod(sizes) * variables[index].size > max_cells:
                chosen.pop()
                sizes.pop()
            parents[name] = chosen
    return Network(variables, parents)


@st.composite
def records(draw, network, min_rows=1, max_rows=30):
    """Records of a network, as a list of dicts."""
    row = st.fixed_dictionaries({variable.name: st.sampled_from(variable.levels) for variable in network.variables})
    return draw(st.lists(row, min_size=min_rows, max_size=max_rows))


def table(rows, network):
    """Records as a Polars frame of text."""
    return pl.DataFrame(
        {node: [row[node] for row in rows] for node in network.nodes}, schema=dict.fromkeys(network.nodes, pl.String)
    )


def all_rows(network):
    """Every possible record of a small network."""
    levels = [variable.levels for variable in network.variables]
    return [dict(zip(network.nodes, row, strict=True)) for row in itertools.product(*levels)]
