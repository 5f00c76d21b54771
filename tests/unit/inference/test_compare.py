import flint
import numpy as np
import pytest
from scipy import integrate, stats

from discreet.errors import QueryError
from discreet.model.network import Network
from discreet.model.prior import Symmetric, TablePrior
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior


def single(*concentration):
    network = Network([Variable("a", range(len(concentration)))])
    return DirichletPosterior(network, TablePrior(network, {"a": [concentration]}))


def test_clamping_a_count_can_move_the_posterior_away_from_the_truth():
    # Fifty records, all alike, under a uniform prior. Noisy counts (80, 5) give Beta(81, 6); clamped to 50 they give (51, 6).
    truth = single(51, 1)
    assert truth.kl(single(81, 6)) == pytest.approx(5.354, abs=5e-4)
    assert truth.kl(single(51, 6)) == pytest.approx(7.438, abs=5e-4)


@pytest.mark.parametrize(("p", "q"), [((2, 3), (4, 1.5)), ((51, 1), (80, 5)), ((0.7, 0.7), (3, 2)), ((9, 9), (9, 9))])
def test_for_two_levels_the_divergence_equals_an_integral(p, q):
    left, right = stats.beta(*p), stats.beta(*q)
    value, _ = integrate.quad(lambda x: left.pdf(x) * (left.logpdf(x) - right.logpdf(x)), 0, 1, limit=400)
    assert single(*p).kl(single(*q)) == pytest.approx(value, abs=1e-6)


def test_for_three_levels_the_divergence_equals_an_average_over_draws():
    p, q = np.array([3.0, 1.0, 6.0]), np.array([2.0, 2.0, 2.0])
    draws = stats.dirichlet(p).rvs(200_000, random_state=np.random.default_rng(0)).T
    ratios = stats.dirichlet(p).logpdf(draws) - stats.dirichlet(q).logpdf(draws)
    error = ratios.std() / np.sqrt(ratios.size)
    assert single(*p).kl(single(*q)) == pytest.approx(ratios.mean(), abs=5 * error)
    assert single(*q).kl(single(*p)) != pytest.approx(ratios.mean(), abs=5 * error)


def test_divergences_add_over_nodes_and_configurations():
    network = Network([Variable("a", [0, 1]), Variable("b", [0, 1])], {"b": ["a"]})
    p = DirichletPosterior(network, TablePrior(network, {"a": [[2, 3]], "b": [[1, 4], [5, 2]]}))
    q = DirichletPosterior(network)
    parts = [single(*row).kl(single(1, 1)) for row in ([2, 3], [1, 4], [5, 2])]
    assert p.kl(q) == pytest.approx(sum(parts))


@pytest.mark.parametrize("scale", [1e2, 3e3, 1e6, 1e9, 1e12])
def test_the_divergence_stays_precise_for_many_records(scale):
    p, q = [3 * scale, 2 * scale, scale], [3 * scale, 2 * scale + 7, scale - 5]

    def gap(left, right):
        left, right = flint.arb(left), flint.arb(right)
        return right.lgamma() - left.lgamma() - (right - left) * left.digamma()

    with flint.ctx.workprec(400):
        exact = sum((gap(a, b) for a, b in zip(p, q, strict=True)), flint.arb(0)) - gap(sum(p), sum(q))
        assert single(*p).kl(single(*q)) == pytest.approx(float(exact), rel=1e-6, abs=1e-13)


def test_rounding_never_makes_a_divergence_negative():
    worst = min(single(3 * scale, scale).kl(single(3 * scale, scale * (1 + 1e-14))) for scale in np.logspace(0, 6, 50))
    assert worst >= 0


def test_a_posterior_does_not_diverge_from_itself():
    assert single(1e6, 3e5, 0.2).kl(single(1e6, 3e5, 0.2)) == 0


def test_posteriors_of_different_networks_are_not_compared():
    other = DirichletPosterior(Network([Variable("b", [0, 1])]), Symmetric(2))
    with pytest.raises(QueryError, match="different networks"):
        single(1, 1).kl(other)
