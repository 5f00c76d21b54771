"""Log-linear families are fitted to noisy tables of pairs."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from discreet.learning.fits import _Family, fit_family


def example(seed=0):
    """Parents of 2 and 3 levels that act one by one on a node of 3 levels."""
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.full(6, 5.0)).reshape(2, 3)
    logs = generator.normal(0, 0.7, 3) + generator.normal(0, 0.7, (2, 1, 3)) + generator.normal(0, 0.7, (1, 3, 3))
    truth = np.exp(logs) / np.exp(logs).sum(axis=-1, keepdims=True)
    joint = weights[..., None] * truth
    return weights, truth, joint.sum(axis=(0, 1)), [joint.sum(axis=1), joint.sum(axis=0)]


def test_tables_without_noise_are_fitted():
    weights, truth, margin, tables = example()
    fit = fit_family(weights, margin, 1e-5, tables, [1e-5, 1e-5])
    np.testing.assert_allclose(fit.probabilities, truth, atol=0.01)


def test_tables_that_are_all_noise_say_nothing():
    weights, _, margin, tables = example()
    fit = fit_family(weights, margin, 1e-4, tables, [100.0, 100.0])
    np.testing.assert_allclose(fit.probabilities, np.broadcast_to(margin, (2, 3, 3)), atol=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_noise_that_is_nearly_nothing_is_no_reason_to_fail(seed):
    """Of a great many records there is hardly any noise. What fails here has been paid for."""
    weights, _, margin, tables = example(seed)
    for spread in (1e-9, 1e-12, 1e-100):
        fit = fit_family(weights, margin, spread, tables, [spread, spread], contrasts=[spread] * 3)
        assert np.isfinite(fit.probabilities).all()
        assert np.isfinite(fit.strength).all()


def test_a_node_without_parents_has_its_margin():
    margin = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(fit_family(np.array(1.0), margin, 1e-4, [], []).probabilities, margin, atol=1e-3)


def test_the_slopes_of_the_loss_are_its_derivatives():
    weights, _, margin, tables = example(3)
    family = _Family(weights, margin, 0.1, tables, [0.2, 0.3])
    at = np.random.default_rng(1).normal(0, 0.5, family.targets.size)
    assert check_grad(lambda t: family.loss(t)[0], lambda t: family.loss(t)[1], at) < 1e-4


def test_less_noise_is_worth_more_records():
    weights, _, margin, tables = example()
    worth = [fit_family(weights, margin, s, tables, [s, s], contrasts=[s, s, s]).strength for s in (1e-3, 1e-2)]
    assert (worth[0] > 3 * worth[1]).all()


def test_the_strength_is_that_of_simulated_fits():
    weights, truth, margin, tables = example()
    generator, spread = np.random.default_rng(5), 0.004
    fits = []
    for _ in range(60):
        noisy = [table + generator.normal(0, spread, table.shape) for table in tables]
        fits.append(fit_family(weights, margin, spread / 2, noisy, [spread, spread]).probabilities)
    open_ = np.var(fits, axis=0).sum(axis=-1)
    simulated = (truth * (1 - truth)).sum(axis=-1) / open_ - 1
    told = fit_family(weights, margin, spread / 2, tables, [spread, spread], contrasts=[spread / 2, spread, spread]).strength
    assert np.median(told / simulated) == pytest.approx(1, abs=0.6)


def binary_example():
    """Two parents and a node, of two levels each."""
    generator = np.random.default_rng(2)
    weights = np.array([[0.3, 0.2], [0.2, 0.3]])
    first = 1 / (1 + np.exp(-generator.normal(0, 0.5) - np.array([-0.4, 0.4])[:, None] - np.array([0.3, -0.3])))
    truth = np.stack([first, 1 - first], axis=-1)
    joint = weights[..., None] * truth
    return weights, truth, joint.sum(axis=(0, 1)), [joint.sum(axis=1), joint.sum(axis=0)]


def test_tables_are_worth_what_their_noise_leaves():
    """Noise of pairs moves all cells of a table of two by two together: four cells say no more than one contrast does."""
    weights, truth, margin, tables = binary_example()
    generator, deviation = np.random.default_rng(5), 0.01
    contrast = np.array([[1.0, -1.0], [-1.0, 1.0]]) / 2
    given = {"spread": deviation / 2, "spreads": [deviation / 2] * 2}
    fits = []
    for _ in range(150):
        side = np.array([1.0, -1.0]) / np.sqrt(2) * generator.normal(0, deviation)
        noisy = [table + contrast * generator.normal(0, deviation) + side / 2 for table in tables]
        fits.append(fit_family(weights, margin + side, tables=noisy, **given).probabilities)
    simulated = (truth * (1 - truth)).sum(axis=-1) / np.var(fits, axis=0).sum(axis=-1) - 1
    told = fit_family(weights, margin, tables=tables, **given, contrasts=[deviation] * 3).strength
    assert (np.abs(told / simulated - 1) < 0.5).all()
    as_cells = fit_family(weights, margin, tables=tables, **given, contrasts=[deviation / 2] * 3).strength
    assert (as_cells / simulated > 2.5).all()  # cells that are taken for independent count several times


def test_both_ways_of_fitting_end_at_the_same_place(monkeypatch):
    weights, _, margin, tables = example(2)
    noisy = [table + np.random.default_rng(4).normal(0, 0.01, table.shape) for table in tables]
    steps = fit_family(weights, margin, 0.005, noisy, [0.01, 0.01])
    monkeypatch.setattr("discreet.learning.fits._FEW", 0)
    slopes = fit_family(weights, margin, 0.005, noisy, [0.01, 0.01])
    np.testing.assert_allclose(steps.probabilities, slopes.probabilities, atol=2e-3)


def test_very_many_coefficients_are_each_sure_for_themselves(monkeypatch):
    weights, _, margin, tables = example()
    together = fit_family(weights, margin, 0.01, tables, [0.01, 0.01], contrasts=[0.01] * 3).strength
    monkeypatch.setattr("discreet.learning.fits._MOST_TOGETHER", 0)
    alone = fit_family(weights, margin, 0.01, tables, [0.01, 0.01], contrasts=[0.01] * 3).strength
    assert (alone > 0).all()
    assert np.abs(np.log(alone / together)).max() < 3
