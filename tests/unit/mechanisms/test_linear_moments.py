from dataclasses import replace
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
from discreet.measure.laws import LaplaceNoise, NoiseForm
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.strategies.moment_noise import moment_measurement
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.parcels import moment_law
from discreet.mechanisms.publishing import prepare_moments
from discreet.model.linear import SLOPE_SCALE
from discreet.releases import MechanismRecord

HALF = PureDP(Fraction(1, 2))
CASES = [(2, None, NoiseForm.BOX), (6, None, NoiseForm.WEIGHTED), (3, "1e-6", NoiseForm.GAUSSIAN)]


@pytest.mark.parametrize(("features", "delta", "law"), CASES)
@pytest.mark.parametrize("intercept", [True, False])
def test_a_release_is_the_sum_of_moments_and_noise(features, delta, law, intercept):
    release = line_release(50, features, "1/2", delta, bits=SeededBits(3), intercept=intercept, precision=16)
    model = line_model(features, intercept=intercept, precision=16)
    outer = outer_products(moments(line_records(50, features), model), model)
    measurement = moment_measurement(model, RegressionMoments("1/2", delta).guarantee)
    exact = [outer[row][column] for row, column in measurement.law.triangle.places]
    drawn = moment_law(measurement, model, 50).draw((len(exact),), SeededBits(3))
    assert measurement.law.form is law
    assert release.posterior.released.values == tuple(a + b for a, b in zip(exact, drawn, strict=True))
    assert {type(value) for value in release.posterior.released.values} == {int}
    assert (release.posterior.rows, release.posterior.released.noise) == (50, measurement.law)
    assert "scripted-bits" in {caveat.name for caveat in release.caveats}


@pytest.mark.parametrize(("features", "delta", "law"), CASES)
@pytest.mark.parametrize("intercept", [True, False])
def test_every_moment_but_the_number_of_records_gets_noise(features, delta, law, intercept):
    """The known fault of others: a diagonal of X'X without noise. No entry may be the same in two releases."""
    one, other = (
        line_release(50, features, "1", delta, bits=SeededBits(seed), intercept=intercept, precision=16).posterior.released
        for seed in (1, 2)
    )
    assert one.noise.form is law
    size = features + 1 + intercept
    assert len(one.values) == size * (size + 1) // 2 - intercept
    assert all(left != right for left, right in zip(one.values, other.values, strict=True))
    spread = one.noise.variances
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


def prepared(measurement, ledger, model=None, found=None, guarantee=HALF):
    """A release of the moments of fifty records, as far as it goes without the charge. Nothing may be drawn."""
    model = model or line_model()
    found = found or moments(line_records(50), line_model())
    return prepare_moments(MechanismRecord("test", {}), guarantee, measurement, found, model, ledger, FailingBits())


@pytest.mark.parametrize("guarantee", [HALF, ZCDP(Fraction(1, 50))], ids=str)
@pytest.mark.parametrize("features", [2, 6])
def test_noise_that_is_too_small_for_the_bounds_costs_nothing(features, guarantee, tmp_path):
    """Planted: a scale that is too small by next to nothing, and noise that was made for a coarser grid or fewer columns."""
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    model = line_model(features)
    found, honest = moments(line_records(50, features), model), moment_measurement(model, guarantee)
    coarse = moment_measurement(line_model(features, resolution=model.resolution - 1), guarantee).law.scale
    narrow = moment_measurement(line_model(features - 1), guarantee).law.scale
    scales = [honest.law.scale - Fraction(1, 10**60), coarse]
    scales += [narrow] if honest.law.form is not NoiseForm.BOX else []  # box noise is the same for all sizes
    for scale in scales:
        greedy = replace(honest, law=replace(honest.law, scale=scale))
        with pytest.raises(BudgetError, match="sum to more than the guarantee"):
            prepared(greedy, ledger, model, found, guarantee).charge_and_draw()
    assert ledger.history() == []
    with pytest.raises(AssertionError):  # the bits fail, after the charge
        prepared(honest, ledger, model, found, guarantee).charge_and_draw()
    assert len(ledger.history()) == 1


def test_what_is_no_measurement_of_the_model_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    honest = moment_measurement(line_model(), HALF)
    others = [
        moment_measurement(line_model(3), HALF),
        moment_measurement(line_model(resolution=8), HALF),
        moment_measurement(line_model(intercept=False), HALF),
        replace(honest, nodes=("(intercept)", "x1", "x0", "y")),
        Measurement(("x0", "y"), Statistic.COUNTS, LaplaceNoise(Fraction(8))),
    ]
    for wrong in others:
        with pytest.raises(ModelError, match="no measurement of the moments"):
            prepared(wrong, ledger)
    with pytest.raises(ModelError, match="form that is not known"):
        prepared(replace(honest, law=replace(honest.law, form="uniform")), ledger)
    assert ledger.history() == []


def test_a_statistic_and_the_noise_of_another_make_no_measurement():
    law = moment_measurement(line_model(), HALF).law
    for nodes, statistic, noise in [
        (("x0", "y"), Statistic.MOMENTS, LaplaceNoise(Fraction(8))),
        (("(intercept)", "x0", "x1", "y"), Statistic.COUNTS, law),
        (("(intercept)", "x0", "y"), Statistic.MOMENTS, law),
    ]:
        with pytest.raises(ModelError, match="made for moments of so many columns"):
            Measurement(nodes, statistic, noise)


