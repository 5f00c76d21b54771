from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from scipy.special import betaln, gammaincc, gammaln
from scipy.stats import beta
from support.chains import run_chain
from support.measurements import counts, noisy_counts, part_noise
from support.true_tables import LARGEST_Z, deviation, lay_out

from discreet import DirichletPosterior, ModelError, Network, Variable, naive_bayes
from discreet.chains import effort
from discreet.chains.family_chain import Effort
from discreet.chains.incomplete_gamma import LogTails
from discreet.chains.row_priors import FixedRows
from discreet.chains.visits import Visits
from discreet.inference.own_counts import OwnRecords
from discreet.measure.laws import GaussianNoise, KNormNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.observations import shared_margins
from discreet.measure.published import Repair
from discreet.model.prior import UNIFORM
from discreet.posterior.aware import aware_of
from discreet.posterior.noise_aware import NoiseAwarePosterior

COIN = Network([Variable("coin", ["head", "tail"])])
PAIR = Network([Variable("y", ["0", "1"]), Variable("x", ["0", "1"])], {"x": ["y"]})
QUICK = Effort(chains=32, warm_up=10, rounds=100)


def tossed(heads: int, tails: int, scale: Fraction, rows: int, **more) -> NoiseAwarePosterior:
    released = noisy_counts(COIN, {"coin": np.array([[heads, tails]])}, scale, rows)
    return NoiseAwarePosterior(COIN, UNIFORM, released, effort=QUICK, **more)


def exact_weights(heads: int, tails: int, scale: float, rows: int) -> np.ndarray:
    """The probability of every true count, by the sum over all of them."""
    counts = np.arange(rows + 1)
    log = gammaln(rows + 1) - gammaln(counts + 1) - gammaln(rows - counts + 1) + betaln(1 + counts, 1 + rows - counts)
    log -= (np.abs(heads - counts) + np.abs(tails - rows + counts)) / scale
    return np.exp(log - log.max()) / np.exp(log - log.max()).sum()


@pytest.mark.fast("48-2")
@pytest.mark.parametrize(("heads", "tails"), [(20, 33), (-15, 70), (48, 2)])
def test_a_root_has_the_posterior_that_summing_over_all_true_counts_gives(heads, tails):
    posterior = tossed(heads, tails, Fraction(12), 50)
    weights, counts = exact_weights(heads, tails, 12, 50), np.arange(51)
    assert posterior.mean("coin")[0, 0] == pytest.approx(weights @ ((1 + counts) / 52), abs=0.02)
    lower, upper = posterior.interval("coin", 0.9)
    for end, tail in ((lower, 0.05), (upper, 0.95)):
        assert weights @ beta.cdf(end[0, 0], 1 + counts, 51 - counts) == pytest.approx(tail, abs=0.02)


def test_nodes_that_share_no_family_have_the_posteriors_that_each_has_alone():
    network = Network([Variable(name, ["head", "tail"]) for name in "abc"])
    tables = {name: np.array([[heads, 53 - heads]]) for name, heads in zip("abc", (-15, 20, 48), strict=True)}
    posterior = NoiseAwarePosterior(network, UNIFORM, noisy_counts(network, tables, 12, 50), effort=QUICK)
    for name, heads in zip("abc", (-15, 20, 48), strict=True):
        weights = exact_weights(heads, 53 - heads, 12, 50)
        assert posterior.mean(name)[0, 0] == pytest.approx(weights @ ((1 + np.arange(51)) / 52), abs=0.02)


def test_chains_that_are_shortened_to_fit_into_memory_are_diagnosed_as_they_are(monkeypatch):
    network = Network([Variable(name, ["0", "1"]) for name in "abcd"], {"d": ["a", "b"]})
    tables = {family.node: np.full((family.configurations, family.levels), 5) for family in network.families}
    monkeypatch.setattr(effort, "_KEPT", 14 * 40)  # there are 14 cells
    posterior = NoiseAwarePosterior(network, UNIFORM, noisy_counts(network, tables, 3, 10))
    assert posterior.diagnostics.draws == len(posterior.concentrations("d")) == 40


