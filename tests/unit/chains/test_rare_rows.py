"""Rows of few records are drawn anew from their law; another cell of the family lends the records."""

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


def test_records_are_lent_by_one_cell_and_none_is_lost():
    tables = laid_out()
    chain = begun(tables)
    before = chain.state.counts.copy()
    chain.redraw_rare()
    after = chain.state.counts
    assert (after.sum(axis=0) == 1000).all()
    assert (after >= 0).all()
    changed = after != before
    assert (changed[:3].sum(axis=0) + changed[9:].sum(axis=0) <= 1).all()  # rows of many records change in the cell that lends
    assert changed[0].mean() > 0.5  # the largest does so nearly always


def test_what_cannot_be_lent_is_refused():
    tables = laid_out(rows=20)
    chain = begun(tables, (19, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0))
    chain._rare._mean[:] = 0
    chain._rare._mean[9] = 20  # it was the largest cell once
    for _ in range(10):
        chain.redraw_rare()
    assert chain.state.counts.min() == 0
    assert (chain.state.counts.sum(axis=0) == 20).all()


def test_every_row_is_drawn_anew_at_times_also_that_of_the_largest_cell():
    """A family of two rows of which either may be empty."""
    network = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
    tables = lay_out(network, [counts("yx", LaplaceNoise(400.0), np.zeros((2, 2)))], 10, 1.0, ["x"])
    chain = FamilyChain(tables, np.repeat([[3.0], [3], [2], [2]], CHAINS, axis=1), FixedRows(tables), np.random.default_rng(1))
    for _ in range(30):
        chain.redraw_rare()
    totals = tables.sum_rows(chain.state.counts)
    np.testing.assert_allclose((totals == 0).mean(axis=1), 1 / 11, atol=0.01)


def test_how_many_rows_are_drawn_is_learned():
    """Where noise is wide all are taken over; where it is narrow, few are drawn at a time."""
    for scale, few in ((400.0, False), (0.3, True)):
        noisy = np.array([[900.0, 80, 3], [4, 3, 2], [2, 0, 3], [1, 1, 1]])
        tables = lay_out(WIDE, [counts("yx", LaplaceNoise(scale), noisy)], 1000, 0.4, ["x"])
        chain = begun(tables, noisy.ravel())
        for _ in range(40):
            chain.redraw_rare(0.5)
        assert (chain._rare._odds[0] < 0.5) == few


def test_what_lends_does_not_depend_on_where_chains_are():
    tables = laid_out()
    mean = np.repeat(np.array([30.0, 0, 0, 0, 0, 0, 9, 9, 0, 0, 0, 60])[:, None], 5, axis=1)
    rare = RareRows(tables, mean, np.random.default_rng(1))
    chance = np.bincount(rare.draw_lenders(100_000)[0], minlength=12) / 100_000
    assert chance[[0, 11, 1]] == pytest.approx([0.95 * 30 / 99 + 0.05 / 11, 0.95 * 60 / 99 + 0.05 / 11, 0.05 / 11], abs=0.01)
    assert chance[7] == 0  # impossible, whatever it held
    weights = rare._mean.copy()
    rare.propose(begin(tables, mean[::-1]), FixedRows(tables))
    assert (rare._mean == weights).all()
    rare.learn(np.full((12, 5), 9.0), np.ones((1, 5), dtype=bool), 0.5)
    assert (rare._mean != weights).any()


@pytest.mark.parametrize("levels", [3, 60])
def test_rows_of_many_levels_are_rare_with_more_records(levels):
    network = Network([Variable("y", list("01")), Variable("x", [str(each) for each in range(levels)])], {"x": ["y"]})
    tables = lay_out(network, [], 100, 0.4, ["x"])
    assert RareRows(tables, np.ones((2 * levels, 1)), np.random.default_rng(1))._most.tolist() == [max(12, levels // 2)] * 2
