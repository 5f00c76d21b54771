import math
from fractions import Fraction

import pytest
from support.optional import need

from discreet.conversion import epsilon_of_rho
from discreet.guarantee import ZCDP, ApproxDP, PureDP, exact
from discreet.kernel.total import Total

DELTA = exact("1e-6")


def pure(epsilon: str) -> PureDP:
    return PureDP(exact(epsilon))


def concentrated(rho: str) -> ZCDP:
    return ZCDP(exact(rho))


def approximate(epsilon: str, delta: str) -> ApproxDP:
    return ApproxDP(exact(epsilon), exact(delta))


MIXTURES = {
    "normals": [concentrated("0.02")] * 3,
    "many small pure ones": [pure("0.05")] * 60,
    "a large pure one and normals": [pure("1"), concentrated("0.02"), concentrated("0.05")],
    "small pure ones and a normal": [*[pure("0.02")] * 20, concentrated("0.1")],
    "approximate and pure": [approximate("0.3", "2e-7"), pure("0.5"), approximate("0.1", "8e-7")],
    "all kinds": [approximate("0.2", "5e-7"), pure("0.3"), concentrated("0.03")],
}


def worst_cases(guarantee):
    """Losses of a mechanism that uses its guarantee up, as an accountant of loss distributions describes them."""
    pld = need("dp_accounting").pld
    options = {"value_discretization_interval": 1e-3}
    if isinstance(guarantee, ZCDP):
        deviation = math.sqrt(1 / (2 * float(guarantee.rho)))
        return pld.privacy_loss_distribution.from_gaussian_mechanism(deviation, **options)
    delta = float(getattr(guarantee, "delta", 0))
    parameters = pld.common.DifferentialPrivacyParameters(float(guarantee.epsilon), delta)
    return pld.privacy_loss_distribution.from_privacy_parameters(parameters, **options)


@pytest.mark.parametrize("charges", MIXTURES.values(), ids=MIXTURES)
def test_the_total_agrees_with_an_independent_accountant(charges):
    """No mechanisms lose more than the total says, and the worst ones lose not much less."""
    losses = worst_cases(charges[0])
    for charge in charges[1:]:
        losses = losses.compose(worst_cases(charge))
    known = losses.get_epsilon_for_delta(float(DELTA))
    total = float(Total.of(charges).spent(DELTA))
    assert known * 0.999 <= total <= known * 1.35


def test_pure_charges_cost_their_sum_where_that_is_the_least():
    assert Total.of([pure("0.5"), pure("0.25")]).spent(DELTA) == Fraction(3, 4)
    assert Total.of([pure("0.5"), pure("0.25")]).spent(None) == Fraction(3, 4)


def test_many_small_pure_charges_cost_less_than_their_sum_at_a_delta():
    many = Total.of([pure("0.01")] * 1000)
    assert many.spent(None) == 10
    assert many.spent(DELTA) == epsilon_of_rho(Fraction(1, 20), DELTA) < 2


def test_one_large_pure_charge_does_not_make_normals_dear():
    total = Total.of([pure("3"), concentrated("0.01")])
    assert total.spent(DELTA) == 3 + epsilon_of_rho(exact("0.01"), DELTA) < epsilon_of_rho(exact("4.51"), DELTA)


def test_approximate_charges_leave_less_delta_for_the_others():
    total = Total.of([concentrated("0.1"), approximate("0.2", "9e-7")])
    assert total.spent(DELTA) == exact("0.2") + epsilon_of_rho(exact("0.1"), exact("1e-7"))


def test_the_whole_delta_may_go_to_approximate_charges_but_then_normals_cannot_be_paid():
    whole = Total.of([approximate("0.2", "1e-6"), pure("0.5")])
    assert whole.spent(DELTA) == exact("0.7")
    assert whole.plus(concentrated("1e-9")).spent(DELTA) is None
    assert whole.plus(approximate("0.1", "1e-30")).spent(DELTA) is None


def test_without_a_delta_only_pure_charges_have_a_total():
    assert Total.of([pure("0.5"), concentrated("0.1")]).spent(None) is None
    assert Total.of([pure("0.5"), approximate("0.1", "1e-9")]).spent(None) is None
    assert Total().spent(None) == Total().spent(DELTA) == 0