@pytest.mark.slow
def test_the_variance_is_sampling_plus_noise():
    posterior = tossed(20, 33, Fraction(12), 50)
    weights, counts = exact_weights(20, 33, 12, 50), np.arange(51)
    mean = (1 + counts) / 52
    sampling, noise = posterior.variances("coin")
    assert sampling[0, 0] == pytest.approx(weights @ (mean * (1 - mean) / 53), rel=0.05)
    assert noise[0, 0] == pytest.approx(weights @ mean**2 - (weights @ mean) ** 2, rel=0.25)
    assert (posterior.variance("coin") == sampling + noise).all()
    assert posterior.noise_share("coin")[0, 0] == pytest.approx(noise[0, 0] / (sampling + noise)[0, 0])


def test_without_noise_the_posterior_is_the_dirichlet_one():
    posterior = replace(tossed(20, 30, Fraction(1, 1000), 50), effort=Effort())
    plugin = posterior.plugin
    np.testing.assert_allclose(posterior.mean("coin"), plugin.mean("coin"), rtol=1e-12)
    np.testing.assert_allclose(posterior.variance("coin"), plugin.variance("coin"), rtol=1e-9)
    assert posterior.noise_share("coin").max() == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_hopeless_noise_leaves_the_prior():
    posterior = tossed(900, -700, Fraction(10**6), 50)
    assert posterior.mean("coin")[0, 0] == pytest.approx(0.5, abs=0.06)
    lower, upper = posterior.interval("coin", 0.9)
    assert lower[0, 0] < 0.12
    assert upper[0, 0] > 0.88


def test_own_records_narrow_the_posterior_and_count_exactly():
    posterior = tossed(20, 33, Fraction(50), 50)
    own = OwnRecords({"coin": np.array([[900, 100]])}, 1000)
    updated = tossed(20, 33, Fraction(50), 50, own=own)
    assert updated.mean("coin")[0, 0] == pytest.approx(0.89, abs=0.03)
    assert updated.variance("coin")[0, 0] < posterior.variance("coin")[0, 0] / 20
    added = posterior.update(pl.DataFrame({"coin": ["head"] * 3}))
    assert added.own is not None
    assert added.own.rows == 3


def test_tables_are_whole_numbers_that_sum_to_the_records():
    posterior = tossed(20, 33, Fraction(12), 50)
    tables = posterior.concentrations("coin") - 1
    assert (tables == np.rint(tables)).all()
    assert (tables >= 0).all()
    assert (tables.sum(axis=2) == 50).all()


@pytest.mark.slow
def test_the_same_release_gives_the_same_answers():
    one, two = tossed(20, 33, Fraction(12), 50), tossed(20, 33, Fraction(12), 50)
    assert (one.mean("coin") == two.mean("coin")).all()
    assert (one.interval("coin")[0] == two.interval("coin")[0]).all()
    assert (one.mean("coin") != tossed(20, 33, Fraction(12), 50, seed=1).mean("coin")).any()


def test_a_family_has_the_posterior_that_summing_over_all_true_tables_gives():
    rows, scale, noisy = 14, 4.0, np.array([[6, -3], [5, 9]])
    released = noisy_counts(PAIR, {"x": noisy}, 4, rows, Repair.PROJECT)
    posterior = NoiseAwarePosterior(PAIR, UNIFORM, released, effort=Effort(32, 20, 80))
    cells = np.array([(a, b, c, rows - a - b - c) for a in range(15) for b in range(15 - a) for c in range(15 - a - b)])
    # Uniform priors: so is the split of each row. The counts of rows are believed to be near what the release says, weakly.
    totals = cells.reshape(-1, 2, 2).sum(axis=2)
    log = -np.log(totals + 1.0).sum(axis=1)
    log += gammaln(totals + lay_out(PAIR, released.measurements, rows, 1.0, ["x"]).row_spread).sum(axis=1)
    log -= gammaln(totals + 1.0).sum(axis=1)
    log -= np.abs(noisy.ravel() - cells).sum(axis=1) / scale
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    expected = weights @ ((1 + cells[:, [0, 2]]) / (2 + cells[:, [0, 2]] + cells[:, [1, 3]]))
    np.testing.assert_allclose(posterior.mean("x")[:, 0], expected, atol=0.03)
    label = weights @ ((1 + cells[:, 0] + cells[:, 1]) / (2 + rows))
    assert posterior.mean("y")[0, 0] == pytest.approx(label, abs=0.04)


