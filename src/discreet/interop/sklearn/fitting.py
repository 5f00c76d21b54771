"""What the estimators share: a fit that is charged to a ledger, and a pickle that holds the release and nothing else."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discreet as dc
from discreet.errors import BudgetError, LedgerError, of_kind
from discreet.release_file.document import release_from_json, release_to_json

__all__ = ["Fitted", "SpendingWarning", "explain_refusal", "feature_names", "open_ledger", "tell_spending"]


class SpendingWarning(UserWarning):
    """The same records were fitted before, and every fit spends budget."""


def open_ledger(ledger: Any, delta: Any, dataset: str, epsilon: Any) -> dc.Ledger:
    """The ledger at a path. A Ledger itself is refused, since scikit-learn copies what an estimator is given."""
    if epsilon is None:
        raise BudgetError('Say what this fit may spend, such as epsilon="1"; there is no usual privacy budget.')
    if ledger is None:
        raise LedgerError('A fit is charged to a ledger: make one with dc.Ledger("clinic.ledger", cap="1") and give its path.')
    if not isinstance(ledger, str | os.PathLike):
        raise LedgerError(
            f"{of_kind(ledger)} is not the path of a ledger. Estimators are copied, and a copied ledger would be a second "
            'budget: give the path, such as ledger="clinic.ledger".'
        )
    if not os.path.lexists(ledger):
        path = os.fspath(ledger)
        raise LedgerError(f'There is no ledger {path!r} yet, and a new one needs a cap: dc.Ledger({path!r}, cap="1").')
    return dc.Ledger(ledger, delta=delta, dataset=dataset)


def feature_names(estimator: Any) -> list[str]:
    """What the columns of X are called: by their names, or x0, x1 and so on."""
    named = getattr(estimator, "feature_names_in_", None)
    return [f"x{place}" for place in range(estimator.n_features_in_)] if named is None else [str(name) for name in named]


@contextmanager
def explain_refusal(account: dc.Ledger) -> Iterator[None]:
    """Say of a refusal why one is met in the middle of a search: fits before this one have spent the budget."""
    try:
        yield
    except BudgetError as error:
        before = len(account.history())
        paid = f" {before} {'charge was' if before == 1 else 'charges were'} made before this fit." if before else ""
        raise BudgetError(
            f"{error}{paid} Every fit spends: a search or a cross-validation needs epsilon once for every setting and fold, "
            "and once more to refit. Choose settings by dc.plan, which costs nothing, or on public data, and fit once."
        ) from None


def tell_spending(release: Any) -> None:
    """Warn that records were paid for again: in a grid search that is easily overlooked."""
    receipt = release.receipts[-1]
    if release.receipts[0].number > 1:  # a learned graph has a receipt of its own, before the release's
        warnings.warn(
            f"Every fit spends privacy budget, also those of a grid search, a cross-validation or a bagging: {receipt}.",
            SpendingWarning,
            stacklevel=3,
        )


class Fitted:
    """What a fitted estimator keeps, and what goes into its pickle: parameters, names, and the text of the release."""

    _RELEASES = ("release_", "confidence_")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        for name in self._RELEASES:
            if state.get(name) is not None:
                state[name] = json.dumps(release_to_json(state[name]))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        restored = dict(state)
        for name in self._RELEASES:
            if isinstance(restored.get(name), str):  # checked as any file from elsewhere is
                restored[name] = release_from_json(json.loads(restored[name]))
        super().__setstate__(restored)  # type: ignore[misc]

    @property
    def guarantee_(self) -> dc.Guarantee:
        """What protects the records of this fit: that of all its releases together."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "release_")
        paid = [getattr(self, name, None) for name in self._RELEASES]
        together: dc.Guarantee
        together, *further = [each.guarantee for each in paid if each is not None]
        for guarantee in further:
            together = together.compose(guarantee)
        return together
