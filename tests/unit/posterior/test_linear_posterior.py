from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.files import check_schema
from support.regressions import DEVIATION, SLOPES, line_model, line_records, line_release

from discreet import FormatError, ModelError, load
from discreet.errors import QueryError
from discreet.kernel.ledger import Ledger
from discreet.measure.published import PublishedMoments
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.model.linear import LinearModel
from discreet.posterior.linear import RegressionPosterior
from discreet.release_file.document import release_from_json, release_to_json


@pytest.fixture(scope="module")
def posterior():
    return line_release(bits=SeededBits(1)).posterior


@pytest.fixture(scope="module")
def sure():
    """So large an epsilon that noise does not matter."""
    return line_release(epsilon=10_000, bits=SeededBits(1)).posterior


def test_without_noise_it_is_the_conjugate_posterior(sure):
    data, model = line_records(2000), line_model()
    x, y = model.scale(data), model.target.scale(data["y"].to_numpy())
    gram, cross = x.T @ x, x.T @ y
    variance = float(np.sum((y - x @ np.linalg.solve(gram, cross)) ** 2) / 1997)
    covariance = np.linalg.inv(gram / variance + 4 * np.eye(3))
    mean = covariance @ cross / variance
    turn = model.to_units(np.eye(3)) - model.to_units(np.zeros((1, 3)))
    deviations = np.sqrt(np.diag(turn.T @ covariance @ turn))
    for entry, middle, deviation in zip(sure.summary(), model.to_units(mean), deviations, strict=True):
        assert abs(entry.mean - middle) < 0.2 * deviation
        assert entry.sd == pytest.approx(deviation, rel=0.12)
        assert (entry.upper - entry.lower) / deviation == pytest.approx(2 * 1.645, rel=0.12)
    noise, uncertainty = sure.noise
    assert noise == pytest.approx(50 * np.sqrt(variance), rel=0.02)
    assert uncertainty == pytest.approx(noise / np.sqrt(2 * 2000), rel=0.2)


def test_the_line_is_found_in_the_users_units(posterior):
    summary = posterior.summary(0.99)
    for place, slope in enumerate(SLOPES[:2]):
        entry = summary[f"x{place}"]
        assert entry.lower < slope * 50 / 5 < entry.upper  # 50 and 5 are half the widths of the bounds
        assert 0 < entry.sd < 2
    assert posterior.noise[0] == pytest.approx(50 * DEVIATION, rel=0.5)


def test_privacy_and_records_add_up_to_the_whole_spread(posterior, sure):
    for spread, entry in zip(posterior.spreads(), posterior.summary(), strict=True):
        assert spread.name == entry.name
        assert np.hypot(spread.records, spread.privacy) == pytest.approx(entry.sd, rel=0.02)
        assert spread.privacy > spread.records
    for spread in sure.spreads():
        assert spread.privacy < 0.4 * spread.records


def test_the_same_release_gives_the_same_answers(posterior):
    again = RegressionPosterior(posterior.model, posterior.released)
    assert str(again.summary()) == str(posterior.summary())
    assert posterior.diagnostics.converged


@pytest.mark.slow
def test_draws_are_as_many_as_wanted_and_agree_with_the_summary(posterior):
    draws = posterior.draws(3001, np.random.default_rng(2))
    assert draws.shape == (3001, 3)
    for place, entry in enumerate(posterior.summary()):
        assert abs(draws[:, place].mean() - entry.mean) < 0.15 * entry.sd
        assert draws[:, place].std() == pytest.approx(entry.sd, rel=0.12)
    assert posterior.draws(1).shape == (1, 3)
    with pytest.raises(QueryError, match="whole number"):
        posterior.draws(0)


def test_predictions_have_intervals_for_the_mean_and_for_a_new_record(posterior):
    fresh = line_records(2000, seed=9)
    found = posterior.predict(fresh)
    truth = 50 * (0.1 + (fresh.select("x0", "x1").to_numpy() / 5 - 1) @ np.array(SLOPES[:2]))
    inside = (found.predictive[0] < fresh["y"].to_numpy()) & (fresh["y"].to_numpy() < found.predictive[1])
    assert 0.8 < inside.mean() < 0.99
    assert np.all(found.credible[1] - found.credible[0] < found.predictive[1] - found.predictive[0])
    assert np.sqrt(np.mean((found.mean - truth) ** 2)) < 3
    with pytest.raises(QueryError, match="between 0 and 1"):
        posterior.predict(fresh, interval=90)


