from fractions import Fraction

import numpy as np
import pytest
from support.bits import ScriptedBits, SeededBits

from discreet.errors import BudgetError
from discreet.kernel.discrete_laplace import LARGEST_SCALE, _coins, _Probability, discrete_laplace


def inverse_of_e():
    """exp(-1), as a probability."""
    return _Probability(0, Fraction(1))


def test_the_leading_places_of_a_probability_are_certified():
    # exp(-1) = 0.0101 1110 0010 1101 ... in binary; 0x5E2D is its first sixteen places.
    assert inverse_of_e().leading(16) == 0x5E2D
    for places in (1, 8, 64, 200):
        value = inverse_of_e().leading(places)
        assert value == inverse_of_e().leading(places + 77) >> 77


def test_coins_agree_with_the_exact_probability_bit_by_bit():
    p = inverse_of_e()
    first = p.leading(16)
    below, above = (first - 1).to_bytes(2, "little"), (first + 1).to_bytes(2, "little")
    assert _coins(p, 1, ScriptedBits(below))[0]
    assert not _coins(p, 1, ScriptedBits(above))[0]

    equal = first.to_bytes(2, "little")
    second = p.leading(80) - (first << 64)
    assert _coins(p, 1, ScriptedBits(equal + (second - 1).to_bytes(8, "little")))[0]
    assert not _coins(p, 1, ScriptedBits(equal + (second + 1).to_bytes(8, "little")))[0]

    third = p.leading(144) - (p.leading(80) << 64)
    undecided = equal + second.to_bytes(8, "little")
    assert _coins(p, 1, ScriptedBits(undecided + (third - 1).to_bytes(8, "little")))[0]
    assert not _coins(p, 1, ScriptedBits(undecided + (third + 1).to_bytes(8, "little")))[0]


def test_every_possible_first_block_gives_exactly_the_floor_of_the_probability():
    p = inverse_of_e()
    blocks = np.arange(2**16, dtype="<u2")
    blocks = blocks[blocks != p.leading(16)]
    heads = _coins(p, len(blocks), ScriptedBits(blocks.tobytes()))
    assert int(heads.sum()) == p.leading(16)


def test_an_open_comparison_draws_more_bits_for_that_coin_only():
    p = inverse_of_e()
    blocks = np.array([0, p.leading(16), 0xFFFF], dtype="<u2").tobytes()
    script = ScriptedBits(blocks + bytes(8))
    assert _coins(p, 3, script).tolist() == [True, True, False]
    assert script.used == len(script.script)


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


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(LARGEST_SCALE + 1)])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(BudgetError, match="epsilon"):
        discrete_laplace(scale, 1, SeededBits(1))


def test_no_value_is_drawn_for_no_cells():
    assert discrete_laplace(Fraction(3), 0, ScriptedBits(b"")).shape == (0,)


def test_the_largest_scale_still_fits():
    draws = discrete_laplace(Fraction(LARGEST_SCALE), 1000, SeededBits(5))
    assert 2**38 < np.abs(draws).mean() < 2**42
