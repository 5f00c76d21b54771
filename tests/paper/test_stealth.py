"""The promise of stealth, measured on the worst data there is: all records equal, so that most cells are empty."""

from fractions import Fraction

import numpy as np
import pytest
from support.bits import SeededBits

from discreet import naive_bayes
from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.measurement import fill
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.odd_weight import parity_sensitivity
from discreet.measure.strategies.parity_weights import Weights, parity_weights
from discreet.measure.strategies.stealth import stealth_increment


def non_negative_share(network, weights, increment, repeats, seed):
    """How often no cell is negative, with fresh exact noise on the parities of equal records."""
    measurements, bits = weights.measurements(network, Fraction(1)), SeededBits(seed)
    noise = np.transpose([discrete_laplace(each.law.scale, repeats, bits) for each in measurements])
    good = 0
    for row in noise:
        # All records show the first level everywhere, so no count is odd and phi = rows for every set.
        noisy = Published(network, fill(measurements, row), 50, Repair.INCREMENT, increment)
        # Cells are whole multiples of 2^-s, so what rounding leaves of a zero is no negative cell.
        good += all((noisy.table(family) + increment / family.cells >= -1e-9).all() for family in network.maximal_families)
    return good / repeats


@pytest.mark.fast("3-*")
@pytest.mark.parametrize(
    ("features", "stealth", "kind"),
    [(3, 0.9, Weights.OPTIMAL), (8, 0.5, Weights.EQUAL), (8, 0.9, Weights.EQUAL), (8, 0.9, Weights.OPTIMAL)],
)
def test_the_promise_is_kept_on_the_worst_data(features, stealth, kind):
    network = naive_bayes("y", [f"x{i}" for i in range(features)])
    weights = parity_weights(network, kind)
    increment = stealth_increment(network, weights.scales(Fraction(1)), stealth)
    repeats = 500 if features == 3 else 1500
    share = non_negative_share(network, weights, increment, repeats, 4)
    spread = 4 * np.sqrt(stealth * (1 - stealth) / repeats)
    assert share >= stealth - spread
    assert share <= stealth + spread + 0.08  # and the increment is not wasteful: most of the cells are empty here
    # A planted fault: an increment a quarter too small breaks the promise.
    assert non_negative_share(network, weights, int(0.75 * increment), repeats, 5) < stealth - spread


def test_the_printed_increment_is_far_larger_than_needed():
    """Corollary 3 with t = ln 10 adds 4 t |N|^2 / epsilon records for stealth 0.9: 10,647 for the paper's experiment."""
    network = naive_bayes("y", [f"x{i}" for i in range(16)])
    closure = len(network.downward_closure)
    printed = 4 * np.log(10) * closure**2
    assert printed == pytest.approx(10_647, abs=1)
    assert stealth_increment(network, Fraction(parity_sensitivity(network).value), 0.9) < printed / 15