def test_records_of_ones_own_sharpen_the_posterior(posterior):
    updated = posterior.update(line_records(3000, seed=5))
    assert updated.own.rows == 3000
    for entry, before in zip(updated.summary(), posterior.summary(), strict=True):
        assert entry.sd < before.sd
    alone = line_release(3000, epsilon=10_000, seed=5, bits=SeededBits(1)).posterior
    assert [entry.sd for entry in updated.summary()] == pytest.approx([entry.sd for entry in alone.summary()], rel=0.35)
    twice = updated.update(line_records(10, seed=6))
    assert twice.own.rows == 3010
    assert "own records  3,010" in repr(twice)


def test_a_declared_noise_is_taken_at_its_word():
    found = line_release(noise="0.2", bits=SeededBits(1)).posterior
    assert found.noise == pytest.approx((10.0, 0.0))


def people(seed=5, rows=5000):
    """Weight by height, with a scatter of 0.18 in scaled units; least squares finds a slope of about 0.9."""
    draw = np.random.default_rng(seed)
    height = draw.normal(172, 9, rows)
    return pl.DataFrame({"height": height, "weight": 75 + 0.9 * (height - 172) + draw.normal(0, 9, rows)})


def height_slope(**options):
    model = LinearModel({"height": (140, 210)}, ("weight", (40, 140)), **options)
    release = RegressionMoments("2").release(people(), model, ledger=Ledger.unlimited(), _bits=SeededBits(1))
    return release.posterior.summary(0.99)["height"], release.posterior


@pytest.mark.fast("0.18")
@pytest.mark.parametrize("noise", ["0.05", "0.18", "0.6"])
def test_a_wrong_noise_does_not_bend_slopes_that_are_learned(noise):
    """With declared precisions, where the noise is believed, it does: that is what is declared."""
    entry, posterior = height_slope(noise=noise)
    assert entry.lower < 0.9 < entry.upper
    assert posterior.noise[0] == pytest.approx(9, rel=0.1)
    believed, posterior = height_slope(noise=noise, precision=1)
    assert (believed.lower < 0.9 < believed.upper) == (noise == "0.18")
    assert posterior.noise[1] == 0


@pytest.mark.slow
def test_a_weak_intercept_lets_the_target_lie_far_from_the_middle_of_its_bounds():
    """A precision for all coefficients draws the line to the middle; records far from it then bend."""
    for precision, found_there in ((100, False), (None, True)):
        posterior = line_release(400, 1, "0.2", bits=SeededBits(1), offset=0.7, precision=precision).posterior
        predicted = posterior.predict(pl.DataFrame({"x0": [5.0]}), interval=0.99)
        assert (predicted.credible[0][0] < 35 < predicted.credible[1][0]) == found_there


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "epsilon", "share"), [(2000, "0.1", 1), (300, "1", 1), (2000, "1", 1 / 4)])
def test_predictions_are_no_worse_than_the_mean_that_was_released(rows, epsilon, share):
    """On average over releases with fixed bits, of a target far from the middle of its bounds."""
    slopes = share * np.array(SLOPES)
    fresh = line_records(2000, 6, seed=99, intercept=0.7, slopes=slopes)
    errors = []
    for seed in range(5):
        data = line_records(rows, 6, seed=seed, intercept=0.7, slopes=slopes)
        model = line_model(6, precision=None)
        made = RegressionMoments(epsilon).release(data, model, ledger=Ledger.unlimited(), _bits=SeededBits(seed)).posterior
        mean = np.full(len(fresh), 50 * made.released.matrix[0, -1] / rows)
        errors.append([np.mean((each - fresh["y"].to_numpy()) ** 2) for each in (made.predict(fresh).mean, mean)])
    found, by_mean = np.mean(errors, axis=0)
    assert found < by_mean


def test_chains_go_on_until_every_coefficient_agrees(posterior):
    assert posterior.diagnostics.all_agree
    assert not replace(posterior.diagnostics, r_hat=1.2).all_agree


def test_few_records_and_much_noise_fall_back_to_the_prior():
    found = line_release(5, epsilon="0.01", bits=SeededBits(2)).posterior
    assert found.diagnostics.r_hat < 1.2
    prior = 10 / np.sqrt(3 * 4)  # a slope of 1 / sqrt(3 precision) in scaled units
    assert all(0.5 * prior < found.summary()[name].sd < 1.5 * prior for name in ("x0", "x1"))


