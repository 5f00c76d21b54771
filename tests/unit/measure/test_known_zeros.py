"""Least squares that know of zeros, against a direct solution; and what they are worth."""

import numpy as np
import polars as pl
import pytest
from support.impossible import FREE, NETWORK

from discreet import Fourier, Gaussian, KNorm, Laplace, Ledger, Network, Variable, release
from discreet.measure import known_zeros
from discreet.measure.agreement import nearest_agreeing
from discreet.measure.known_zeros import empty_of_all, known_numbers
from discreet.measure.measurement import Statistic
from discreet.measure.needs import fused_cell_noise
from discreet.measure.observations import expected_cell_noise, observations
from discreet.measure.published import Repair
from discreet.model.family import empty_cells, zero_probabilities

WIDER = Network(
    [Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("012")), Variable("d", list("01"))],
    {"b": ["a"], "c": ["a", "b"], "d": ["b"]},
    impossible=[{"a": "0", "b": "1"}, {"a": "2", "b": "0", "c": "1"}, {"a": "1", "c": "2"}, {"b": "1", "d": "0"}],
)
MECHANISMS = {
    "laplace": Laplace("1"),
    "consistent": Laplace("1", tables="maximal", consistent=True),
    "knorm": KNorm("1"),
    "gaussian": Gaussian(rho="1/8"),
}


def possible_table(network, rows, generator):
    """Counts of all nodes together, of possible records, one axis for each."""
    shape = [variable.size for variable in network.variables]
    weights = generator.gamma(0.7, size=shape)
    for each in network.impossible:
        weights[tuple(network.variable(n).levels.index(each[n]) if n in each else slice(None) for n in network.nodes)] = 0
    return generator.multinomial(rows, (weights / weights.sum()).ravel()).reshape(shape).astype(float)


def margin(network, whole, nodes):
    axes = tuple(axis for axis, node in enumerate(network.nodes) if node not in nodes)
    kept = [node for node in network.nodes if node in nodes]
    return whole.sum(axis=axes).transpose([kept.index(node) for node in nodes])


def signed(network, whole, each):
    table = margin(network, whole, each.nodes)
    return table[..., 0] - table[..., 1] if each.statistic is Statistic.CONTRAST else table


def simulate(network, measurements, whole, generator, draws):
    """Fused tables of releases with normal noise, and zeros where they are known: draws x cells."""
    together = observations(network, measurements, [each.variance for each in measurements])
    noisy = []
    for each in measurements:
        true = signed(network, whole, each)
        noise = generator.normal(0, np.sqrt(each.variance), (draws, *true.shape))
        noisy.append(np.where(known_numbers(network, each), 0, true + noise))
    return together, noisy, together.space.cells(together.fuse(noisy, whole.sum()))


