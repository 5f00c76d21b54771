"""What a steward may write for a mechanism and for a ledger: the thing itself, or a word and a path that are clear."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from discreet.checks import is_table
from discreet.errors import BudgetError, LedgerError, ModelError, of_kind, suggestion
from discreet.guarantee import BudgetLike, exact
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.auto import Auto
from discreet.mechanisms.fourier import Fourier
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.map_point import MapPoint
from discreet.mechanisms.regression_moments import RegressionMoments
from discreet.mechanisms.regression_sampler import RegressionSampler
from discreet.mechanisms.sampler import Sampler
from discreet.model.linear import LinearModel
from discreet.model.network import Network

__all__ = [
    "NETWORK_MECHANISMS",
    "REGRESSION_MECHANISMS",
    "as_ledger",
    "as_mechanism",
    "check_order",
    "named_mechanism",
]

_Maker = Callable[[BudgetLike, "Fraction | None"], Any]

NETWORK_MECHANISMS: Mapping[str, _Maker] = {
    "auto": Auto,
    "laplace": lambda epsilon, _: Laplace(epsilon),
    "laplace-consistent": lambda epsilon, _: Laplace(epsilon, tables="maximal", consistent=True),
    "fourier": lambda epsilon, _: Fourier(epsilon),
    "knorm": lambda epsilon, _: KNorm(epsilon),
    "gaussian": lambda epsilon, delta: Gaussian(epsilon=epsilon, delta=delta),
    "sampler": lambda epsilon, _: Sampler(epsilon),
    "map": lambda epsilon, _: MapPoint(epsilon),
}
"""Words for mechanisms of networks, and how an epsilon and the ledger's delta make one; the first is the default."""
REGRESSION_MECHANISMS: Mapping[str, _Maker] = {
    "regression-moments": lambda epsilon, _: RegressionMoments(epsilon),
    "regression-moments-gaussian": lambda epsilon, delta: RegressionMoments(epsilon, delta),
    "regression-sampler": lambda epsilon, _: RegressionSampler(epsilon),
}
"""The same for linear models."""
_GAUSSIAN = ("gaussian", "regression-moments-gaussian")


def named_mechanism(word: str | None, epsilon: BudgetLike, delta: Fraction | None, words: Mapping[str, _Maker]) -> Any:
    """The mechanism with this name at this epsilon; the delta is that of the ledger.

    Claim:      the guarantee of the result is epsilon, or a rho that keeps (epsilon, delta).
    Requires:   nothing; an unknown word, or Gaussian noise without a delta, is refused.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_every_word_makes_a_mechanism_that_keeps_the_budget
    """
    chosen = next(iter(words)) if word in (None, "auto") else str(word).strip().casefold()
    if chosen not in words:
        other = REGRESSION_MECHANISMS if words is NETWORK_MECHANISMS else NETWORK_MECHANISMS
        kind = "linear models" if words is NETWORK_MECHANISMS else "networks"
        known = f" It is for {kind}." if chosen in other else ""
        raise ModelError(f"There is no mechanism {chosen!r} here.{known}{suggestion(chosen, words)}")
    if chosen in _GAUSSIAN and delta is None:
        raise BudgetError('Gaussian noise needs a ledger with a delta, such as Ledger(path, cap="1", delta="1e-6").')
    return words[chosen](epsilon, delta)


def as_mechanism(given: object, epsilon: BudgetLike | None, delta: Fraction | None, words: Mapping[str, _Maker]) -> Any:
    """Take a mechanism as it is, or make the one that a word names, at the epsilon beside it.

    Claim:      a mechanism that is given is returned unchanged; it never comes together with another epsilon.
    Requires:   nothing; whatever else is refused.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_a_mechanism_has_one_epsilon
    """
    if isinstance(given, str):
        _check_no_budget(given)
        if epsilon is None:
            raise BudgetError(f'A mechanism needs a budget: add epsilon="0.5" beside {given!r}, for example.')
        return named_mechanism(given, epsilon, delta, words)
    if isinstance(given, type):
        raise ModelError(f'{given.__name__} needs its budget: write {given.__name__}("0.5"), for example.')
    if not (callable(getattr(given, "release", None)) and hasattr(given, "guarantee")):
        raise ModelError(
            f'{of_kind(given)} is not a mechanism. Give one such as Laplace("0.5"), or a word and a budget: '
            f'"{next(iter(words))}", epsilon="0.5". The order is release(data, network, mechanism, ledger=...).'
        )
    if epsilon is not None:
        raise BudgetError(f"The epsilon is given twice: {given!r} has its own. Leave epsilon out.")
    return given


def _check_no_budget(word: str) -> None:
    """Whoever leaves the mechanism out and writes a budget in its place is told so."""
    try:
        exact(word)
    except BudgetError:
        return
    raise ModelError(f"{word!r} is no mechanism. Write epsilon={word!r} for the best one, or one such as Laplace({word!r}).")


def as_ledger(given: object) -> Ledger:
    """Take a ledger as it is, or open the one at a path.

    Claim:      no ledger is made: a path without one is refused, since only its owner can say what the cap is.
    Requires:   nothing; whatever else is refused.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_a_path_opens_a_ledger_that_exists_and_never_makes_one
    """
    if isinstance(given, Ledger):
        return given
    if not isinstance(given, str | os.PathLike):
        raise LedgerError(
            f'{of_kind(given)} is not a ledger. Give ledger=Ledger("clinic.ledger", cap="1"), or the path of one that '
            "exists; Ledger.unlimited() is for public data only."
        )
    if not os.path.lexists(given):
        path = os.fspath(given)
        raise LedgerError(f'There is no ledger {path!r} yet, and a new one needs a cap: Ledger({path!r}, cap="1").')
    return Ledger(given)


def check_order(data: object, network: object) -> None:
    """Refuse records and declaration in each other's place, before either is read as the other.

    Claim:      a table of records is never parsed as a declaration, whose errors quote words from it.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_records_and_network_in_each_others_place_are_told_so
    """
    frame = hasattr(network, "__dataframe__") or hasattr(network, "iloc")
    if frame or is_table(network) or isinstance(data, Network | LinearModel):
        raise ModelError("Records and network are in each other's place: write release(data, network, mechanism, ledger=...).")
