from fractions import Fraction

import numpy as np
from support.bits import ScriptedBits, SeededBits

from discreet.kernel.exact import Probability, coins, toss


def inverse_of_e():
    """exp(-1), as a probability."""
    return Probability(0, Fraction(1))


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
    assert coins(p, 1, ScriptedBits(below))[0]
    assert not coins(p, 1, ScriptedBits(above))[0]

    equal = first.to_bytes(2, "little")
    second = p.leading(80) - (first << 64)
    assert coins(p, 1, ScriptedBits(equal + (second - 1).to_bytes(8, "little")))[0]
    assert not coins(p, 1, ScriptedBits(equal + (second + 1).to_bytes(8, "little")))[0]

    third = p.leading(144) - (p.leading(80) << 64)
    undecided = equal + second.to_bytes(8, "little")
    assert coins(p, 1, ScriptedBits(undecided + (third - 1).to_bytes(8, "little")))[0]
    assert not coins(p, 1, ScriptedBits(undecided + (third + 1).to_bytes(8, "little")))[0]


def test_every_possible_first_block_gives_exactly_the_floor_of_the_probability():
    p = inverse_of_e()
    blocks = np.arange(2**16, dtype="<u2")
    blocks = blocks[blocks != p.leading(16)]
    heads = coins(p, len(blocks), ScriptedBits(blocks.tobytes()))
    assert int(heads.sum()) == p.leading(16)


def test_an_open_comparison_draws_more_bits_for_that_coin_only():
    p = inverse_of_e()
    blocks = np.array([0, p.leading(16), 0xFFFF], dtype="<u2").tobytes()
    script = ScriptedBits(blocks + bytes(8))
    assert coins(p, 3, script).tolist() == [True, True, False]
    assert script.used == len(script.script)


def test_coins_of_several_probabilities_are_tossed_together():
    half, rare = Probability(1, Fraction(1, 10**6)), Probability(0, Fraction(5))
    which = np.arange(40_000) % 2
    heads = toss([half, rare], which, SeededBits(4))
    assert abs(heads[which == 0].mean() - 0.5) < 0.02
    assert 0.003 < heads[which == 1].mean() < 0.012
    script = np.array([rare.leading(16) - 1, rare.leading(16) + 1, half.leading(16) - 1], dtype="<u2").tobytes()
    assert toss([half, rare], np.array([1, 1, 0]), ScriptedBits(script)).tolist() == [True, False, True]