@pytest.mark.parametrize("law", [LaplaceNoise(Fraction(3)), GaussianNoise(Fraction(18)), part_noise(3, 2)], ids=type)
def test_every_law_weighs_the_true_counts_by_its_density(law):
    contrast = isinstance(law, KNormNoise)
    statistic = Statistic.CONTRAST if contrast else Statistic.COUNTS
    measured = Measurement(("coin",), statistic, law, np.array(-4) if contrast else np.array([13, 9]))
    tables = lay_out(COIN, [measured], 20, 1.0)
    start = np.full((2, 256), 10.0)
    kept = run_chain(tables, start, FixedRows(tables), Effort(256, 20, 60), np.random.default_rng(1)).counts
    counts = np.arange(21)
    gaps = np.abs(-4.0 - (2 * counts - 20))[None] if contrast else np.abs([13.0 - counts, 9.0 - (20 - counts)])
    match law:
        case LaplaceNoise():
            weights = np.exp(-gaps.sum(axis=0) / 3)
        case GaussianNoise():
            weights = np.exp(-(gaps**2).sum(axis=0) / 36)
        case KNormNoise():
            weights = gammaincc(3.0, gaps[0] / 2)
    assert deviation(kept, np.stack([counts, 20 - counts], axis=1), weights / weights.sum()) < LARGEST_Z


def test_the_density_of_k_norm_noise_is_that_of_a_uniform_point_times_its_radius():
    generator = np.random.default_rng(3)
    radius = generator.gamma(5 + 1, 2.0, 200_000)  # a block of five coordinates
    one = radius * generator.uniform(-1, 1, 200_000)
    shape, scale = part_noise(5, 2).tail
    assert (shape, scale) == (5, 2)
    edges = np.linspace(0, 30, 13)
    fine = np.linspace(0, 60, 6001)
    density = gammaincc(shape, fine / scale)
    expected = np.interp(edges, fine, np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)]) / density.sum())
    np.testing.assert_allclose([(np.abs(one) <= edge).mean() for edge in edges], expected, atol=0.006)


def test_log_tails_agree_with_the_function_they_tabulate():
    shapes = np.array([0.0, 1.5, 18.0])
    tails = LogTails(shapes)
    x = np.array([[0.3, 70.0], [0.7, 9.3], [2.0, 40.0]])
    found = tails(np.arange(3)[:, None], x)
    assert (found[0] == 0).all()
    np.testing.assert_allclose(found[1:], np.log(gammaincc(shapes[1:, None], x[1:])), atol=1e-4)
    far = tails(np.array([[2]]), np.array([[1000.0, 1001.0]]))[0]
    assert far[0] - far[1] == pytest.approx(1)


@pytest.mark.parametrize(("scale", "statistic"), [("7/10", "counts"), ("12", "counts"), ("3/2", "parity")])
def test_the_variance_of_laplace_noise_is_that_of_the_discrete_law(scale, statistic):
    """A parity is the number of records less twice the odd count that was published: its noise has steps of two."""
    measured = Measurement(("coin",), Statistic(statistic), LaplaceNoise(Fraction(scale)))
    places = np.arange(-2000, 2001)
    weights = np.exp(-np.abs(places) / float(Fraction(scale)))
    assert measured.variance == pytest.approx((weights @ (measured.unit * places) ** 2) / weights.sum(), rel=1e-9)
    assert measured.unit == (2 if statistic == "parity" else 1)


def test_a_margin_is_what_all_tables_that_have_it_say_by_least_squares():
    network = naive_bayes("y", ["a", "b"])
    generator = np.random.default_rng(5)
    noisy = [generator.normal(10, 3, (2, 2)) for _ in range(2)]
    measured = [counts(["y", name], GaussianNoise(Fraction(4)), table) for name, table in zip("ab", noisy, strict=True)]
    shared = shared_margins(network, measured, 40)
    assert shared is not None
    margin, variance = shared.margin(("y",), (2,))
    # Either table knows the difference of the two rows, with variance 4 cells x 4; the sum of both is known to all.
    difference = np.mean([table.sum(axis=1) @ [1, -1] for table in noisy])
    np.testing.assert_allclose(margin, [20 + difference / 2, 20 - difference / 2])
    assert variance == pytest.approx(16 / 2 / 4)
    assert shared.margin(("a",), (2,))[1] == pytest.approx(16 / 4)
    assert shared_margins(network, [], 40).margin(("a",), (2,))[1] == np.inf


