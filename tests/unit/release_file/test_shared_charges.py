"""Releases that share what was learned of their graph are of the same persons: they are not fused as if they were not."""

import pytest

import discreet as dc
from tests.support.graphs import binary, chain_records, open_ledger

RECORDS = chain_records(3, 200)


def learned_releases(ledger):
    learned = dc.learn(RECORDS, binary(3), epsilon="1", form="tree", ledger=ledger)
    return [dc.release(RECORDS, learned, dc.KNorm("1"), ledger=ledger) for _ in range(2)]


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("capped", [False, True])
def test_releases_of_one_learned_graph_are_not_fused(tmp_path, overlap, capped):
    ledger = open_ledger(tmp_path, cap="9") if capped else dc.Ledger.unlimited()
    with pytest.raises(dc.ModelError, match="share what was learned of their graph"):
        dc.fuse(*learned_releases(ledger), overlap=overlap)


def test_a_release_with_two_receipts_of_one_data_set_is_not_taken_for_two(tmp_path):
    """The warning of data sets with one name is about several releases."""
    (tmp_path / "elsewhere").mkdir()
    one = learned_releases(open_ledger(tmp_path, cap="9"))[0]
    ledger = dc.Ledger(tmp_path / "elsewhere" / "other.ledger", cap="9", dataset="others")
    other = dc.release(chain_records(3, 300), one.posterior.network, dc.KNorm("1"), ledger=ledger)
    assert "fused-data-set" not in [caveat.name for caveat in dc.fuse(one, other).caveats]
