"""Estimators for scikit-learn: `fit` is a release, charged to a ledger, and all that follows is what the release says.

What everybody may know is declared when an estimator is made: columns, classes, bounds. Nothing of it is read off the records.
Every `fit` spends budget, also each of those that a grid search or a cross-validation does.
"""

from discreet.interop.sklearn.classifier import PrivateBayesClassifier
from discreet.interop.sklearn.fitting import SpendingWarning
from discreet.interop.sklearn.halfway import halfway
from discreet.interop.sklearn.regression import PrivateLinearRegression

__all__ = ["PrivateBayesClassifier", "PrivateLinearRegression", "SpendingWarning", "halfway"]
