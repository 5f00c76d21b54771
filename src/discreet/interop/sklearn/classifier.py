"""A private Bayesian network as a classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

import discreet as dc
from discreet.arrays import Floats
from discreet.errors import DomainError, ModelError
from discreet.guarantee import Caveat, exact
from discreet.interop.sklearn.declared import LEARNED, declare_network, feature_columns
from discreet.interop.sklearn.fitting import Fitted, explain_refusal, feature_names, open_ledger, tell_spending
from discreet.interop.sklearn.halfway import halfway
from discreet.interop.sklearn.tables import as_table, check_input, labels_of
from discreet.learning.together import prepare_whole

__all__ = ["PrivateBayesClassifier"]

_HALFWAY = Caveat(
    "halfway",
    "This table is about probabilities halfway between a learned graph and naive Bayes: of halfway(posterior, target) in "
    "discreet.interop.sklearn, not of the posterior itself.",
)


class PrivateBayesClassifier(Fitted, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts one node of a Bayesian network that was released with differential privacy. Every ``fit`` spends budget.

    What is declared, and what a fit may spend:

    - ``schema``: what the features are: a Schema, a list of Variables, a mapping from names to levels, or one SchemaColumn
      that holds for every column, such as ``SchemaColumn("each", "number", cuts=["-1", "0", "1"])``. Not beside a Network.
    - ``classes``: the labels that y may have, in the order of ``predict_proba``; None where schema or network have the target.
    - ``network``: "naive_bayes", a Network, or the path of a network file; or "tan", naive Bayes with edges between features
      that are learned for a part of epsilon, or "learn", what is expected to do best at this epsilon: any directed graph,
      "tan", or naive Bayes where learning does not pay.
    - ``target``: the name of the node that y holds.
    - ``epsilon``, ``delta``: the budget of one fit, as exact text; delta is that of the ledger, and may be left out.
    - ``mechanism``: "auto" or the name of another mechanism of ``dc.release``.
    - ``ledger``: the path of a ledger that exists. Not a Ledger: scikit-learn copies what it is given.
    - ``dataset``: the data set in the ledger.
    - ``calibrate``: None, or a further epsilon, for measuring how far the probabilities of two classes can be trusted. A "tan"
      predicts halfway between its graph and naive Bayes then, which noise misleads less; ``release_`` is the graph's own.
    - ``prior``, ``missing``: as for ``dc.release``.
    - ``noise_aware``: whether probabilities know about the noise, which takes seconds after a fit; else noisy counts are taken
      for exact ones.

    Fitted, it has ``release_`` (save it, publish it), ``guarantee_``, ``classes_``, ``n_features_in_``, ``feature_names_in_``
    and, where it was calibrated, ``confidence_``. There is no ``sample_weight``: weights would let one record count for many.

    The guarantee is about the records that ``fit`` is given. Steps before it that learn from records (a scaler, an imputer),
    folds that look at y (``StratifiedKFold``) and draws with replacement (``BaggingClassifier``) make it weaker for the
    records that were there first: the guide to scikit-learn says what to take instead.
    """

    def __init__(
        self,
        schema: Any = None,
        *,
        classes: Any = None,
        network: Any = "naive_bayes",
        target: str = "target",
        epsilon: Any = None,
        delta: Any = None,
        mechanism: Any = "auto",
        ledger: Any = None,
        dataset: str = "default",
        calibrate: Any = None,
        prior: Any = None,
        missing: str | None = None,
        noise_aware: bool = True,
    ) -> None:
        self.schema = schema
        self.classes = classes
        self.network = network
        self.target = target
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.ledger = ledger
        self.dataset = dataset
        self.calibrate = calibrate
        self.prior = prior
        self.missing = missing
        self.noise_aware = noise_aware

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> PrivateBayesClassifier:  # noqa: N803 - the field's names
        """Release the network given these records, charged to the ledger."""
        X = check_input(self, X, reset=True)  # noqa: N806
        labels = labels_of(self, X, y)
        check_classification_targets(labels)
        account = open_ledger(self.ledger, self.delta, self.dataset, self.epsilon)
        network = declare_network(self.network, self.schema, self.target, self.classes, feature_names(self))
        self._check_width(X, network)
        known = None if self.classes is None else np.asarray(self.classes)
        texts = labels if known is None else _as_levels(labels, self.classes)
        records = as_table(X, feature_columns(network, self.target), {network.variable(self.target).column: texts})
        with explain_refusal(account):
            if self.calibrate is not None:  # what cannot be paid whole is refused before any of it is
                account.check(dc.PureDP(exact(self.epsilon) + exact(self.calibrate, "calibrate")))
            made = self._release(records, network, account)
        self.release_: Any = made
        self.confidence_: Any = None
        self.classes_ = np.array(network.variable(self.target).levels) if known is None else known
        self._calibrate(records, account)
        tell_spending(self.confidence_ or made)
        return self

    def _release(self, records: Any, network: dc.Network, account: dc.Ledger) -> Any:
        """A release of the declared network, or of one that is learned for a part of the budget."""
        word = self._word
        if word not in LEARNED:
            return dc.release(
                records, network, self.mechanism, epsilon=self.epsilon, prior=self.prior, ledger=account, missing=self.missing
            )
        if self.prior is not None or self.mechanism not in ("auto", "gaussian"):
            raise ModelError("A learned network is released with its usual prior, by the mechanism 'auto' or 'gaussian'.")
        delta = account.delta if self.mechanism == "gaussian" else None
        return prepare_whole(
            records, list(network.variables), epsilon=self.epsilon, form="tan" if word == "tan" else "auto", ledger=account,
            missing=self.missing, delta=delta, target=self.target,
        ).publish()  # fmt: skip

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Probability of every class (columns, in the order of ``classes_``) for every record (rows)."""
        check_is_fitted(self, "release_")
        X = check_input(self, X, reset=False)  # noqa: N806
        posterior = self._judge()
        records = as_table(X, feature_columns(posterior.network, self.target))
        found: Floats = posterior.predict_proba(records, self.target)
        return found if self.confidence_ is None else dc.calibrate(found, self.confidence_.posterior)

    def predict_log_proba(self, X: Any) -> Floats:  # noqa: N803
        """Logarithms of these probabilities."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> Any:  # noqa: N803
        """The most probable class of every record."""
        chosen = self.predict_proba(X).argmax(axis=1)
        return self.classes_[chosen]

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """How many records are predicted rightly, as a share. NOT private: of private records, keep it to yourself."""
        predicted = self.predict(X)
        return float(np.mean(predicted == labels_of(self, predicted, y)))

    def _calibrate(self, records: Any, account: dc.Ledger) -> None:
        if self.calibrate is None:
            return
        table = dc.confidence_table(self._judge(), records, self.target, missing=self.missing)
        about = dc.confidence_network()
        made = dc.release(table, about, "auto", epsilon=self.calibrate, ledger=account, prior="uniform")
        self.confidence_ = replace(made, caveats=(*made.caveats, _HALFWAY)) if self._word == "tan" else made

    @property
    def _word(self) -> str:
        return self.network.strip().lower() if isinstance(self.network, str) else ""

    def _judge(self) -> Any:
        """What predictions are made with, and what is calibrated."""
        posterior = self._posterior()
        return posterior if self.calibrate is None or self._word != "tan" else halfway(posterior, self.target)

    def _posterior(self) -> Any:
        return self.release_.posterior if self.noise_aware else self.release_.plugin

    def _check_width(self, X: Any, network: dc.Network) -> None:  # noqa: N803
        """Columns of an array are the declared ones in their order, so there must be as many."""
        declared = len(network.nodes) - 1
        if not hasattr(self, "feature_names_in_") and X.shape[1] != declared:
            raise ModelError(f"X has {X.shape[1]} columns and no names; {declared} features are declared. Give as many.")


def _as_levels(labels: Any, classes: Any) -> list[str]:
    """Labels as the texts of the classes that they equal: 1 and 1.0 are one class, "1" is another."""
    levels = {each: str(each) for each in (value.item() if hasattr(value, "item") else value for value in classes)}
    found = [levels.get(label) for label in labels.tolist()]
    if None in found:
        raise DomainError(
            "y holds a label that is not among the declared classes. Declare all that a record could have; it is not shown "
            "here because it is private."
        )
    return [text for text in found if text is not None]
