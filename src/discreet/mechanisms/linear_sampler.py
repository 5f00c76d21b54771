"""Posterior sampling for linear regression: exact draws from the truncated, tempered Gaussian posterior."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from discreet.errors import ModelError
from discreet.guarantee import BudgetLike, Caveat, PureDP, Receipt, exact
from discreet.kernel import publish
from discreet.kernel.bits import Bits
from discreet.kernel.draws.ball_gaussian import BallGaussian, best_tilt
from discreet.kernel.ledger import Ledger
from discreet.mechanisms.mechanism import Explained, RegressionMechanism
from discreet.mechanisms.prepared import Prepared
from discreet.model.linear import LinearModel
from discreet.model.prior import Prior
from discreet.planning.linear import draw_epsilon, line_draw_error, line_plan, truncation
from discreet.planning.plan import Plan
from discreet.posterior.linear_draws import PLACES, RegressionDraws
from discreet.releases import MechanismRecord

if TYPE_CHECKING:
    from discreet.counts.moments import Moments

__all__ = ["RegressionSampler", "posterior_law"]

_Steps: TypeAlias = tuple[tuple[int, ...], ...]

_TIMING = Caveat(
    "timing",
    "The time that the release took depends on the records: proposals are drawn until one is accepted. The guarantee holds "
    "for whoever sees the release and not how long it took to make.",
)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RegressionSampler(Explained, RegressionMechanism[RegressionDraws]):
    """Draws of the weights from their posterior, in which every record counts tau <= 1 times so that all draws cost epsilon.

    Claim:      epsilon-differentially private under replace-one, with the number of records public. Proof: one draw tempered
                by tau has a density proportional to prior times exp(tau log-likelihood); replacing a record changes the
                exponent by tau g, sup g - inf g <= c = ``draw_epsilon``, so a draw is (tau c)-private; K independent draws at
                tau = min(1, epsilon / (K c)) cost K tau c <= epsilon, which is what is charged. Draws are exact, rounded to a
                public grid (post-processing).                    [Paper, Theorem 4 part 1, corrected; GUARANTEES 6, 11]
    Requires:   bounds, radius, noise and precision do not depend on the records; n is public; nobody sees the time it takes.
    Checked by: tests/property/test_regression_sampler.py::test_no_pair_of_records_costs_more_than_claimed
                tests/statistical/test_ball_gaussian.py::test_draws_follow_the_law_of_quadrature
                tests/audit/test_regression_worlds.py::test_no_draw_is_likelier_than_epsilon_allows
    """

    epsilon: Fraction
    draws: int
    name: ClassVar[str] = "regression-sampler"

    def __init__(self, epsilon: BudgetLike, *, draws: int = 1) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon))
        if isinstance(draws, bool) or not isinstance(draws, int) or not 1 <= draws <= 10_000:
            raise ModelError(
                "draws must be a whole number from 1 to 10000. They share epsilon: more draws, more noise in each."
            )
        object.__setattr__(self, "draws", draws)

    @property
    def guarantee(self) -> PureDP:
        """Pure differential privacy with the given epsilon; less is charged where draws that are not tempered cost less."""
        return PureDP(self.epsilon)

    def plan(self, model: LinearModel, rows: int) -> Plan:
        """What would be released and how wrong predictions with it would be; touches no data.

        Claim:      depends on public quantities alone.
        Requires:   rows >= 1, a declared radius and noise.
        Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_the_planned_error_is_about_the_error_that_happens
        """
        errors = line_draw_error(model, rows, self.epsilon, self.draws)
        return line_plan(self.name, self.cost(model), rows, self.draws * len(model.coordinates), errors)

    def _prepare(
        self,
        found: Moments,
        model: LinearModel,
        ledger: Ledger,
        prior: Prior,  # noqa: ARG002 - the model declares its own
        bits: Bits | None,
    ) -> Prepared[_Steps, RegressionDraws]:
        """How the draws are charged for, made, and wrapped with all that must be said about them.

        Claim:      the result depends on the records only through the draws and their number.
        Requires:   ``found`` are the moments, by this model, of the whole data set under the ledger's name.
        Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_a_release_is_the_draw_that_the_moments_give
        """
        model, cost = model.declare_prior(), self.cost(model)
        record = MechanismRecord(self.name, {"epsilon": str(cost.epsilon), "draws": str(self.draws)})
        temper, rows = self.temper(model), found.rows
        law = posterior_law(found, model, temper)

        def draw(stream: Bits) -> _Steps:
            return tuple(law.draw(stream) for _ in range(self.draws))

        def charge_and_draw() -> tuple[_Steps, Receipt]:
            return publish.charge_and_draw(draw, cost, ledger, self.name, _bits=bits)

        def make(steps: _Steps) -> RegressionDraws:
            return RegressionDraws(model, steps, temper, rows)

        count = len(model.coordinates)
        corner = -int(truncation(model)[0] * 2**PLACES / count)  # all weights alike, on the sphere of the radius
        return Prepared(record, cost, ledger, charge_and_draw, make, ((corner,) * count,) * self.draws, bits, (_TIMING,))

    def temper(self, model: LinearModel) -> Fraction:
        """How much every record counts, so that all draws together cost no more than epsilon.

        Claim:      draws x temper x ``draw_epsilon`` <= epsilon, and at most 1.
        Requires:   a declared radius and noise.
        Checked by: tests/audit/test_regression_worlds.py::test_no_draw_is_likelier_than_epsilon_allows
        """
        return min(Fraction(1), self.epsilon / (self.draws * draw_epsilon(model)))

    def cost(self, model: LinearModel) -> PureDP:
        """What is charged: epsilon, or less where draws that are not tempered at all cost less.

        Claim:      all draws together satisfy it.
        Requires:   a declared radius and noise.
        Checked by: tests/audit/test_regression_worlds.py::test_no_draw_is_likelier_than_epsilon_allows
        """
        return PureDP(self.draws * self.temper(model) * draw_epsilon(model))


def posterior_law(found: Moments, model: LinearModel, temper: Fraction) -> BallGaussian:
    """The posterior of v = w / sqrt(d), for which y = v.(1, x_1, ...) with features in [-1, 1]: so all of it stays rational.

    Claim:      if w has the prior N(0, 1/b) in ||w|| <= R and every record counts ``temper`` times, v has this law: the
                precision is temper / sigma^2 times the sum of u u', plus b d on the diagonal, and ||v|| <= R / sqrt(d).
    Requires:   moments of this model, and its radius and noise declared.
    Checked by: tests/unit/mechanisms/test_linear_sampler.py::test_the_law_of_a_draw_is_the_posterior
    """
    from discreet.counts.moments import outer_products

    radius, noise = truncation(model)
    count, unit = len(model.coordinates), 4**model.resolution
    outer = outer_products(found, model)
    factor = temper / (noise**2 * unit)
    precision = [[factor * entry for entry in row[:count]] for row in outer[:count]]
    for place, prior in enumerate(model.precisions):
        precision[place][place] += prior * count
    linear = [factor * row[count] for row in outer[:count]]
    radius_squared = radius**2 / count
    return BallGaussian(precision, linear, radius_squared, best_tilt(precision, linear, radius_squared))
