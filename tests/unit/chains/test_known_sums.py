"""Sums that cells count into, for a network small enough to write them out."""

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains import known_sums
from discreet.chains.known_sums import _shared
from discreet.measure import needs
from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic

SIZES = {"a": 2, "b": 3, "c": 2, "d": 2}
NETWORK = Network(
    [Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items()],
    {"c": ["a", "b"], "d": ["b", "c"]},
)
LAW = LaplaceNoise(3.0)


def shared(families, *, largest=None, monkeypatch=None):
    if largest is not None:
        monkeypatch.setattr(known_sums, "_LARGEST_MARGIN", largest)
    return _shared([NETWORK.family(node) for node in families])


def test_sets_of_nodes_that_families_have_in_common():
    assert shared("cd") == {("b", "c"): (0, 1)}  # b alone says nothing more: the same two families have it
    assert shared("ac") == {("a",): (0, 1)}
    assert shared("abcd") == {("a",): (0, 2), ("b",): (1, 2, 3), ("b", "c"): (2, 3)}
    assert shared("ad") == {}
    assert shared("b") == {}


def test_margins_that_are_too_large_are_not_tied_but_smaller_ones_are(monkeypatch):
    assert shared("cd", largest=5, monkeypatch=monkeypatch) == {("b",): (0, 1), ("c",): (0, 1)}
    assert shared("cd", largest=1, monkeypatch=monkeypatch) == {}


def by_hand(family, nodes, signed, column):
    """The sums of a family's cells over the levels of some nodes; of signed ones the first level minus the second."""
    found = {}
    for cell, count in enumerate(column):
        levels = dict(zip(family.members, np.unravel_index(cell, family.shape), strict=True))
        place = tuple(int(levels[node]) for node in nodes)
        found[place] = found.get(place, 0) + count * np.prod([1 - 2 * levels[node] for node in signed])
    return [found[place] for place in sorted(found)]


@pytest.mark.parametrize(
    ("nodes", "statistic", "shape"),
    [
        ("ca", Statistic.COUNTS, (2, 2)),
        ("b", Statistic.COUNTS, (3,)),
        ("bca", Statistic.CONTRAST, (3, 2)),
        ("bc", Statistic.CONTRAST, (3,)),
        ("ca", Statistic.PARITY, ()),
    ],
)
def test_a_measurement_that_is_no_familys_own_is_a_sum_of_cells(nodes, statistic, shape):
    numbers = np.arange(10, 10 + int(np.prod(shape))).reshape(shape)
    measurement = Measurement(tuple(nodes), statistic, LAW, numbers)
    tables = lay_out(NETWORK, [measurement], 60, 1.0, ["c"])
    family, sums = NETWORK.family("c"), tables.sums
    column = np.random.default_rng(1).integers(0, 9, family.cells).astype(float)
    signed = {Statistic.COUNTS: "", Statistic.CONTRAST: nodes[-1], Statistic.PARITY: nodes}[statistic]
    kept = [node for node in nodes if node not in signed]
    assert (sums.matrix() @ column)[1:].tolist() == by_hand(family, kept, signed, column)
    expected = 60 - 2 * numbers if statistic is Statistic.PARITY else numbers
    assert sums.measured[1:].tolist() == expected.ravel().tolist()
    np.testing.assert_allclose(sums.precision[1:], 1 / measurement.variance)
    assert measurement.variance == pytest.approx((4 if statistic is Statistic.PARITY else 1) * LAW.variance)
    assert (sums.margin == -1).all()
    assert sums.precision[0] == 0


def test_tables_are_tied_to_every_cell_of_what_they_share():
    """Half of what is not known of a margin; margins come in one order of nodes, whatever the order in families."""
    tables = lay_out(NETWORK, [counts("bcd", LAW, np.zeros((3, 2, 2))), counts("abc", LAW, np.ones((2, 3, 2)))], 60, 1.0, "cd")
    sums = tables.sums
    assert sums.nodes == (("b", "c"),)
    assert sums.sizes.tolist() == [6]
    assert sums.copies.tolist() == [2.0] * 6
    column = np.random.default_rng(1).integers(0, 9, len(tables.prior)).astype(float)
    found = sums.matrix() @ column
    for number, family in enumerate(tables.families):
        mine = sums.tied[sums.family[sums.tied] == number]
        assert sums.margin[mine].tolist() == list(range(6))
        assert found[mine].tolist() == by_hand(family, "bc", "", column[tables.cells_of(number)])
    # Each cell of the margin is a sum of two cells in either table; the number of records is public: five of six are noisy.
    noise, even = LAW.variance * 2 / 2 * 5 / 6, 61**2 * 5 / (36 * 7)
    np.testing.assert_allclose(1 / sums.precision[sums.tied], 0.5 / (1 / noise + 1 / even))
    assert sums.ties == {("b", "c"): pytest.approx(0.5 / (1 / noise + 1 / even))}
    assert (sums.precision[0], sums.family[0], sums.margin[0]) == (0, 0, -1)


