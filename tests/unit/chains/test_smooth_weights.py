"""Weights of whole numbers as densities of real ones: what is below half a record weighs as much as none does."""

import numpy as np
import pytest
from scipy.special import gammaln

from discreet.chains.smooth_weights import HALF, RowWeights, SmoothWeights, moving_chance, smooth_cells, tail_rates

PARAMETERS = np.array([0.02, 0.1, 0.4, 1.0, 3.0, 20.0])
LOGS = np.linspace(-700, np.log(HALF), 200_001)


def cells_of(parameters) -> SmoothWeights:
    parameters = np.asarray(parameters, dtype=float)[:, None]
    return smooth_cells(parameters, tail_rates(parameters))


def test_what_stands_for_parameters_is_nearly_the_same_where_they_are_small_and_never_above_one():
    rates = tail_rates(PARAMETERS)
    np.testing.assert_allclose(rates[:3], PARAMETERS[:3], rtol=0.01)
    assert (rates < 1).all()
    assert (np.diff(rates) > 0).all()
    assert np.isfinite(tail_rates(np.array([1e-300, 1e300]))).all()


def test_a_cell_below_half_a_record_weighs_what_no_record_does():
    """The weight of no record is G(a). Rounded corners change it by up to a twentieth, more where no cell is empty."""
    below = np.exp(cells_of(PARAMETERS).log(np.exp(LOGS)[None]) + LOGS)
    found = np.trapezoid(below, LOGS, axis=1) / np.exp(gammaln(PARAMETERS))
    assert (np.abs(found[:-1] - 1) < 0.05).all()
    assert found[-1] == pytest.approx(1, rel=0.2)


def test_from_three_records_on_it_is_the_weight_of_whole_numbers():
    counts = np.arange(3, 200, dtype=float)[None]
    parameters = PARAMETERS[:, None]
    wanted = gammaln(counts + parameters) - gammaln(counts + 1)
    np.testing.assert_allclose(cells_of(PARAMETERS).log(counts), wanted, atol=0.02)
    np.testing.assert_allclose(cells_of(PARAMETERS).log(counts)[:, 20:], wanted[:, 20:], atol=1e-4)


def test_from_a_half_to_one_and_a_half_a_cell_weighs_about_what_one_record_does():
    """The weight of one record is G(1 + a); for large a cells of one record are as rare as empty ones."""
    counts = np.linspace(HALF, 1.5, 20_001)
    found = np.trapezoid(np.exp(cells_of(PARAMETERS).log(counts[None])), counts, axis=1)
    np.testing.assert_allclose((found / np.exp(gammaln(1 + PARAMETERS)))[:-1], 1, atol=0.1)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_rise_is_that_of_the_log(kind):
    logs = np.linspace(-8, 9, 500)[None]
    weights = cells_of(PARAMETERS)
    up, down = (weights.log(np.exp(logs + step)) for step in (1e-5, -1e-5))
    found = weights.as_type(kind).rise(np.exp(logs).astype(kind))
    assert found.dtype == kind
    np.testing.assert_allclose(found, (up - down) / 2e-5, atol=0.01, rtol=2e-3)


def test_a_row_of_some_records_has_the_weight_of_whole_numbers_and_the_chance_that_it_moves():
    counts, spread, strength = np.arange(1, 200, dtype=float)[None], np.array([[0.05]]), np.array([[3.0]])
    wanted = gammaln(counts + spread) - gammaln(counts + strength) + np.log(moving_chance(counts))
    np.testing.assert_allclose(RowWeights(spread, strength).log(counts), wanted)
    assert moving_chance(np.array([0.0, 5.0, 50.0, 1e9])) == pytest.approx([0, 0.5, 1, 1], abs=2e-4)
    assert (np.diff(moving_chance(np.linspace(0, 100, 50))) > 0).all()


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_slope_of_a_row_is_that_of_its_log(kind):
    counts = np.exp(np.linspace(0, 9, 300))[None]
    weights = RowWeights(np.array([[0.05], [0.3], [20]]), np.array([[1.1], [12], [0.4]]))
    up, down = (weights.log(counts * (1 + step)) for step in (1e-5, -1e-5))
    found = weights.as_type(kind).slope(counts.astype(kind))
    assert found.dtype == kind
    np.testing.assert_allclose(found * counts, (up - down) / 2e-5, atol=0.02, rtol=5e-3)
