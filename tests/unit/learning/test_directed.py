"""Directed graphs grow from noisy pairs, and from nothing else."""

from fractions import Fraction

import numpy as np

from discreet import Variable
from discreet.counts.pairs import pair_numbers
from discreet.learning.directed import grow_directed
from discreet.learning.wanted import read_wanted
from discreet.measure.pairs import PairForm, PairMoments

SIZES = {"a": 2, "b": 3, "c": 2, "d": 2}
VARIABLES = tuple(Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items())
ROWS = 20_000


def pairs(seed=0, scale=Fraction(30)):
    """b follows a, d follows b and c; c is alone."""
    generator = np.random.default_rng(seed)
    a, c = generator.integers(0, 2, ROWS), generator.integers(0, 2, ROWS)
    b = np.where(generator.random(ROWS) < 0.7, a, generator.integers(0, 3, ROWS))
    d = np.where(generator.random(ROWS) < 0.8, (b > 0) & (c > 0), generator.integers(0, 2, ROWS)).astype(int)
    codes = {"a": a, "b": b, "c": c, "d": d}

    def table(nodes):
        found = np.zeros([SIZES[node] for node in nodes], dtype=np.int64)
        np.add.at(found, tuple(codes[node] for node in nodes), 1)
        return found

    exact = pair_numbers({node: table((node,)) for node in SIZES}, table)
    noise = np.rint(generator.normal(0, 1, exact.shape) * float(scale))
    return PairMoments(SIZES, PairForm.GAUSSIAN, scale**2, ROWS, (exact + noise.astype(np.int64)).astype(object))


def wanted(**given):
    return read_wanted(VARIABLES, "dag", None, given.get("parents", 3), given.get("required", ()), given.get("forbidden", ()))


def edges(grown):
    return {frozenset((parent, node)) for node, listed in grown.parents.items() for parent in listed}


def test_a_planted_graph_is_found():
    grown = grow_directed(wanted(), pairs())
    assert {frozenset("ab"), frozenset("bd"), frozenset("cd")} <= edges(grown)
    for node, table in grown.concentrations.items():
        assert table.shape[1] == SIZES[node]
        assert (table > 0).all()


def test_nothing_goes_with_anything_where_all_is_noise():
    grown = grow_directed(wanted(), pairs(scale=Fraction(10**7)))
    for node, table in grown.concentrations.items():
        shares = table / table.sum(axis=1, keepdims=True)
        assert np.ptp(shares, axis=0).max() < 0.2, node


def test_no_node_has_more_parents_than_are_wanted():
    grown = grow_directed(wanted(parents=1), pairs())
    assert max(map(len, grown.parents.values())) == 1


def test_what_is_required_and_forbidden_is_kept():
    grown = grow_directed(wanted(required=[("d", "a"), ("c", "a")], forbidden=[("a", "b")]), pairs())
    assert set(grown.parents["a"]) >= {"c", "d"}
    assert frozenset("ab") not in edges(grown)


def test_the_same_pairs_give_the_same_graph():
    one, two = grow_directed(wanted(), pairs()), grow_directed(wanted(), pairs())
    assert one.parents == two.parents
    np.testing.assert_array_equal(one.concentrations["d"], two.concentrations["d"])
