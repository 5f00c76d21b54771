"""Rows of few records are drawn anew from their law; the largest cell of the family lends the records."""

import numpy as np
import pytest
from scipy.special import gammaln
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.family_chain import FamilyChain
from discreet.chains.family_state import begin
from discreet.chains.rare_rows import RareRows
from discreet.chains.row_priors import FixedRows
from discreet.measure.laws import LaplaceNoise

WIDE = Network([Variable("y", list("0123")), Variable("x", list("012"))], {"x": ["y"]}, impossible=[{"y": "2", "x": "1"}])
CHAINS = 20_000


def laid_out(scale=400.0, rows=1000):
    """Nothing is known of the table of x but that it has a thousand records, most of them in its first row."""
    return lay_out(WIDE, [counts("yx", LaplaceNoise(scale), np.zeros((4, 3)))], rows, {"y": 1.0, "x": 0.4}, ["x"])


def begun(tables, table=(900, 80, 3, 1, 2, 0, 0, 0, 0, 4, 8, 2)):
    start = np.repeat(np.array(table, dtype=float)[:, None], CHAINS, axis=1)
    return FamilyChain(tables, start, FixedRows(tables), np.random.default_rng(1))


def test_a_rare_row_has_as_many_records_as_its_law_says_and_shares_them_as_an_urn_does():
    tables = laid_out()
    chain = begun(tables)
    chain._rare._odds[:] = 1e9  # all of them
    counts_, _ = chain._rare.propose(chain.state, chain.prior)
    rows, spread = tables.sum_rows(counts_), tables.row_spread[1]
    number = np.arange(13)
    weights = np.exp(gammaln(number + spread) - gammaln(number + 1))
    for row in (1, 2):
        seen = np.bincount(rows[row].astype(int), minlength=13) / CHAINS
        np.testing.assert_allclose(seen, weights / weights.sum(), atol=0.012)
    two = rows[1] == 2
    same = (counts_[3:6, two] == 2).any(axis=0).mean()  # of two records the second joins the first: (1 + a) / (1 + A)
    assert same == pytest.approx(1.4 / 2.2, abs=0.06)
    assert (counts_[7] == 0).all()


def test_records_are_lent_by_the_largest_cell_and_none_is_lost():
    tables = laid_out()
    chain = begun(tables)
    before = chain.state.counts.copy()
    for _ in range(3):
        chain.redraw_rare(0.5)
    after = chain.state.counts
    assert (after.sum(axis=0) == 1000).all()
    assert (after >= 0).all()
    assert (after[1:3] == before[1:3]).all()  # its row does not change but in this cell
    assert (after[9:] == before[9:]).all()  # fourteen records are not few
    assert (after[0] != before[0]).any()


def test_what_cannot_be_lent_is_refused():
    tables = laid_out(rows=20)
    chain = begun(tables, (13, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0))
    chain.state.counts[0], chain.state.counts[9] = 1, 19  # the lender was the largest cell once
    chain._state = begin(tables, chain.state.counts)
    for _ in range(10):
        chain.redraw_rare()
    assert chain.state.counts.min() == 0
    assert (chain.state.counts.sum(axis=0) == 20).all()


def test_how_many_rows_are_drawn_is_learned():
    """Where noise is wide all are taken over; where it is narrow, few are drawn at a time."""
    for scale, few in ((400.0, False), (0.3, True)):
        noisy = np.array([[900.0, 80, 3], [4, 3, 2], [2, 0, 3], [1, 1, 1]])
        tables = lay_out(WIDE, [counts("yx", LaplaceNoise(scale), noisy)], 1000, 0.4, ["x"])
        chain = begun(tables, noisy.ravel())
        for _ in range(40):
            chain.redraw_rare(0.5)
        assert (chain._rare._odds[0] < 0.5) == few


def test_what_lends_is_the_same_wherever_chains_are():
    tables = laid_out()
    rare = RareRows(tables, np.repeat(np.arange(12.0)[:, None], 5, axis=1), np.random.default_rng(1))
    assert rare.lenders.tolist() == [11]
    state = begin(tables, np.repeat(np.arange(12.0)[::-1, None], 5, axis=1))
    rare.propose(state, FixedRows(tables))
    assert rare.lenders.tolist() == [11]
    rare.learn(state.counts, np.ones((1, 5), dtype=bool), 0.5)
    rare.learn(10 * state.counts, np.ones((1, 5), dtype=bool), 0.5)
    assert rare.lenders.tolist() == [0]


@pytest.mark.parametrize("levels", [3, 60])
def test_rows_of_many_levels_are_rare_with_more_records(levels):
    network = Network([Variable("y", list("01")), Variable("x", [str(each) for each in range(levels)])], {"x": ["y"]})
    tables = lay_out(network, [], 100, 0.4, ["x"])
    assert RareRows(tables, np.ones((2 * levels, 1)), np.random.default_rng(1))._most.tolist() == [max(12, levels // 2)] * 2
