from fractions import Fraction

import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.measurements import tables_of

from discreet import (
    Auto,
    BDeu,
    BudgetError,
    DataError,
    DomainError,
    Fourier,
    Gaussian,
    KNorm,
    Laplace,
    Ledger,
    ModelError,
    Network,
    TablePrior,
    Variable,
    naive_bayes,
    plan,
    release,
)

NETWORK = Network([Variable("a", ["no", "yes"]), Variable("b", ["0", "1", "2"])], {"b": ["a"]})
DATA = pl.DataFrame({"a": ["yes", "no", "yes"], "b": ["0", "2", "1"]})


def test_a_plan_needs_no_data_and_no_ledger():
    plans = plan(naive_bayes("y", [f"x{i}" for i in range(16)]), rows=50, epsilon="0.5")
    assert plans["laplace"].noise_scale == 68
    assert plans["laplace"].released_numbers == 66
    assert "laplace" in str(plans)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True, "ten"])
def test_a_plan_wants_a_number_of_rows(rows):
    with pytest.raises(ModelError, match="rows must be"):
        plan(NETWORK, rows=rows, epsilon="1")


@pytest.mark.parametrize("epsilon", ["0", "-1", "1/0", "one", "nan", "inf", "", None, True, 0, -0.5, float("nan"), "1e999"])
def test_an_epsilon_that_is_no_positive_number_is_refused(epsilon):
    with pytest.raises(BudgetError, match="epsilon must be"):
        Laplace(epsilon)


@pytest.mark.parametrize("epsilon", ["0.1", 0.1, Fraction(1, 10), "1/10", "1e-1", " 0.1 "])
def test_an_epsilon_is_read_exactly(epsilon):
    assert Laplace(epsilon).epsilon == Fraction(1, 10)
    assert Laplace(epsilon) == Laplace("0.1")


def test_a_release_is_charged_exactly_once(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    result = release(DATA, NETWORK, Laplace("0.4"), ledger=ledger)
    assert ledger.spent == Fraction(2, 5)
    assert [receipt.number for receipt in result.receipts] == [1]
    assert result.guarantee.epsilon == Fraction(2, 5)
    assert len(ledger.history()) == 1


def test_a_release_that_would_overspend_is_refused_before_the_data_is_read(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    release(DATA, NETWORK, Laplace("0.7"), ledger=ledger)
    with pytest.raises(BudgetError):
        release(tmp_path / "no such file.csv", NETWORK, Laplace("0.4"), ledger=ledger)
    assert ledger.spent == Fraction(7, 10)


def test_data_outside_the_domain_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(DomainError):
        release(DATA.with_columns(a=pl.lit("maybe")), NETWORK, Laplace("1"), ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def test_a_prior_for_another_network_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    other = Network([Variable("a", ["no", "yes"]), Variable("b", ["0", "1", "2"])])
    with pytest.raises(ModelError, match="another network"):
        release(DATA, NETWORK, Laplace("1"), ledger=ledger, prior=TablePrior(other, {"a": [1, 1], "b": [1, 1, 1]}))
    assert ledger.spent == 0


def test_priors_enter_the_posterior():
    result = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited(), prior=BDeu(12), _bits=SeededBits(1))
    posterior = result.plugin
    assert (posterior.concentration("b") - posterior.released.update(NETWORK.family("b")) == 2).all()
    again = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited(), prior=posterior, _bits=SeededBits(2)).plugin
    expected = posterior.concentration("a") + again.released.update(NETWORK.family("a"))
    assert (again.concentration("a") == expected).all()


@pytest.mark.parametrize("mechanism", [Laplace("1"), Fourier("1"), KNorm("1"), Gaussian(rho="1"), Auto("1")], ids=repr)
def test_a_mechanism_refuses_a_prior_that_does_not_fit_before_the_charge(mechanism):
    network = Network([Variable("a", ["no", "yes"]), Variable("c", ["0", "1"])], {"c": ["a"]})
    frame = pl.DataFrame({"a": ["yes", "no"], "c": ["0", "1"]})
    ledger = Ledger.unlimited()
    with pytest.raises(ModelError, match="another network"):
        mechanism.release(frame, network, ledger=ledger, prior=TablePrior(NETWORK, {"a": [[1, 1]], "b": [[1] * 3] * 2}))
    assert ledger.history() == []
    mechanism.release(frame, network, ledger=ledger)
    assert len(ledger.history()) == 1


def test_a_prior_that_is_a_release_is_mentioned_in_the_release():
    first = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited())
    second = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited(), prior=first.plugin)
    assert "prior-release" not in {caveat.name for caveat in first.caveats}
    assert "prior-release" in {caveat.name for caveat in second.caveats}


def test_a_prior_with_exact_counts_of_added_records_is_refused(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    updated = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited()).plugin.update(DATA)
    with pytest.raises(ModelError, match="exact counts"):
        release(DATA, NETWORK, Laplace("1"), ledger=ledger, prior=updated)
    assert ledger.spent == 0


def test_scripted_bits_are_mentioned_in_the_release():
    scripted = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited(), _bits=SeededBits(1))
    honest = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited())
    assert "scripted-bits" in {caveat.name for caveat in scripted.caveats}
    assert "scripted-bits" not in {caveat.name for caveat in honest.caveats}


def test_an_unlimited_ledger_is_mentioned_in_the_release(tmp_path):
    free = release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited())
    paid = release(DATA, NETWORK, Laplace("1"), ledger=Ledger(tmp_path / "ledger", cap="1"))
    assert "unlimited-ledger" in {caveat.name for caveat in free.caveats}
    assert "unlimited-ledger" not in {caveat.name for caveat in paid.caveats}


def test_a_plan_compares_the_mechanisms_that_a_network_allows():
    binary = plan(naive_bayes("y", ["a", "b"]), rows=50, epsilon="1")
    names = ["laplace", "laplace-consistent", "fourier", "knorm", "sampler", "map"]
    assert [each.mechanism for each in binary] == names
    other = plan(NETWORK, rows=50, epsilon="1")
    assert [each.mechanism for each in other] == [name for name in names if name != "fourier"]
    assert all(each.parameter_error is not None for each in (*binary, *other))
    assert "gaussian" in [each.mechanism for each in plan(NETWORK, rows=50, epsilon="1", delta="1e-6")]


def test_another_number_of_records_than_declared_costs_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(DataError, match="declared number of records"):
        release(DATA, NETWORK, Laplace("1"), ledger=ledger, rows=4, _bits=FailingBits())
    assert ledger.spent == 0
    release(DATA, NETWORK, Laplace("1"), ledger=ledger, rows=3)


def test_an_enormous_epsilon_releases_the_exact_counts():
    result = release(DATA, NETWORK, Laplace("1" + "0" * 25), ledger=Ledger.unlimited())
    assert tables_of(result.plugin.released)["a"].tolist() == [[1, 2]]


def test_a_tiny_epsilon_is_refused_before_the_charge(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    with pytest.raises(BudgetError, match="larger epsilon"):
        release(DATA, NETWORK, Laplace("1e-20"), ledger=ledger)
    assert ledger.spent == 0


def test_two_releases_differ():
    one, two = (tables_of(release(DATA, NETWORK, Laplace("0.1"), ledger=Ledger.unlimited()).plugin.released) for _ in range(2))
    assert any((one[n] != two[n]).any() for n in NETWORK.nodes)


def test_the_progress_of_counting_is_told():
    told = []
    release(DATA, NETWORK, Laplace("1"), ledger=Ledger.unlimited(), progress=told.append)
    assert told == [3]
