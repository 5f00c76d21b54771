"""Records with a planted graph, and ledgers to learn it with."""

import numpy as np
import polars as pl

from discreet import Ledger, Variable


def binary(count):
    """So many variables of two levels: x0, x1, ..."""
    return [Variable(f"x{number}", ["0", "1"]) for number in range(count)]


def chain_records(nodes, rows, strength=0.9, seed=0):
    """A chain x0 - x1 - ...: each equals the one before with this probability."""
    generator = np.random.default_rng(seed)
    columns = [generator.integers(0, 2, rows)]
    for _ in range(nodes - 1):
        columns.append(np.where(generator.random(rows) < strength, columns[-1], 1 - columns[-1]))
    return pl.DataFrame({f"x{number}": column.astype(str) for number, column in enumerate(columns)})


def edges_of(network):
    """Pairs without direction."""
    return {frozenset((parent, node)) for node, listed in network.parents.items() for parent in listed}


def open_ledger(folder, cap="10", delta=None):
    return Ledger(folder / "graph.ledger", cap=cap, delta=delta)
