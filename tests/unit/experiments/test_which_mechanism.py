"""The comparison of mechanisms in the guide."""

import numpy as np
import pytest

from discreet.experiments.which_mechanism import _release
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.sampler import Sampler
from discreet.model.prior import UNIFORM
from discreet.model.templates import naive_bayes
from discreet.posterior.dirichlet import DirichletPosterior


@pytest.mark.parametrize("mechanism", [KNorm("1"), Sampler("1")], ids=["noise", "draws"])
def test_every_mechanism_of_the_comparison_updates_the_uniform_prior(mechanism):
    network = naive_bayes("y", ["x"])
    records = DirichletPosterior(network).sample(20, np.random.default_rng(1))
    assert _release(network, mechanism, records).prior == UNIFORM