def test_diagnostics_see_chains_that_disagree():
    posterior = NoiseAwarePosterior(COIN, UNIFORM, None)
    tables = np.random.default_rng(1).integers(40, 60, (100, 8, 1, 2)).astype(float)
    parameters = {"coin": np.ones((1, 1, 2))}
    posterior.__dict__["_visits"] = Visits(8, 100, {"coin": tables.reshape(-1, 1, 2)}, parameters, {})
    assert posterior.diagnostics.converged
    apart = replace(posterior)
    moved = tables + 20 * np.arange(8)[:, None, None] * [1, 0]
    apart.__dict__["_visits"] = Visits(8, 100, {"coin": moved.reshape(-1, 1, 2)}, parameters, {})
    assert not apart.diagnostics.converged
    assert apart.diagnostics.draws == 800


def test_draws_for_the_same_tables_differ_by_sampling_alone():
    posterior = tossed(20, 33, Fraction(12), 50)
    one, two = posterior.repeated_draws(4000, 2, np.random.default_rng(1))
    noise = np.cov(one["coin"][:, 0, 0], two["coin"][:, 0, 0])
    sampling, hidden = posterior.variances("coin")
    assert noise[0, 1] == pytest.approx(hidden[0, 0], rel=0.2)
    assert noise[0, 0] == pytest.approx((sampling + hidden)[0, 0], rel=0.1)


def test_answers_say_how_much_of_their_interval_is_noise():
    noisy = tossed(20, 33, Fraction(200), 50).query("coin", generator=np.random.default_rng(1))
    assert noisy.noise is not None
    assert noisy.noise.min() > 0.8
    assert "of it noise" in str(noisy)
    assert noisy.to_dict()["distribution"][0]["noise"] == noisy.noise[0]
    calm = tossed(20, 30, Fraction(1, 1000), 50).query("coin", generator=np.random.default_rng(1))
    assert calm.noise is not None
    assert calm.noise.max() < 0.2
    plain = DirichletPosterior(COIN).query("coin", generator=np.random.default_rng(1))
    assert plain.noise is None


def test_a_posterior_without_noise_is_left_as_it_is():
    plain = DirichletPosterior(COIN)
    assert aware_of(plain) is plain


def test_noise_of_an_unknown_law_is_refused_not_ignored():
    """Taking noisy numbers for exact ones because their noise is not known would be wrong without a word."""

    class Unknown:
        """Statistics of some other version, which can update a prior."""

        rows, scale = 50, Fraction(3)

        def update(self, family):
            return np.full((family.configurations, family.levels), 25.0)

    with pytest.raises(ModelError, match="noise of these statistics is not known"):
        aware_of(DirichletPosterior(COIN, UNIFORM, Unknown()))
    with pytest.raises(ModelError, match="does not know"):
        Measurement(("coin",), Statistic.COUNTS, "laplace", np.array([[20, 30]]))
    with pytest.raises(ModelError, match="does not know"):
        Measurement(("coin",), "counts", LaplaceNoise(Fraction(3)), np.array([[20, 30]]))


@pytest.mark.slow
def test_as_a_prior_it_has_the_same_means_and_nearly_the_same_variances():
    posterior = tossed(20, 33, Fraction(12), 50)
    prior = posterior.as_prior().concentration(COIN.family("coin"))
    np.testing.assert_allclose(prior / prior.sum(), posterior.mean("coin"))
    mean = posterior.mean("coin")[0, 0]
    assert mean * (1 - mean) / (prior.sum() + 1) == pytest.approx(posterior.variance("coin")[0, 0], rel=1e-6)


@pytest.mark.slow
def test_chains_agree_on_nodes_of_many_levels():
    network = naive_bayes("y", {"x": [str(level) for level in range(16)]})
    generator = np.random.default_rng(1)
    tables = {"y": np.array([[500, 500]]), "x": generator.multinomial(500, generator.dirichlet(np.ones(16)), 2)}
    noisy = {node: table + np.rint(generator.laplace(0, 4, table.shape)).astype(np.int64) for node, table in tables.items()}
    longer = Effort(chains=8, warm_up=100, rounds=500)
    posterior = NoiseAwarePosterior(network, UNIFORM, noisy_counts(network, noisy, 4, 1000), effort=longer)
    assert posterior.diagnostics.converged
