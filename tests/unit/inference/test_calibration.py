from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, log_expit
from support.copies import copied_feature

from discreet.chains.family_chain import Effort
from discreet.chains.visits import Visits
from discreet.errors import QueryError
from discreet.inference import calibration, confidence
from discreet.inference.calibration import calibrate, correction_weights
from discreet.inference.confidence import confidence_network, confidence_table
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.pipeline import release
from discreet.model.prior import LEARNED, UNIFORM, Symmetric
from discreet.model.templates import naive_bayes
from discreet.posterior import DirichletPosterior, PointPosterior
from discreet.posterior.noise_aware import NoiseAwarePosterior

COPIES = 5


def exact(table):
    return DirichletPosterior(confidence_network()).update(table)


def mean_correction(belief):
    weights = correction_weights(belief)
    return weights.sum(axis=1) @ calibration._POWERS, weights.sum(axis=0) @ calibration._SHIFTS


def trust(belief):
    return correction_weights(belief)[calibration._POWERS == 1, calibration._SHIFTS == 0]


def log_loss(probabilities, records):
    return -np.log(probabilities[np.arange(len(records)), records["class"].cast(pl.Int64)]).mean()


def test_before_any_table_the_network_is_trusted():
    weights = correction_weights(DirichletPosterior(confidence_network()))
    assert weights.sum() == pytest.approx(1)
    assert calibration._TRUST < trust(DirichletPosterior(confidence_network())) < calibration._TRUST + 0.01
    quarter, half = (weights[power == calibration._POWERS, calibration._SHIFTS == 1] for power in (1 / 4, 1 / 2))
    assert quarter / half == pytest.approx(np.exp((1 - 4) / calibration._POWER_DEVIATION**2 / 2))
    spread = np.sqrt(weights.sum(axis=0) @ calibration._SHIFTS**2)
    assert spread == pytest.approx(calibration._SHIFT_DEVIATION * np.sqrt(1 - calibration._TRUST), rel=0.01)


def test_a_probability_is_the_mean_over_all_corrections():
    belief = DirichletPosterior(confidence_network())
    odds = np.array([-12.0, -1.0, 0.0, 0.5, 4.0])
    corrected = expit(np.multiply.outer(calibration._POWERS, odds)[:, None] + calibration._SHIFTS[:, None])
    mean = np.tensordot(correction_weights(belief), corrected, axes=2)
    np.testing.assert_allclose(calibrate(np.stack([expit(-odds), expit(odds)], axis=1), belief)[:, 1], mean, atol=0.01)


def test_weights_follow_from_records_that_lie_somewhere_in_their_bin():
    """Summed up over the places; a normal law stands for the uniform one."""
    place, records = len(confidence._SIZES) + 10, [0] * 30 + [1] * 200
    low, high = confidence._EDGES[place - 1 : place + 1]
    table = pl.DataFrame({"log_odds": [str(place)] * 230, "truth": [("first", "second")[each] for each in records]})
    bent = np.linspace(-4, 4, 201) * (high - low) / np.sqrt(12) + (low + high) / 2
    odds = np.multiply.outer(calibration._POWERS, bent)[:, None] + calibration._SHIFTS[:, None]
    likelihood = np.exp(200 * log_expit(odds) + 30 * log_expit(-odds)) @ np.exp(-(np.linspace(-4, 4, 201) ** 2) / 2)
    expected = correction_weights(DirichletPosterior(confidence_network())) * likelihood
    expected /= expected.sum()
    found = correction_weights(exact(table))
    assert np.abs(found - expected).sum() / 2 < 0.025


def test_a_classifier_that_is_right_about_itself_keeps_its_probabilities(honest):
    records = honest.sample(20_000, np.random.default_rng(1)).with_columns(pl.all().cast(pl.String))
    belief = exact(confidence_table(honest, records, "class"))
    probabilities = honest.predict_proba(records, "class")
    np.testing.assert_allclose(calibrate(probabilities, belief), probabilities, atol=0.01)


def test_evidence_that_is_counted_several_times_is_found_out(boastful):
    posterior, records = boastful
    belief = exact(confidence_table(posterior, records, "class"))
    power, shift = mean_correction(belief)
    assert power == pytest.approx(1 / COPIES, rel=0.2)
    assert abs(shift) < 0.1
    probabilities = posterior.predict_proba(records, "class")
    best = -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))
    assert log_loss(probabilities, records) > best + 0.5
    assert log_loss(calibrate(probabilities, belief), records) < best + 0.01


def test_a_private_table_finds_it_out_as_well(boastful):
    posterior, records = boastful
    table = confidence_table(posterior, records, "class")
    belief = release(table, confidence_network(), KNorm("0.05"), ledger=Ledger.unlimited()).posterior
    power, _ = mean_correction(replace(belief, effort=Effort(16, 15, 20)))
    assert power < 0.5


@pytest.mark.parametrize("copies", [20, 80])
def test_log_odds_beyond_the_bins_are_corrected_as_far_as_they_are_known(copies):
    posterior, records = copied_feature(copies, 0.7, seed=6)
    corrected = calibrate(posterior.predict_proba(records, "class"), exact(confidence_table(posterior, records, "class")))
    assert corrected.max(axis=1).mean() == pytest.approx(0.7, abs=0.03)
    assert log_loss(corrected, records) < -(0.7 * np.log(0.7) + 0.3 * np.log(0.3)) + 0.01