@pytest.mark.parametrize("network", [NETWORK, WIDER], ids=["small", "wider"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_fused_tables_are_unbiased_have_the_zeros_and_the_predicted_variances(network, name):
    generator, measurements = np.random.default_rng(3), MECHANISMS[name].measurements(network)
    whole, draws = possible_table(network, 500, generator), 20_000
    together, _, found = simulate(network, measurements, whole, generator, draws)
    true = np.concatenate([margin(network, whole, family.members).ravel() for family in together.space.families])
    empty = empty_of_all(together.space)
    assert empty.any()
    assert np.abs(found[:, empty]).max() < 1e-8
    error = found - true
    assert (np.abs(error.mean(axis=0)) <= 5 * error.std(axis=0) / np.sqrt(draws) + 1e-9).all()
    predicted, start = expected_cell_noise(network, measurements), 0
    without = fused_cell_noise(network, measurements)
    for family in together.space.families:
        part = error[:, start : start + family.cells].reshape(draws, family.configurations, family.levels)
        possible = ~empty_cells(family)
        assert part.var(axis=0)[possible].mean() == pytest.approx(predicted[family.node].cell, rel=0.04)
        rows = part.sum(axis=2).var(axis=0)[possible.any(axis=1)].mean()
        assert rows == pytest.approx(predicted[family.node].total, rel=0.04, abs=1e-9)
        assert predicted[family.node].cell < without[family.node].cell
        start += family.cells


def test_what_noise_says_against_the_zeros_is_taken_back():
    """Of one table the best estimate is the nearest with the zeros and the right sum."""
    generator, measurements = np.random.default_rng(4), MECHANISMS["consistent"].measurements(NETWORK)
    whole = possible_table(NETWORK, 60, generator)
    together, noisy, found = simulate(NETWORK, measurements, whole, generator, 1)
    (family,) = together.space.families
    (each,) = measurements
    possible = ~empty_cells(family).ravel()
    target = noisy[0][0].ravel()[possible]
    expected = target + (60 - target.sum()) / possible.sum()  # the nearest with this sum
    np.testing.assert_allclose(found[0][possible], expected, atol=1e-8)
    assert each.nodes == family.members


@pytest.mark.parametrize("network", [NETWORK, WIDER], ids=["small", "wider"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_nearest_tables_have_the_zeros_agree_and_are_not_negative(network, name):
    generator, measurements = np.random.default_rng(5), MECHANISMS[name].measurements(network)
    negative = 0
    for _ in range(5):
        whole = possible_table(network, 20, generator)
        together, noisy, fused = simulate(network, measurements, whole, generator, 1)
        tables = nearest_agreeing(together, [each[0] for each in noisy], 20)
        negative += fused.min() < -1
        for family in together.space.families:
            table = tables[family.node]
            assert (table >= 0).all()
            assert (table.reshape(-1, family.levels)[empty_cells(family)] == 0).all()
            assert table.sum() == pytest.approx(20, abs=1e-4)
        if network is WIDER:
            np.testing.assert_allclose(tables["c"].sum(axis=(0, 2)), tables["d"].sum(axis=1), atol=1e-4)
    assert negative  # there was something to repair


def test_the_nearest_of_one_table_is_its_projection_on_the_simplex_of_possible_cells():
    generator, measurements = np.random.default_rng(6), MECHANISMS["consistent"].measurements(NETWORK)
    together = observations(NETWORK, measurements, [each.variance for each in measurements])
    (family,) = together.space.families
    possible = ~empty_cells(family).ravel()
    for _ in range(5):
        target = generator.normal(4, 8, possible.sum())
        table = np.zeros(possible.size)
        table[possible] = target
        found = nearest_agreeing(together, [table.reshape(family.shape)], 20)[family.node].ravel()[possible]
        low, high = target.min() - 20, target.max()
        for _ in range(200):  # the level that the cells are cut off at, by halving
            middle = (low + high) / 2
            low, high = (middle, high) if np.maximum(target - middle, 0).sum() > 20 else (low, middle)
        np.testing.assert_allclose(found, np.maximum(target - low, 0), atol=1e-4)


def test_without_a_declaration_nothing_is_known_and_nothing_changes():
    measurements = MECHANISMS["knorm"].measurements(FREE)
    assert observations(FREE, measurements, [1.0] * len(measurements)).zeros is None
    assert expected_cell_noise(FREE, measurements) == fused_cell_noise(FREE, measurements)


def test_a_margin_is_known_where_all_that_it_sums_is_impossible():
    network = Network([Variable("a", list("01")), Variable("b", list("012"))], {"b": ["a"]}, impossible=[{"b": "1"}])
    (law,) = {each.law for each in Laplace("1").measurements(network)}
    for each in Laplace("1").measurements(network):
        wanted = [False, False] if each.nodes == ("a",) else [[False, True, False]] * 2
        assert known_numbers(network, each).tolist() == wanted
        assert each.law is law or each.law == law


def test_plans_expect_less_noise_with_a_declaration():
    for mechanism in (*MECHANISMS.values(), Fourier("1")):
        known, free = (mechanism.plan(network, 200).parameter_error for network in (NETWORK, FREE))
        assert known.noise < free.noise


@pytest.mark.parametrize("name", MECHANISMS)
def test_zeros_that_are_too_many_for_equations_are_held_by_prices(monkeypatch, name):
    """The nearest tables are the same, however the zeros are held; least squares alone go without them."""
    generator, measurements = np.random.default_rng(7), MECHANISMS[name].measurements(WIDER)
    noisy = [each[0] for each in simulate(WIDER, measurements, possible_table(WIDER, 200, generator), generator, 1)[1]]
    variances = [each.variance for each in measurements]
    wanted = nearest_agreeing(observations(WIDER, measurements, variances), noisy, 200)
    monkeypatch.setattr(known_zeros, "_MOST_ENTRIES", 1)
    together = observations(WIDER, measurements, variances)
    assert together.zeros is None
    assert expected_cell_noise(WIDER, measurements) == fused_cell_noise(WIDER, measurements)
    found = nearest_agreeing(together, noisy, 200)
    for family in together.space.families:
        np.testing.assert_allclose(found[family.node], wanted[family.node], atol=1e-2)
        assert not found[family.node].reshape(-1, family.levels)[empty_cells(family)].any()
        assert found[family.node].sum() == pytest.approx(200, abs=1e-3)


@pytest.mark.fast("Gaussian*")
@pytest.mark.parametrize("mechanism", [*MECHANISMS.values(), Laplace("1", tables="maximal")], ids=repr)
def test_a_release_with_thousands_of_zeros_has_them_all(mechanism):
    levels = [str(number) for number in range(70)]
    network = Network(
        [Variable("a", levels), Variable("b", levels), Variable("c", list("01"))],
        {"b": ["a"], "c": ["b"]},
        impossible=[{"a": low, "b": high} for place, low in enumerate(levels) for high in levels[place + 1 :]],
    )
    generator = np.random.default_rng(8)
    above = generator.integers(0, 70, 3000)
    below = (generator.random(3000) * (above + 1)).astype(int)
    records = pl.DataFrame({"a": above.astype(str), "b": below.astype(str), "c": (below % 2).astype(str)})
    made = release(records, network, mechanism, ledger=Ledger.unlimited()).plugin
    assert made.released._together.zeros is None
    for family in network.families:
        assert not made.released.update(family)[empty_cells(family)].any()
        assert (made.mean(family.node)[zero_probabilities(family)] == 0).all()
        np.testing.assert_allclose(made.mean(family.node).sum(axis=1), 1)
        if made.released.repair is Repair.PROJECT:
            assert made.released.update(family).sum() == pytest.approx(3000, rel=1e-3)
    assert (made.query("b", given={"a": "3"}).probability[4:] == 0).all()
