"""The promise of stealth, measured on the worst data there is: all records equal, so that most cells are empty."""

from fractions import Fraction

import numpy as np
import pytest
from support.bits import SeededBits

from discreet import naive_bayes
from discreet.bounds.parity_sensitivity import parity_sensitivity
from discreet.bounds.stealth import stealth_increment
from discreet.kernel.discrete_laplace import discrete_laplace
from discreet.posterior.noisy_parities import NoisyParities, Repair


def non_negative_share(network, scale, increment, repeats, seed):
    """How often no cell is negative, with fresh exact noise on the parities of equal records."""
    sets = [gamma for gamma in network.downward_closure if gamma]
    noise = discrete_laplace(scale, repeats * len(sets), SeededBits(seed)).reshape(repeats, -1)
    good = 0
    for row in noise:
        # All records show the first level everywhere, so no count is odd and phi = rows for every set.
        odd = dict(zip(sets, row.tolist(), strict=True))
        noisy = NoisyParities(network, odd, scale, 50, 1, Repair.INCREMENT, increment)
        good += all((noisy.table(family) + increment / family.cells >= 0).all() for family in network.maximal_families)
    return good / repeats


@pytest.mark.parametrize("stealth", [0.5, 0.9])
def test_the_promise_is_kept_on_the_worst_data(stealth):
    network = naive_bayes("y", [f"x{i}" for i in range(8)])
    scale = Fraction(parity_sensitivity(network).value)
    increment = stealth_increment(network, scale, stealth)
    repeats = 1500
    share = non_negative_share(network, scale, increment, repeats, 4)
    spread = 4 * np.sqrt(stealth * (1 - stealth) / repeats)
    assert share >= stealth - spread
    assert share <= stealth + spread + 0.08  # and the increment is not wasteful: most of the cells are empty here
    # A planted fault: an increment a quarter too small breaks the promise.
    assert non_negative_share(network, scale, int(0.75 * increment), repeats, 5) < stealth - spread


def test_the_printed_increment_is_far_larger_than_needed():
    """Corollary 3 with t = ln 10 adds 4 t |N|^2 / epsilon records for stealth 0.9: 10,647 for the paper's experiment."""
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    closure = len(network.downward_closure)
    printed = 4 * np.log(10) * closure**2
    assert printed == pytest.approx(10_647, abs=1)
    assert stealth_increment(network, Fraction(parity_sensitivity(network).value), 0.9) < printed / 15
