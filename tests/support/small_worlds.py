"""Small worlds: all graphs on a few binary nodes, all data sets of a few records, all neighbours, exact probabilities."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from discreet.model.network import Network
from discreet.model.variable import Variable


def graphs(nodes):
    """Every directed acyclic graph on the given number of binary nodes, up to the order of the nodes."""
    names = [f"x{i}" for i in range(nodes)]
    pairs = list(combinations(names, 2))
    for chosen in product([False, True], repeat=len(pairs)):
        edges = [pair for pair, keep in zip(pairs, chosen, strict=True) if keep]
        yield Network.from_edges([Variable(name, ["0", "1"]) for name in names], edges)


def data_sets(network, rows):
    """Every data set, up to the order of its records, on which counts do not depend."""
    records = list(product(*(variable.levels for variable in network.variables)))
    return list(combinations_with_replacement(records, rows))


def neighbours(network, data):
    """Every data set with one record replaced."""
    for index in range(len(data)):
        for record in product(*(variable.levels for variable in network.variables)):
            yield tuple(sorted((*data[:index], record, *data[index + 1 :])))


def counts(network, data):
    """All family counts as one tuple of integers."""
    cells = []
    for family in network.families:
        table = np.zeros(family.shape, dtype=int)
        places = [network.nodes.index(member) for member in family.members]
        for record in data:
            table[tuple(int(record[place]) for place in places)] += 1
        cells += table.ravel().tolist()
    return tuple(cells)


def clamped_law(count, rows, q):
    """Exact law of clamp(count + noise, 0, rows) for noise with P(k) = (1 - q) / (1 + q) q^|k|, q a fraction."""
    inner = [(1 - q) / (1 + q) * q ** abs(value - count) for value in range(rows + 1)]
    inner[0] = q**count / (1 + q)
    inner[-1] = q ** (rows - count) / (1 + q)
    assert sum(inner) == 1
    return inner


def worst_ratio(network, rows, q, law=clamped_law):
    """The largest ratio of the probabilities of an output under two neighbouring data sets, over all of them, exactly.

    Cells are independent and every combination of outputs is possible, so the largest ratio is a product over the cells.
    """
    largest = {
        (mine, other): max(a / b for a, b in zip(law(mine, rows, q), law(other, rows, q), strict=True))
        for mine in range(rows + 1)
        for other in range(rows + 1)
    }
    tables = {data: counts(network, data) for data in data_sets(network, rows)}
    worst = Fraction(1)
    for data, mine in tables.items():
        for neighbour in set(neighbours(network, data)):
            ratio = Fraction(1)
            for pair in zip(mine, tables[neighbour], strict=True):
                ratio *= largest[pair]
            worst = max(worst, ratio)
    return worst
