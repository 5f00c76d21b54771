"""The page of a learned dag says that its widths do not tell noise and sampling apart."""

import discreet as dc
from discreet.page.payload import payload
from tests.support.graphs import binary, chain_records, open_ledger


def test_a_page_knows_whether_probabilities_were_fitted_to_pairs(tmp_path):
    ledger, records = open_ledger(tmp_path), chain_records(3, 300)
    learned = dc.learn(records, binary(3), epsilon="1", ledger=ledger, form="dag")
    assert payload(learned.release, "dag.json")["fitted"] is True
    declared = dc.release(records, dc.Network(binary(3)), dc.KNorm("1"), ledger=ledger)
    assert payload(declared, "plain.json")["fitted"] is False
