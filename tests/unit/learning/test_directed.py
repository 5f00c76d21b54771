"""Directed graphs grow from noisy pairs, and from nothing else."""

from fractions import Fraction

import numpy as np

from discreet import Variable
from discreet.counts.pairs import pair_numbers
from discreet.kernel.noise.pairs import PairedColumns
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
    return read_wanted(VARIABLES, "dag", None, given.get("parents"), given.get("required", ()), given.get("forbidden", ()))


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


def test_narrow_families_may_have_more_parents_unless_it_is_said_how_many():
    """A node that hangs on five others, all of two levels."""
    names = "abcdef"
    generator = np.random.default_rng(2)
    columns = generator.integers(0, 2, (5, ROWS))
    last = (columns.sum(axis=0) + generator.integers(0, 2, ROWS) > 2).astype(int)
    codes = dict(zip(names, [*columns, last], strict=True))

    def table(nodes):
        found = np.zeros([2] * len(nodes), dtype=np.int64)
        np.add.at(found, tuple(codes[node] for node in nodes), 1)
        return found

    numbers = pair_numbers({node: table((node,)) for node in names}, table).astype(object)
    found = PairMoments(dict.fromkeys(names, 2), PairForm.GAUSSIAN, Fraction(100), ROWS, numbers)
    variables = tuple(Variable(name, ["0", "1"]) for name in names)
    most = {}
    for parents in (None, 3):
        grown = grow_directed(read_wanted(variables, "dag", None, parents, (), ()), found)
        most[parents] = max(map(len, grown.parents.values()))
    assert most[None] > 3 == most[3]
    wide = read_wanted((*variables, Variable("g", [str(level) for level in range(5)])), "dag", None, None, (), ())
    assert wide.allows(3, 5000)
    assert wide.allows(6, 128)
    assert not wide.allows(4, 129)
    assert not wide.allows(7, 2)


def test_parents_that_noise_alone_explains_are_hardly_taken(monkeypatch):
    """Of pairs that have nothing to do with each other many are further off than most, few further than the furthest."""
    names = [f"c{place}" for place in range(16)]
    places = len(PairedColumns((2,) * 16, ROWS).places)
    widths = np.array([1.414] * 16 + [2.0] * (places - 16))
    numbers = np.rint(np.random.default_rng(4).normal(0, 150, places) * widths).astype(int).astype(object)
    found = PairMoments(dict.fromkeys(names, 2), PairForm.GAUSSIAN, Fraction(150**2), ROWS, numbers)
    asked = read_wanted(tuple(Variable(name, ["0", "1"]) for name in names), "dag", None, None, (), ())
    strict = len(edges(grow_directed(asked, found)))
    monkeypatch.setattr("discreet.learning.directed._DOUBT", 0.0)
    assert 2 * strict < len(edges(grow_directed(asked, found)))
