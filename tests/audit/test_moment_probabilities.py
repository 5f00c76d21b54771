"""Moments of records in {-largest, ..., largest}: the exact probability of every output, of every pair of neighbours.

Rounded box noise has, in the unit cube around an integer point, the integral over t > 0 of exp(-t / scale) / scale times the
volume of the cube within t times the box: a polynomial between finitely many t. So it is a sum of exact fractions times
exponentials, and is computed as such. Rounded Gaussian noise is a difference of error functions.

The draws of the law are compared with these probabilities, so that what is looked at is what is published.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial

import numpy as np
import pytest
from flint import arb
from support.bits import SeededBits
from support.statistics import ALPHA, chi_square_p

from discreet.balls import ball, working_precision
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.moments import DeclaredMoments, MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.publish import PrivateNumbers, publish

HALF, PRECISION = Fraction(1, 2), 400
WORLDS = [(1, 1, False), (1, 2, False), (2, 1, True), (2, 2, True), (2, 1, False)]
"""Size, largest value, and whether the first number of every record is the constant."""


def declared_moments(world):
    size, largest, constant = world
    return DeclaredMoments(size, largest, constant, rows=1)


def statistics(world):
    """The upper triangle of u u' for every record u, straight from its definition; each once."""
    size, largest, constant = world
    free = product(range(-largest, largest + 1), repeat=size - constant)
    records = [((largest,) if constant else ()) + record for record in free]
    places = [(i, j) for i in range(size) for j in range(size) if i <= j and (i, j) != ((0, 0) if constant else None)]
    return sorted({tuple(u[i] * u[j] for i, j in places) for u in records}), [i == j for i, j in places]


def times(left, right):
    """The product of two polynomials, constants first."""
    found = [Fraction(0)] * (len(left) + len(right) - 1)
    for (i, one), (j, other) in product(enumerate(left), enumerate(right)):
        found[i + j] += one * other
    return found


def integral(polynomial, start, end, scale):
    """Of polynomial(t) exp(-t / scale) / scale from start to end, which may be None for infinity."""

    def rest(at):  # from a point on: exp(-at / scale) times the sum over derivatives p^(k)(at) scale^k
        total, derivative, power = Fraction(0), list(polynomial), Fraction(1)
        while derivative:
            total += power * sum(each * at**place for place, each in enumerate(derivative))
            derivative = [place * each for place, each in enumerate(derivative)][1:]
            power *= scale
        return ball(total) * (-ball(at / scale)).exp()

    return rest(start) - (rest(end) if end is not None else 0)


@cache
def box_probability(offsets, squares, scale):
    """That the rounded noise is ``offsets``, at least zero each: signs do not matter."""
    widths = [1 if square else 2 for square in squares]
    ends = [((Fraction(each) - HALF) / h, (Fraction(each) + HALF) / h) for each, h in zip(offsets, widths, strict=True)]
    cuts = sorted({Fraction(0), *(abs(end) for pair in ends for end in pair)})
    total = arb(0)
    for start, end in zip(cuts, [*cuts[1:], None], strict=True):
        volume = [Fraction(1)]
        for (low, high), h in zip(ends, widths, strict=True):
            # within [-h t, h t]: from max(low, -t) to min(high, t), times h; each is one of the two between the cuts
            upper = [h * high, Fraction(0)] if high <= start else [Fraction(0), Fraction(h)]
            lower = [h * low, Fraction(0)] if -low <= start else [Fraction(0), Fraction(-h)]
            length = [a - b for a, b in zip(upper, lower, strict=True)] if low <= start else [Fraction(0)]
            volume = times(volume, length)
        if any(volume):
            total += integral(volume, start, end, scale)
    everything = factorial(len(offsets)) * scale ** len(offsets)
    for h in widths:
        everything *= 2 * h
    return total / ball(everything)


def worst_of_box(world, scale, reach=4):
    """The largest log ratio over neighbours and outputs."""
    centres, squares = statistics(world)
    worst = arb(0)
    for output in product(range(-reach, reach + 1), repeat=len(squares)):
        offsets = (tuple(abs(y - c) for y, c in zip(output, centre, strict=True)) for centre in centres)
        logs = [box_probability(each, tuple(squares), scale).log() for each in offsets]
        worst = max(worst, max(logs, key=arb.mid) - min(logs, key=arb.mid), key=arb.mid)
    return worst


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_no_output_of_box_noise_is_likelier_than_its_cost_allows(world):
    """And it is as likely, to a hundred digits: where one number is far off, the whole cube moves by epsilon."""
    law = MomentBox(declared_moments(world), Fraction(3, 2))
    with working_precision(PRECISION):
        worst = worst_of_box(world, law.scale, reach=6 if len(law.declared.places) < 3 else 4)
        assert abs(worst - ball(law.cost.epsilon)) < ball(Fraction(1, 10**100))


