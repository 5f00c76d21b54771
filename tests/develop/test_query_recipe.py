"""docs/develop/query.md, followed: one file, and every posterior can be asked."""

import numpy as np
import pytest
from support.mechanisms import DATA, FOR_NETWORKS, NETWORK
from support.recipes import edits, follow, load_recipe, new_files, run, run_tests, tool

import discreet as dc

RECIPE = "query.md"


@pytest.fixture(scope="module")
def differ():
    return load_recipe(RECIPE)["discreet.inference.differ"].differ


def test_a_query_is_one_file_and_its_tests():
    assert sorted(new_files(RECIPE)) == ["src/discreet/inference/differ.py", "tests/unit/inference/test_differ.py"]
    assert list(edits(RECIPE)) == ["src/discreet/posterior/posterior.py"]


@pytest.mark.fast("laplace", "sampler*", "map", "candidates")
@pytest.mark.parametrize("mechanism", FOR_NETWORKS.values(), ids=FOR_NETWORKS)
def test_every_posterior_of_a_network_can_be_asked(differ, mechanism):
    posterior = dc.release(DATA, NETWORK, mechanism, ledger=dc.Ledger.unlimited()).posterior
    found, bounds = differ(posterior, "x", "y", draws=200, generator=1)
    root, child = posterior.mean("y")[0], posterior.mean("x")
    assert found == pytest.approx(root[0] * child[0, 1] + root[1] * child[1, 0])
    assert (bounds is None) == (posterior.without_spread is not None)
    assert bounds is None or 0 <= bounds[0] < bounds[1] <= 1


def test_noise_widens_the_interval(differ):
    made = dc.release(DATA, NETWORK, dc.Laplace("1/100"), ledger=dc.Ledger.unlimited())
    exact = dc.DirichletPosterior(NETWORK).update(DATA)
    wide, narrow = (np.diff(differ(posterior, "x", "y", generator=1)[1]) for posterior in (made.posterior, exact))
    assert wide > narrow


@pytest.mark.slow
def test_its_tests_pass_in_the_tree_and_find_a_planted_fault(tmp_path):
    folder = follow(RECIPE, tmp_path / "honest", offer=True)
    done = run_tests(RECIPE, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(
        folder, "-c", "import discreet as d; print(d.DirichletPosterior(d.naive_bayes('y', ['x'])).differ('x', 'y')[0])"
    )
    assert done.stdout.strip() == "0.5", done.stderr
    layers = tool("check_layers")
    assert layers.offences(layers.read_tree(folder / "src" / "discreet")) == []
    wrong = follow(RECIPE, tmp_path / "wrong", change=lambda text: text.replace("1 - np.trace(joint)", "np.trace(joint)"))
    assert run_tests(RECIPE, wrong).returncode == 1


@pytest.mark.slow
def test_a_query_that_reaches_for_counts_is_found(tmp_path):
    def reach(text):
        return text.replace("import QueryError\n", "import QueryError\nfrom discreet.counts.families import family_counts\n")

    layers = tool("check_layers")
    found = layers.offences(layers.read_tree(follow(RECIPE, tmp_path, change=reach) / "src" / "discreet"))
    assert "inference/differ.py:9: inference may not import counts" in found
