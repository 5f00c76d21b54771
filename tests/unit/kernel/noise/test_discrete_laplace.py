from fractions import Fraction

import numpy as np
import pytest
from support.bits import ScriptedBits, SeededBits

from discreet.errors import BudgetError
from discreet.guarantee import PureDP
from discreet.kernel.noise.discrete_laplace import LARGEST_SCALE, DiscreteLaplace, discrete_laplace


def test_a_digit_above_the_usual_ones_is_reached():
    """All-zero blocks make every coin show heads until the tail coin is told to stop: the sum exceeds the usual digits."""
    scale = Fraction(1)
    places = 4  # 12 has four binary digits

    class Script:
        def __init__(self):
            self.calls = 0

        def read(self, count):
            self.calls += 1
            return bytes(count) if self.calls <= places + 2 else b"\xff" * count

    # The first geometric gets ones in all digits and a tail of one; then the tail coin and the second geometric get zeros.
    assert discrete_laplace(scale, 1, Script())[0] == (2**places - 1) + 2**places


@pytest.mark.parametrize("tail", [0, 1, 2, 3, 7])
def test_the_tail_goes_on_as_long_as_its_coin_says(tail):
    """Nothing is cut off: all digits are ones, and the tail coin shows heads so many times before it stops."""
    places = 4

    class Script:
        """Digits take one read each. The tail coin is rarer than 2^-16, so heads takes two reads, of zeros."""

        def __init__(self):
            self.calls = 0

        def read(self, count):
            self.calls += 1
            return bytes(count) if self.calls <= places + 2 * tail else b"\xff" * count

    assert discrete_laplace(Fraction(1), 1, Script())[0] == (2**places - 1) + tail * 2**places


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(LARGEST_SCALE + 1)])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(BudgetError, match="epsilon"):
        discrete_laplace(scale, 1, SeededBits(1))


def test_no_value_is_drawn_for_no_cells():
    assert discrete_laplace(Fraction(3), 0, ScriptedBits(b"")).shape == (0,)


def test_the_largest_scale_still_fits():
    draws = discrete_laplace(Fraction(LARGEST_SCALE), 1000, SeededBits(5))
    assert 2**38 < np.abs(draws).mean() < 2**42


@pytest.mark.parametrize(
    ("scale", "sensitivity", "epsilon"), [(Fraction(70, 3), 7, Fraction(3, 10)), (Fraction(6), 4, Fraction(2, 3))]
)
def test_the_cost_is_sensitivity_over_scale_exactly(scale, sensitivity, epsilon):
    assert DiscreteLaplace(scale, sensitivity).cost == PureDP(epsilon)
