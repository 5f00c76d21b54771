"""Which mechanisms there are for each kind of model, and what a steward may write for one of them and for a ledger.

That is the thing itself, or a word and a path that are clear.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.checks import is_table
from discreet.errors import BudgetError, LedgerError, ModelError, of_kind, suggestion
from discreet.guarantee import BudgetLike, exact
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.auto import NOISE_MECHANISMS, Auto, noise_mechanisms
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler
from discreet.mechanisms.map_point import MapPoint
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.sampler import Sampler
from discreet.mechanisms.subject import Maker, Subject, WithDelta
from discreet.model.declaration import LINEAR_MODELS, NETWORKS, Model, kind_of_model
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.planning.edge_costs import edge_costs
from discreet.planning.plan import Plans
from discreet.planning.recommendation import recommend

__all__ = ["NETWORK_SUBJECT", "SUBJECTS", "as_ledger", "as_mechanism", "check_order", "named_mechanism", "subject_of"]

_NETWORK_WORDS: Mapping[str, Maker] = {
    "auto": Auto,
    **NOISE_MECHANISMS,
    "sampler": lambda epsilon, _: Sampler(epsilon),
    "map": lambda epsilon, _: MapPoint(epsilon),
}
_NETWORK_LEGEND = """\
numbers: how many are released. scale: the largest scale of the noise. count error: mean absolute
noise of a count. at most: all counts together stay within this distance with probability 95 %.
prob. error: expected absolute error of a released conditional probability. worst node: the same
for the node that suffers most. Predicted from network, number of records and a uniform prior.
The recommendation goes by prob. error and, where those are within 2 %, by the noise it names."""
_LINEAR_WORDS: Mapping[str, Maker] = {
    "regression-moments": lambda epsilon, _: RegressionMoments(epsilon),
    "regression-moments-gaussian": WithDelta(RegressionMoments),
    "regression-sampler": lambda epsilon, _: RegressionSampler(epsilon),
}


def _network_candidates(epsilon: Fraction, delta: Fraction | None) -> tuple[Mechanism[Network, Any], ...]:
    return (*noise_mechanisms(epsilon, delta), Sampler(epsilon), MapPoint(epsilon))


def _remark_edges(plans: Plans, network: Network, rows: int, candidates: Sequence[Mechanism[Any, Any]]) -> Plans:
    """What edges cost, with the better of the two simple mechanisms."""
    simple = {each.name: each for each in candidates if isinstance(each, Laplace)}
    better = recommend([each for each in plans if each.mechanism in simple])
    chosen = simple[better.mechanism] if better is not None else next(iter(simple.values()))
    costs = edge_costs(network, rows, chosen.node_noise)
    return replace(plans, edges=costs, edges_of=chosen.name, legend=_NETWORK_LEGEND)


def _linear_candidates(epsilon: Fraction, delta: Fraction | None) -> tuple[Mechanism[LinearModel, Any], ...]:
    gaussian = () if delta is None else (RegressionMoments(epsilon, delta),)
    return (RegressionMoments(epsilon), *gaussian, RegressionSampler(epsilon))


def _remark_units(
    plans: Plans,
    model: LinearModel,
    rows: int,  # noqa: ARG001 - all errors of a prediction are in the plans themselves
    candidates: Sequence[Mechanism[Any, Any]],  # noqa: ARG001
) -> Plans:
    """Whose errors these are, and in which units."""
    if not plans.plans:
        raise ModelError("No mechanism fits this model: declare fewer features, or radius and noise for posterior draws.")
    target = model.target.name
    return replace(
        plans, legend=f"Both are root mean square errors of the expected {target}, in its own units, and approximations."
    )


NETWORK_SUBJECT: Subject[Network] = Subject(NETWORKS, _NETWORK_WORDS, _network_candidates, _remark_edges)
_LINEAR_SUBJECT: Subject[LinearModel] = Subject(LINEAR_MODELS, _LINEAR_WORDS, _linear_candidates, _remark_units)
SUBJECTS: tuple[Subject[Any], ...] = (NETWORK_SUBJECT, _LINEAR_SUBJECT)
"""All kinds of model that there are mechanisms for."""


def subject_of(model: Model) -> Subject[Any]:
    """What there is for models of this kind.

    Claim:      the one subject of the kind that the model says it is of.
    Requires:   a model.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_every_kind_of_model_has_a_subject_and_a_statistic
    """
    return next(subject for subject in SUBJECTS if subject.kind is model.kind)


def named_mechanism(word: str | None, epsilon: BudgetLike, delta: Fraction | None, subject: Subject[Any]) -> Any:
    """The mechanism with this name at this epsilon; the delta is that of the ledger.

    Claim:      the guarantee of the result is epsilon, or a rho that keeps (epsilon, delta).
    Requires:   nothing; an unknown word, or Gaussian noise without a delta, is refused.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_every_word_makes_a_mechanism_that_keeps_the_budget
    """
    words = subject.words
    chosen = next(iter(words)) if word in (None, "auto") else str(word).strip().casefold()
    if chosen not in words:
        known = "".join(f" It is for {other.kind.plural}." for other in SUBJECTS if chosen in other.words)
        raise ModelError(f"There is no mechanism {chosen!r} here.{known}{suggestion(chosen, words)}")
    return words[chosen](epsilon, delta)


def as_mechanism(given: object, epsilon: BudgetLike | None, delta: Fraction | None, subject: Subject[Any]) -> Any:
    """Take a mechanism as it is, or make the one that a word names, at the epsilon beside it.

    Claim:      a mechanism that is given is returned unchanged; it never comes together with another epsilon.
    Requires:   nothing; whatever else is refused.
    Checked by: tests/unit/mechanisms/test_arguments.py::test_a_mechanism_has_one_epsilon
    """
    if isinstance(given, str):
        _check_no_budget(given)
        if epsilon is None:
            raise BudgetError(f'A mechanism needs a budget: add epsilon="0.5" beside {given!r}, for example.')
        return named_mechanism(given, epsilon, delta, subject)
    if isinstance(given, type):
        raise ModelError(f'{given.__name__} needs its budget: write {given.__name__}("0.5"), for example.')
    if not (callable(getattr(given, "prepare", None)) and hasattr(given, "guarantee") and hasattr(given, "statistic")):
        raise ModelError(
            f'{of_kind(given)} is not a mechanism. Give one such as Laplace("0.5"), or a word and a budget: '
            f'"{next(iter(subject.words))}", epsilon="0.5". The order is release(data, network, mechanism, ledger=...).'
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
    if frame or is_table(network) or kind_of_model(data) is not None:
        raise ModelError("Records and network are in each other's place: write release(data, network, mechanism, ledger=...).")
