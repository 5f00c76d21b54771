from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.bits import SeededBits
from support.measurements import counts
from support.networks import networks
from support.structures import alarm, binary, chain, naive

from discreet import ModelError, Network, Variable
from discreet.experiments.chest_clinic import chest_clinic
from discreet.kernel.noise.knorm import knorm_noise
from discreet.measure.blocks import Bundle, Group
from discreet.measure.laws import GaussianNoise, coordinate_variance
from discreet.measure.measurement import number_shape
from discreet.measure.needs import fused_cell_noise
from discreet.measure.observations import observations
from discreet.measure.strategies.block_search import BlockSearch
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements, optimal_bundles
from discreet.measure.strategies.laplace import optimal_shares
from discreet.mechanisms.parcels import bundle_body
from discreet.planning.fused_noise import _bundle_noise

ONE = Fraction(1)
MIXED = Network(
    [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("0123")), Variable("d", list("01"))],
    {"b": ["a"], "c": ["a"], "d": ["b", "a"]},
)
FEW = Network([Variable("a", list("0123")), Variable("b", list("01")), Variable("c", list("0123"))], {"b": ["a"]})
"""Where a search that starts from all parts alone ends more than a quarter above the best layout known."""


def mean(network, noise):
    return sum(noise[family.node].cell * family.cells for family in network.families) / network.cells


def predicted(network, epsilon=ONE):
    return mean(network, fused_cell_noise(network, knorm_measurements(optimal_bundles(network, epsilon))))


@given(networks(max_nodes=4), st.fractions("1/1000", 100))
@settings(max_examples=25)
def test_shares_sum_to_epsilon_exactly(network, epsilon):
    bundles = optimal_bundles(network, epsilon)
    assert sum(bundle.epsilon for bundle in bundles) == epsilon
    assert all(type(bundle.epsilon) is Fraction and bundle.epsilon > 0 for bundle in bundles)
    assert all(
        np.isfinite([noise.cell for noise in fused_cell_noise(network, knorm_measurements(bundles)).values()])
    )  # every family can be recovered
    assert not any(group.counted for bundle in bundles for group in bundle.groups if not group.parents)


@pytest.mark.parametrize(
    ("network", "most"),
    [(naive(16), 160), (chest_clinic().network, 135), (alarm(), 2600), (chain(20), 1272)],
    ids=["naive Bayes 16", "asia", "alarm", "chain 20"],
)
def test_the_predicted_errors_are_below_the_published_ones(network, most):
    assert predicted(network) < most
    assert predicted(network, Fraction(1, 10)) == pytest.approx(100 * predicted(network), rel=0.01)


@given(networks(max_nodes=4))
@example(FEW)
@settings(max_examples=15)
def test_the_layout_is_not_worse_than_simple_ones(network):
    """Each group apart, all groups together, and Laplace noise on the cells of maximal families."""
    search = BlockSearch(network)
    best = search.best().error
    every, places = np.ones(len(search.parts), dtype=bool), np.arange(len(search.groups))
    for home in (places, 0 * places):
        assert best <= search.start(every, home).error * (1 + 1e-9)
    variances = {node: 2 * (2 / share) ** 2 for node, share in optimal_shares(network, ONE).items()}  # continuous noise
    tables = [counts(network.family(node).members, GaussianNoise(variance)) for node, variance in variances.items()]
    laplace = mean(network, fused_cell_noise(network, tables))
    assert best <= laplace * (1 + 1e-9)


def test_the_error_of_the_search_is_that_of_its_layout():
    search = BlockSearch(MIXED)
    found = search.best()
    fine = mean(MIXED, fused_cell_noise(MIXED, knorm_measurements(optimal_bundles(MIXED, Fraction(1, 1000))))) / 10**6
    assert fine == pytest.approx(found.error, rel=1e-4)
    assert (np.isfinite(search.variances(found)) == found.active).all()


def bundle(scale):
    """Two groups: one of two blocks of a sign and a vector of three, one of a single block of two signs."""
    groups = (Group(("p",), (2,), True, ("q",), (3,)), Group((), (), False, ("r", "s"), (2, 2)))
    return Bundle(groups, 2 / scale)


