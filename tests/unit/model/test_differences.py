"""What differs between two networks is named; the first thing that does, and nothing where all is the same."""

import pytest

from discreet import Network, Reading, Variable
from discreet.model.differences import difference_of_networks, difference_of_tables

BITS = list("01")
A, B = Variable("a", BITS), Variable("b", BITS)
PAIR = Network([A, B], {"b": ["a"]})
READ = Network([A, Variable("b", BITS, Reading(column="B"))], {"b": ["a"]})

OF_TABLES = {
    "a node": (Network([A]), "Only one of the two networks has a node 'b'."),
    "levels": (Network([A, Variable("b", ["0", "2"])], {"b": ["a"]}), "different levels of 'b'"),
    "an order of levels": (Network([A, Variable("b", ["1", "0"])], {"b": ["a"]}), "different levels of 'b'"),
    "parents": (Network([A, B]), "'b' has different parents"),
}
OF_READING = {
    "a reading": (READ, "read the values of 'b' differently: only one of them says how values become levels"),
    "what is impossible": (Network([A, B], {"b": ["a"]}, impossible=[{"a": "1", "b": "0"}]), "combinations impossible"),
    "where the graph is from": (Network([A, B], {"b": ["a"]}, learned=True), "was learned from records"),
    "the order of nodes": (Network([B, A], {"b": ["a"]}), "in different orders"),
}


@pytest.mark.parametrize("what", OF_TABLES)
def test_tables_that_mean_something_else_are_named(what):
    other, said = OF_TABLES[what]
    for one, two in ((PAIR, other), (other, PAIR)):
        assert said in difference_of_tables(one, two)
        assert said in difference_of_networks(one, two)


@pytest.mark.parametrize("what", OF_READING)
def test_tables_that_mean_the_same_may_belong_to_networks_that_are_not(what):
    other, said = OF_READING[what]
    assert difference_of_tables(PAIR, other) is None
    assert said in difference_of_networks(PAIR, other)


def test_every_difference_of_two_readings_is_named():
    other = Network([A, Variable("b", BITS, Reading(column="C", fold=True))], {"b": ["a"]})
    assert "'b' differently: its column and its fold." in difference_of_networks(READ, other)


def test_one_and_the_same_network_differs_in_nothing():
    assert difference_of_networks(PAIR, Network([A, B], {"b": ["a"]})) is None
    assert difference_of_tables(PAIR, READ) is None
