from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.measurements import counts
from support.networks import networks
from support.structures import alarm, binary, chain, naive

from discreet import ModelError, Network, Variable
from discreet.measure.laws import GaussianNoise, gaussian_variance, standard_deviation
from discreet.measure.measurement import number_shape
from discreet.measure.needs import fused_cell_noise
from discreet.measure.observations import observations
from discreet.measure.strategies.gaussian import gaussian_measurements

RHO = Fraction(1, 50)
MIXED = Network(
    [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("0123")), Variable("d", list("01"))],
    {"b": ["a"], "c": ["a"], "d": ["b", "a"]},
)


def mean(network, margins):
    noise = fused_cell_noise(network, margins)
    return sum(noise[family.node].cell * family.cells for family in network.families) / network.cells


@given(networks(max_nodes=4), st.fractions("1/1000", 100))
@settings(max_examples=25)
def test_costs_sum_to_rho_exactly(network, rho):
    margins = gaussian_measurements(network, rho)
    assert sum(1 / margin.law.parameter for margin in margins) == rho
    assert all(type(margin.law.parameter) is Fraction for margin in margins)
    assert all(np.isfinite([noise.cell for noise in fused_cell_noise(network, margins).values()]))
    assert len({margin.nodes for margin in margins}) == len(margins)


@pytest.mark.parametrize("network", [naive(5), chain(6), MIXED, binary(4, {1: [0], 2: [0, 1], 3: [0, 1, 2]})], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_no_other_split_is_better(network, seed):
    """Against random splits of the same rho over the maximal families, the measured margins and all single nodes."""
    margins = gaussian_measurements(network, RHO)
    best = mean(network, margins)
    nodes = [margin.nodes for margin in margins]
    nodes += [family.members for family in network.maximal_families] + [(node,) for node in network.nodes]
    generator = np.random.default_rng(seed)
    for spread in (0.3, 3.0):
        shares = generator.dirichlet(np.full(len(nodes), spread))
        other = [
            counts(each, GaussianNoise(1 / (RHO * Fraction(float(share))))) for each, share in zip(nodes, shares, strict=True)
        ]
        assert best <= mean(network, other) * 1.003
    equal = [counts(family.members, GaussianNoise(len(network.maximal_families) / RHO)) for family in network.maximal_families]
    assert best <= mean(network, equal) * 1.003


def test_unequal_tables_get_unequal_shares():
    equal = [counts(family.members, GaussianNoise(len(alarm().maximal_families) / RHO)) for family in alarm().maximal_families]
    assert mean(alarm(), gaussian_measurements(alarm(), RHO)) < 0.9 * mean(alarm(), equal)


def test_naive_bayes_has_the_known_variance():
    """Sixteen tables of equal variance 16 / rho, fused: the value that is published for rho = 0.01747."""
    rho = Fraction("0.01747")
    noise = fused_cell_noise(naive(16), gaussian_measurements(naive(16), rho))
    assert noise["x0"].cell == pytest.approx(472, rel=0.01)


def test_the_variance_is_that_of_the_law():
    for parameter in (Fraction(1, 100), Fraction(1, 2), Fraction(2), Fraction(39, 10), Fraction(50)):
        values = np.arange(-200, 201)
        weights = np.exp(-(values**2) / (2 * float(parameter)))
        assert gaussian_variance(parameter) == pytest.approx((values**2 * weights).sum() / weights.sum(), rel=1e-9)
    assert gaussian_variance(Fraction(1, 10**6)) > 0
    assert standard_deviation(Fraction(2)) >= Fraction(14142135, 10**7)
    assert float(standard_deviation(Fraction(10**12))) == pytest.approx(10**6, rel=1e-6)


@pytest.mark.parametrize("network", [naive(16), MIXED, chain(8)], ids=repr)
def test_a_simulated_release_has_the_predicted_error(network):
    margins = gaussian_measurements(network, RHO)
    generator = np.random.default_rng(3)
    observed = observations(network, margins, [margin.variance for margin in margins])

    def happened(factor):
        noise = [
            np.rint(generator.normal(0, factor * float(margin.law.parameter) ** 0.5, (4000, *number_shape(network, margin))))
            for margin in margins
        ]
        return (observed.space.cells(observed.fuse(noise, 0.0)) ** 2).mean()

    cells = {node: noise.cell for node, noise in fused_cell_noise(network, margins).items()}
    wanted = observed.space.each(cells).mean()
    assert happened(1) == pytest.approx(wanted, rel=0.03)
    assert happened(1.04) != pytest.approx(wanted, rel=0.03)  # planted: eight percent more variance


def test_families_that_are_too_wide_are_refused():
    names = [f"x{i}" for i in range(17)]
    wide = Network([Variable(name, ["0", "1"]) for name in names], {"x16": names[:16]})
    with pytest.raises(ModelError, match="parents"):
        gaussian_measurements(wide, RHO)
