import numpy as np
import pytest

from discreet.arrays import add_up, sum_last


@pytest.mark.parametrize("length", [0, 1, 2, 5, 7, 8, 9, 20])
def test_sums_over_a_short_axis_are_those_of_numpy_to_the_last_bit(length):
    values = np.random.default_rng(length).standard_normal((50, 4, length)) * 10.0 ** np.arange(-2, 2)[:, None]
    before = values.copy()
    found = sum_last(values)
    assert (found == values.sum(axis=-1)).all()
    assert (sum_last(values.swapaxes(0, 1)) == values.swapaxes(0, 1).sum(axis=-1)).all()
    found += 1
    assert (values == before).all()  # a sum of one number is no view of it


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 1000])
def test_sums_of_short_rows_are_those_of_numpy(length):
    values = np.random.default_rng(length).standard_normal((length, 4))
    np.testing.assert_allclose(add_up(values), values.sum(axis=0), atol=1e-12)
