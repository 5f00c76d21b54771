"""What one record costs: the noise of the moments pays for every pair of neighbours, in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bits import SeededBits

from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.noise.moments import DeclaredMoments, MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.noise.wishart import wishart_difference
from discreet.measure.laws import HEAVY, MomentNoise, NoiseForm
from discreet.measure.strategies.moment_noise import moment_noise, moment_triangle, noises_that_pay
from discreet.model.linear import LinearModel

EPSILON, RHO = Fraction(3, 7), Fraction(1, 50)


def model_of(features, intercept, resolution=8):
    return LinearModel(
        {f"x{place}": (0, 1) for place in range(features)}, ("y", (0, 1)), intercept=intercept, resolution=resolution
    )


def cost(model, noise, one, other):
    """What releasing the moments of neighbours costs: epsilon, or rho for the Gaussian. Records are in steps."""
    unit = 2**model.resolution
    u, v = ([unit, *record] if model.intercept else list(record) for record in (one, other))
    moved = {(i, j): abs(u[i] * u[j] - v[i] * v[j]) for i, j in moment_triangle(model).places}
    if noise.form is NoiseForm.BOX:
        return max(Fraction(change, 1 if i == j else 2) for (i, j), change in moved.items()) / noise.scale
    if noise.form in (NoiseForm.WISHART, NoiseForm.WEIGHTED):
        weights = noise.triangle.weights if noise.form is NoiseForm.WEIGHTED else [1] * len(u)
        weighted = [weight * value for record in (u, v) for weight, value in zip(weights, record, strict=True)]
        return sum(value**2 for value in weighted) / noise.scale
    diagonal = noise.scale * Fraction(2, len(u) + 1)
    return sum(Fraction(change**2) / (2 * (diagonal if i == j else noise.scale)) for (i, j), change in moved.items())


def kernel_cost(model, noise):
    """What the kernel says that it costs, by the declared bounds alone."""
    declared = DeclaredMoments(len(model.columns) + model.intercept, 2**model.resolution, model.intercept, 1)
    if noise.form is NoiseForm.WEIGHTED:
        return MomentWishart(declared, noise.scale, HEAVY).cost
    law = {NoiseForm.BOX: MomentBox, NoiseForm.WISHART: MomentWishart, NoiseForm.GAUSSIAN: MomentGaussian}[noise.form]
    return law(declared, noise.scale).cost


@st.composite
def neighbours(draw):
    features, intercept = draw(st.integers(1, 9)), draw(st.booleans())
    model = model_of(features, intercept)
    unit = 2**model.resolution
    value = st.one_of(st.sampled_from([-unit, 0, unit]), st.integers(-unit, unit))
    record = st.lists(value, min_size=features + 1, max_size=features + 1)
    return model, draw(record), draw(record)


@given(neighbours())
def test_replacing_one_record_costs_no_more_than_the_guarantee(pair):
    model, one, other = pair
    pure, gaussian = moment_noise(model, PureDP(EPSILON)), moment_noise(model, ZCDP(RHO))
    assert cost(model, pure, one, other) <= EPSILON
    assert cost(model, gaussian, one, other) <= RHO
    assert (kernel_cost(model, pure), kernel_cost(model, gaussian)) == (PureDP(EPSILON), ZCDP(RHO))


@pytest.mark.parametrize(("features", "intercept"), [(1, True), (1, False), (3, True), (9, True), (8, False)])
def test_the_cost_is_attained(features, intercept):
    """So a scale that is too small by anything would be caught by the test above."""
    model = model_of(features, intercept)
    unit = 2**model.resolution
    ones = [unit] * (features + 1)
    flipped = [-unit if place < (features + 1 + intercept) // 2 else unit for place in range(features + 1)]
    assert cost(model, moment_noise(model, PureDP(EPSILON)), ones, flipped) == EPSILON
    size = features + 1 + intercept
    if size % 2 == 0:
        assert cost(model, moment_noise(model, ZCDP(RHO)), ones, flipped) == RHO
    if not intercept:  # a record at the centre of all bounds moves the squares
        assert cost(model, moment_noise(model, ZCDP(RHO)), ones, [0] * size) == RHO


def test_squares_with_less_noise_would_be_caught():
    """Planted: a diagonal with a tenth less variance than the weight (m + 1) / 2 allows."""
    model = model_of(3, False)
    noise = moment_noise(model, ZCDP(RHO))
    unit = 2**model.resolution
    squares = 4 * Fraction(unit**4) / (2 * noise.scale * Fraction(2, 5) * Fraction(9, 10))
    products = 6 * Fraction(unit**4) / (2 * noise.scale)
    assert squares + products > RHO


@given(st.integers(1, 6), st.booleans(), st.integers(0, 2**32))
def test_every_pure_law_pays_whichever_is_chosen(features, intercept, seed):
    """The choice is by predicted error; each law must be private at every size."""
    model = model_of(features, intercept)
    unit, size = 2**model.resolution, features + 1 + intercept
    generator = np.random.default_rng(seed)
    one, other = (generator.choice([-unit, unit, 0, unit // 3], features + 1).tolist() for _ in range(2))
    box = MomentNoise(NoiseForm.BOX, Fraction(unit**2) / EPSILON, moment_triangle(model))
    wishart = MomentNoise(NoiseForm.WISHART, Fraction(2 * size * unit**2) / EPSILON, moment_triangle(model))
    lengths = size + (HEAVY**2 - 1) * (1 + intercept)
    weighted = MomentNoise(NoiseForm.WEIGHTED, Fraction(2 * lengths * unit**2) / EPSILON, moment_triangle(model))
    every = (box, wishart, weighted)
    assert max(cost(model, noise, one, other) for noise in every) <= EPSILON
    assert {kernel_cost(model, noise).epsilon for noise in every} == {EPSILON}
    assert noises_that_pay(model, PureDP(EPSILON)) == every
    assert moment_noise(model, PureDP(EPSILON)) in every


@given(st.booleans(), st.integers(0, 2**32), st.lists(st.integers(-4, 4), min_size=6, max_size=6))
def test_weighted_noise_is_computed_from_a_release_of_weighted_records(constant, seed, record):
    """What is published follows from the weighted moments plus noise, and from nothing else of the records."""
    u = [4, *record[:2]] if constant else record[:3]
    weights = [HEAVY if constant else 1, 1, HEAVY]
    law = MomentWishart(DeclaredMoments(size=3, largest=4, constant=constant, rows=1), Fraction(500), HEAVY)
    places = law.declared.places
    noise = wishart_difference(3, Fraction(500), SeededBits(seed))[int(constant) :]
    drawn = law.draw((len(places),), SeededBits(seed)).tolist()
    for (i, j), added, hidden in zip(places, drawn, noise, strict=True):
        heavy = weights[i] * weights[j]
        assert u[i] * u[j] + added == (heavy * u[i] * u[j] + hidden) // heavy
    assert sum((weight * value) ** 2 for weight, value in zip(weights, u, strict=True)) <= law.length
