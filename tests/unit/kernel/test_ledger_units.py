"""A ledger charges for the unit that a release protects, whichever that is, under one cap."""

import pickle

import pytest

from discreet import BudgetError, Ledger, PureDP, Unit
from discreet.guarantee import ZCDP
from discreet.unit import RECORD


@pytest.fixture(params=["file", "unlimited"])
def ledger(request, tmp_path):
    return Ledger.unlimited() if request.param == "unlimited" else Ledger(tmp_path / "ledger", "1", delta="1e-6")


def test_a_group_of_records_is_charged_exactly(ledger):
    receipt = ledger.for_unit(Unit.rows_at_most(3)).charge(PureDP("0.1"), "laplace")
    assert receipt.guarantee == PureDP("0.3")
    assert ledger.for_unit(Unit.rows_at_most(3)).check(ZCDP("0.001")).guarantee == ZCDP("0.009")
    (charge,) = ledger.history()
    assert charge.guarantee == PureDP("0.3")
    assert charge.purpose == "laplace; protects somebody with at most 3 records"


def test_a_person_is_charged_once_whatever_the_number_of_records(ledger):
    assert ledger.for_unit(Unit.person("id")).charge(PureDP("0.1"), "laplace").guarantee == PureDP("0.1")
    assert ledger.history()[0].purpose == "laplace; protects one person, represented by one record"


def test_the_purpose_of_a_charge_for_one_record_is_as_it_always_was(ledger):
    ledger.charge(PureDP("0.1"), "laplace")
    assert ledger.history()[0].purpose == "laplace"
    assert ledger.unit == RECORD


def test_ledgers_of_all_units_share_one_budget(tmp_path):
    ledger = Ledger(tmp_path / "ledger", "1")
    persons, group = ledger.for_unit(Unit.person("id")), ledger.for_unit(Unit.rows_at_most(2))
    persons.charge(PureDP("0.3"), "first")
    group.charge(PureDP("0.3"), "second")
    assert ledger.remaining == persons.remaining == group.remaining == PureDP("0.1").epsilon
    for each in (ledger, persons):
        with pytest.raises(BudgetError, match="Nothing was charged"):
            each.charge(PureDP("0.2"), "third")
    with pytest.raises(BudgetError, match="Nothing was charged"):
        group.charge(PureDP("0.1"), "third")
    assert len(ledger.history()) == 2


def test_an_unlimited_ledger_counts_the_charges_of_all_units():
    ledger = Ledger.unlimited()
    ledger.for_unit(Unit.person("id")).charge(PureDP("1"), "first")
    receipt = ledger.for_unit(Unit.rows_at_most(2)).charge(PureDP("1"), "second")
    assert receipt.number == 2
    assert ledger.spent == 3


def test_a_ledger_is_sent_to_another_process_with_its_unit(tmp_path):
    ledger = Ledger(tmp_path / "ledger", "1").for_unit(Unit.rows_at_most(2))
    assert pickle.loads(pickle.dumps(ledger)).charge(PureDP("0.1"), "there").guarantee == PureDP("0.2")


class Bargain(Unit):
    """A unit that says of itself that it costs little."""

    def protect(self, guarantee):
        return PureDP("0.001")


def test_a_ledger_takes_nothing_else_for_a_unit(ledger):
    with pytest.raises(TypeError, match="might charge less"):
        ledger.for_unit(Bargain())
    assert ledger.history() == []
