"""Measurements on their way through the kernel: what a law of noise does not pay for never gets there."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.measurements import counts
from support.mechanisms import DATA, LINE, NETWORK

from discreet import BudgetError, Fourier, Gaussian, KNorm, Laplace, Ledger, ModelError, Network, Variable, load, release
from discreet.counts import family_counts
from discreet.counts.statistics import statistics
from discreet.guarantee import PureDP
from discreet.measure.blocks import Bundle, Group
from discreet.measure.laws import GaussianNoise, KNormNoise, LaplaceNoise, WeightedNoise
from discreet.measure.measurement import Margin, Measurement, Statistic, number_shape
from discreet.measure.strategies.laplace import family_measurements
from discreet.measure.strategies.moment_noise import moment_measurement
from discreet.mechanisms.publishing import check_noise, prepare_noise
from discreet.model.prior import UNIFORM
from discreet.releases import MechanismRecord

TABLES = family_counts(DATA, NETWORK)
LAPLACE, GAUSSIAN, ONE = LaplaceNoise(Fraction(8)), GaussianNoise(Fraction(100)), Fraction(1)
PAID = WeightedNoise(1, 4, Fraction(1, 2))


def prepared(mechanism, measurements, ledger, bits=None):
    record = MechanismRecord(mechanism.name, {})
    return prepare_noise(record, mechanism.guarantee, measurements, TABLES, NETWORK, UNIFORM, ledger, bits or FailingBits())


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger", cap="1", delta="1e-6")


@pytest.mark.parametrize(
    ("statistic", "law"),
    [
        (Statistic.CONTRAST, GAUSSIAN),  # one record moves a contrast by two, which is four when squared, not two
        (Statistic.PARITY, GAUSSIAN),
        (Statistic.CONTRAST, LAPLACE),
        (Statistic.PARITY, LAPLACE),
        (Statistic.COUNTS, PAID),
        (Statistic.CONTRAST, PAID),
    ],
)
def test_a_statistic_that_a_law_does_not_pay_for_costs_nothing(statistic, law, ledger):
    with pytest.raises(ModelError, match="cannot be published"):
        prepared(Laplace("1/2"), [Measurement(("y", "x"), statistic, law)], ledger)
    assert ledger.history() == []


def test_moments_are_no_statistic_of_a_network(ledger):
    """They are not taken for counts, which they would be like in their nodes."""
    moments = moment_measurement(LINE, PureDP(ONE / 2))
    with pytest.raises(ModelError, match="cannot be published"):
        prepared(Laplace("1/2"), [moments], ledger)
    with pytest.raises(ModelError, match="no table of a network"):
        statistics(TABLES, NETWORK, [Margin(("y", "x"), Statistic.MOMENTS)])
    with pytest.raises(ModelError, match="no table of a network"):
        number_shape(NETWORK, moments)
    assert ledger.history() == []


def test_measurements_of_several_laws_are_not_published_together(ledger):
    with pytest.raises(ModelError, match="cannot be published"):
        prepared(Laplace("1/2"), [counts("y", LAPLACE), counts("yx", GAUSSIAN)], ledger)
    with pytest.raises(ModelError, match="cannot be published"):
        prepared(Laplace("1/2"), [], ledger)
    assert ledger.history() == []


@pytest.mark.parametrize("law", [PAID, replace(PAID, sensitivity=9, epsilon=ONE), replace(PAID, epsilon=ONE)])
def test_weights_of_another_sensitivity_or_epsilon_cost_nothing(law, ledger):
    """Which of them noise was made for could not be told afterwards."""
    parities = [Measurement(("y",), Statistic.PARITY, PAID), Measurement(("x",), Statistic.PARITY, law)]
    mechanism = Fourier("1/2") if law != PAID else Fourier("1/4")
    with pytest.raises(ModelError, match="one sensitivity"):
        prepared(mechanism, parities, ledger).charge_and_draw()
    assert ledger.history() == []


def test_noise_for_less_than_was_measured_costs_nothing(ledger):
    """Planted: tables with noise of half the scale that epsilon needs."""
    honest = family_measurements(NETWORK, Fraction(1, 2))
    greedy = [replace(each, law=LaplaceNoise(each.law.scale / 2)) for each in honest]
    with pytest.raises(BudgetError, match="sum to more than the guarantee"):
        prepared(Laplace("1/2"), greedy, ledger).charge_and_draw()
    assert ledger.history() == []
    drawn, _ = prepared(Laplace("1/2"), honest, ledger, SeededBits(1)).charge_and_draw()
    assert [numbers.shape for numbers in drawn] == [(2,), (2, 2)]


@pytest.mark.parametrize("law", [replace(LAPLACE, scale=ONE * 2**41), replace(GAUSSIAN, parameter=ONE * 2**79)], ids=repr)
def test_noise_that_is_too_large_is_known_before_the_records(law):
    check_noise([counts("y", LAPLACE), counts("y", GAUSSIAN), *KNorm("1/2").measurements(NETWORK)])
    for too_large in ([counts("y", LAPLACE), counts("yx", law)], KNorm(ONE / 2**60).measurements(NETWORK)):
        with pytest.raises(BudgetError, match="too large for 64-bit integers"):
            check_noise(too_large)


@pytest.mark.parametrize("mechanism", [Laplace("1"), Fourier("1"), KNorm("1"), Gaussian(rho="1")], ids=repr)
def test_what_is_published_is_what_the_mechanism_says_it_measures(mechanism):
    made = release(DATA, NETWORK, mechanism, ledger=Ledger.unlimited()).plugin.released
    planned = [(each.nodes, each.statistic, each.law) for each in mechanism.measurements(NETWORK)]
    assert [(each.nodes, each.statistic, each.law) for each in made.measurements] == planned
    assert all(each.published.dtype == np.int64 for each in made.measurements)


@pytest.mark.parametrize("mechanism", [Laplace("1"), Laplace("1", tables="maximal")], ids=repr)
def test_measurements_that_look_alike_are_saved_as_those_of_their_mechanism(mechanism, tmp_path):
    """Nodes without parents: all families are maximal, and the noise is the same."""
    network = Network([Variable(name, ["0", "1"]) for name in "ab"])
    made = release(pl.DataFrame({"a": ["0", "1"], "b": ["1", "1"]}), network, mechanism, ledger=Ledger.unlimited())
    made.save(tmp_path / "x.json")
    assert load(tmp_path / "x.json").mechanism.name == mechanism.name


CHAIN = Network(
    [Variable("a", list("0123")), Variable("b", list("0123")), Variable("c", list("01"))], {"b": ["a"], "c": ["b"]}
)
CHAIN_DATA = pl.DataFrame({"a": list("0123"), "b": list("2301"), "c": list("0101")})


def prepare_chain(measurements, ledger):
    tables = family_counts(CHAIN_DATA, CHAIN)
    record = MechanismRecord("knorm", {})
    return prepare_noise(record, PureDP(ONE), measurements, tables, CHAIN, UNIFORM, ledger, FailingBits())


def bundle(levels=4):
    return Bundle((Group(("b",), (levels,), True, ("c",), (2,)),), ONE)


def parts(of, parent="b"):
    return [
        Measurement((parent,), Statistic.COUNTS, KNormNoise(of, 0, 0)),
        Measurement(("b", "c"), Statistic.CONTRAST, KNormNoise(of, 0, 1)),
    ]


@pytest.mark.parametrize(
    "measurements",
    [
        parts(bundle(), parent="a"),  # a record that changes a and b moves both parts: twice what the noise pays for
        parts(bundle()) * 2,
        parts(bundle())[:1],
        parts(bundle())[::-1],
        parts(bundle(levels=3)),
    ],
)
def test_parts_that_are_not_those_of_their_bundle_cost_nothing(measurements, ledger):
    assert prepare_chain(parts(bundle()), ledger).stand_in is not None
    with pytest.raises(ModelError, match="not the parts of their bundles"):
        prepare_chain(measurements, ledger)
    assert ledger.history() == []


@pytest.mark.parametrize(("sensitivity", "twice"), [(1, False), (3, True)])
def test_parities_that_move_further_than_they_say_cost_nothing(sensitivity, twice, ledger):
    law = WeightedNoise(1, sensitivity, Fraction(1, 2))
    sets = [("y",), ("x",), ("y", "x"), *([("y",)] if twice else [])]
    with pytest.raises(ModelError, match=r"sensitivity covers|measured once"):
        prepared(Fourier("1/2"), [Measurement(nodes, Statistic.PARITY, law) for nodes in sets], ledger)
    assert ledger.history() == []


def test_a_law_that_only_looks_like_one_is_refused():
    class Alike(LaplaceNoise):
        pass

    with pytest.raises(ModelError, match="does not know"):
        Measurement(("y",), Statistic.COUNTS, Alike(ONE))


@pytest.mark.slow
def test_noise_that_is_next_to_nothing_leaves_a_posterior():
    made = release(CHAIN_DATA, CHAIN, KNorm(Fraction(10) ** 170), ledger=Ledger.unlimited())
    np.testing.assert_allclose(made.posterior.mean("c").sum(axis=1), 1)
