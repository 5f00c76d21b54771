"""Weights of whole numbers as densities of real ones: what is below half a record weighs as much as none does."""

import numpy as np
import pytest
from scipy.special import gammaln

from discreet.chains.smooth_weights import HALF, SmoothWeights, smooth_cells, smooth_rows, tail_rates

PARAMETERS = np.array([0.02, 0.1, 0.4, 1.0, 3.0, 20.0])
LOGS = np.linspace(-700, np.log(HALF), 200_001)


def cells_of(parameters) -> SmoothWeights:
    parameters = np.asarray(parameters, dtype=float)[:, None]
    return smooth_cells(parameters, tail_rates(parameters))


def rows_of(spread, parameters) -> SmoothWeights:
    rates = tail_rates(np.asarray(parameters, dtype=float))
    sums = (np.sum(parameters), rates.sum(), gammaln(1 + rates).sum())
    return smooth_rows(*(np.array([[each]]) for each in (spread, *sums)))


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


@pytest.mark.parametrize("parameters", [(0.1, 0.3), (0.5, 1.5), (4.0, 3.0)])
def test_a_row_below_half_a_record_weighs_what_no_record_does(parameters):
    """Over all shares of its two cells: G(a) G(b) G(s) / G(a + b)."""
    spread, odds = 0.05, np.linspace(-300, 300, 1501)
    shares = np.stack([1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(odds))])
    logs = np.linspace(-200, np.log(HALF), 801)
    counts = np.maximum(np.exp(logs)[:, None, None] * shares, 1e-290)
    cells, rows = cells_of(parameters), rows_of(spread, parameters)
    jacobian = 2 * logs[:, None] + np.log(shares).sum(axis=0)
    height = cells.log(counts).sum(axis=1) + rows.log(np.exp(logs))[0][:, None] + jacobian
    found = np.trapezoid(np.trapezoid(np.exp(height), odds, axis=1), logs) / (1 - HALF**-spread * np.exp(-200 * spread))
    wanted = np.exp(gammaln(parameters).sum() + gammaln(spread) - gammaln(sum(parameters)))
    assert found == pytest.approx(wanted, rel=0.15)


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
    for weights in (cells_of(PARAMETERS), rows_of(0.05, (0.3, 0.8)), rows_of(0.3, (5.0, 7.0))):
        up, down = (weights.log(np.exp(logs + step)) for step in (1e-5, -1e-5))
        found = weights.as_type(kind).rise(np.exp(logs).astype(kind))
        assert found.dtype == kind
        np.testing.assert_allclose(found, (up - down) / 2e-5, atol=0.01, rtol=2e-3)
