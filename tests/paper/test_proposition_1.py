from fractions import Fraction

import numpy as np
from support.bits import SeededBits

from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.strategies.laplace import laplace_scale
from discreet.mechanisms.laplace import Laplace
from discreet.model.templates import naive_bayes


def test_the_planned_error_is_the_error_that_happens():
    """Naive Bayes with 16 features at epsilon 1: mean error per count, and how often all counts stay within the bound."""
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    plan = Laplace("1").plan(network, 50)
    assert (plan.noise_scale, plan.released_numbers) == (Fraction(34), 66)
    repeats = 4000
    noise = np.abs(discrete_laplace(plan.noise_scale, repeats * 66, SeededBits(8))).reshape(repeats, 66)
    standard_error = noise.std() / np.sqrt(noise.size)
    assert abs(noise.mean() - plan.expected_error) < 5 * standard_error
    within = (noise.max(axis=1) <= plan.largest_error).mean()
    assert abs(within - plan.interval) < 5 * np.sqrt(0.05 * 0.95 / repeats)
    # A planted wrong scale, ten per cent off, is noticed.
    assert abs(0.9 * noise.mean() - plan.expected_error) > 5 * standard_error


def test_the_scale_is_the_papers():
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    assert laplace_scale(network, Fraction(1, 10)) == 340
