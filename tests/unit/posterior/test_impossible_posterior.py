"""What is declared impossible has probability zero, exactly, in everything that can be asked of any release."""

import dataclasses

import numpy as np
import pytest
from support.impossible import FREE, MALE_MOTHER, MECHANISMS, NETWORK, POINTS, RECORDS, table

from discreet import DomainError, Effort, KNorm, Ledger, MapPoint, ModelError, QueryError, load, release
from discreet.model.family import zero_probabilities
from discreet.posterior import DirichletPosterior, NoiseAwarePosterior, PointPosterior

PRIORS = ["uniform", "jeffreys", "bdeu:3", "hierarchical"]
EFFORT = Effort(4, 5, 10)


def released(mechanism, **given):
    return release(RECORDS, NETWORK, mechanism, ledger=Ledger.unlimited(), **given)


def quick(posterior):
    return dataclasses.replace(posterior, effort=EFFORT) if isinstance(posterior, NoiseAwarePosterior) else posterior


def check_zeros(posterior):
    for family in NETWORK.families:
        zero = zero_probabilities(family)
        mean, drawn = posterior.mean(family.node), posterior.draws(20, 1)[family.node]
        np.testing.assert_array_equal(mean == 0, zero)
        np.testing.assert_array_equal((drawn == 0).all(axis=0), zero)
        np.testing.assert_allclose(mean.sum(axis=1), 1)
        np.testing.assert_allclose(drawn.sum(axis=2), 1)
        if isinstance(posterior, DirichletPosterior | NoiseAwarePosterior):
            lower, upper = posterior.interval(family.node)
            assert (lower[zero] == 0).all()
            assert (upper[zero] == 0).all()
            assert (posterior.variance(family.node)[zero] == 0).all()
            assert (lower <= mean).all()
            assert (mean <= upper).all()
    answer = posterior.query("pregnant", given={"sex": "male"}, draws=50, generator=1)
    assert answer.probability.tolist() == [1.0, 0.0]
    if answer.lower is not None:
        assert answer.lower.tolist() == answer.upper.tolist() == [1.0, 0.0]
    both = posterior.query(["sex", "pregnant"], draws=50, generator=1)
    assert both["male", "yes"] == 0
    assert posterior.predict_proba(table([("male", "no", "birth")]).drop("pregnant"), "pregnant").tolist() == [[1.0, 0.0]]
    drawn = posterior.sample(3000, 1)
    assert drawn.filter((drawn["sex"] == "male") & (drawn["pregnant"] == "yes")).is_empty()
    assert drawn.filter((drawn["pregnant"] == "no") & (drawn["ward"] == "birth") & (drawn["sex"] == "female")).is_empty()


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_release_has_the_zeros_also_from_its_file(name, tmp_path):
    made = released(MECHANISMS[name])
    made.save(tmp_path / "release.json")
    again = load(tmp_path / "release.json")
    assert again.value.network == NETWORK
    check_zeros(quick(again.posterior))
    check_zeros(again.plugin)


@pytest.mark.parametrize("prior", PRIORS)
def test_every_prior_keeps_the_zeros(prior):
    made = released(KNorm("1"))
    check_zeros(quick(made.with_prior(prior).posterior))
    check_zeros(made.with_prior(prior).plugin)
    check_zeros(DirichletPosterior(NETWORK, prior))


def test_an_imagined_sample_is_spread_over_what_is_possible():
    table = DirichletPosterior(NETWORK, "bdeu:3").concentration("pregnant")
    np.testing.assert_allclose(table, [[1, 0], [1, 1]])


def test_the_plug_in_is_the_dirichlet_of_the_levels_that_are_left():
    """A row of a network in which the level does not exist has the same parameters."""
    posterior = released(KNorm("1")).with_prior("uniform").plugin
    parameters = posterior.concentration("ward")[2]
    assert parameters[1] == 0
    assert parameters[0] == 1 + posterior.released.update(NETWORK.family("ward"))[2, 0]
    assert posterior.mode("ward")[2].tolist() == [1, 0]
    assert posterior.kl(posterior) == 0
    other = released(KNorm("1")).with_prior("uniform").plugin
    assert 0 < posterior.kl(other) < np.inf


def test_a_posterior_is_a_prior_for_a_network_with_the_same_zeros_only():
    first = released(KNorm("1")).with_prior("uniform")
    for posterior in (first.plugin, quick(first.posterior)):
        again = released(KNorm("1"), prior=posterior)
        np.testing.assert_allclose(
            DirichletPosterior(NETWORK, again.plugin.prior).mean("ward"), posterior.mean("ward"), rtol=1e-9
        )
        check_zeros(again.plugin)
    with pytest.raises(ModelError, match="what is declared impossible differs at 'pregnant'"):
        release(RECORDS, FREE, KNorm("1"), ledger=Ledger.unlimited(), prior=first.plugin)


def test_own_records_that_are_impossible_are_refused_and_others_taken():
    made = released(KNorm("1")).with_prior("uniform")
    for posterior in (made.plugin, quick(made.posterior)):
        check_zeros(posterior.update(RECORDS))
        with pytest.raises(
            DomainError, match=r"release declares impossible: sex=male, pregnant=yes; .* leave out those"
        ) as no:
            posterior.update(MALE_MOTHER)
        assert "published" not in str(no.value)  # that is the steward's reason to keep all of hers


def test_evidence_that_is_impossible_is_an_error():
    posterior = released(KNorm("1")).plugin
    with pytest.raises(QueryError, match=r"is declared impossible in this network \(sex=male, pregnant=yes\), so"):
        posterior.query("ward", given={"sex": "male", "pregnant": "yes"})
    with pytest.raises(QueryError, match=r"1 record\(s\) are.*Declared impossible: sex=male, pregnant=yes; .*Correct"):
        posterior.predict_proba(MALE_MOTHER, "ward")
    assert posterior.log_likelihood(MALE_MOTHER) == -np.inf


def test_what_is_certain_has_neither_noise_nor_doubt():
    posterior = quick(released(KNorm("1")).posterior)
    assert np.isfinite(posterior.diagnostics.r_hat)
    assert posterior.noise_share("pregnant")[0].tolist() == [0, 0]
    assert "impossible" in repr(posterior)


def test_candidates_are_refused_with_a_word_on_what_to_do():
    with pytest.raises(ModelError, match="declares combinations impossible"):
        MapPoint("1", candidates=POINTS).check(NETWORK)


def test_evidence_that_never_occurs_is_not_called_declared_impossible():
    """No woman of these tables is pregnant, but nobody declared that."""
    tables = {"sex": [[0.5, 0.5]], "pregnant": [[1, 0], [1, 0]], "ward": [[0.5, 0.5], [0.5, 0.5], [1, 0], [0.5, 0.5]]}
    posterior = PointPosterior(NETWORK, tables)
    with pytest.raises(QueryError, match="What is given has probability zero"):
        posterior.query("ward", given={"sex": "female", "pregnant": "yes"})
