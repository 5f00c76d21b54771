"""Draws as data trees of xarray: chains apart, names without clashes, and ArviZ at home with them."""

import numpy as np
import polars as pl
import pytest
from support.optional import need

import discreet as dc

xr = need("xarray")
NETWORK = dc.Network([dc.Variable("smoke", ["no", "yes"]), dc.Variable("lung", ["well", "ill", "other"])], {"lung": ["smoke"]})
BELIEFS = dc.DirichletPosterior(NETWORK)


@pytest.fixture(scope="module")
def released():
    records = pl.DataFrame({"smoke": ["no", "yes"] * 60, "lung": ["well", "ill", "other"] * 40})
    return dc.release(records, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), prior="uniform")


def test_dimensions_are_chains_draws_levels_of_parents_and_of_the_node():
    found = BELIEFS.to_datatree(draws=50, chains=3, generator=1)["posterior"]
    assert found["lung"].dims == ("chain", "draw", "smoke_level", "lung_level")
    assert found["lung"].shape == (3, 50, 2, 3)
    assert found["smoke_level"].values.tolist() == ["no", "yes"]
    assert found["lung_level"].values.tolist() == ["well", "ill", "other"]
    np.testing.assert_allclose(found["lung"].sum("lung_level"), 1)


@pytest.mark.slow
def test_chains_are_kept_apart(released):
    posterior = released.posterior
    count = posterior.chains
    assert count > 1
    found = posterior.to_datatree(draws=40, generator=5)["posterior"]["lung"].values
    flat = posterior.draws(40 * count, 5)["lung"].reshape(40, count, 2, 3)
    np.testing.assert_array_equal(found, flat.swapaxes(0, 1))
    fewer = posterior.to_datatree(draws=40, chains=2, generator=5)["posterior"]["lung"].values
    np.testing.assert_array_equal(fewer, found[:2])
    with pytest.raises(dc.QueryError, match="no more can be made"):
        posterior.to_datatree(chains=count + 1)


def test_a_release_says_what_it_is_in_the_attributes(released, tmp_path):
    tree = released.to_datatree(draws=10)
    released.save(tmp_path / "r.json")
    assert tree.attrs["guarantee"] == "epsilon = 1 (pure differential privacy)"
    assert tree.attrs["digest"] in (tmp_path / "r.json").read_text()
    assert tree.attrs["inference_library_version"] == dc.__version__
    assert tree["posterior"].attrs["digest"] == tree.attrs["digest"]


def test_no_name_of_a_node_clashes_with_another():
    names = ["chain", "draw", "a", "a_level", "b/c"]
    network = dc.Network([dc.Variable(name, ["0", "1"]) for name in names], {"a": ["a_level", "chain"]})
    found = dc.DirichletPosterior(network).to_datatree(draws=5, chains=2)["posterior"]
    assert sorted(each.attrs["long_name"] for each in found.data_vars.values()) == sorted(names)
    assert not set(found.data_vars) & set(found.dims)


def test_what_has_no_spread_or_too_few_draws_is_refused():
    point = dc.PointPosterior(NETWORK, {"smoke": [[0.5, 0.5]], "lung": [[0.2, 0.3, 0.5]] * 2})
    with pytest.raises(dc.QueryError, match="no draws to give"):
        point.to_datatree()
    records = pl.DataFrame({"smoke": ["no", "yes"] * 60, "lung": ["well", "ill", "other"] * 40})
    drawn = dc.release(records, NETWORK, dc.Sampler("5", draws=3), ledger=dc.Ledger.unlimited()).posterior
    assert drawn.to_datatree(draws=3)["posterior"]["lung"].shape == (1, 3, 2, 3)
    with pytest.raises(dc.QueryError, match="Only 3 draws were released"):
        drawn.to_datatree(draws=4)


def test_coefficients_of_a_regression_keep_their_chains():
    line = dc.LinearModel({"x": (0, 1)}, ("y", (0, 2)))
    values = np.linspace(0, 1, 200)
    records = pl.DataFrame({"x": values, "y": 0.5 + values})
    made = dc.release(records, line, dc.RegressionMoments("5"), ledger=dc.Ledger.unlimited())
    found = made.to_datatree(draws=50)["posterior"]["coefficients"]
    assert found.dims == ("chain", "draw", "coefficient")
    assert found["coefficient"].values.tolist() == ["(intercept)", "x"]
    assert found.sizes["chain"] > 1
    means = [each.mean for each in made.posterior.summary()]
    deviations = [each.sd for each in made.posterior.summary()]
    assert (np.abs(found.mean(("chain", "draw")).values - means) < deviations).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what ArviZ says of its own future and of others' is its own
def test_arviz_summarises_and_draws_what_it_is_given(released):
    arviz, tree = need("arviz"), released.to_datatree(draws=100)
    # Data trees are what ArviZ 1 works on, which needs Python 3.12; ArviZ 0 takes the data set of the group.
    given = tree["posterior"].to_dataset() if arviz.__version__.startswith("0.") else tree
    summary = arviz.summary(given)
    assert len(summary) == 8
    assert summary["r_hat"].astype(float).max() < 1.2
    assert arviz.plot_forest(given) is not None
