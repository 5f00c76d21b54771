"""Fusion of measured tables and differences, against least squares on the joint table with dense matrices."""

from itertools import product

import numpy as np
import pytest

from discreet import Network, Variable
from discreet.measure.measurement import Margin, Statistic, number_shape
from discreet.measure.observations import observations

NETWORK = Network(
    [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("01")), Variable("d", list("01"))],
    {"b": ["a"], "c": ["b", "a"], "d": ["a"]},
)
TABLES = [
    Margin(("a",)),
    Margin(("a", "b")),
    Margin(("a", "b", "c"), Statistic.CONTRAST),
    Margin(("c", "b")),  # not in the order of the network, and it overlaps the difference
    Margin(("a", "d"), Statistic.CONTRAST),
]
VARIANCES = [5.0, 3.0, 2.0, 7.0, 1.0]
ROWS = 40


def indicator(nodes):
    joint = list(product(*(range(variable.size) for variable in NETWORK.variables)))
    places = [NETWORK.nodes.index(node) for node in nodes]
    cells = product(*(range(NETWORK.variable(node).size) for node in nodes))
    return np.array([[tuple(cell[place] for place in places) == wanted for cell in joint] for wanted in cells], dtype=float)


def designs():
    found = []
    for table in TABLES:
        design = indicator(table.nodes)
        found.append(design[0::2] - design[1::2] if table.statistic is Statistic.CONTRAST else design)
    return found


def dense(values, variances):
    """The joint table of least squares with the total known."""
    rows = [design / np.sqrt(variance) for design, variance in zip(designs(), variances, strict=True)]
    wanted = [value / np.sqrt(variance) for value, variance in zip(values, variances, strict=True)]
    total = np.full((1, rows[0].shape[1]), 1e4)
    return np.linalg.lstsq(np.vstack([*rows, total]), np.concatenate([*wanted, [1e4 * ROWS]]), rcond=None)[0]


@pytest.mark.parametrize("seed", range(3))
def test_the_fused_tables_are_those_of_least_squares(seed):
    generator = np.random.default_rng(seed)
    values = [generator.normal(0, 10, len(design)) for design in designs()]
    observed = observations(NETWORK, TABLES, VARIANCES)
    shaped = [value.reshape(number_shape(NETWORK, table)) for value, table in zip(values, TABLES, strict=True)]
    tables = observed.space.tables(observed.space.cells(observed.fuse(shaped, ROWS)))
    for weights, same in ((VARIANCES, True), ([5.0, 3.0, 4.0, 7.0, 1.0], False)):  # planted: a difference that counts half
        joint = dense(values, weights)
        distance = max(
            np.abs(tables[family.node].ravel() - indicator(family.members) @ joint).max()
            for family in NETWORK.maximal_families
        )
        assert (distance < 1e-4) == same


def test_exact_tables_are_recovered_exactly_and_many_at_once():
    joint = np.random.default_rng(5).integers(0, 9, indicator(("a",)).shape[1]).astype(float)
    observed = observations(NETWORK, TABLES, VARIANCES)
    values = [
        np.stack([design @ joint, 2 * design @ joint]).reshape(2, *number_shape(NETWORK, table))
        for design, table in zip(designs(), TABLES, strict=True)
    ]
    one, two = (observed.space.tables(row) for row in observed.space.cells(observed.fuse(values, joint.sum())))
    for family in NETWORK.maximal_families:
        np.testing.assert_allclose(one[family.node].ravel(), indicator(family.members) @ joint, atol=1e-9)
        assert not np.allclose(two[family.node], one[family.node])


def test_informations_of_the_tables_add():
    single = [observations(NETWORK, [table], [1.0]).precision[1:] for table in TABLES]
    together = observations(NETWORK, TABLES, [1.0] * len(TABLES)).precision[1:]
    np.testing.assert_allclose(together, sum(single))
    assert (together > 0).all()
