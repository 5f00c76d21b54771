import itertools
import math

import numpy as np
import pytest
from flint import arb, ctx
from support.bits import ScriptedBits, SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.kernel.draws.finite_choice import _below, choose, permute_and_flip

LOGS = [0.0, -1.5, 0.7, -3.0]


def weights(logs):
    return lambda: [arb(log) for log in logs]


def exponential_law(logs):
    scaled = np.exp(np.array(logs) - max(logs))
    return scaled / scaled.sum()


def flip_law(logs):
    """Exact law of permute-and-flip, by listing all orders."""
    chances = np.exp(np.array(logs) - max(logs))
    law = np.zeros(len(logs))
    for order in itertools.permutations(range(len(logs))):
        left = 1.0
        for candidate in order:
            law[candidate] += left * chances[candidate] / math.factorial(len(logs))
            left *= 1 - chances[candidate]
    return law


def test_scripted_uniforms_choose_by_cumulative_probability():
    edges = np.cumsum(exponential_law(LOGS))
    for uniform in (0.0, 0.1, 0.3, 0.5, 0.9, 0.999):
        bits = ScriptedBits(int(uniform * 2**128).to_bytes(16, "little") + bytes(64))
        assert choose(weights(LOGS), bits) == int(np.searchsorted(edges, uniform, side="right"))


def test_an_undecided_choice_asks_for_more_bits():
    """Two equal weights: the uniform number 1/2 begins with bits that decide nothing until the first one behind."""
    below = ScriptedBits((2**127 - 1).to_bytes(16, "little") + b"\xff" * 8 + bytes(8))
    assert choose(weights([2.0, 2.0]), below) == 0
    assert choose(weights([2.0, 2.0]), ScriptedBits((2**127).to_bytes(16, "little") + b"\x01" * 64)) == 1


def revealed(number):
    """256 bits of a uniform number as they are read: 128, then 64, then 64, the lowest byte first."""
    parts = ((number >> 128, 16), ((number >> 64) % 2**64, 8), (number % 2**64, 8))
    return b"".join(part.to_bytes(width, "little") for part, width in parts)


@pytest.mark.parametrize("side", [-1, 1], ids=["below", "above"])
def test_a_choice_next_to_its_edge_is_decided_by_more_bits_at_a_higher_precision(side):
    """The number differs from the probability in its last 64 of 256 bits: neither 128 nor 192 of them decide."""
    with ctx.workprec(600):
        edge = int((2**256 / (1 + arb(-1).exp())).floor().unique_fmpz())
    bits = ScriptedBits(revealed(edge + side))
    assert choose(weights([0.0, -1.0]), bits) == (0 if side < 0 else 1)
    assert bits.used == len(bits.script)


@pytest.mark.parametrize("side", [-1, 1], ids=["below", "above"])
def test_a_flip_next_to_its_edge_is_decided_by_more_bits_at_a_higher_precision(side):
    """The first byte says that the second candidate comes first; it is taken with probability 1 / e."""
    with ctx.workprec(600):
        edge = int((2**256 * arb(-1).exp()).floor().unique_fmpz())
    bits = ScriptedBits(b"\x01" + revealed(edge + side))
    assert permute_and_flip(weights([0.0, -1.0]), bits) == (1 if side < 0 else 0)
    assert bits.used == len(bits.script)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 7, 8, 100, 255, 256, 257, 300])
def test_every_place_in_the_order_is_equally_likely(limit):
    """All first blocks of bits, one after the other: each number comes from equally many, and the rest are thrown away."""
    width = ((limit - 1).bit_length() + 7) // 8
    seen = np.zeros(limit, dtype=int)
    for block in range(256**width):
        bits = ScriptedBits(block.to_bytes(width, "little") + bytes(width))
        drawn = _below(limit, bits)
        seen[drawn] += bits.used == width
    assert len(set(seen.tolist())) == 1
    assert seen[0] > 0


def test_enormous_scores_neither_overflow_nor_underflow():
    assert choose(weights([-1e9, -1e9 + 500, -2e9]), SeededBits(1)) == 1
    assert permute_and_flip(weights([-1e9, -1e9 + 500, -2e9]), SeededBits(1)) == 1


def p_value(chooser, logs, law):
    bits = SeededBits(5)
    seen = np.bincount([chooser(weights(logs), bits) for _ in range(1500)], minlength=len(logs))
    return chi_square_p(seen, law)


@pytest.mark.parametrize("best", range(4))
def test_the_best_candidate_may_stand_anywhere(best):
    logs = [*LOGS[2 - best :], *LOGS[: 2 - best]]
    assert logs[best] == max(LOGS)
    assert p_value(permute_and_flip, logs, flip_law(logs)) > ALPHA
    assert p_value(choose, logs, exponential_law(logs)) > ALPHA


def test_flips_follow_the_exact_law():
    assert p_value(permute_and_flip, LOGS, flip_law(LOGS)) > ALPHA
    assert p_value(permute_and_flip, LOGS, exponential_law(LOGS)) < ALPHA


def test_choices_follow_the_exact_law():
    assert p_value(choose, LOGS, exponential_law(LOGS)) > ALPHA
    assert p_value(choose, LOGS, exponential_law([2 * log for log in LOGS])) < ALPHA
