"""Questions need a network, a mean and draws, and nothing else: no posterior of ours is involved in this file."""

import math
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from discreet.errors import QueryError
from discreet.inference.beliefs import Beliefs, DirichletBeliefs, MixedBeliefs, dirichlet_divergence
from discreet.inference.calibration import calibrate
from discreet.inference.confidence import confidence_network, confidence_table
from discreet.inference.predict import log_likelihood, predict_proba
from discreet.inference.query import query
from discreet.inference.sample import sample
from discreet.model.network import Network
from discreet.model.prior import UNIFORM, Prior, TablePrior
from discreet.model.variable import Variable

COIN = Network([Variable("coin", ["head", "tail"])])


@dataclass
class Believer(Beliefs):
    """Somebody's own beliefs about a coin: heads with probability 3/4, give or take."""

    network: Network

    def mean(self, node):
        return np.array([[0.75, 0.25]])

    def draws(self, count, generator=None):
        heads = np.linspace(0.7, 0.8, count)
        return {"coin": np.stack([heads, 1 - heads], axis=1)[:, None, :]}


@dataclass
class MixedBeliever(MixedBeliefs):
    """Beliefs about a confidence table that ten records of each bin contradict the classifier."""

    network: Network
    prior: Prior

    def mean(self, node):
        raise NotImplementedError

    def draws(self, count, generator=None):
        raise NotImplementedError

    def concentrations(self, node):
        family = self.network.family(node)
        return np.repeat(self.prior.concentration(family)[None], 2, axis=0) + np.array([0.0, 10.0])


def test_whoever_has_a_mean_and_draws_can_be_asked():
    believer, records = Believer(COIN), pl.DataFrame({"coin": ["head", "head", "tail"]})
    answer = query(believer, "coin", draws=101, interval=0.8)
    assert answer["head"] == pytest.approx(0.75)
    assert (answer.lower[0], answer.upper[0]) == pytest.approx((0.71, 0.79))
    assert answer.noise is None  # nothing was said about noise
    assert log_likelihood(believer, records) == pytest.approx(2 * math.log(0.75) + math.log(0.25))
    np.testing.assert_allclose(predict_proba(believer, records, "coin"), [[0.75, 0.25]] * 3)
    assert sample(believer, 5, generator=1).shape == (5, 1)
    assert confidence_table(believer, records, "coin")["truth"].to_list() == ["first", "first", "second"]


def test_any_mixture_of_dirichlet_distributions_can_calibrate():
    believer = MixedBeliever(confidence_network(), UNIFORM)
    (corrected,) = calibrate(np.array([[0.5, 0.5]]), believer)
    assert corrected[1] > 0.7


def test_beliefs_without_dirichlet_distributions_neither_calibrate_nor_compare():
    with pytest.raises(QueryError, match="released as draws"):
        calibrate(np.array([[0.5, 0.5]]), Believer(confidence_network()))
    with pytest.raises(QueryError, match="closed form"):
        dirichlet_divergence(Believer(COIN), Believer(COIN))


def test_a_prior_is_no_belief_about_records_although_it_has_concentrations():
    prior = TablePrior(COIN, {"coin": np.array([[1.0, 1.0]])})
    assert not isinstance(prior, DirichletBeliefs)


def test_questions_are_answered_without_loading_any_posterior():
    code = "import sys, discreet.inference.calibration; print([name for name in sys.modules if 'posterior' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
