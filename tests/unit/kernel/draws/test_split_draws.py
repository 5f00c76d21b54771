from fractions import Fraction

import numpy as np
from support.bits import SeededBits

from discreet.kernel.draws import truncated_beta as split_draws
from discreet.kernel.draws.truncated_beta import draw_splits


def test_every_split_gets_its_own_bits_and_its_own_parameters(monkeypatch):
    asked = []

    def recorded(first, second, floor, bits):
        asked.append((first, second, floor, bits.read(2)))
        return len(asked)

    monkeypatch.setattr(split_draws, "truncated_beta", recorded)
    pairs = [[(Fraction(10 * row + place), Fraction(1)) for place in range(2)] for row in range(3)]
    drawn = draw_splits({"a": pairs, "b": [[(Fraction(7), Fraction(8))]]}, 5, 2, SeededBits(1))
    assert drawn["a"].shape == (2, 3, 2)
    assert drawn["b"].shape == (2, 1, 1)
    assert [first for first, *_ in asked] == [pair[0] for row in pairs * 2 for pair in row] + [7, 7]
    assert {floor for *_, floor, _ in asked} == {5}
    assert len({bits for *_, bits in asked}) == len(asked)
    np.testing.assert_array_equal(np.concatenate([drawn["a"].ravel(), drawn["b"].ravel()]), np.arange(1, 15))


def test_draws_of_the_same_split_differ():
    drawn = draw_splits({"a": [[(Fraction(3), Fraction(2))]]}, 2**20, 50, SeededBits(1))["a"]
    assert len(set(drawn.ravel().tolist())) == 50
