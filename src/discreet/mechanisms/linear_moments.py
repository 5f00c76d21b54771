"""Noisy moments for linear regression: released once, they answer every question about the weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.conversion import rho_of_epsilon
from discreet.guarantee import ZCDP, BudgetLike, Neighbours, PureDP, Receipt, exact
from discreet.kernel import publish
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.body import box
from discreet.kernel.noise.knorm import knorm_vector
from discreet.kernel.noise.rounded_gaussian import rounded_gaussian
from discreet.kernel.noise.wishart import wishart_difference
from discreet.measure.noisy_moments import NoisyMoments
from discreet.measure.strategies.moment_noise import MomentNoise, NoiseLaw, moment_noise, moment_places
from discreet.mechanisms.linear_mechanism import RegressionMechanism
from discreet.mechanisms.mechanism import Explained
from discreet.mechanisms.prepared import Prepared
from discreet.model.linear import LinearModel
from discreet.model.prior import Prior
from discreet.planning.linear import RegressionPlan
from discreet.posterior.linear import RegressionPosterior
from discreet.release_file.moments import LARGEST_MOMENT
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
                integers, and one record moves them as ``moment_noise`` says. Every moment but the number of records gets
                noise, the squares on the diagonal too. The noise is drawn without looking at the moments, exactly.
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

    def plan(self, model: LinearModel, rows: int) -> RegressionPlan:
        """What would be released and how wrong predictions with it would be; touches no data.

        Claim:      depends on public quantities alone. The error takes features and target as if spread evenly over their
                    bounds, with a declared noise of 0.25 where none is declared.
        Requires:   rows >= 1.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_the_planned_error_is_about_the_error_that_happens
        """
        records, privacy = _errors(model, rows, moment_noise(model, self.guarantee))
        return RegressionPlan(
            mechanism=self.name,
            guarantee=self.guarantee,
            neighbours=Neighbours.REPLACE_ONE,
            rows=rows,
            released_numbers=len(moment_places(model)),
            records_error=records,
            privacy_error=privacy,
        )

    def cost(self, model: LinearModel) -> PureDP | ZCDP:
        """The guarantee, for a model of not too many features.

        Claim:      noise that keeps it was found.
        Requires:   nothing.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_what_cannot_be_released_costs_nothing
        """
        moment_noise(model, self.guarantee)
        return self.guarantee

    def _prepare(
        self,
        found: Moments,
        model: LinearModel,
        ledger: Ledger,
        prior: Prior,  # noqa: ARG002 - the model declares its own
        bits: Bits | None,
    ) -> Prepared[tuple[int, ...], RegressionPosterior]:
        """How noise is charged for and added, and the posterior wrapped with all that must be said about it.

        Claim:      the result depends on the records only through the noisy moments and their number.
        Requires:   ``found`` are the moments, by this model, of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_linear_moments.py::test_a_release_is_the_sum_of_moments_and_noise
        """
        from discreet.counts.moments import outer_products

        record = MechanismRecord(self.name, self._parameters())
        rows = found.rows
        noise = moment_noise(model, self.guarantee)
        outer = outer_products(found, model)
        exact_moments = [outer[row][column] for row, column in moment_places(model)]

        def noisy(stream: Bits) -> tuple[int, ...]:
            return tuple(moment + extra for moment, extra in zip(exact_moments, _draw(noise, model, stream), strict=True))

        def charge() -> tuple[tuple[int, ...], Receipt]:
            return publish.draw(noisy, self.guarantee, ledger, self.name, _bits=bits)

        def make(values: tuple[int, ...]) -> RegressionPosterior:
            return RegressionPosterior(model, NoisyMoments(model, values, noise, rows))

        blank = (1 - LARGEST_MOMENT,) * len(exact_moments)
        return Prepared(record, self.guarantee, ledger, charge, make, blank, bits)

    def _parameters(self) -> dict[str, str]:
        if isinstance(self.guarantee, PureDP):
            return {"epsilon": str(self.epsilon)}
        return {"epsilon": str(self.epsilon), "delta": str(self.delta), "rho": str(self.guarantee.rho)}


def _draw(noise: MomentNoise, model: LinearModel, bits: Bits) -> list[int]:
    """Noise for every released moment, in steps of 4^-resolution."""
    places = moment_places(model)
    size = 1 + places[-1][0]
    if noise.law is NoiseLaw.BOX:
        return knorm_vector(box(Fraction(1 if row == column else 2) for row, column in places), noise.scale, bits)
    if noise.law is NoiseLaw.WISHART:
        return wishart_difference(size, noise.scale, bits)[int(model.intercept) :]  # not the number of records
    diagonal = noise.scale * Fraction(2, size + 1)
    return rounded_gaussian([diagonal if row == column else noise.scale for row, column in places], bits)


def _errors(model: LinearModel, rows: int, noise: MomentNoise) -> tuple[float, float]:
    """Root mean square errors of a prediction: what records leave and what noise adds, in the target's units.

    With evenly spread features A is n times diag(1, 1/3, ...). Noise E moves the weights by A^-1 (E_xy - E_xx w), and a
    prediction by that times x, on average over x: sum of variances of a row of E, over n^2 times the row's entry in A / n.
    """
    count = len(model.coordinates)
    spread = [1.0 if model.intercept and place == 0 else 1 / 3 for place in range(count)]
    deviation = 0.25 if model.noise is None else float(model.noise)
    weight = [min(1 / (float(each) * count), 1 / count) for each in model.precisions]  # mean squares the prior expects
    variances = noise.variances(model)
    moved = sum(
        (variances[row, count] + sum(variances[row, column] * weight[column] for column in range(count))) / spread[row]
        for row in range(count)
    )
    largest = sum(part * expected for part, expected in zip(spread, weight, strict=True))
    errors = [1 / (1 / largest + 1 / part) for part in (deviation**2 * count / rows, moved / rows**2)]
    records, privacy = (math.sqrt(error) * model.target.half_width for error in errors)
    return records, privacy
