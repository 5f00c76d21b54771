"""Cell numbers are made in the narrowest integers that hold them: they must not wrap round at the edges of a type."""

import numpy as np
import pytest

from discreet.counts.histogram import histogram
from discreet.model.network import Network
from discreet.model.variable import Variable


@pytest.mark.parametrize("code_type", [np.uint8, np.uint32])
@pytest.mark.parametrize("sizes", [(255,), (256,), (2, 128), (2, 127), (16, 16), (3, 86), (2, 256), (256, 256), (41, 40, 41)])
def test_the_last_cells_are_counted_where_a_narrow_integer_ends(sizes, code_type):
    nodes = [f"node_{place}" for place in range(len(sizes))]
    variables = [Variable(node, [str(level) for level in range(size)]) for node, size in zip(nodes, sizes, strict=True)]
    network = Network(variables, {nodes[-1]: nodes[:-1]})
    # The first and the last level of each, together and against one another.
    places = [np.array([0, size - 1, size - 1, 0, size - 1]) for size in sizes]
    places[-1] = np.array([0, sizes[-1] - 1, 0, sizes[-1] - 1, sizes[-1] - 1])
    expected = np.zeros(sizes, dtype=np.int64)
    np.add.at(expected, tuple(places), 1)
    codes = {node: place.astype(code_type) for node, place in zip(nodes, places, strict=True)}
    counted = histogram(network.family(nodes[-1]), [codes])
    np.testing.assert_array_equal(counted, expected.reshape(-1, sizes[-1]))
