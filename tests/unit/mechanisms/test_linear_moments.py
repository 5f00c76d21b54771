from fractions import Fraction

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits
from support.regressions import line_model, line_records, line_release

from discreet.conversion import epsilon_of_rho
from discreet.counts.moments import moments, outer_products
from discreet.errors import BudgetError, DataError, ModelError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.ledger import Ledger
from discreet.measure.strategies.moment_noise import NoiseLaw, moment_noise, moment_places
from discreet.mechanisms.linear_moments import RegressionMoments, _draw

CASES = [(2, None, NoiseLaw.BOX), (6, None, NoiseLaw.WISHART), (3, "1e-6", NoiseLaw.GAUSSIAN)]


@pytest.mark.parametrize(("features", "delta", "law"), CASES)
@pytest.mark.parametrize("intercept", [True, False])
def test_a_release_is_the_sum_of_moments_and_noise(features, delta, law, intercept):
    release = line_release(50, features, "1/2", delta, bits=SeededBits(3), intercept=intercept)
    model = line_model(features, intercept=intercept)
    outer = outer_products(moments(line_records(50, features), model), model)
    noise = moment_noise(model, RegressionMoments("1/2", delta).guarantee)
    drawn = _draw(noise, model, SeededBits(3))
    exact = [outer[row][column] for row, column in moment_places(model)]
    assert noise.law is law
    assert release.posterior.released.values == tuple(a + b for a, b in zip(exact, drawn, strict=True))
    assert (release.posterior.rows, release.posterior.released.noise) == (50, noise)
    assert "scripted-bits" in {caveat.name for caveat in release.caveats}


@pytest.mark.parametrize(("features", "delta", "law"), CASES)
@pytest.mark.parametrize("intercept", [True, False])
def test_every_moment_but_the_number_of_records_gets_noise(features, delta, law, intercept):
    """The known fault of others: a diagonal of X'X without noise. No entry may be the same in two releases."""
    one, other = (
        line_release(50, features, "1", delta, bits=SeededBits(seed), intercept=intercept).posterior.released
        for seed in (1, 2)
    )
    assert one.noise.law is law
    size = features + 1 + intercept
    assert len(one.values) == size * (size + 1) // 2 - intercept
    assert all(left != right for left, right in zip(one.values, other.values, strict=True))
    spread = one.noise.variances(one.model)
    assert np.all(np.delete(spread.ravel(), 0 if intercept else []) > 0)


def test_a_release_is_charged_once_and_says_what_it_cost(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-5")
    data, model = line_records(20), line_model()
    pure = RegressionMoments("0.25").release(data, model, ledger=ledger)
    assert pure.guarantee == PureDP(Fraction(1, 4))
    assert (pure.mechanism.name, pure.mechanism.parameters) == ("regression-moments", {"epsilon": "1/4"})
    gaussian = RegressionMoments("0.25", "1e-6").release(data, model, ledger=ledger)
    assert isinstance(gaussian.guarantee, ZCDP)
    assert epsilon_of_rho(gaussian.guarantee.rho, Fraction(1, 10**6)) <= Fraction(1, 4)
    assert gaussian.mechanism.parameters["rho"] == str(gaussian.guarantee.rho)
    assert [receipt.number for release in (pure, gaussian) for receipt in release.receipts] == [1, 2]


def test_what_cannot_be_released_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    model, data = line_model(), line_records(20)
    mechanism = RegressionMoments("1/2")
    with pytest.raises(DataError):
        mechanism.release(data.drop("y"), model, ledger=ledger, _bits=FailingBits())
    with pytest.raises(DataError):
        mechanism.release(data, model, ledger=ledger, rows=21, _bits=FailingBits())
    with pytest.raises(ModelError, match="50 features"):
        mechanism.release(data, line_model(51), ledger=ledger, _bits=FailingBits())
    with pytest.raises(BudgetError):
        RegressionMoments("2").release(data, model, ledger=ledger, _bits=FailingBits())
    with pytest.raises(BudgetError, match="delta"):
        RegressionMoments("1/2", "1e-6").release(data, model, ledger=ledger, _bits=FailingBits())
    for epsilon in ("1e-30", Fraction(1, 10**400)):
        with pytest.raises(BudgetError, match="larger epsilon"):
            RegressionMoments(epsilon).release(data, model, ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def test_the_largest_noise_can_be_saved(tmp_path):
    """What a release file cannot hold is refused before the charge; the test above sees it refused."""
    model, data = line_model(12, resolution=20), line_records(20, 12, slopes=[0] * 12)
    smallest = Fraction(2 * 14 * 4**20, 2**120)
    made = RegressionMoments(smallest).release(data, model, ledger=Ledger.unlimited())
    made.save(tmp_path / "release.json")
    with pytest.raises(BudgetError):
        RegressionMoments(smallest * Fraction(99, 100)).release(data, model, ledger=Ledger.unlimited(), _bits=FailingBits())


@pytest.mark.parametrize(("epsilon", "delta"), [(0, None), ("-1", None), ("1", 0), ("1", 1), ("1", "2")])
def test_a_budget_without_meaning_is_refused_at_once(epsilon, delta):
    with pytest.raises(BudgetError):
        RegressionMoments(epsilon, delta)


def test_the_planned_error_is_about_the_error_that_happens():
    """Evenly spread features, as the plan assumes: the root mean square effect of noise on predictions."""
    model, rows = line_model(6, noise="0.1"), 4000
    plan = RegressionMoments("1").plan(model, rows)
    assert (plan.released_numbers, plan.rows, plan.guarantee) == (35, rows, PureDP(Fraction(1)))
    data = line_records(rows, 6)
    exact = np.linalg.lstsq(model.scale(data), model.target.scale(data["y"].to_numpy()), rcond=None)[0]
    errors = []
    for seed in range(12):
        matrix = line_release(rows, 6, "1", bits=SeededBits(seed), noise="0.1").posterior.released.matrix
        weights = np.linalg.solve(matrix[:-1, :-1], matrix[:-1, -1])
        moved = model.scale(data) @ (np.sqrt(7) * weights - exact)
        errors.append(np.mean(moved**2) * model.target.half_width**2)
    assert 0.4 < plan.privacy_error / np.sqrt(np.mean(errors)) < 2.5
    assert plan.records_error == pytest.approx(0.1 * np.sqrt(7 / rows) * 50, rel=0.1)
    assert RegressionMoments("1", "1e-6").plan(model, rows).mechanism == "regression-moments-gaussian"
