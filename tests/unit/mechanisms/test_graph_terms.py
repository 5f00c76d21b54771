"""What a learned or assumed graph means for the release that goes on from it."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

import discreet as dc
from discreet.guarantee import ZCDP, PureDP
from discreet.mechanisms.graph_terms import assumed_caveats, delta_after, mechanism_after, same_unit
from discreet.unit import RECORD, Unit, UnitKind

PURE = SimpleNamespace(guarantee=PureDP(Fraction(1)), unit=RECORD)
CONCENTRATED = SimpleNamespace(guarantee=ZCDP(Fraction(1)), unit=RECORD)


def test_what_follows_a_pure_graph_is_chosen_without_a_delta(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1", delta="1e-6")
    assert delta_after(ledger, PURE) is None
    assert delta_after(ledger, CONCENTRATED) == delta_after(ledger, None) == Fraction(1, 10**6)


def test_what_follows_a_zero_concentrated_graph_adds_up_with_it():
    assert mechanism_after("Auto", CONCENTRATED) == "gaussian"
    assert mechanism_after("laplace", CONCENTRATED) == "laplace"
    assert mechanism_after("auto", PURE) == mechanism_after("auto", None) == "auto"


def test_graph_and_release_protect_the_same_unit(tmp_path):
    ledger = dc.Ledger(tmp_path / "ledger", cap="1")
    assert same_unit(ledger, PURE).unit == RECORD
    with pytest.raises(dc.ModelError, match="Leave person and rows_at_most out"):
        same_unit(ledger.for_unit(Unit(UnitKind.PERSON, "id")), PURE)


def test_a_graph_that_was_assumed_is_told():
    (caveat,) = assumed_caveats("income")
    assert "naive Bayes" in caveat.text
    assert assumed_caveats(None) == ()
