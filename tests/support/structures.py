"""Structures of well-known networks, read as binary, and small ones with more levels."""

import numpy as np
import polars as pl

from discreet import Network, Variable, naive_bayes

# ALARM: Beinlich, Suermondt, Chavez and Cooper, "The ALARM monitoring system" (1989); nodes by number, parents by node.
ALARM_PARENTS = {
    0: [5],
    1: [4],
    2: [4],
    4: [3, 5],
    6: [3, 5],
    8: [7, 34],
    9: [10, 34],
    11: [10, 34],
    14: [13],
    15: [32, 30],
    17: [24, 30],
    19: [18, 31],
    20: [19, 23],
    21: [22],
    23: [24, 22],
    25: [24, 16, 29],
    28: [27],
    29: [26, 28],
    30: [24, 16, 29],
    31: [24, 30],
    32: [31],
    33: [32, 12, 20, 14],
    34: [33],
    35: [34, 6],
    36: [35, 14],
}


def binary(nodes, parents):
    """A network of binary nodes x0, x1, ... with these parents."""
    names = [f"x{i}" for i in range(nodes)]
    variables = [Variable(name, ["0", "1"]) for name in names]
    return Network(variables, {names[node]: [names[parent] for parent in given] for node, given in parents.items()})


def alarm():
    return binary(37, ALARM_PARENTS)


def chain(nodes):
    return binary(nodes, {i: [i - 1] for i in range(1, nodes)})


def naive(features):
    return naive_bayes("y", [f"x{i}" for i in range(features)])


WIDE = binary(17, {16: range(16)})
"""A family that is too wide to be fused."""
WIDE_DATA = pl.DataFrame({name: ["0"] for name in WIDE.nodes})
MIXED = Network(
    [
        Variable("a", ["no", "yes"]),
        Variable("b", ["0", "1", "2"]),
        Variable("c", ["x", "y", "z", "w"]),
        Variable("d", list("01")),
    ],
    {"b": ["a"], "c": ["b", "a"], "d": ["b"]},
)
"""Levels of two, three and four, and a node whose parents are in another order than the network's."""


def even_data(network, rows=400, seed=11):
    """Records in which all nodes are independent and all levels alike."""
    generator = np.random.default_rng(seed)
    return pl.DataFrame({variable.name: generator.choice(variable.levels, rows) for variable in network.variables})
