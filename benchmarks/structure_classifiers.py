"""Classifiers with and without a learned graph, as scikit-learn meets them: naive Bayes, tan and learn, calibrated or not."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np

import discreet as dc

from .utility_data import Task, at_hand, task

__all__ = ["CLASSIFIERS", "classifier_runs"]

CLASSIFIERS = {
    "naive Bayes": ("naive_bayes", False),
    "naive Bayes, calibrated": ("naive_bayes", True),
    "tan": ("tan", False),
    "tan, calibrated": ("tan", True),
    "learn": ("learn", False),
    "learn, calibrated": ("learn", True),
}
_DATA, _EPSILONS, _SPLITS = ("nltcs", "adult"), ("0.1", "0.3", "1"), (201, 202, 203)
_CALIBRATION = Fraction(1, 5)
"""Of the budget, where probabilities are calibrated."""
_FLOOR = 1e-6


def classifier_runs() -> Iterator[dict[str, object]]:
    """Accuracy and log-loss on test records, each for the whole budget, pure epsilon."""
    for data, epsilon, seed in product(filter(at_hand, _DATA), _EPSILONS, _SPLITS):
        each = task(data, seed)
        for name, (network, calibrated) in CLASSIFIERS.items():
            chance, edges = _predict(each, network, Fraction(epsilon), calibrated)
            right = chance[np.arange(len(each.truth)), each.truth]
            yield {
                "data": data, "classifier": name, "epsilon": epsilon, "seed": seed, "edges": edges,
                "accuracy": float((chance.argmax(axis=1) == each.truth).mean()),
                "loss": float(-np.log(np.maximum(right, _FLOOR)).mean()),
            }  # fmt: skip


def _predict(each: Task, network: str, epsilon: Fraction, calibrated: bool) -> tuple[np.ndarray, int]:
    # The estimators need scikit-learn, which comes with a part of the project.
    from discreet.interop.sklearn import PrivateBayesClassifier, SpendingWarning

    features = [variable for variable in each.network.variables if variable.name != each.target]
    further = epsilon * _CALIBRATION if calibrated else None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", SpendingWarning)
        path = Path(folder) / "spent.ledger"
        dc.Ledger(path, cap=str(epsilon))  # so nobody spends more than the others
        made = PrivateBayesClassifier(
            features, classes=list(each.network.variable(each.target).levels), network=network, target=each.target,
            epsilon=str(epsilon - (further or 0)), calibrate=None if further is None else str(further), ledger=str(path),
        )  # fmt: skip
        made.fit(each.train.drop(each.target), each.train[each.target].to_list())
        return made.predict_proba(each.test.drop(each.target)), made.release_.posterior.network.edges
