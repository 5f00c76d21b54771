from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.files import check_loaded, check_schema, forged
from support.structures import MIXED, WIDE, WIDE_DATA, even_data

from discreet import BudgetError, FormatError, Gaussian, Ledger, ModelError, load, naive_bayes, release
from discreet.conversion import epsilon_of_rho
from discreet.counts import family_counts
from discreet.guarantee import ZCDP

NETWORK = MIXED
DATA = even_data(NETWORK)


def made(rho="1/50", seed=1, ledger=None, network=NETWORK, data=DATA):
    return release(data, network, Gaussian(rho=rho), ledger=ledger or Ledger.unlimited(), _bits=SeededBits(seed))


def test_epsilon_and_delta_give_the_largest_rho_that_keeps_them():
    mechanism = Gaussian(epsilon="1", delta="1e-6")
    assert epsilon_of_rho(mechanism.rho, Fraction(1, 10**6)) <= 1
    assert epsilon_of_rho(mechanism.rho * Fraction(101, 100), Fraction(1, 10**6)) > 1
    assert mechanism.guarantee == ZCDP(mechanism.rho)


@pytest.mark.parametrize("given", [{}, {"epsilon": 1}, {"delta": "1e-6"}, {"rho": 1, "epsilon": 1, "delta": "1e-6"}])
def test_half_a_budget_is_refused(given):
    with pytest.raises(BudgetError, match=r"needs epsilon and delta, .* or rho alone"):
        Gaussian(**given)


def test_the_first_argument_is_epsilon_as_everywhere_and_alone_it_is_refused():
    """Taken for rho, 0.5 would cost about epsilon 5."""
    assert Gaussian("1/2", "1e-6") == Gaussian(epsilon="1/2", delta="1e-6") == Gaussian("1/2", delta="1e-6")
    assert epsilon_of_rho(Gaussian("1/2", "1e-6").rho, Fraction(1, 10**6)) <= Fraction(1, 2)
    with pytest.raises(BudgetError, match=r'Gaussian\("0.5", delta="1e-6"\).*Gaussian\(rho="0.01"\)'):
        Gaussian("0.5")
    assert 5 < epsilon_of_rho(Gaussian(rho="0.5").rho, Fraction(1, 10**6)) < Fraction(11, 2)


def test_the_ledger_is_charged_in_its_own_terms(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    mechanism = Gaussian(epsilon="1/2", delta="1e-6")
    release(DATA, NETWORK, mechanism, ledger=ledger)
    assert Fraction(49, 100) < ledger.spent <= Fraction(1, 2)
    pure = Ledger(tmp_path / "pure", cap="1")
    with pytest.raises(BudgetError, match="delta"):
        release(DATA, NETWORK, mechanism, ledger=pure, _bits=FailingBits())


def test_what_is_saved_is_what_is_loaded(tmp_path):
    one = made()
    two = check_loaded(one, tmp_path / "x.json")
    measured = [[(each.nodes, each.law) for each in made.plugin.released.measurements] for made in (one, two)]
    assert measured[0] == measured[1]
    for node in NETWORK.nodes:
        np.testing.assert_array_equal(one.plugin.concentration(node), two.plugin.concentration(node))


def test_the_file_follows_the_published_schema():
    check_schema(made())


def test_an_enormous_rho_gives_the_exact_tables():
    posterior = made("1" + "0" * 25).plugin
    exact = family_counts(DATA, NETWORK)
    for node in NETWORK.nodes:
        np.testing.assert_allclose(posterior.concentration(node) - 1, exact[node], atol=1e-6)


def test_tables_agree_sum_to_the_rows_and_are_never_negative():
    released = made("1/10000", seed=2).plugin.released
    assert min(table.min() for table in released.fused.values()) < 0  # there is something to repair
    updates = {family.node: released.update(family).reshape(family.shape) for family in NETWORK.families}
    assert all(table.min() >= 0 for table in updates.values())
    assert all(table.sum() == pytest.approx(400) for table in updates.values())
    np.testing.assert_allclose(updates["c"].sum(axis=2).T, updates["b"], atol=1e-6)


def test_the_planned_error_is_the_error_that_happens():
    network = naive_bayes("y", [f"x{i}" for i in range(6)])
    data = pl.DataFrame({node: ["0", "1", "1", "0", "1"] for node in network.nodes})
    plan = Gaussian(rho="1/50").plan(network, 5)
    exact = made("1" + "0" * 25, network=network, data=data).plugin.released.fused
    errors = []
    for seed in range(100):
        fused = made("1/50", seed, network=network, data=data).plugin.released.fused
        errors.append(np.concatenate([np.abs(fused[node] - exact[node]).ravel() for node in exact]))
    assert np.mean(errors) == pytest.approx(plan.expected_error, rel=0.1)
    assert 0.9 <= (np.max(errors, axis=1) <= plan.largest_error).mean() <= 1
    released = made(network=network, data=data).plugin.released
    assert plan.released_numbers == sum(each.published.size for each in released.measurements)
    assert plan.noise_scale == released.scale


def test_what_cannot_be_released_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    with pytest.raises(ModelError, match="parents"):
        release(WIDE_DATA, WIDE, Gaussian(rho="0.01"), ledger=ledger, _bits=FailingBits())
    with pytest.raises(BudgetError, match="larger rho"):
        release(DATA, NETWORK, Gaussian(rho="1e-40"), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


FAULTS = {
    "another law": lambda s: s["noise"].update(law="discrete-laplace"),
    "a smaller variance": lambda s: s["margins"][0].update(variance="1"),
    "a variance of no kind": lambda s: s["margins"][0].update(variance="0"),
    "a margin twice": lambda s: s["margins"].append(s["margins"][0]),
    "no margin": lambda s: s["margins"].clear(),
    "a margin too few": lambda s: s["margins"].pop(),
    "an unknown node": lambda s: s["margins"][0].update(nodes=["z"]),
    "a node that is no text": lambda s: s["margins"][0].update(nodes=[1]),
    "no node": lambda s: s["margins"][0].update(nodes=[]),
    "nodes of no family": lambda s: s["margins"][0].update(nodes=["c", "d"]),
    "nodes in another order": lambda s: s["margins"][0].update(nodes=s["margins"][0]["nodes"][::-1]),
    "a count too few": lambda s: s["margins"][0]["counts"].pop(),
    "a float": lambda s: s["margins"][0]["counts"].__setitem__(0, 1.5),
    "a count that is too large": lambda s: s["margins"][0]["counts"].__setitem__(0, 2**62),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_is_refused_even_with_a_fitting_digest(tmp_path, fault):
    path = forged(made(), tmp_path / "x.json", lambda content: FAULTS[fault](content["statistics"]))
    with pytest.raises(FormatError):
        load(path)


def test_a_receipt_of_a_cap_on_pure_epsilon_is_refused(tmp_path):
    """A ledger without a delta never charges Gaussian noise: such a file would claim a total that nobody kept."""
    ledger = Ledger(tmp_path / "ledger", cap="9", delta="1e-6")
    honest = made(ledger=ledger)
    assert check_loaded(honest, tmp_path / "x.json").receipts[0].delta == Fraction(1, 10**6)
    path = forged(honest, tmp_path / "y.json", lambda content: content["receipts"][0].update(delta=None))
    with pytest.raises(FormatError, match="not one that a ledger writes"):
        load(path)