def test_a_box_that_is_a_little_too_small_is_caught():
    """Planted: the scale for squares in [0, 1], where they lie in [0, 4]; and one that is too small by next to nothing."""
    law = MomentBox(declared_moments((2, 2, True)), Fraction(4))
    assert law.cost.epsilon == 1
    with working_precision(PRECISION):
        for scale in (Fraction(1), Fraction(4) - Fraction(1, 10**60)):
            assert worst_of_box((2, 2, True), scale) > 1


def gaussian_probability(offset, variance):
    """That rounded noise of this variance is ``offset``."""
    unit = (2 * ball(variance)).sqrt()
    return ((ball(abs(offset) - HALF) / unit).erfc() - (ball(abs(offset) + HALF) / unit).erfc()) / 2


def divergence(one, other, variances, order):
    """The Renyi divergence between the outputs of two data sets: coordinates are independent, so it adds up."""
    found = arb(0)
    for moved, variance in zip(np.subtract(one, other), variances, strict=True):
        total = arb(0)
        for y in range(-90, 91):
            p, q = gaussian_probability(y, variance), gaussian_probability(y + int(moved), variance)
            total += p ** ball(order) * q ** ball(1 - order)
        found += total.log() / ball(order - 1)
    return found


def worst_of_gaussian(world, variance, order):
    centres, squares = statistics(world)
    variances = [variance * Fraction(2, world[0] + 1) if square else variance for square in squares]
    moves = {tuple(np.abs(np.subtract(one, other)).tolist()) for one, other in product(centres, repeat=2)}
    return max((divergence(move, [0] * len(move), variances, order) for move in moves), key=arb.mid)


@pytest.mark.fast("(2, 1, True)-*", "(1, 2, False)-*", "(1, 1, False)-*")
@pytest.mark.parametrize("order", [Fraction(11, 10), Fraction(6)], ids=str)
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_outputs_of_gaussian_noise_diverge_no_further_than_rho_allows(world, order):
    law = MomentGaussian(declared_moments(world), Fraction(30))
    with working_precision(PRECISION):
        allowed = ball(order * law.cost.rho)
        worst = worst_of_gaussian(world, law.variance, order)
        assert worst <= allowed
        if world[0] == 1 or not world[2]:  # attained but for rounding; the constant's square would have moved, and cannot
            assert worst > allowed * ball(Fraction(98, 100))


@pytest.mark.fast("(1, 1, False)")
@pytest.mark.parametrize("world", [(1, 1, False), (2, 2, True), (2, 1, False)], ids=str)
def test_published_box_noise_has_these_probabilities(world):
    declared = declared_moments(world)
    law, none = MomentBox(declared, Fraction(3, 2)), np.zeros(len(declared.places), np.int64)
    bits, ledger = SeededBits(7), Ledger.unlimited()

    def release():
        return publish({"moments": PrivateNumbers(none, law)}, law.cost, ledger, "test", _bits=bits)[0]["moments"].tolist()

    assert chi_square(Counter(tuple(release()) for _ in range(1500)), declared, law.scale) > ALPHA


def chi_square(seen, declared, scale):
    squares = tuple(i == j for i, j in declared.places)
    cells = list(product(range(-2, 3), repeat=len(squares)))
    with working_precision(PRECISION):
        chances = [float(box_probability(tuple(map(abs, cell)), squares, scale)) for cell in cells]
    counts = [seen[cell] for cell in cells]
    return chi_square_p(np.array([*counts, seen.total() - sum(counts)]), np.array([*chances, 1 - sum(chances)]))


def test_box_noise_of_other_widths_is_noticed():
    """Planted: squares and products have changed places, so a square has noise of half the width that it is paid for."""
    declared = declared_moments((2, 1, True))  # the sum, then the square
    drawn = [MomentBox(declared, Fraction(3, 2)).draw((2,), SeededBits(seed)).tolist() for seed in range(1500)]
    assert chi_square(Counter(map(tuple, drawn)), declared, Fraction(3, 2)) > ALPHA
    assert chi_square(Counter((square, other) for other, square in drawn), declared, Fraction(3, 2)) < ALPHA


def test_wishart_noise_of_one_number_costs_less_than_is_charged():
    """It is Laplace noise of the scale, and a square moves by one: half of what the law charges at every size."""
    law = MomentWishart(declared_moments((1, 1, False)), Fraction(2))
    assert law.cost.epsilon == 1
    chance = [1 - np.exp(-1 / 4), *(np.exp(-k / 2) * np.sinh(1 / 4) for k in range(1, 12))]
    drawn = Counter(abs(int(law.draw((1,), SeededBits(seed))[0])) for seed in range(2000))
    counts = [drawn[0], *(drawn[k] for k in range(1, 12))]
    expected = np.array([chance[0], *(2 * each for each in chance[1:])])
    rest = 1 - expected.sum()
    assert chi_square_p(np.array([*counts, drawn.total() - sum(counts)]), np.array([*expected, rest])) > ALPHA
    assert np.log(chance[2] / chance[3]) <= float(law.cost.epsilon) / 2 + 1e-12
