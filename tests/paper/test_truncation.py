"""The paper says that truncating the noisy updates only improves utility. True count by count; false for the divergence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.model.network import Network
from discreet.model.prior import TablePrior
from discreet.model.variable import Variable
from discreet.posterior.dirichlet import DirichletPosterior

NETWORK = Network([Variable("x", ["0", "1"])])


def beta(a, b):
    return DirichletPosterior(NETWORK, TablePrior(NETWORK, {"x": [a, b]}))


@given(st.integers(0, 50), st.integers(-200, 200))
def test_clamping_never_moves_a_count_away_from_the_truth(count, noise):
    clamped = int(np.clip(count + noise, 0, 50))
    assert abs(clamped - count) <= abs(noise)


def test_clamping_can_make_the_posterior_worse():
    """Uniform prior, counts (50, 0), noisy counts (80, 5): clamped to n = 50 they give a posterior that is further off."""
    truth = beta(51, 1)
    assert truth.kl(beta(81, 6)) == pytest.approx(5.354, abs=5e-4)
    assert truth.kl(beta(51, 6)) == pytest.approx(7.438, abs=5e-4)
