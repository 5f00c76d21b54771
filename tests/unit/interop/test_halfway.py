"""Halfway between a learned graph and naive Bayes: tables, and what a calibrated classifier predicts with."""

import warnings

import numpy as np
import pandas as pd
import pytest
from support.optional import need

import discreet as dc

need("sklearn")

from discreet.interop.sklearn import PrivateBayesClassifier, SpendingWarning, halfway  # noqa: E402

LEVELS = {"sick": 2, "cough": 3, "fever": 2, "tired": 3}


def tan(order):
    """Tables drawn at random; ``order`` says whether the target is the first parent."""
    parents = {"cough": ["sick"], "fever": ["sick", "cough"], "tired": ["sick", "fever"]}
    given = {node: listed if order else listed[::-1] for node, listed in parents.items()}
    network = dc.Network([dc.Variable(name, [str(level) for level in range(size)]) for name, size in LEVELS.items()], given)
    generator = np.random.default_rng(3)
    shapes = {family.node: (family.configurations, family.levels) for family in network.families}
    return dc.PointPosterior(
        network, {node: generator.dirichlet(np.ones(size), rows) for node, (rows, size) in shapes.items()}
    )


@pytest.mark.parametrize("order", [True, False], ids=["target first", "target last"])
def test_every_table_is_the_mean_of_itself_and_of_what_the_target_alone_says(order):
    whole = tan(order)
    found = halfway(whole, "sick")
    for node, other in (("fever", "cough"), ("tired", "fever")):
        for sick in ("0", "1"):
            alone = np.ravel(whole.query(node, given={"sick": sick}).probability)
            for level in whole.network.variable(other).levels:
                given = {"sick": sick, other: level}
                own = np.ravel(whole.query(node, given=given).probability)
                np.testing.assert_allclose(np.ravel(found.query(node, given=given).probability), (own + alone) / 2)
    for node in ("sick", "cough"):
        np.testing.assert_allclose(found.mean(node), whole.mean(node))


def test_naive_bayes_stays_what_it_is():
    network = dc.naive_bayes("sick", ["cough", "fever"])
    drawn = {node: table[0] for node, table in dc.DirichletPosterior(network).draws(1, 1).items()}
    found = halfway(dc.PointPosterior(network, drawn), "sick")
    for node in network.nodes:
        np.testing.assert_allclose(found.mean(node), drawn[node])


@pytest.mark.parametrize(("word", "calibrate"), [("tan", "8"), ("tan", None), ("naive_bayes", "8")])
def test_a_calibrated_tan_predicts_halfway_and_its_confidence_says_so(tmp_path, word, calibrate):
    generator = np.random.default_rng(5)
    ill = generator.random(3000) < 0.5
    cough = np.where(generator.random(3000) < np.where(ill, 0.8, 0.2), "yes", "no")
    fever = np.where(generator.random(3000) < 0.95, cough, np.where(ill, "yes", "no"))
    features = pd.DataFrame({"cough": cough, "fever": fever})
    dc.Ledger(tmp_path / "a.ledger", cap="20")
    with warnings.catch_warnings(action="ignore", category=SpendingWarning):
        fitted = PrivateBayesClassifier(
            {"cough": ["no", "yes"], "fever": ["no", "yes"]}, classes=["well", "ill"], network=word, epsilon="8",
            calibrate=calibrate, ledger=str(tmp_path / "a.ledger"), noise_aware=False,
        ).fit(features, np.where(ill, "ill", "well"))  # fmt: skip
    plain = fitted.release_.plugin
    assert plain.network.edges == (3 if word == "tan" else 2)
    both = word == "tan" and calibrate is not None
    wanted = (halfway(plain, "target") if both else plain).predict_proba(features[:20], "target")
    if calibrate is None:
        np.testing.assert_allclose(fitted.predict_proba(features[:20]), wanted)
        return
    confidence = fitted.confidence_
    np.testing.assert_allclose(fitted.predict_proba(features[:20]), dc.calibrate(wanted, confidence.posterior))
    assert ("halfway" in {caveat.name for caveat in confidence.caveats}) == both
    confidence.save(tmp_path / "confidence.json")
    assert ("halfway" in {caveat.name for caveat in dc.load(tmp_path / "confidence.json").caveats}) == both
