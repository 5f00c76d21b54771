"""Lemma 4 bounds how far the released point is from the mode; the printed constant is that of another mechanism."""

import math

import numpy as np
import pytest

from discreet.measure.strategies.lipschitz import map_failure


def test_the_corrected_bound_holds_where_the_printed_one_fails():
    """GUARANTEES 4.3: two points of posterior mass 0.9 and 0.1, Delta 3.16, epsilon 10, t 0.35."""
    masses, delta, epsilon, t = np.array([0.9, 0.1]), 3.16, 10.0, 0.35
    law = np.exp(epsilon * masses / (2 * delta)) * 0.5
    law /= law.sum()
    actual = law[masses < masses.max() - 2 * t].sum()
    assert actual == pytest.approx(0.220, abs=1e-3)
    printed = math.exp(-epsilon * t) / 0.5
    assert printed == pytest.approx(0.060, abs=1e-3)
    assert printed < actual <= map_failure(epsilon / (2 * delta), t, 0.5)
    assert math.exp(-epsilon / (2 * delta) * t) / 0.5 == pytest.approx(1.15, abs=0.01)


def test_the_corrected_bound_holds_for_random_scores_and_base_measures():
    generator = np.random.default_rng(8)
    closest = 0.0
    for _ in range(2000):
        base = generator.dirichlet(np.ones(5))
        scores = generator.normal(size=5) * 3
        exponent, t = generator.uniform(0.1, 4), generator.uniform(0.05, 2)
        law = base * np.exp(exponent * (scores - scores.max()))
        law /= law.sum()
        actual = law[scores < scores.max() - 2 * t].sum()
        bound = map_failure(exponent, t, base[scores > scores.max() - t].sum())
        assert actual <= bound + 1e-12
        closest = max(closest, actual / bound)
    assert closest > 0.5