def test_moments_of_other_records_than_declared_cost_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    honest, found = moment_measurement(line_model(), HALF), moments(line_records(50), line_model())
    wrong = [
        replace(found, rows=10),  # more than ten records within the bounds can add up to
        replace(found, sums=found.sums * 2**40),
        replace(found, products=found.products * 2**10),
        replace(found, products=found.products[:2, :2]),
        replace(found, resolution=8),
        replace(found, products=found.products.astype(float)),
    ]
    for moved in wrong:
        with pytest.raises(ValueError, match=r"[Mm]oments") as caught:
            prepared(honest, ledger, found=moved)
        assert not any(str(abs(int(number))) in str(caught.value) for number in moved.products.ravel() if abs(number) > 100)
    assert ledger.history() == []


def test_the_kernel_looks_at_the_number_of_records_for_itself(tmp_path, monkeypatch):
    """Planted: nobody looked at the moments on the way to the door."""
    monkeypatch.setattr("discreet.counts.moments.check_moments", lambda *_: None)
    ledger = Ledger(tmp_path / "ledger", cap="1")
    fewer = replace(moments(line_records(50), line_model()), rows=10)
    with pytest.raises(ValueError, match="so many records within the declared bounds"):
        prepared(moment_measurement(line_model(), HALF), ledger, found=fewer).charge_and_draw()
    assert ledger.history() == []


@pytest.mark.parametrize(("features", "delta", "law"), CASES)
def test_what_is_published_is_what_the_mechanism_says_it_measures(features, delta, law):
    model, mechanism = line_model(features, precision=16), RegressionMoments("1", delta)
    planned = mechanism.measurement(model)
    assert planned.numbers is None
    made = mechanism.release(line_records(20, features), model, ledger=Ledger.unlimited()).posterior.released.measurement
    assert (made.nodes, made.statistic, made.law) == (planned.nodes, planned.statistic, planned.law)
    assert (made.statistic, made.law.form) == (Statistic.MOMENTS, law)
    assert made.nodes == ("(intercept)", *(f"x{place}" for place in range(features)), "y")


def test_the_largest_noise_can_be_saved(tmp_path):
    """What a release file cannot hold is refused before the charge; the test above sees it refused."""
    model, data = line_model(12, resolution=20), line_records(20, 12, slopes=[0] * 12)
    smallest = Fraction(2 * 20 * 4**20, 2**120)  # squared weights of fourteen columns: two of four, twelve of one
    made = RegressionMoments(smallest).release(data, model, ledger=Ledger.unlimited())
    made.save(tmp_path / "release.json")
    with pytest.raises(BudgetError):
        RegressionMoments(smallest * Fraction(99, 100)).release(data, model, ledger=Ledger.unlimited(), _bits=FailingBits())


def test_a_plan_expects_slopes_of_the_usual_size_where_no_precision_is_declared():
    """A precision of 1 would expect larger ones, and so more noise from moments of features, and more to lose at all."""
    learned, declared = (RegressionMoments("1").plan(line_model(6, precision=each), 2000) for each in (None, 1))
    assert learned.privacy_error < 0.95 * declared.privacy_error
    model = line_model(6, precision=None)
    assert model.expected_squares == pytest.approx((1 / 3, *[SLOPE_SCALE**2 / 6] * 6))
    assert line_model(6, precision=None, intercept=False).expected_squares == pytest.approx([SLOPE_SCALE**2 / 6] * 6)
    assert line_model(6, precision=4).expected_squares == pytest.approx([1 / 28] * 7)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, None), ("-1", None), ("1", 0), ("1", 1), ("1", "2")])
def test_a_budget_without_meaning_is_refused_at_once(epsilon, delta):
    with pytest.raises(BudgetError):
        RegressionMoments(epsilon, delta)


@pytest.mark.parametrize("precision", [4, None])
def test_the_planned_error_is_about_the_error_that_happens(precision):
    """Evenly spread features, as the plan assumes: the root mean square effect of noise on predictions."""
    model, rows = line_model(6, noise="0.1", precision=precision), 4000
    plan = RegressionMoments("1").plan(model, rows)
    assert (plan.released_numbers, plan.rows, plan.guarantee) == (35, rows, PureDP(Fraction(1)))
    data = line_records(rows, 6)
    exact = np.linalg.lstsq(model.scale(data), model.target.scale(data["y"].to_numpy()), rcond=None)[0]
    errors = []
    for seed in range(12):
        made = line_release(rows, 6, "1", bits=SeededBits(seed), noise="0.1", precision=precision)
        matrix = made.posterior.released.matrix
        weights = np.linalg.solve(matrix[:-1, :-1], matrix[:-1, -1])
        moved = model.scale(data) @ (np.sqrt(7) * weights - exact)
        errors.append(np.mean(moved**2) * model.target.half_width**2)
    assert 0.4 < plan.privacy_error / np.sqrt(np.mean(errors)) < 2.5
    assert plan.records_error == pytest.approx(0.1 * np.sqrt(7 / rows) * 50, rel=0.1)
    assert RegressionMoments("1", "1e-6").plan(model, rows).mechanism == "regression-moments-gaussian"