def test_every_measurement_is_told_to_one_family_and_own_ones_to_none():
    measurements = [
        counts("abc", LAW, np.zeros((2, 3, 2))),
        counts("cb", LAW, np.zeros((2, 3))),
        counts("a", LAW, np.zeros(2)),
    ]
    tables = lay_out(NETWORK, measurements, 60, 1.0)
    sums = tables.sums
    measured = sums.family[1:][sums.margin[1:] < 0]
    holder = next(number for number, family in enumerate(tables.families) if family.node in "cd")
    assert (np.bincount(measured, minlength=4) == [6 if number == holder else 0 for number in range(4)]).all()
    assert tables.noisy.size == 1 + 12 + 2


def test_a_measurement_that_no_family_contains_is_told_as_a_margin():
    """Numbers are summed over the nodes that the family does not have, and so are the variances of their noise."""
    numbers = np.arange(12).reshape(2, 3, 2)
    tables = lay_out(NETWORK, [counts("abc", LAW, numbers)], 60, 1.0, ["d"])
    family, sums = NETWORK.family("d"), tables.sums
    column = np.random.default_rng(1).integers(0, 9, family.cells).astype(float)
    assert (sums.matrix() @ column)[1:].tolist() == by_hand(family, "bc", "", column)
    assert sums.measured[1:].tolist() == numbers.sum(axis=0).ravel().tolist()
    np.testing.assert_allclose(sums.precision[1:], 1 / (2 * LAW.variance))


def test_no_node_of_a_measurement_is_told_twice():
    network = Network([Variable(name, list("01")) for name in "abcdxyz"], {"x": ["a", "b", "c"], "y": ["b"], "z": ["c"]})
    measurement = counts("abcx", LAW, np.arange(16).reshape(2, 2, 2, 2))
    tables = lay_out(network, [measurement], 60, 1.0, ["y", "z", "a", "b"])
    told = {tables.families[number].node for number in tables.sums.family[tables.sums.margin < 0][1:]}
    assert told == {"a", "b", "z"}  # what the table of b hears is not told to that of y again


def test_a_contrast_says_nothing_of_a_family_without_the_node_that_is_contrasted():
    contrast = Measurement(("b", "c", "a"), Statistic.CONTRAST, LAW, np.ones((3, 2), dtype=np.int64))
    sums = lay_out(NETWORK, [contrast], 60, 1.0, ["d"]).sums
    assert not (sums.precision[sums.margin < 0] > 0).any()
    sums = lay_out(NETWORK, [contrast], 60, 1.0, ["a"]).sums
    assert sums.measured[1:].tolist() == [6.0]
    assert (sums.matrix() @ np.array([5.0, 2.0]))[1:].tolist() == [3.0]


def test_ties_are_neither_so_tight_that_they_hold_nor_so_loose_that_they_are_infinite():
    calm = [counts(nodes, LaplaceNoise(1e-3), np.ones([SIZES[node] for node in nodes])) for nodes in ("bcd", "abc")]
    sums = lay_out(NETWORK, calm, 12, 1.0, "cd").sums
    assert (sums.precision[sums.tied] == 4).all()
    sums = lay_out(NETWORK, [], 12, 1.0, "cd").sums
    np.testing.assert_allclose(1 / sums.precision[sums.tied], 0.5 * 13**2 * 5 / (36 * 7))


def test_nodes_that_three_families_have_in_common_are_all_tied_though_no_two_families_share_them_alone():
    network = Network(
        [Variable(name, list("01")) for name in "abcdexyz"],
        {"x": ["a", "b", "c", "d"], "y": ["a", "b", "c", "e"], "z": ["a", "b", "d", "e"]},
    )
    found = _shared([network.family(node) for node in "xyz"])
    assert {nodes for nodes, numbers in found.items() if numbers == (0, 1, 2)} == {("a",), ("b",)}
    assert {nodes for nodes, numbers in found.items() if len(numbers) == 2} == {tuple("abc"), tuple("abd"), tuple("abe")}


def test_families_too_wide_to_list_their_margins_are_not_tied(monkeypatch):
    measured = [counts("bc", LAW, np.zeros((3, 2)))]
    assert len(lay_out(NETWORK, measured, 5, 1.0, "cd").sums.tied) == 12
    monkeypatch.setattr(needs, "WIDEST_FAMILY", 2)
    assert len(lay_out(NETWORK, measured, 5, 1.0, "cd").sums.tied) == 0
