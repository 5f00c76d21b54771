"""Small worlds of persons: everybody with one to three records, as frames and as exact sums, made without the package."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import polars as pl


def records_of(network):
    """Every record that the network allows."""
    return list(product(*(variable.levels for variable in network.variables)))


def persons_of(network, most=3):
    """Everybody with one to so many records, up to their order."""
    return [person for count in range(1, most + 1) for person in combinations_with_replacement(records_of(network), count)]


def person_frame(network, persons, column="id"):
    """A table of these persons, their records mixed."""
    rows = [(f"p{number}", *record) for number, person in enumerate(persons) for record in person]
    return pl.DataFrame(rows[::-1], schema=[column, *network.nodes], orient="row")


def cells_of(network, record):
    """All family tables of one record, one after the other."""
    cells = []
    for family in network.families:
        table = np.zeros(family.shape, dtype=object)
        table[tuple(int(record[network.nodes.index(member)]) for member in family.members)] = 1
        cells += table.ravel().tolist()
    return cells


def average(network, person):
    """The average of a person's records in all family tables, in exact fractions."""
    return [Fraction(sum(column), len(person)) for column in zip(*(cells_of(network, one) for one in person), strict=True)]


def total(network, persons):
    """The sum of the averages of these persons."""
    return [sum(column) for column in zip(*(average(network, person) for person in persons), strict=True)]


def flat(tables, network):
    """The cells of tables by node, one after the other."""
    return [int(cell) for node in network.nodes for cell in tables[node].ravel()]
