"""The sampler against the definition: the uniform number lies between the true distribution function at the two edges.

The reference integrates by other formulas than the sampler, at a precision several times as high.
"""

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from support.bits import ScriptedBits, SeededBits

from discreet.kernel.draws import truncated_beta as module
from discreet.kernel.draws.truncated_beta import GRID, _Law, _series, truncated_beta
from discreet.kernel.exact import draw_uniforms

F = Fraction
SHAPES = [(1, 1), (3, 5), (F(1, 2), F(7, 3)), (F(901, 3), F(1501, 3)), (3, F(1, 3)), (F(900, 7), F(40, 7)), (2000, 9)]
FLOORS = [0, 5, GRID // 20, GRID // 5, int(GRID * 0.4926), GRID // 2 - 3]
UNIFORMS = [0, 2**127, 2**128 - 1, 2**128 // 3, 12345, 2**128 - 2**60]


def number(value):
    value = F(value)
    return arb(fmpq(value.numerator, value.denominator))


def distribution(a, b, floor, place):
    """F at the lower edge of a grid point, by the regularised incomplete beta function at 400 bits."""
    with ctx.workprec(400):
        a, b = number(a), number(b)
        low, high = number(F(floor, GRID)), number(1 - F(floor, GRID))
        x = number(F(2 * place - 1, 2 * GRID))
        start = low.beta_lower(a, b, regularized=True) if floor else arb(0)
        end = high.beta_lower(a, b, regularized=True) if floor else arb(1)
        return (x.beta_lower(a, b, regularized=True) - start) / (end - start)


def script(uniform):
    """The uniform number with these first 128 bits, and a third of a unit behind them."""
    return ScriptedBits(uniform.to_bytes(16, "little") + b"\x55" * 64)


def is_the_rounded_inverse(place, floor, uniform, law):
    """Whether law(lower edge) <= U < law(upper edge) for U = (uniform + 1/3) / 2^128."""
    least, most = max(floor, 1), GRID - max(floor, 1)
    assert least <= place <= most
    with ctx.workprec(400):
        below = place == least or bool(law(place) <= number((uniform + F(1, 3)) / 2**128))
        above = place == most or bool(law(place + 1) >= number((uniform + F(1, 3)) / 2**128))
    return below and above


@pytest.mark.fast("(2000, 9)", "(3*", "(1*", "(Fraction(1, 2)*", "(Fraction(900, 7)*")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scripted_uniforms_give_the_rounded_inverse(shape):
    for floor in FLOORS:
        for uniform in UNIFORMS[:: 1 if floor in {0, GRID // 20} else 2]:
            place = truncated_beta(F(shape[0]), F(shape[1]), floor, script(uniform))

            def law(edge, floor=floor):
                return distribution(*shape, floor, edge)

            assert is_the_rounded_inverse(place, floor, uniform, law)
            # The same check finds a result that is wrong by one grid point.
            if max(floor, 1) < place < GRID - max(floor, 1):
                assert not is_the_rounded_inverse(place + 1, floor, uniform, law)
                assert not is_the_rounded_inverse(place - 1, floor, uniform, law)


@pytest.mark.parametrize("floor", [int(GRID * 0.4926), GRID // 20, 0])
@pytest.mark.parametrize("rows", [51, 10**6, 10**9])
def test_no_case_among_a_million_is_drawn_exactly(rows, floor):
    """Beta(1, n + 1) has the distribution function 1 - (1 - x)^(n + 1): here an exact power, however deep in the tail."""

    def law(place):
        edge = 1 - F(2 * place - 1, 2 * GRID)
        first, last = number(1 - F(floor, GRID)) ** (rows + 1), number(F(floor, GRID)) ** (rows + 1)
        return (first - number(edge) ** (rows + 1)) / (first - last)

    for uniform in UNIFORMS:
        assert is_the_rounded_inverse(truncated_beta(F(1), F(rows + 1), floor, script(uniform)), floor, uniform, law)
    mirrored = truncated_beta(F(rows + 1), F(1), floor, script(2**127))
    assert abs(GRID - truncated_beta(F(1), F(rows + 1), floor, script(2**127)) - mirrored) <= 1


def test_large_counts_give_the_rounded_inverse():
    for shape in [(30_001, 70_001), (F(10**6, 3), F(10**7, 3))]:
        place = truncated_beta(F(shape[0]), F(shape[1]), GRID // 20, script(UNIFORMS[3]))
        assert is_the_rounded_inverse(place, GRID // 20, UNIFORMS[3], lambda at, s=shape: distribution(*s, GRID // 20, at))


def test_an_open_comparison_asks_for_more_bits_and_is_then_decided():
    """The first 128 bits put the uniform number on the edge itself: on Beta(1, 1) the edges are dyadic."""
    edge = (2**127 // GRID) * (2 * 1000 - 1)  # F = (1000 - 1/2) / GRID, in units of 2^-128
    on_the_edge = edge.to_bytes(16, "little")
    above = ScriptedBits(on_the_edge + b"\x01" + bytes(7))
    assert truncated_beta(F(1), F(1), 0, above) == 1000
    below = ScriptedBits((edge - 1).to_bytes(16, "little") + b"\xff" * 8 + b"\x00" * 8)
    assert truncated_beta(F(1), F(1), 0, below) == 999


def test_results_lie_on_the_allowed_part_of_the_grid():
    bits = SeededBits(1)
    for floor in (0, 1, 7, GRID // 2 - 1):
        for shape in ((F(1, 1000), F(1, 1000)), (F(10**6), F(1))):
            assert max(floor, 1) <= truncated_beta(*shape, floor, bits) <= GRID - max(floor, 1)


@pytest.mark.parametrize(("first", "second", "floor"), [(0, 1, 5), (1, 0, 5), (1, 1, GRID // 2), (1, 1, -1)])
def test_impossible_parameters_are_refused(first, second, floor):
    with pytest.raises(ValueError, match="Beta draw"):
        truncated_beta(F(first), F(second), floor, SeededBits(1))


@pytest.mark.parametrize(("a", "b", "x"), [(28, 1.37, 0.8), (1730, 0.3, 0.97), (223, 25, 0.8), (3, 0.01, 0.979)])
def test_the_series_in_integers_encloses_the_sum(a, b, x):
    a, b, x = F(a), F(b), F(x)
    ratio = x * max((a + b) / (a + 1), F(1))
    assert ratio < F(98, 100)
    for precision in (32, 64, 128):
        with ctx.workprec(precision):
            found = _series(a, b, x, ratio)
        with ctx.workprec(300):
            exact = number(x).hypgeom_2f1(1, number(a + b), number(a + 1))
        assert found.contains(exact)
        assert found.rel_accuracy_bits() > precision - 25


def test_the_series_encloses_the_sum_at_every_precision_however_its_terms_are_rounded():
    """Geometric sums, of which each term loses about half a unit: a bound on the error of half the size fails here."""
    for x in (F(7, 10), F(3, 4), F(17, 20), F(9, 10), F(19, 20), F(97, 100)):
        with ctx.workprec(300):
            exact = number(1 / (1 - x))
        for precision in range(8, 64):
            with ctx.workprec(precision):
                found = _series(F(50), F(1), x, x)
            assert found.contains(exact)


@pytest.mark.parametrize(("a", "b", "x"), [(28, 1.37, 0.8), (20, 0.5, 0.9), (1730, 0.3, 0.97), (3, 0.01, 0.97)])
def test_no_quotient_of_two_terms_is_larger_than_the_bound_on_them(monkeypatch, a, b, x):
    """They go from x (a + b) / (a + 1) to x: down where b > 1, and up where b < 1."""
    bounds = []
    monkeypatch.setattr(module, "_series", lambda a, b, x, ratio: bounds.append(ratio) or arb(1))
    a, b, x = F(a), F(b), F(x)
    module._tail(a, b, x)
    assert bounds
    assert bounds[0] >= max(x, *(x * (a + b + n) / (a + 1 + n) for n in range(100)))


def test_the_parameters_of_a_draw_are_not_printed():
    """They are prior plus counts."""
    law = _Law(F(4711), F(815), F(1, 4))
    law.reached(GRID // 2, *draw_uniforms(1, SeededBits(1)), SeededBits(2))
    shown = repr(law)
    assert "4711" not in shown
    assert "815" not in shown
    assert "anchor" not in shown
    assert "wholes" not in shown
