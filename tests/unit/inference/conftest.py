"""Two classifiers: one that is right about itself, one that counts the same evidence several times."""

import pytest
from support.copies import copied_feature

from discreet.model.templates import naive_bayes
from discreet.posterior import PointPosterior


@pytest.fixture
def honest():
    """A classifier that is right about the records that are drawn from it."""
    network = naive_bayes("class", ["a", "b", "c", "d"])
    shares = {"a": 0.6, "b": 0.7, "c": 0.8, "d": 0.65}
    tables = {name: [[share, 1 - share], [1 - share, share]] for name, share in shares.items()}
    return PointPosterior(network, {"class": [[0.5, 0.5]], **tables})


@pytest.fixture
def boastful():
    """One feature, copied five times, which naive Bayes takes for as many; with records. Its log-odds are as many times."""
    return copied_feature(5, 0.7, seed=3)
