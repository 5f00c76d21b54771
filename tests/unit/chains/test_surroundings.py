"""Chains of a question visit the tables that it needs and those around them; of others they are told what was published."""

from itertools import pairwise

import numpy as np
import pytest
from support.measurements import counts

from discreet import Network, Variable
from discreet.chains import surroundings
from discreet.chains.effort import Effort
from discreet.chains.surroundings import divide, few_cells, full_cells, surrounding, visited_cells
from discreet.chains.visits import visit
from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.published import Published
from discreet.model.prior import UNIFORM

LAW = LaplaceNoise(4)


def line(length, levels=6):
    """Nodes in a row, each the parent of the next."""
    names = [f"n{number:02}" for number in range(length)]
    variables = [Variable(name, [str(level) for level in range(levels)]) for name in names]
    return Network(variables, {after: [before] for before, after in pairwise(names)})


def publish(network, nodes=None, rows=600):
    families = [network.family(node) for node in (network.nodes if nodes is None else nodes)]
    return Published(
        network, tuple(counts(each.members, LAW, np.full(each.shape, rows // each.cells)) for each in families), rows
    )


def test_all_tables_of_a_small_network_are_visited_whatever_is_asked():
    network = Network([Variable(name, list("01")) for name in "abcd"], {"b": ["a"]})
    assert surrounding(network, publish(network), ["d"]) == network.nodes


def test_the_nearest_tables_are_visited_as_long_as_they_are_few():
    network = line(60)
    published = publish(network)
    found = surrounding(network, published, ["n30"])
    cells = visited_cells(network, published, found)
    assert few_cells(network) - 36 < cells <= few_cells(network)
    places = [int(node[1:]) for node in found]
    assert places == list(range(places[0], places[-1] + 1))
    assert abs((places[0] + places[-1]) / 2 - 30) <= 1


def test_all_that_a_question_needs_is_visited_and_some_around_it():
    network = line(60)
    published = publish(network)
    needed = network.nodes[:50]
    found = surrounding(network, published, needed)
    assert set(needed) <= set(found)
    more = visited_cells(network, published, found) - visited_cells(network, published, needed)
    assert 0 < more <= few_cells(network) // 2


def test_small_tables_come_before_large_ones_at_the_same_distance(monkeypatch):
    monkeypatch.setattr(surroundings, "few_cells", lambda _: 30)
    sizes = {"a": 2, "wide": 20, "narrow": 3, "far": 2}
    variables = [Variable(name, [str(level) for level in range(size)]) for name, size in sizes.items()]
    network = Network(variables, {"wide": ["a"], "narrow": ["a"], "far": ["wide"]})
    assert surrounding(network, publish(network), ["a"]) == ("a", "narrow")


def test_a_node_that_is_read_off_its_childrens_tables_needs_one_of_them(monkeypatch):
    monkeypatch.setattr(surroundings, "few_cells", lambda _: 1)
    sizes = {"root": 3, "wide": 20, "narrow": 2}
    variables = [Variable(name, [str(level) for level in range(size)]) for name, size in sizes.items()]
    network = Network(variables, {"wide": ["root"], "narrow": ["root"]})
    published = publish(network, ["wide", "narrow"])
    assert [family.node for family in divide(network, published)[1]] == ["root"]
    assert surrounding(network, published, ["root"]) == ("root", "narrow")
    visits = visit(network, UNIFORM, published, {}, Effort(4, 4, 4), 0, None, ["root", "narrow"])
    assert set(visits.counts) == {"root", "narrow"}
    # A node that a visited table has is read off it, asked for or not.
    assert surrounding(network, published, ["wide"]) == ("root", "wide")


def known_by_a_distant_table(rows=2000):
    """Of the first node next to nothing is published but in a table that a question about it does not need."""
    network = Network([Variable("a", ["0", "1"]), Variable("b", ["0", "1", "2"])], {"b": ["a"]})
    table = np.array([[700, 500, 300], [300, 150, 50]])
    vague, sharp = LaplaceNoise(20_000), LaplaceNoise(5)
    return Published(network, (counts("a", vague, np.array([-9000, 11_000])), counts("ab", sharp, table)), rows)


@pytest.mark.parametrize("told", [True, False], ids=["told", "planted fault: not told"])
def test_what_a_distant_table_knows_is_told(told, monkeypatch):
    published = known_by_a_distant_table()
    if not told:
        monkeypatch.setattr("discreet.chains.listening._listeners", lambda *_: [])
    effort = Effort(8, 60, 400)
    found, whole = (
        visit(published.network, UNIFORM, published, {}, effort, 3, None, nodes).counts["a"][:, 0, 0]
        for nodes in (["a"], None)
    )
    near = abs(found.mean() - whole.mean()) < 8 and 0.7 < found.std() / whole.std() < 1.6
    assert near == told
    assert whole.mean() == pytest.approx(1500, abs=12)


def test_a_table_of_which_only_a_larger_one_was_published_needs_that_one(monkeypatch):
    """What is published of maximal families alone says all that there is to know of the tables within them."""
    monkeypatch.setattr(surroundings, "few_cells", lambda _: 1)
    parents = {"e": ["a"], "f": ["a"], "x": ["a", "e", "f"], "y": ["x", "a", "e", "f"]}
    network = Network([Variable(name, list("01")) for name in "aefxy"], parents)
    published = publish(network, ["x", "y"])
    assert surrounding(network, published, ["f", "a"]) == ("a", "f", "x")
    assert surrounding(network, published, ["f", "a", "y"]) == ("a", "f", "y")  # one of them is enough
    assert surrounding(network, publish(network), ["f", "a"]) == ("a", "f")


def test_cells_that_stand_out_from_noise_are_counted():
    """Of a table itself, and of one that was published within a larger one."""
    variables = [Variable("a", ["0", "1"]), Variable("b", list("0123")), Variable("c", ["0", "1"])]
    pair, three = Network(variables[:2], {"b": ["a"]}), Network(variables, {"b": ["a"], "c": ["a", "b"]})
    table = np.array([[400, 90, 8, 2], [300, 150, 40, 10]])
    halves = np.stack([table, table], axis=2) // 2

    def full(network, measured):
        return full_cells(network, Published(network, (measured,), 1000), ["b"])

    assert full(pair, counts("ab", LaplaceNoise(9), table)) == 6
    assert full(pair, counts("ab", LaplaceNoise(30), table)) == 5
    assert full(three, counts("abc", LaplaceNoise(9), halves)) == 5  # two cells make one, whose noise is wider
    assert full(three, counts("abc", LaplaceNoise(30), halves)) == 4


def test_contrasts_over_further_nodes_say_nothing_of_a_table():
    network = Network([Variable(name, ["0", "1"]) for name in "abc"], {"b": ["a"], "c": ["a", "b"]})
    table = np.array([[60, 40], [5, 3]])
    halves = np.stack([table, table], axis=2) // 2
    sharp = Measurement(("a", "b", "c"), Statistic.CONTRAST, LaplaceNoise(1), np.zeros((2, 2)))
    published = Published(network, (counts("abc", LaplaceNoise(20), halves), sharp), 108)
    assert full_cells(network, published, ["b"]) == full_cells(network, published, ["a", "b"]) == 2


def test_each_cell_of_a_contrast_has_half_of_its_noise():
    network = Network([Variable("a", ["0", "1"]), Variable("b", ["0", "1"])], {"b": ["a"]})
    law = LaplaceNoise(10)
    contrast = Measurement(("a", "b"), Statistic.CONTRAST, law, np.array([3, 4]))
    widths = [surroundings._noise_of_cell(network, network.family("b"), each) for each in (counts("ab", law), contrast)]
    assert widths[0] == pytest.approx(10, rel=1e-3)
    assert widths[1] == widths[0] / 2
