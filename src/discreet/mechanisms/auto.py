"""The mechanism with the least predicted error, chosen from public quantities alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from discreet.arrays import Integers
from discreet.errors import BudgetError, ModelError
from discreet.guarantee import ApproxDP, BudgetLike, Caveat, Guarantee, PureDP, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.fourier import Fourier
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.knorm import KNorm
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.mechanism import CountMechanism, Explained, NoiseMechanism
from discreet.mechanisms.prepared import Prepared
from discreet.mechanisms.subject import WithDelta
from discreet.model.network import Network
from discreet.model.prior import LEARNED, UNIFORM, Prior
from discreet.planning.parameter_error import ParameterError, parameter_error
from discreet.planning.plan import Plan
from discreet.planning.recommendation import Recommendation, recommend_errors
from discreet.posterior.dirichlet import DirichletPosterior

__all__ = ["NOISE_MECHANISMS", "Auto", "Choice", "noise_mechanisms"]

NOISE_MECHANISMS: Mapping[str, Callable[[BudgetLike, Fraction | None], NoiseMechanism]] = {
    "laplace": lambda epsilon, _: Laplace(epsilon),
    "laplace-consistent": lambda epsilon, _: Laplace(epsilon, tables="maximal", consistent=True),
    "fourier": lambda epsilon, _: Fourier(epsilon),
    "knorm": lambda epsilon, _: KNorm(epsilon),
    "gaussian": WithDelta(Gaussian),
}
"""All that release statistics of the counts with noise, by their words: what plans compare and ``Auto`` chooses from."""
_REMEMBERED = 16
"""Choices that are kept within the process; of the largest networks each takes about a megabyte."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A mechanism, why it was taken, and the predicted errors of all that were compared, by name."""

    mechanism: NoiseMechanism
    reason: str
    errors: Mapping[str, ParameterError] = field(repr=False)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Auto(Explained, CountMechanism[DirichletPosterior]):
    """Whichever mechanism is expected to be off least, given the graph, the number of records and the budget.

    With ``delta`` Gaussian noise is a candidate, too; then the release is either epsilon-private or zero-concentrated with a
    rho that keeps (epsilon, delta), and the ledger needs a delta.

    Claim:      the guarantee of the mechanism that is chosen; the choice depends on graph, levels, number of records and
                budget alone, so it costs nothing. Its predicted error is at most 1.02 times that of the best candidate.
    Requires:   as the mechanism that is chosen; the release says which, and why.
    Checked by: tests/unit/mechanisms/test_auto.py::test_no_mechanism_is_predicted_to_be_more_than_two_percent_better
                tests/unit/mechanisms/test_auto.py::test_the_choice_does_not_depend_on_the_records
    """

    epsilon: Fraction
    delta: Fraction | None

    def __init__(self, epsilon: BudgetLike, delta: BudgetLike | None = None) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))
        object.__setattr__(self, "delta", None if delta is None else exact(delta, "delta"))
        if self.delta is not None and self.delta >= 1:
            raise BudgetError("delta must be below one, such as 1e-6.")

    @property
    def name(self) -> str:
        """``auto``. The release has the name of the mechanism that was chosen."""
        return "auto"

    @property
    def guarantee(self) -> Guarantee:
        """What whichever is chosen keeps."""
        return PureDP(self.epsilon) if self.delta is None else ApproxDP(self.epsilon, self.delta)

    @property
    def default_prior(self) -> Prior:
        """That of the mechanisms to choose from."""
        return LEARNED

    @property
    def takes_averages(self) -> bool:
        """As the mechanisms to choose from."""
        return True

    def choose(self, network: Network, rows: int, prior: Prior = UNIFORM) -> Choice:
        """The mechanism that would be used for so many records, by errors that the prior expects.

        Claim:      depends on public quantities alone.
        Requires:   rows >= 1.
        Checked by: tests/unit/mechanisms/test_auto.py::test_no_mechanism_is_predicted_to_be_more_than_two_percent_better
        """
        return _choose(self, network, rows, prior)

    def plan(self, network: Network, rows: int) -> Plan:
        """The plan of the mechanism that would be used.

        Claim:      depends on public quantities alone.
        Requires:   rows >= 1.
        Checked by: tests/unit/mechanisms/test_auto.py::test_the_plan_is_that_of_the_chosen_mechanism
        """
        return self.choose(network, rows).mechanism.plan(network, rows)

    def check(self, network: Network, prior: Prior = UNIFORM) -> None:
        """Refuse a network, prior or budget that none of the candidates allows."""
        _allowed(self, network, prior)

    def costs(self, network: Network) -> Sequence[Guarantee]:
        """What each of the candidates would be charged; which one is chosen depends on the number of records."""
        return tuple(candidate.guarantee for candidate in _allowed(self, network))

    def _prepare(
        self, counts: Mapping[str, Integers], network: Network, ledger: Ledger, prior: Prior, bits: Bits | None
    ) -> Prepared[Any, DirichletPosterior]:
        """Choose by the number of records; the rest is up to the mechanism that is chosen.

        Claim:      the release is one of the chosen mechanism, with a note that says why it was chosen.
        Requires:   ``counts`` are those of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_auto.py::test_a_release_says_which_mechanism_was_chosen_and_why
        """
        choice = self.choose(network, int(counts[network.nodes[0]].sum()) // ledger.unit.parts, prior)
        prepared = choice.mechanism.prepare_found(counts, network, ledger=ledger, prior=prior, _bits=bits)
        return prepared.beware(_note(choice))


@lru_cache(maxsize=_REMEMBERED)
def _choose(auto: Auto, network: Network, rows: int, prior: Prior) -> Choice:
    """What is chosen follows from these public facts, and from nothing of the records: for equal ones it is chosen once."""
    allowed = {each.name: each for each in _allowed(auto, network)}
    errors = {name: parameter_error(network, rows, each.posterior_noise(network), prior) for name, each in allowed.items()}
    advice: Recommendation = recommend_errors(errors)
    return Choice(allowed[advice.mechanism], advice.reason, MappingProxyType(errors))


@lru_cache(maxsize=_REMEMBERED)
def _allowed(auto: Auto, network: Network, prior: Prior = UNIFORM) -> tuple[NoiseMechanism, ...]:
    """The candidates that network, prior and budget allow."""
    allowed, refused = [], []
    for candidate in noise_mechanisms(auto.epsilon, auto.delta):
        try:
            candidate.check(network, prior)
        except (ModelError, BudgetError) as reason:
            refused.append(reason)
        else:
            allowed.append(candidate)
    if not allowed:
        raise refused[0]
    return tuple(allowed)


def noise_mechanisms(epsilon: Fraction, delta: Fraction | None = None) -> tuple[NoiseMechanism, ...]:
    """Every mechanism that releases statistics of the counts with noise, at this budget.

    Claim:      each keeps epsilon-differential privacy or, with a delta, (epsilon, delta)-privacy.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_auto.py::test_every_candidate_keeps_the_budget
    """
    makers = (make for make in NOISE_MECHANISMS.values() if delta is not None or not isinstance(make, WithDelta))
    return tuple(make(epsilon, delta) for make in makers)


def _note(choice: Choice) -> Caveat:
    return Caveat(
        "automatic-choice",
        f"The mechanism {choice.mechanism.name} was chosen from graph, number of records and budget alone. {choice.reason}",
    )