def test_moments_of_another_model_are_refused(posterior):
    with pytest.raises(ModelError, match="another model"):
        RegressionPosterior(line_model(3), posterior.released)
    with pytest.raises(ModelError, match="every pair"):
        PublishedMoments(posterior.model, replace(posterior.released.measurement, numbers=np.array([1, 2])), 5)
    with pytest.raises(ModelError, match="no numbers yet"):
        PublishedMoments(posterior.model, replace(posterior.released.measurement, numbers=None), 5)
    with pytest.raises(ModelError, match="no measurement of the moments"):
        PublishedMoments(line_model(3), posterior.released.measurement, 5)
    with pytest.raises(ModelError, match="at least one record"):
        replace(posterior.released, rows=0)


@pytest.mark.parametrize(("features", "delta"), [(2, None), (6, None), (2, "1e-6")])
def test_a_release_file_comes_back_as_it_was(tmp_path, features, delta):
    release = line_release(300, features, "1/2", delta)
    release = release.update(line_records(20, features, seed=8))
    assert any("20 records" in caveat.text for caveat in release.caveats)
    release.save(tmp_path / "release.json")
    again = load(tmp_path / "release.json")
    one, other = (each.posterior.released for each in (again, release))
    assert (one.values, one.rows, one.model, one.noise) == (other.values, other.rows, other.model, other.noise)
    assert (one.measurement.nodes, one.measurement.statistic) == (other.measurement.nodes, other.measurement.statistic)
    assert again.posterior.own == release.posterior.own
    assert (again.guarantee, again.mechanism) == (release.guarantee, release.mechanism)
    assert again.posterior.rows == 300


@pytest.mark.fast("2-*")
@pytest.mark.parametrize(("features", "delta"), [(2, None), (6, None), (2, "1e-6")])
def test_the_file_keeps_the_published_schema(features, delta):
    release = line_release(30, features, delta=delta)
    for made in (release, release.update(line_records(3, features))):
        check_schema(made)


FAULTS = {
    "less noise": lambda file: file["statistics"]["noise"].update(scale="1"),
    "another law": lambda file: file["statistics"]["noise"].update(law="wishart"),
    "a moment too few": lambda file: file["statistics"]["values"].pop(),
    "a moment that is no integer": lambda file: file["statistics"]["values"].__setitem__(0, 1.5),
    "another mechanism": lambda file: file["mechanism"].update(name="laplace"),
    "another resolution": lambda file: file["model"].update(resolution=8),
    "own moments of no records": lambda file: file["own"]["products"][1].__setitem__(1, -1),
    "own moments that are not symmetric": lambda file: file["own"]["products"][0].__setitem__(1, 7),
    "own moments beyond their number": lambda file: file["own"]["products"][1].__setitem__(1, 2**60),
    "own records that are not their number": lambda file: file["own"].update(rows=4),
}


GAUSSIAN_FAULTS = {
    "a smaller epsilon": {"epsilon": "1/2"},
    "an epsilon that no rho keeps": {"epsilon": "1/10000000"},
    "a smaller delta": {"delta": "1/10000000"},
    "a delta of one": {"delta": "1"},
    "another rho": {"rho": "1/7"},
}


@pytest.mark.parametrize("fault", GAUSSIAN_FAULTS)
def test_a_file_of_gaussian_noise_that_contradicts_itself_is_refused(fault):
    from discreet.release_file.document import digest

    content = release_to_json(line_release(30, delta="1e-6"))
    release_from_json(content)
    content["mechanism"]["parameters"].update(GAUSSIAN_FAULTS[fault])
    with pytest.raises(FormatError):
        release_from_json({**content, "digest": digest(content)})


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_contradicts_itself_is_refused(fault):
    from discreet.release_file.document import digest

    content = release_to_json(line_release(30).update(line_records(3, seed=2)))
    release_from_json(content)
    FAULTS[fault](content)
    with pytest.raises(FormatError):
        release_from_json({**content, "digest": digest(content)})


def test_missing_values_are_no_option_of_a_regression(posterior):
    release = line_release(30)
    with pytest.raises(QueryError, match="number in every column"):
        release.update(line_records(3), missing="?")
