"""Trees are grown from the edges whose tables are furthest from independence."""

import numpy as np
import pytest

import discreet as dc
from tests.support.bits import SeededBits
from tests.support.graphs import chain_records, edges_of


def test_a_planted_chain_is_found():
    variables = [dc.Variable(f"x{number}", ["0", "1"]) for number in range(6)]
    learned = dc.learn(
        chain_records(6, 4000), variables, epsilon="3", ledger=dc.Ledger.unlimited(), form="tree", _bits=SeededBits(2)
    )
    assert edges_of(learned.network) == {frozenset((f"x{number}", f"x{number + 1}")) for number in range(5)}


def test_tables_that_the_records_cannot_fill_are_left_out():
    import polars as pl

    generator = np.random.default_rng(0)
    wide = [str(number) for number in range(30)]
    codes = generator.integers(0, 30, 300)
    records = pl.DataFrame({"a": codes.astype(str), "b": codes.astype(str), "c": (codes % 2).astype(str)})
    variables = [dc.Variable("a", wide), dc.Variable("b", wide), dc.Variable("c", ["0", "1"])]
    learned = dc.learn(records, variables, epsilon="1", ledger=dc.Ledger.unlimited(), form="tree", _bits=SeededBits(1))
    assert frozenset("ab") not in edges_of(learned.network)  # 900 cells of 300 records


@pytest.mark.parametrize("required", [("x3", "x0"), ("x0", "x3")])
def test_a_tree_keeps_a_required_arrow(required):
    variables = [dc.Variable(f"x{number}", ["0", "1"]) for number in range(4)]
    learned = dc.learn(
        chain_records(4, 500), variables, epsilon="1", ledger=dc.Ledger.unlimited(), form="tree", required=[required]
    )
    assert learned.network.parents[required[1]] == (required[0],)
    assert learned.network.edges == 3
