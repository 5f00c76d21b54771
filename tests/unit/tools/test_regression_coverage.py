"""The study of intervals of linear models: its truths, its file and the table of the guide."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.regression_coverage")


def test_the_guide_has_the_table_of_the_results(study):
    """A number that was changed in either place would be seen."""
    found = study.read_found(study.RESULTS)
    text = study.GUIDE.read_text(encoding="utf-8")
    assert study.with_table(text, found) == text
    assert set(found) == set(study.all_settings())
    setting = min(found)
    flipped = found | {setting: [[not each for each in held] for held in found[setting]]}
    assert study.with_table(text, flipped) != text


def test_features_have_the_correlation_that_the_table_says(study):
    for correlation in study.CORRELATIONS:
        setting = study.Setting("fixed", correlation, 6, 20_000, "1")
        features = study.draw_features(setting, np.random.default_rng(1))
        found = np.corrcoef(features.T)[np.triu_indices(6, 1)]
        assert np.abs(found - correlation).max() < 0.03
        assert np.abs(features).max() <= 1


def test_fixed_slopes_are_the_same_in_every_data_set_and_drawn_ones_are_not(study):
    for truth, same in (("fixed", True), ("drawn", False)):
        setting = study.Setting(truth, 0.5, 6, 500, "1")
        one, other = (study.true_slopes(setting, np.random.default_rng(seed)) for seed in (1, 2))
        assert np.array_equal(one, other) == same


def test_drawn_scales_follow_the_density_that_the_posterior_believes(study):
    """By quadrature of the density itself; a normal law without its tail would be far off."""
    law = import_module("discreet.chains.learned_moments")._scale_law
    grid = np.linspace(-12, 5, 20_001)
    weights = np.exp(law(grid)[0])
    generator = np.random.default_rng(1)
    drawn = np.array([study.draw_log_scale(generator) for _ in range(20_000)])
    for bound in (-2.0, -0.7, 0.0, 0.7):
        expected = weights[grid < bound].sum() / weights.sum()
        assert abs(np.mean(drawn < bound) - expected) < 0.02


def test_results_come_back_from_their_file(study, tmp_path):
    setting = study.Setting("drawn", 0.9, 2, 500, "0.1")
    found = {setting: [[True, False, True], [True, True, True]]}
    study.write_found(tmp_path / "found.json", found)
    assert study.read_found(tmp_path / "found.json") == found
    assert "| drawn | 0.9 | 500 | 0 to 2 | 83 ± 12 | not measured | not measured |" in study.table(found)


def test_a_data_set_has_an_answer_for_every_coefficient(study):
    assert len(study.replicate(study.Setting("fixed", 0.5, 2, 500, "5"), 0)) == 3
