"""A private linear regression as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

import discreet as dc
from discreet.arrays import Floats
from discreet.errors import ModelError, QueryError
from discreet.interop.sklearn.declared import declare_line
from discreet.interop.sklearn.fitting import Fitted, explain_refusal, feature_names, open_ledger, tell_spending
from discreet.interop.sklearn.tables import as_table, check_input, labels_of

__all__ = ["PrivateLinearRegression"]


class PrivateLinearRegression(Fitted, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Bayesian linear regression that was released with differential privacy. Every ``fit`` spends budget.

    What is declared, and what a fit may spend:

    - ``bounds``: the range of the features, known without looking at the records: (low, high) for all alike, a list of them,
      or a mapping from names to (low, high). Values outside are clipped.
    - ``target_bounds``: (low, high) of the target.
    - ``schema``: a Schema whose columns have bounds, instead of both.
    - ``target``: the name of the target, in the release and in a schema.
    - ``epsilon``, ``delta``: the budget of one fit, as exact text; delta is that of the ledger, and may be left out.
    - ``mechanism``: "auto" or the name of another mechanism of ``dc.release`` for linear models.
    - ``ledger``: the path of a ledger that exists. Not a Ledger: scikit-learn copies what it is given.
    - ``dataset``: the data set in the ledger.
    - ``precision``, ``radius``, ``noise``: the prior, as for ``dc.LinearModel``.
    - ``fit_intercept``: False for a line through the middle of all bounds, which is the origin where they are symmetric.

    Fitted, it has ``release_`` (save it, publish it), ``guarantee_``, ``coef_``, ``intercept_``, ``n_features_in_`` and
    ``feature_names_in_``. There is no ``sample_weight``: weights would let one record count for many.

    The guarantee is about the records that ``fit`` is given: steps before it that learn from records (a scaler, an imputer)
    and draws with replacement (``BaggingRegressor``) make it weaker for the records that were there first.
    """

    def __init__(
        self,
        bounds: Any = None,
        target_bounds: Any = None,
        *,
        schema: Any = None,
        target: str = "target",
        epsilon: Any = None,
        delta: Any = None,
        mechanism: Any = "auto",
        ledger: Any = None,
        dataset: str = "default",
        precision: Any = None,
        radius: Any = None,
        noise: Any = None,
        fit_intercept: bool = True,
    ) -> None:
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.schema = schema
        self.target = target
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.ledger = ledger
        self.dataset = dataset
        self.precision = precision
        self.radius = radius
        self.noise = noise
        self.fit_intercept = fit_intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags

    def fit(self, X: Any, y: Any) -> PrivateLinearRegression:  # noqa: N803 - the field's names
        """Release the regression given these records, charged to the ledger."""
        X = check_input(self, X, reset=True, numbers=True)  # noqa: N806
        values = labels_of(self, X, y, numbers=True)
        account = open_ledger(self.ledger, self.delta, self.dataset, self.epsilon)
        prior = {"precision": self.precision, "radius": self.radius, "noise": self.noise}
        declared = (self.bounds, self.schema, self.target, self.target_bounds, feature_names(self))
        model = declare_line(*declared, prior, self.fit_intercept)
        names = [column.name for column in model.features]
        if not hasattr(self, "feature_names_in_") and len(names) != X.shape[1]:
            raise ModelError(f"X has {X.shape[1]} columns and no names; {len(names)} features are declared. Give as many.")
        records = as_table(X, names, {self.target: values})
        with explain_refusal(account):
            self.release_: Any = dc.release(records, model, self.mechanism, epsilon=self.epsilon, ledger=account)
        tell_spending(self.release_)
        return self

    @property
    def coef_(self) -> Floats:
        """Expected slopes, in the units of the declaration. Found when they are first asked for."""
        check_is_fitted(self, "release_")
        return np.array([each.mean for each in self.release_.posterior.summary()][1:])

    @property
    def intercept_(self) -> float:
        """The expected intercept."""
        check_is_fitted(self, "release_")
        return float(next(iter(self.release_.posterior.summary())).mean)

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:  # noqa: N803
        """The expected target of every record; with ``return_std`` also the standard deviation of the target of a new one."""
        check_is_fitted(self, "release_")
        X = check_input(self, X, reset=False, numbers=True)  # noqa: N806
        posterior = self.release_.posterior
        found = posterior.predict(as_table(X, [column.name for column in posterior.model.features]))
        if not return_std:
            return np.asarray(found.mean)
        if found.deviation is None:
            raise QueryError("One draw was released, which does not say how far off it is: use mechanism='auto' for that.")
        return np.asarray(found.mean), found.deviation

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """The share of the variance of y that is explained. NOT private: of private records, keep it to yourself."""
        from sklearn.metrics import r2_score

        predicted = self.predict(X)
        return float(r2_score(labels_of(self, predicted, y, numbers=True), predicted))
