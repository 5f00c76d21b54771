"""Products of long arrays, piece by piece: the same numbers, and no piece is large enough for a second thread."""

import numpy as np
import pytest

from discreet.chains import quick_matrices
from discreet.chains.quick_matrices import combine, products

ONE_THREAD = 2**18
"""Multiplications up to which OpenBLAS works in one thread."""


@pytest.mark.parametrize("rows", [0, 1, 7, 512, 513, 5000])
@pytest.mark.parametrize(("columns", "others"), [(64, 4), (3, 1), (64, 64), (0, 4)])
def test_piece_by_piece_is_the_product(rows, columns, others):
    generator = np.random.default_rng(1)
    one, other = generator.standard_normal((rows, columns)), generator.standard_normal((rows, others))
    weights = generator.standard_normal((columns, others))
    np.testing.assert_allclose(products(one, other), one.T @ other, atol=1e-9)
    np.testing.assert_allclose(combine(one, weights), one @ weights, atol=1e-9)
    assert combine(one.astype(np.float32), weights.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("columns", [1, 4, 64, 400])
def test_no_piece_wakes_a_second_thread(columns):
    rows, even = quick_matrices._pieces(10**6, columns * columns)
    assert rows * columns * columns <= ONE_THREAD
    assert even % rows == 0
    assert even > 10**6 - rows
