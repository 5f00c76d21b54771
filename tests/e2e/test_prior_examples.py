"""A release as a prior in PyMC and NumPyro: the examples of the guide give what conjugacy and our own chain give."""

from importlib import import_module

import numpy as np
import polars as pl
import pytest

import discreet as dc

NETWORK = dc.Network([dc.Variable("smoke", ["no", "yes"]), dc.Variable("lung", ["well", "ill"])], {"lung": ["smoke"]})
OWN = np.array([[30, 10], [5, 15]])


@pytest.fixture
def example(monkeypatch):
    """An example of the guide, where its library is installed: PyMC 6 needs Python 3.12, and both are large."""

    def load(name, library):
        pytest.importorskip(library, reason=f"{library} is not installed")
        from pathlib import Path

        monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs" / "guide"))
        return import_module(name)

    return load


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what these libraries say to one another is theirs
@pytest.mark.parametrize(("name", "library"), [("pymc_prior", "pymc"), ("numpyro_prior", "numpyro")])
def test_going_on_from_a_release_gives_what_conjugacy_gives(name, library, example):
    module = example(name, library)
    records = pl.DataFrame({"smoke": ["no", "yes"] * 200, "lung": ["well", "well", "ill", "well"] * 100})
    release = dc.release(records, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), prior="uniform")
    total = release.posterior.as_prior().concentration(NETWORK.family("lung")) + OWN
    expected = total / total.sum(axis=1, keepdims=True)
    deviation = np.sqrt(expected * (1 - expected) / (total.sum(axis=1, keepdims=True) + 1))
    found = module.go_on(release, "lung", OWN)
    assert (np.abs(found - expected) < 0.25 * deviation).all()  # a thousand draws, and more than a hundred independent ones


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_exact_noise_model_agrees_with_our_chain(example):
    module = example("pymc_prior", "pymc")
    network = dc.Network([dc.Variable("a", ["no", "yes"])])
    records = pl.DataFrame({"a": ["no"] * 45 + ["yes"] * 15})
    release = dc.release(records, network, dc.Laplace("0.5"), ledger=dc.Ledger.unlimited(), prior="uniform")
    drawn, ours = module.noise_model(release), release.posterior
    deviation = float(np.sqrt(ours.variance("a")[0, 1]))
    assert abs(drawn.mean() - ours.mean("a")[0, 1]) < 0.25 * deviation
    assert drawn.std() == pytest.approx(deviation, rel=0.2)
