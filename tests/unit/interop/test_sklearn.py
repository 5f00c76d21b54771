"""Estimators for scikit-learn: declared, charged, and holding nothing but the release."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.optional import need

import discreet as dc

need("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from discreet.interop.sklearn import PrivateBayesClassifier, PrivateLinearRegression, SpendingWarning  # noqa: E402

EACH = dc.SchemaColumn("each", "number", cuts=["-5", "-2", "-1", "-0.5", "0", "0.5", "1", "2", "5"])
DECLARED_CLASSES = {
    "check_classifiers_classes": "classes_ are the declared classes; this check wants those that occur in y",
    "check_classifiers_train": "predict_proba has a column for every declared class, not for those that occur in y",
}
LEVELS = {"smoke": ["no", "yes"], "cough": ["no", "yes"]}


@pytest.fixture
def ledger(tmp_path):
    dc.Ledger(tmp_path / "a.ledger", cap="10")
    return str(tmp_path / "a.ledger")


def classifier(ledger, **further):
    settings = {"schema": LEVELS, "classes": ["well", "ill"], "epsilon": "1", "ledger": ledger, "noise_aware": False}
    return PrivateBayesClassifier(**(settings | further))


def records(rows=400, seed=0):
    generator = np.random.default_rng(seed)
    ill = generator.random(rows) < 0.5
    smoke = np.where(generator.random(rows) < np.where(ill, 0.9, 0.2), "yes", "no")
    cough = np.where(generator.random(rows) < np.where(ill, 0.8, 0.1), "yes", "no")
    return pd.DataFrame({"smoke": smoke, "cough": cough}), np.where(ill, "ill", "well")


def spend_quietly():
    return warnings.catch_warnings(action="ignore", category=SpendingWarning)


@pytest.mark.slow
def test_scikit_learn_finds_the_classifier_in_order(tmp_path):
    """With so much budget that its noise is zero, since the checks compare one fit with another."""
    dc.Ledger(tmp_path / "l", cap="1e12")
    checked = PrivateBayesClassifier(
        EACH, classes=range(-100, 101), epsilon="1e6", ledger=str(tmp_path / "l"), mechanism="laplace", noise_aware=False
    )
    with spend_quietly():
        found = check_estimator(checked, expected_failed_checks=DECLARED_CLASSES, on_skip=None)
    assert {each["check_name"] for each in found if each["status"] == "xfail"} == set(DECLARED_CLASSES)
    assert sum(each["status"] == "passed" for each in found) > 40


@pytest.mark.slow
def test_scikit_learn_finds_the_regression_in_order(tmp_path):
    dc.Ledger(tmp_path / "l", cap="1e25")
    checked = PrivateLinearRegression(
        (-5, 5), (-5, 5), epsilon="1e18", ledger=str(tmp_path / "l"), precision="0.01", noise="0.1"
    )
    with spend_quietly():
        found = check_estimator(checked, on_skip=None)
    assert sum(each["status"] == "passed" for each in found) > 40


@pytest.mark.parametrize("as_frame", [lambda x: x, pl.from_pandas, lambda x: x.to_numpy()], ids=["pandas", "polars", "array"])
def test_frames_of_all_kinds_give_the_same_probabilities(as_frame, ledger):
    features, labels = records()
    fitted = classifier(ledger, epsilon="9").fit(as_frame(features), labels)
    asked = pd.DataFrame({"smoke": ["yes", "no"], "cough": ["yes", "no"]})
    found = fitted.predict_proba(as_frame(asked))
    np.testing.assert_allclose(found, fitted.release_.plugin.predict_proba(asked, "target"))
    assert fitted.predict(as_frame(asked)).tolist() == ["ill", "well"]
    assert fitted.score(as_frame(features), pl.Series(labels)) > 0.7
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(as_frame(asked))), found)


def test_a_fit_is_one_release_charged_to_the_ledger(ledger):
    fitted = classifier(ledger).fit(*records())
    assert fitted.guarantee_ == dc.PureDP("1") == fitted.release_.guarantee
    assert [charge.guarantee for charge in dc.Ledger.datasets(ledger)[0].charges] == [dc.PureDP("1")]
    assert fitted.feature_names_in_.tolist() == ["smoke", "cough"]


def test_classes_come_from_the_declaration_and_never_from_y(ledger):
    features, labels = records()
    fitted = classifier(ledger, classes=["well", "ill", "recovered"]).fit(features, labels)
    assert fitted.classes_.tolist() == ["well", "ill", "recovered"]
    assert fitted.predict_proba(features[:1]).shape == (1, 3)
    with pytest.raises(dc.ModelError, match="never read off y"):
        classifier(ledger, classes=None).fit(features, labels)


def test_a_label_that_is_not_declared_is_refused_unseen_and_uncharged(ledger):
    features, labels = records()
    labels = np.where(np.arange(len(labels)) == 7, "SECRETLABEL", labels)
    with pytest.raises(dc.DomainError, match="not among the declared classes") as caught:
        classifier(ledger).fit(features, labels)
    assert "SECRETLABEL" not in str(caught.value)
    assert dc.Ledger.datasets(ledger)[0].charges == ()


@pytest.mark.parametrize(
    ("features", "target"),
    [
        (np.array([["SECRET77"], ["1"]], dtype=object), [0.0, 1.0]),
        (np.array([[0.5], [0.25]]), np.array(["SECRET77", "1"], dtype=object)),
        (np.array([["SECRET77"], ["1"]]), [0.0, 1.0]),
        (np.array([77.125, 1.0]), [0.0, 1.0]),
        (np.array([[77.125 + 1j], [1.0]]), [0.0, 1.0]),
        (pd.DataFrame({"x0": ["SECRET77", "1"]}), [0.0, 1.0]),
    ],
    ids=["object", "target", "text", "one dimension", "complex", "frame"],
)
def test_no_error_shows_a_value_also_none_of_scikit_learn(features, target, ledger):
    for made in (
        PrivateLinearRegression((0, 1), (0, 1), epsilon="1", ledger=ledger),
        classifier(ledger, schema=dc.SchemaColumn("each", "number", cuts=["0"]), classes=[0, 1]),
    ):
        with pytest.raises((dc.DiscreetError, ValueError, TypeError)) as caught:
            made.fit(features, target)
        shown, error = "", caught.value
        while error is not None:
            shown, error = f"{shown}{error}", error.__cause__ or error.__context__
        assert "77" not in shown
    assert dc.Ledger.datasets(ledger)[0].charges == ()


def test_a_schema_declares_features_and_target(ledger):
    schema = dc.Schema(
        [
            dc.SchemaColumn("age", "number", cuts=["30", "60"]),
            dc.SchemaColumn("state", "string", categories=["well", "ill"]),
        ]
    )
    fitted = PrivateBayesClassifier(schema, target="state", epsilon="8", ledger=ledger, noise_aware=False)
    fitted.fit(pd.DataFrame({"age": [20.0, 70.0] * 60}), ["well", "ill"] * 60)
    assert fitted.predict(pd.DataFrame({"age": [25, 80]})).tolist() == ["well", "ill"]


def test_a_network_is_taken_as_it_is(ledger):
    network = dc.Network(
        [dc.Variable("smoke", ["no", "yes"]), dc.Variable("cough", ["no", "yes"]), dc.Variable("lung", ["well", "ill"])],
        {"lung": ["smoke"], "cough": ["lung"]},
    )
    features, labels = records()
    fitted = PrivateBayesClassifier(network=network, target="lung", epsilon="5", ledger=ledger, noise_aware=False)
    assert fitted.fit(features, labels).release_.value.network == network


@pytest.mark.parametrize(("word", "form"), [("tan", "tan"), ("learn", None)])
def test_a_network_is_learned_for_a_part_of_the_budget(ledger, word, form):
    features, labels = records()
    fitted = classifier(ledger, network=word, epsilon="2").fit(features, labels)
    assert fitted.guarantee_ == dc.PureDP("2")
    assert fitted.release_.value.network.learned
    assert sum(charge.guarantee.epsilon for charge in dc.Ledger(ledger).history()) == 2
    if form is not None:
        assert fitted.release_.value.released.learning.form == form
    assert pickle.loads(pickle.dumps(fitted)).predict(features[:5]).tolist() == fitted.predict(features[:5]).tolist()
    with pytest.raises(dc.ModelError, match="usual prior"):
        classifier(ledger, network=word, prior="uniform").fit(features, labels)


def test_noise_aware_probabilities_are_those_of_the_released_posterior(ledger):
    features, labels = records()
    fitted = classifier(ledger, noise_aware=True, prior="uniform").fit(features, labels)
    expected = fitted.release_.posterior.predict_proba(features[:3], "target")
    np.testing.assert_allclose(fitted.predict_proba(features[:3]), expected)


@pytest.mark.slow
def test_calibration_is_paid_for_beside_the_fit_or_refused_with_it(ledger):
    features, labels = records()
    with pytest.warns(SpendingWarning):
        fitted = classifier(ledger, calibrate="0.5").fit(features, labels)
    assert fitted.guarantee_ == dc.PureDP("1.5")
    plain = fitted.release_.plugin.predict_proba(features[:5], "target")
    np.testing.assert_allclose(fitted.predict_proba(features[:5]), dc.calibrate(plain, fitted.confidence_.posterior))
    with pytest.raises(dc.BudgetError):
        classifier(ledger, epsilon="8", calibrate="1").fit(features, labels)
    assert len(dc.Ledger.datasets(ledger)[0].charges) == 2  # nothing was paid in part


def test_a_clone_spends_from_the_same_budget(ledger):
    features, labels = records()
    first = classifier(ledger, epsilon="6").fit(features, labels)
    with pytest.raises(dc.BudgetError):
        clone(first).fit(features, labels)
    with pytest.raises(dc.LedgerError, match="second budget"):
        classifier(dc.Ledger(ledger)).fit(features, labels)


def test_a_grid_search_says_that_every_fit_spends(ledger):
    features, labels = records()
    search = GridSearchCV(classifier(ledger), {"prior": ["uniform", "jeffreys"]}, cv=2, refit=True)
    with pytest.warns(SpendingWarning, match="Every fit spends") as told:
        search.fit(features, labels)
    assert len([each for each in told if each.category is SpendingWarning]) == 4  # all but the first
    assert "5 of 10 spent" in str(told[-1].message)


def test_the_ledger_refuses_in_the_middle_of_a_grid_search_in_words(ledger):
    features, labels = records()
    search = GridSearchCV(classifier(ledger, epsilon="4"), {"prior": ["uniform", "jeffreys"]}, cv=2, error_score="raise")
    with (
        spend_quietly(),
        pytest.raises(dc.BudgetError, match=r"2 remains.* 2 charges were made before this fit\. Every fit"),
    ):
        search.fit(features, labels)
    line = PrivateLinearRegression((0, 1), (0, 1), epsilon="3", ledger=ledger)
    with pytest.raises(dc.BudgetError, match="Every fit spends: a search") as refused:
        line.fit(np.zeros((5, 1)), np.zeros(5))
    assert refused.value.__suppress_context__  # a search prints the whole chain, and the ledger's words twice would confuse


def test_a_pipeline_fits_and_predicts(ledger):
    features, labels = records()
    piped = make_pipeline(FunctionTransformer(lambda frame: frame.rename(columns=str.lower)), classifier(ledger))
    shouted = features.rename(columns=str.upper)
    assert piped.fit(shouted, labels).score(shouted, labels) > 0.6


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_steps_before_may_give_frames_of_either_library(library, ledger):
    features, labels = records()
    step = FunctionTransformer(feature_names_out="one-to-one")
    piped = make_pipeline(step, classifier(ledger)).set_output(transform=library)
    assert piped.fit(features, labels).score(features, labels) > 0.6
    assert type(piped[0].transform(features)).__module__.startswith(library)


@pytest.mark.parametrize(
    "labels_as",
    [pd.Series, pl.Series, lambda y: pl.Series(y).to_arrow(), lambda y: pd.Series(y, dtype="boolean"), list],
    ids=["pandas", "polars", "arrow", "nullable", "list"],
)
def test_labels_come_in_series_of_any_library(labels_as, ledger):
    features, labels = records()
    fitted = classifier(ledger, classes=[False, True]).fit(features, labels_as(labels == "ill"))
    assert fitted.predict(features[:4]).dtype == bool
    assert fitted.score(features, labels_as(labels == "ill")) > 0.6


def test_a_missing_label_is_told_as_one(ledger):
    features, labels = records()
    with pytest.raises(ValueError, match="Input y contains NaN or None"):
        classifier(ledger).fit(features, [None, *labels[1:]])
    assert dc.Ledger.datasets(ledger)[0].charges == ()


def test_folds_that_look_at_labels_move_records_of_others():
    """Why the guide wants KFold: with the usual folds of classifiers one label decides where other records are."""
    labels = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1] * 5)
    neighbour = labels.copy()
    neighbour[30] = 1 - neighbour[30]

    def moved(folds):
        pairs = zip(folds.split(labels[:, None], labels), folds.split(labels[:, None], neighbour), strict=True)
        return max(len(set(ours) ^ set(theirs)) for (ours, _), (theirs, _) in pairs)

    assert moved(StratifiedKFold(5)) > 0
    assert moved(KFold(5)) == 0


def test_a_pickle_holds_the_release_and_no_record(ledger):
    generator = np.random.default_rng(5)
    values = generator.normal(size=(300, 2))
    fitted = classifier(ledger, schema=EACH, classes=[0, 1]).fit(values, (values[:, 0] > 0).astype(int))
    content = pickle.dumps(fitted)
    held = {each.tobytes() for each in values.ravel()} | {repr(each).encode() for each in values.ravel().tolist()}
    assert not any(each in content for each in held)
    assert len(content) < 30_000  # whatever the number of records is
    state = fitted.__getstate__()
    assert isinstance(state["release_"], str)  # the text of its file, without what chains found about it
    assert state.keys() - fitted.get_params().keys() == {"release_", "confidence_", "classes_", "n_features_in_"}
    again = pickle.loads(content)
    np.testing.assert_array_equal(again.predict_proba(values[:9]), fitted.predict_proba(values[:9]))
    assert again.guarantee_ == fitted.guarantee_


def test_a_pickle_of_a_regression_holds_no_record_either(ledger):
    generator = np.random.default_rng(6)
    values, target = generator.uniform(size=(200, 2)), generator.uniform(size=200)
    fitted = PrivateLinearRegression((0, 1), (0, 1), epsilon="2", ledger=ledger).fit(values, target)
    fitted.predict(values[:5])  # chains have run by now, and what they found is no part of it
    content = pickle.dumps(fitted)
    every = np.concatenate([values.ravel(), target])
    held = {each.tobytes() for each in every} | {repr(each).encode() for each in every.tolist()}
    assert not any(each in content for each in held)
    assert len(content) < 30_000
    state = fitted.__getstate__()
    assert state.keys() - fitted.get_params().keys() == {"release_", "n_features_in_"}
    assert pickle.loads(content).__getstate__() == state


def test_there_is_no_way_to_weigh_records(ledger):
    features, labels = records()
    for made in (classifier(ledger), PrivateLinearRegression((0, 1), (0, 1), epsilon="1", ledger=ledger)):
        with pytest.raises(TypeError, match="sample_weight"):
            made.fit(features, labels, sample_weight=np.ones(len(labels)))


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"epsilon": None}, dc.BudgetError, "Say what this fit may spend"),
        ({"ledger": None}, dc.LedgerError, "charged to a ledger"),
        ({"ledger": "nowhere.ledger"}, dc.LedgerError, "needs a cap"),
        ({"schema": None}, dc.ModelError, "Declare what the features are"),
        ({"schema": LEVELS, "classes": None}, dc.ModelError, "never read off y"),
        ({"network": "naivebayes"}, dc.ModelError, "Did you mean 'naive_bayes'?"),
    ],
)
def test_what_is_not_declared_is_asked_for(settings, error, said, ledger):
    with pytest.raises(error, match=re.escape(said)):
        classifier(**{"ledger": ledger, **settings}).fit(*records())
    assert dc.Ledger.datasets(ledger)[0].charges == ()


def test_a_regression_knows_how_sure_it_is(ledger):
    generator = np.random.default_rng(2)
    features = pd.DataFrame({"a": generator.uniform(0, 10, 500), "b": generator.uniform(-1, 1, 500)})
    target = 3 + 2 * features["a"] - 4 * features["b"] + generator.normal(0, 0.5, 500)
    made = PrivateLinearRegression({"a": (0, 10), "b": (-1, 1)}, (-5, 30), epsilon="9", ledger=ledger)
    fitted = made.fit(features, target)
    mean, deviation = fitted.predict(features[:20], return_std=True)
    expected = fitted.release_.posterior.predict(features[:20], 0.6826894921370859)  # one standard deviation on each side
    np.testing.assert_allclose(deviation, (expected.predictive[1] - expected.predictive[0]) / 2, rtol=1e-9)
    np.testing.assert_allclose(mean, fitted.intercept_ + features[:20].to_numpy() @ fitted.coef_, rtol=1e-6)
    assert fitted.score(features, target) > 0.9
    assert fitted.guarantee_ == dc.PureDP("9")


def test_a_regression_wants_its_bounds(ledger):
    features, target = np.zeros((5, 2)), np.zeros(5)
    with pytest.raises(dc.ModelError, match="range of every feature"):
        PrivateLinearRegression(None, (0, 1), epsilon="1", ledger=ledger).fit(features, target)
    with pytest.raises(dc.ModelError, match="range of the target"):
        PrivateLinearRegression((0, 1), epsilon="1", ledger=ledger).fit(features, target)
    assert dc.Ledger.datasets(ledger)[0].charges == ()
