"""Which prior a release has where none is declared, and which prior it can have."""

import polars as pl
import pytest
from support.bits import FailingBits, SeededBits

import discreet as dc
from discreet.model.prior import LEARNED

NETWORK = dc.naive_bayes("y", ["a", "b"])
DATA = pl.DataFrame({"y": ["0", "1", "1"], "a": ["0", "1", "0"], "b": ["1", "1", "0"]})
NOISE = [
    dc.Laplace("1"), dc.Laplace("1", tables="maximal", consistent=True), dc.Fourier("1"), dc.KNorm("1"),
    dc.Gaussian(rho="1/8"), dc.Auto("1"),
]  # fmt: skip
DRAWN = [
    dc.Sampler("1"), dc.MapPoint("1"),
    dc.MapPoint("1", candidates=[
        {"y": [[p, 1 - p]], "a": [[p, 1 - p]] * 2, "b": [[0.5, 0.5]] * 2} for p in (0.2, 0.7)
    ]),
]  # fmt: skip


def made(mechanism, **options):
    return dc.release(DATA, NETWORK, mechanism, ledger=dc.Ledger.unlimited(), _bits=SeededBits(1), **options)


def prior_of(release):
    return getattr(release.value, "prior", None) or release.value.released.prior


@pytest.mark.parametrize("mechanism", NOISE, ids=repr)
def test_noisy_counts_have_a_prior_that_learns_where_none_is_declared(mechanism, tmp_path):
    release = made(mechanism)
    assert release.plugin.prior == release.posterior.prior == dc.Hierarchical()
    release.save(tmp_path / "x.json")
    assert dc.load(tmp_path / "x.json").posterior.prior == dc.Hierarchical()
    direct = mechanism.release(DATA, NETWORK, ledger=dc.Ledger.unlimited(), _bits=SeededBits(1))
    assert direct.value.prior == dc.Hierarchical()


@pytest.mark.parametrize("mechanism", DRAWN, ids=lambda each: each.name)
def test_draws_and_points_have_the_uniform_prior_where_none_is_declared(mechanism):
    assert prior_of(made(mechanism)) == dc.UNIFORM
    declared = made(mechanism, prior="uniform").value
    for node in NETWORK.nodes:
        assert made(mechanism).value.mean(node).tolist() == declared.mean(node).tolist()


@pytest.mark.parametrize("mechanism", DRAWN, ids=lambda each: each.name)
def test_draws_and_points_refuse_a_prior_that_learns_before_the_charge(mechanism, tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="2")
    for prior in ("hierarchical", LEARNED):
        with pytest.raises(dc.ModelError, match="such as 'uniform' or 'jeffreys', or release noisy counts"):
            dc.release(DATA, NETWORK, mechanism, ledger=ledger, prior=prior, _bits=FailingBits())
    assert ledger.spent == 0


def test_what_is_declared_is_taken():
    for prior in (dc.UNIFORM, dc.BDeu(3), dc.Hierarchical(1.0, 2.0, 3.0)):
        assert made(dc.Laplace("1"), prior=prior).value.prior == prior


def test_counts_taken_for_exact_ones_update_the_uniform_prior_though_another_is_learned():
    learned, uniform = made(dc.Laplace("1")), made(dc.Laplace("1"), prior=dc.UNIFORM)
    for node in NETWORK.nodes:
        assert learned.plugin.concentration(node).tolist() == uniform.plugin.concentration(node).tolist()


def test_plans_and_the_choice_do_not_depend_on_whether_the_prior_is_learned():
    auto = dc.Auto("0.3")
    one, two = (auto.choose(NETWORK, 500, prior) for prior in (dc.UNIFORM, dc.Hierarchical()))
    assert one.mechanism == two.mechanism
    assert one.errors == two.errors