def test_few_records_that_may_be_noise_do_not_refute_the_network():
    """An outer bin in which there are four records against the network, or none: each as probable."""
    belief = NoiseAwarePosterior(confidence_network(), UNIFORM)
    tables = np.zeros((2, len(confidence.MIDDLES), 2))
    tables[0, -1] = [4, 0]
    belief.__dict__["_visits"] = Visits(1, 2, {"truth": tables}, {"truth": np.ones((1, 1, 2))}, {})
    assert trust(belief) > calibration._TRUST / 6  # the likelihood is 1 / 6 of what it is where four records are likely
    chance = expit(calibration._CORRECTED)
    known = list(calibration._likelihoods(belief))[-1](calibration._CORRECTED)
    np.testing.assert_allclose(np.exp(known), (1 + 5 * (1 - chance) ** 4) / 6, rtol=1e-6)
    tables[1, -1] = [4, 0]
    assert trust(belief) < 1e-12


@pytest.mark.parametrize("prior", [Symmetric(1e-9), Symmetric(0.5), Symmetric(200.0)])
def test_what_was_believed_of_the_bins_beforehand_does_not_count(boastful, prior):
    posterior, records = boastful
    table = confidence_table(posterior, records[:2000], "class")
    with_prior = DirichletPosterior(confidence_network(), prior).update(table)
    np.testing.assert_allclose(correction_weights(with_prior), correction_weights(exact(table)), atol=1e-6)


def test_a_prior_that_learns_across_bins_does_not_count_either(boastful):
    posterior, records = boastful
    table = confidence_table(posterior, records[:2000], "class")
    belief = release(table, confidence_network(), KNorm("0.5"), ledger=Ledger.unlimited()).posterior
    assert belief.prior == LEARNED
    quick = replace(belief, effort=Effort(4, 5, 10))
    expected = correction_weights(quick.with_prior(UNIFORM))
    np.testing.assert_array_equal(correction_weights(quick), expected)
    assert calibration.check_confidence(quick).prior == UNIFORM


@pytest.mark.slow
def test_a_border_in_the_wrong_place_is_moved():
    """Evidence counted several times drowns that one class is rare; naive Bayes predicts it too often."""
    posterior, records = copied_feature(COPIES, 0.8, seed=4, second=0.15)
    label, feature = (records[name].cast(pl.Int64).to_numpy() for name in ("class", "x0"))
    table = confidence_table(posterior, records, "class")
    belief = release(table, confidence_network(), KNorm("0.5"), ledger=Ledger.unlimited()).posterior
    probabilities = posterior.predict_proba(records, "class")
    corrected = calibrate(probabilities, replace(belief, effort=Effort(16, 15, 20)))
    right = [(each.argmax(axis=1) == label).mean() for each in (probabilities, corrected)]
    assert right[0] < 0.81
    assert right[1] == pytest.approx(0.85, abs=0.005)  # never: less than half of those with the feature are of the class
    for said in (feature == 0, feature == 1):
        assert corrected[said, 1].mean() == pytest.approx(label[said].mean(), abs=0.06)  # as released: 0.5 too much


def test_calibration_keeps_the_order_of_the_records_and_sums_to_one(boastful):
    posterior, records = boastful
    belief = exact(confidence_table(posterior, records, "class"))
    probabilities = np.random.default_rng(5).dirichlet([0.3] * 2, 200)
    changed = calibrate(probabilities, belief)
    in_order = changed[np.argsort(probabilities[:, 0])]
    assert (np.diff(in_order[:, 0]) >= 0).all()
    assert in_order[-1, 0] > 0.85 > 0.15 > in_order[0, 0]
    np.testing.assert_allclose(changed.sum(axis=1), 1)


def test_both_levels_may_be_improbable_and_neither_becomes_impossible(honest):
    records = honest.sample(20_000, np.random.default_rng(1)).with_columns(pl.all().cast(pl.String))
    belief = exact(confidence_table(honest, records, "class"))
    changed = calibrate([[0.0, 1.0], [1.0, 0.0], [1e-4, 1 - 1e-4]], belief)
    assert (changed > 0).all()
    assert changed[0, 0] < changed[2, 0] < 1e-3
    assert changed[1, 1] < 1e-4


def test_where_in_a_bin_the_records_are_does_not_make_a_true_network_doubtful():
    edge = confidence._SIZES[8]
    right = 1 / (1 + np.exp(-0.99 * edge))  # all log-odds just below the edge: without tolerance they would deserve more
    point = PointPosterior(naive_bayes("class", ["a"]), {"class": [[0.5, 0.5]], "a": [[right, 1 - right], [1 - right, right]]})
    records = point.sample(100_000, np.random.default_rng(2)).with_columns(pl.all().cast(pl.String))
    assert trust(exact(confidence_table(point, records, "class"))) > calibration._TRUST


def test_what_is_no_confidence_table_corrects_nothing(honest):
    with pytest.raises(QueryError, match="not a release of a confidence table"):
        calibrate(np.array([[0.2, 0.8]]), DirichletPosterior(honest.network))
    network = confidence_network()
    even = DirichletPosterior(network)
    drawn = PointPosterior(network, {node: even.mean(node) for node in network.nodes})
    with pytest.raises(QueryError, match="released as draws"):
        calibrate(np.array([[0.2, 0.8]]), drawn)


def test_only_targets_of_two_levels_are_corrected():
    with pytest.raises(QueryError, match="two levels"):
        calibrate(np.array([[0.5, 0.3, 0.2]]), DirichletPosterior(confidence_network()))
