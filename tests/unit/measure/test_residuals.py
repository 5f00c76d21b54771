"""Fusion against a plain weighted least squares over the whole joint table."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.networks import networks

from discreet import ModelError, Network, Variable
from discreet.measure.measurement import Margin
from discreet.measure.observations import observations
from discreet.measure.residuals import residual_space


def margins(network):
    """The matrix that turns the joint table of all nodes into the cells of the maximal families."""
    levels = [range(variable.size) for variable in network.variables]
    joint = list(itertools.product(*levels))
    blocks = []
    for family in network.maximal_families:
        axes = [network.nodes.index(member) for member in family.members]
        block = np.zeros((family.cells, len(joint)))
        for column, record in enumerate(joint):
            block[np.ravel_multi_index([record[axis] for axis in axes], family.shape), column] = 1
        blocks.append(block)
    return np.concatenate(blocks)


def least_squares(network, cells, variances, rows):
    """The margins of the joint table of the given total that come nearest to the cells, the slow and plain way."""
    matrix = margins(network)
    uniform = np.full(matrix.shape[1], rows / matrix.shape[1])
    free = np.eye(matrix.shape[1]) - 1 / matrix.shape[1]  # changes that leave the total
    scale = 1 / np.sqrt(variances)
    solved = np.linalg.lstsq(scale[:, None] * (matrix @ free), scale * (cells - matrix @ uniform), rcond=1e-10)[0]
    return matrix @ (uniform + free @ solved)


def fuse(network, cells, variances, rows):
    """The cells of the tables of maximal families after fusion; arrays hold all cells, one table after the other."""
    space = residual_space(network)
    own = [float(table.flat[0]) for table in space.tables(variances).values()]
    together = observations(network, [Margin(family.members) for family in space.families], own)
    ends = np.cumsum([family.cells for family in space.families])[:-1]
    parts = zip(np.split(cells, ends, axis=-1), space.families, strict=True)
    tables = [part.reshape(*cells.shape[:-1], *family.shape) for part, family in parts]
    return space.cells(together.fuse(tables, rows))


def noisy(network, generator, rows):
    space = residual_space(network)
    variances = space.each({family.node: float(generator.uniform(0.1, 10)) for family in space.families})
    return space, generator.normal(rows / 4, 20, len(space.place)), variances


@given(st.data())
@settings(max_examples=40)
def test_fusion_is_weighted_least_squares_over_the_joint_table(data):
    network = data.draw(networks(max_nodes=4, max_levels=4))
    _, cells, variances = noisy(network, np.random.default_rng(data.draw(st.integers(0, 2**20))), 50)
    fused = fuse(network, cells, variances, 50)
    np.testing.assert_allclose(fused, least_squares(network, cells, variances, 50), atol=1e-6)


@given(st.data())
@settings(max_examples=40)
def test_tables_that_agree_stay_as_they_are(data):
    network = data.draw(networks(max_nodes=4, max_levels=4))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    _, _, variances = noisy(network, generator, 1)
    matrix = margins(network)
    joint = generator.integers(0, 9, matrix.shape[1]).astype(float)
    exact = matrix @ joint
    np.testing.assert_allclose(fuse(network, exact, variances, joint.sum()), exact, atol=1e-9)


def test_tables_of_unequal_size_and_noise_get_their_own_weights():
    """Overlaps of tables whose other nodes differ in number and levels, listed rather than left to chance."""
    network = Network(
        [Variable("a", ["0", "1"]), Variable("b", list("012")), Variable("c", list("0123")), Variable("d", ["0", "1"])],
        {"b": ["a"], "c": ["b", "a"], "d": ["b"]},
    )
    for seed in range(5):
        _, cells, variances = noisy(network, np.random.default_rng(seed), 50)
        fused = fuse(network, cells, variances, 50)
        np.testing.assert_allclose(fused, least_squares(network, cells, variances, 50), atol=1e-6)


def test_equal_weights_for_unequal_noise_are_not_the_least_squares():
    """The planted fault: the comparison above can tell wrong weights from right ones."""
    network = Network([Variable(name, ["0", "1", "2"]) for name in "abc"], {"b": ["a"], "c": ["a"]})
    _, cells, variances = noisy(network, np.random.default_rng(1), 50)
    careless = fuse(network, cells, np.ones_like(variances), 50)
    assert np.abs(careless - least_squares(network, cells, variances, 50)).max() > 0.1


def test_many_tables_are_fused_at_once_as_one_by_one():
    network = Network([Variable(name, ["0", "1", "2"]) for name in "abc"], {"b": ["a"], "c": ["b", "a"]})
    _, cells, variances = noisy(network, np.random.default_rng(1), 50)
    many = np.stack([cells, 2 * cells, -cells])
    together = fuse(network, many, variances, 50)
    for one, all_at_once in zip(many, together, strict=True):
        np.testing.assert_allclose(fuse(network, one, variances, 50), all_at_once, atol=1e-9)


def test_there_is_one_coordinate_for_each_free_number_of_tables_that_agree():
    network = Network([Variable(name, ["0", "1", "2"]) for name in "abc"], {"b": ["a"], "c": ["a"]})
    assert residual_space(network).dimension == 1 + 3 * 2 + 2 * 4  # the total, three margins, two interactions
    assert residual_space(network).dimension == np.linalg.matrix_rank(margins(network))


def test_a_family_that_is_too_wide_is_refused():
    names = [f"x{i}" for i in range(17)]
    network = Network([Variable(name, ["0", "1"]) for name in names], {names[-1]: names[:-1]})
    with pytest.raises(ModelError, match="at most 15 parents"):
        residual_space(network)