@pytest.mark.parametrize("scale", [Fraction(20), Fraction(1, 4), Fraction(1, 7)])
def test_simulated_noise_has_the_predicted_variance(scale):
    made = bundle(scale)
    noise = knorm_noise(bundle_body(made), scale, 1800, SeededBits(5)).astype(float)
    first, second = made.groups
    wanted = np.concatenate(
        [
            np.tile([coordinate_variance(scale, 10, 8, 4, 1), *[coordinate_variance(scale, 10, 8, 4, 3)] * 3], 2),
            [coordinate_variance(scale, 10, 2, 2, 1)] * 2,
        ]
    )
    assert (first.dimension, second.dimension, made.dimension) == (8, 2, 10)
    ratio = (noise**2).mean(axis=0) / wanted
    for columns in ([0, 4], [1, 2, 3, 5, 6, 7], [8, 9]):
        assert ratio[columns].mean() == pytest.approx(1, abs=0.09 if scale > Fraction(1, 5) else 0.15)
    correlation = np.corrcoef(noise, rowvar=False) - np.eye(10)
    assert np.abs(correlation).max() < 0.09
    if scale == 20:  # planted: the formulas for a bundle of its own, and for a block of one coordinate
        assert (noise[:, 0] ** 2).mean() < 0.8 * coordinate_variance(scale, 20, 8, 4, 1)
        assert (noise[:, 0] ** 2).mean() > 1.3 * coordinate_variance(scale, 8, 8, 4, 1)


def test_the_noise_of_a_plan_has_the_law_of_the_noise_of_a_release():
    made = bundle(Fraction(20))
    parts = list(_bundle_noise(made, np.random.default_rng(1), 20_000))
    blocks = np.concatenate([part.reshape(20_000, 2, -1) for part in parts[:2]], axis=2).reshape(20_000, -1)
    plan = np.concatenate([blocks, *parts[2:]], axis=1)
    real = knorm_noise(bundle_body(made), made.scale, 1800, SeededBits(6))
    np.testing.assert_allclose((plan**2).mean(axis=0), (real.astype(float) ** 2).mean(axis=0), rtol=0.25)
    np.testing.assert_allclose(np.quantile(np.abs(plan), 0.9, axis=0), np.quantile(np.abs(real), 0.9, axis=0), rtol=0.12)


def errors(network, bundles, draws, seed):
    """Mean squared error of fused cells, simulated as in a plan, and what was predicted for it."""
    parts = [
        part for place, each in enumerate(bundles) for part in _bundle_noise(each, np.random.default_rng(seed + place), draws)
    ]
    measured = knorm_measurements(bundles)
    observed = observations(network, measured, [each.variance for each in measured])
    signed = [part.reshape(draws, *number_shape(network, each)) for part, each in zip(parts, measured, strict=True)]
    cells = observed.space.cells(observed.fuse(signed, 0.0))
    wanted = {node: noise.cell for node, noise in fused_cell_noise(network, measured).items()}
    return (cells**2).mean(), observed.space.each(wanted).mean()


@pytest.mark.parametrize(
    ("network", "epsilon", "draws"),
    [
        (naive(16), ONE, 20_000),
        (chest_clinic().network, ONE, 20_000),
        (alarm(), ONE, 2_500),
        (MIXED, Fraction(1, 2), 8_000),
        (binary(5, {1: [0], 2: [0, 1], 3: [2], 4: [2]}), Fraction(8), 8_000),
    ],
    ids=["naive Bayes 16", "asia", "alarm", "mixed", "small noise"],
)
def test_a_simulated_release_has_the_predicted_error(network, epsilon, draws):
    bundles = optimal_bundles(network, epsilon)
    happened, wanted = errors(network, bundles, draws, 11)
    assert happened == pytest.approx(wanted, rel=0.03)
    wrong = tuple(
        Bundle(each.groups, each.epsilon * Fraction(30, 31)) for each in bundles
    )  # planted: three percent more noise
    assert errors(network, wrong, draws, 11)[0] != pytest.approx(wanted, rel=0.03)


@given(networks(max_nodes=4))
@settings(max_examples=15)
def test_bundles_come_back_from_their_measurements(network):
    bundles = optimal_bundles(network, ONE)
    assert bundles_of(knorm_measurements(bundles)) == bundles


def test_families_that_are_too_wide_are_refused():
    names = [f"x{i}" for i in range(17)]
    wide = Network([Variable(name, ["0", "1"]) for name in names], {"x16": names[:16]})
    with pytest.raises(ModelError, match="parents"):
        optimal_bundles(wide, ONE)


def test_every_configuration_and_part_has_its_place():
    group = Group(("p", "q"), (2, 3), True, ("r", "s"), (2, 4))
    assert (group.configurations, group.parts, group.width, group.dimension) == (6, (1, 1, 4), 6, 36)
    assert len(list(product(range(2), range(3)))) == group.configurations
