"""Records that are declared impossible are refused like undeclared values: before the charge, and without telling."""

import itertools
import traceback

import pytest
from support.impossible import FREE, MALE_MOTHER, MECHANISMS, NETWORK, POSSIBLE, RECORDS, table

from discreet import DomainError, KNorm, Ledger, confidence_table, release
from discreet.counts import family_counts


def test_records_that_keep_to_the_declaration_are_counted_as_ever():
    counted = family_counts(RECORDS, NETWORK)
    assert all((counted[node] == found).all() for node, found in family_counts(RECORDS, FREE).items())


def test_every_record_that_contains_a_combination_is_refused_and_no_other():
    levels = [variable.levels for variable in NETWORK.variables]
    for record in itertools.product(*levels):
        if record in POSSIBLE:
            family_counts(table([record]), NETWORK)
        else:
            with pytest.raises(DomainError, match="declared impossible"):
                family_counts(table([record, *POSSIBLE]), NETWORK)


def test_the_refusal_tells_neither_which_nor_how_many():
    """One message for all that can be wrong: it depends on the declaration alone."""
    wrong = [("male", "yes", "general"), ("male", "yes", "birth"), ("female", "no", "birth")]
    told = set()
    for number in (1, 5):
        for record in wrong:
            with pytest.raises(DomainError) as caught:
                family_counts(table([*[record] * number, *POSSIBLE]), NETWORK)
            told.add("".join(traceback.format_exception_only(caught.value)) + repr(caught.value.__context__))
    assert len(told) == 1


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_refuses_them_before_the_charge(name, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1", delta="1e-5")
    with pytest.raises(DomainError, match="declared impossible"):
        release(MALE_MOTHER, NETWORK, MECHANISMS[name], ledger=ledger)
    with pytest.raises(DomainError, match="declared impossible"):  # counts of one's own, through the other door
        MECHANISMS[name].prepare_found(family_counts(MALE_MOTHER, FREE), NETWORK, ledger=ledger)
    assert ledger.history() == []


def test_a_confidence_table_refuses_them_too():
    posterior = release(RECORDS, NETWORK, KNorm("1"), ledger=Ledger.unlimited()).plugin
    assert len(confidence_table(posterior, RECORDS, "ward")) == len(RECORDS)
    with pytest.raises(DomainError, match="declared impossible"):
        confidence_table(posterior, MALE_MOTHER, "ward")
