"""Noisy moments for linear regression: released once, they answer every question about the weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.conversion import rho_of_epsilon
from discreet.guarantee import ZCDP, BudgetLike, PureDP, exact
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.measure.measurement import Measurement
from discreet.measure.strategies.moment_noise import moment_measurement, moment_noise
from discreet.mechanisms.mechanism import Explained, RegressionMechanism
from discreet.mechanisms.parcels import Numbers
from discreet.mechanisms.prepared import Prepared
from discreet.mechanisms.publishing import prepare_moments
from discreet.model.linear import LinearModel
from discreet.model.prior import Prior
from discreet.planning.linear import line_moments_error, line_plan
from discreet.planning.plan import Plan
from discreet.posterior.linear import RegressionPosterior
from discreet.releases import MechanismRecord

if TYPE_CHECKING:
    from discreet.counts.moments import Moments

__all__ = ["RegressionMoments"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RegressionMoments(Explained, RegressionMechanism[RegressionPosterior]):
    """Sums of products of all pairs of columns, each with noise, and the posterior of the weights that knows of the noise.

    Without a delta the guarantee is pure and the noise is of a box or a Wishart law, whichever predicts the smaller error.
    With a delta the noise is Gaussian and the guarantee zero-concentrated, with the largest rho that implies (epsilon, delta).

    Claim:      private as ``guarantee`` says, under replace-one, with the number of records public. Proof: the moments are
                integers, and one record moves them as ``kernel/noise/moments.py`` says. Every moment but the number of
                records gets noise, the squares on the diagonal too. The noise is drawn without looking at the moments,
                exactly.
    Requires:   bounds and resolution do not depend on the records; values are clipped to the bounds (``data``).
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/unit/mechanisms/test_linear_moments.py::test_every_moment_but_the_number_of_records_gets_noise
                tests/audit/test_wishart_worlds.py::test_no_matrix_is_likelier_than_epsilon_allows
    """

    epsilon: Fraction
    delta: Fraction | None

    def __init__(self, epsilon: BudgetLike, delta: BudgetLike | None = None) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))
        object.__setattr__(self, "delta", None if delta is None else exact(delta, "delta"))
        self.guarantee  # noqa: B018 - a delta out of range fails here, not after the data was read

    @property
    def name(self) -> str:
        """The mechanism's name in files."""
        return "regression-moments" if self.delta is None else "regression-moments-gaussian"

    @property
    def guarantee(self) -> PureDP | ZCDP:
        """Pure differential privacy, or the zero-concentrated privacy that implies (epsilon, delta)."""
        if self.delta is None:
            return PureDP(self.epsilon)
        return ZCDP(rho_of_epsilon(self.epsilon, self.delta))

    def plan(self, model: LinearModel, rows: int) -> Plan:
        """What would be released and how wrong predictions with it would be; touches no data.

        Claim:      depends on public quantities alone. The error takes features and target as if spread evenly over their
                    bounds, with a declared noise of 0.25 where none is declared.
        Requires:   rows >= 1.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_the_planned_error_is_about_the_error_that_happens
        """
        noise = moment_noise(model, self.guarantee)
        errors = line_moments_error(model, rows, noise)
        return line_plan(self.name, self.guarantee, rows, len(noise.triangle.places), errors)

    def cost(self, model: LinearModel) -> PureDP | ZCDP:
        """The guarantee, for a model of not too many features.

        Claim:      noise that keeps it was found.
        Requires:   nothing.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_what_cannot_be_released_costs_nothing
        """
        self.measurement(model)
        return self.guarantee

    def measurement(self, model: LinearModel) -> Measurement:
        """What is measured, with which noise: all moments, as the model and the budget alone decide.

        Claim:      noise that keeps the guarantee; without numbers.
        Requires:   nothing.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_what_is_published_is_what_the_mechanism_says_it_measures
        """
        return moment_measurement(model, self.guarantee)

    @property
    def takes_averages(self) -> bool:
        """What a record adds is a positive matrix within bounds; an average of such is one, too."""
        return True

    def _prepare(
        self,
        found: Moments,
        model: LinearModel,
        ledger: Ledger,
        prior: Prior,  # noqa: ARG002 - the model declares its own
        bits: Bits | None,
    ) -> Prepared[Numbers, RegressionPosterior]:
        """How noise is charged for and added, and the posterior wrapped with all that must be said about it.

        Claim:      the result depends on the records only through the noisy moments and their number.
        Requires:   ``found`` are the moments, by this model, of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_a_release_is_the_sum_of_moments_and_noise
        """
        record = MechanismRecord(self.name, self._parameters())
        return prepare_moments(record, self.guarantee, self.measurement(model), found, model, ledger, bits)

    def _parameters(self) -> dict[str, str]:
        if isinstance(self.guarantee, PureDP):
            return {"epsilon": str(self.epsilon)}
        return {"epsilon": str(self.epsilon), "delta": str(self.delta), "rho": str(self.guarantee.rho)}
