"""What a page says of a release at its top: how many, whose, whom it protects, and what its intervals leave out."""

import polars as pl
import pytest

import discreet as dc
from discreet.page.payload import payload
from tests.support.graphs import binary, chain_records, open_ledger


@pytest.fixture(scope="module")
def visits():
    """Three visits each of 200 persons."""
    return chain_records(3, 600).with_columns(person=pl.Series([str(number // 3) for number in range(600)]))


def test_a_page_knows_whether_probabilities_were_fitted_to_pairs(tmp_path):
    """Then widths do not tell noise and sampling apart, and a warning at the top says that they are too narrow."""
    ledger, records = open_ledger(tmp_path), chain_records(3, 300)
    learned = payload(dc.learn(records, binary(3), epsilon="1", ledger=ledger, form="dag").release, "dag.json")
    assert learned["fitted"] is True
    assert any("too narrow" in warning for warning in learned["warnings"])
    declared = payload(dc.release(records, dc.Network(binary(3)), dc.KNorm("1"), ledger=ledger), "plain.json")
    assert declared["fitted"] is False
    assert not any("too narrow" in warning for warning in declared["warnings"])


def test_what_protects_persons_speaks_of_persons(visits):
    network = dc.Network(binary(3))
    said = payload(dc.release(visits, network, dc.KNorm("1"), ledger=dc.Ledger.unlimited(), person="person"), "a.json")
    assert "one person" in said["meaning"]
    assert "one record" not in said["meaning"]
    assert said["lead"] == "What the records of 200 persons say together, without saying who they are."
    records = visits.drop("person")
    plain = payload(dc.release(records, network, dc.KNorm("1"), ledger=dc.Ledger.unlimited()), "a.json")
    assert "one record" in plain["meaning"]
    assert plain["lead"] == "What 600 records say together, without saying whose they are."


def test_a_fused_release_counts_the_records_of_all():
    network = dc.Network(binary(3))
    parts = [dc.release(chain_records(3, rows), network, dc.KNorm("1"), ledger=dc.Ledger.unlimited()) for rows in (300, 400)]
    assert payload(dc.fuse(*parts), "both.json")["lead"].startswith("What 700 records say together")


def test_nothing_is_said_twice_but_receipts(tmp_path):
    ledger, records = dc.Ledger.unlimited(), chain_records(3, 300)
    tree = dc.learn(records, binary(3), epsilon="1", ledger=ledger, form="tree")
    release = dc.release(records, tree, epsilon="1", ledger=ledger)
    said = [tuple(fact) for fact in payload(release, "a.json")["facts"]]
    assert len([name for name, _ in said if name == "receipt"]) == 2
    others = [fact for fact in said if fact[0] != "receipt"]
    assert len(others) == len(set(others))
    assert {caveat.text for caveat in release.caveats} <= {fact for _, fact in said}
