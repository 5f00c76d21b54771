"""Rows of few records are drawn anew from their law; another cell of their block lends the records."""

import numpy as np
import pytest
from scipy.special import gammaln
from support.measurements import counts
from support.true_tables import LARGEST_Z, drift, exact_law, lay_out

from discreet import Network, Variable
from discreet.chains.family_chain import FamilyChain
from discreet.chains.rare_rows import RareRows
from discreet.chains.row_priors import FixedRows
from discreet.chains.sum_forms import SumForms
from discreet.measure.laws import LaplaceNoise

WIDE = Network([Variable("y", list("0123")), Variable("x", list("012"))], {"x": ["y"]}, impossible=[{"y": "2", "x": "1"}])
CHAINS = 20_000


def laid_out(scale=24.0, rows=1000):
    """Nothing is known of the table of x but that it has a thousand records, most of them in its first row."""
    return lay_out(WIDE, [counts("yx", LaplaceNoise(scale), np.zeros((4, 3)))], rows, {"y": 1.0, "x": 0.4}, ["x"])


def begun(tables, table=(900, 80, 3, 1, 2, 0, 0, 0, 0, 4, 8, 2)):
    start = np.repeat(np.array(table, dtype=float)[:, None], CHAINS, axis=1)
    return FamilyChain(tables, start, FixedRows(tables), np.random.default_rng(1))


def rare_rows(tables, start, seed=1):
    generator = np.random.default_rng(seed)
    return RareRows(tables, SumForms(tables, generator), start, generator)


def by_parent(levels, child=2):
    return Network([Variable("y", [str(each) for each in range(levels)]), Variable("x", list("0123")[:child])], {"x": ["y"]})


def test_a_rare_row_has_as_many_records_as_its_law_says_and_shares_them_as_an_urn_does():
    tables = laid_out()
    chain = begun(tables)
    chosen = np.zeros((4, CHAINS), dtype=bool)
    chosen[1:3] = True
    wanted = chain._rare._draw_counts(chosen)
    changes = chain._rare._draw(wanted, chosen, np.zeros(4, dtype=np.int64), 1, chain.state, chain.prior)
    table = chain.state.counts.copy()
    table[changes.cell] += changes.size
    assert (tables.sum_rows(table)[1:3] == wanted[1:3]).all()
    rows, spread = tables.sum_rows(table), tables.row_spread[1]
    number = np.arange(13)
    weights = np.exp(gammaln(number + spread) - gammaln(number + 1))
    for row in (1, 2):
        seen = np.bincount(rows[row].astype(int), minlength=13) / CHAINS
        np.testing.assert_allclose(seen, weights / weights.sum(), atol=0.012)
    two = rows[1] == 2
    same = (table[3:6, two] == 2).any(axis=0).mean()  # of two records the second joins the first: (1 + a) / (1 + A)
    assert same == pytest.approx(1.4 / 2.2, abs=0.06)
    assert (table[7] == 0).all()


def test_records_are_lent_by_one_cell_and_none_is_lost():
    chain = begun(laid_out(scale=24e3))
    before = chain.state.counts.copy()
    chain._rare.step(chain.state, chain.prior, 0.0)
    after = chain.state.counts
    assert (after.sum(axis=0) == 1000).all()
    assert (after >= 0).all()
    assert (chain.state.rows == chain._tables.sum_rows(after)).all()
    changed = (after != before)[:3].sum(axis=0)
    assert (changed <= 1).all()  # the row of many records changes in the cell that lends
    assert changed.mean() > 0.4


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
    tables = lay_out(by_parent(2), [counts("yx", LaplaceNoise(400.0), np.zeros((2, 2)))], 10, 0.3, ["x"])
    chain = FamilyChain(tables, np.repeat([[3.0], [3], [2], [2]], CHAINS, axis=1), FixedRows(tables), np.random.default_rng(1))
    for _ in range(30):
        chain.redraw_rare()
    totals = tables.sum_rows(chain.state.counts)
    np.testing.assert_allclose((totals == 0).mean(axis=1), 1 / 11, atol=0.01)


@pytest.mark.parametrize("own", [True, False])
def test_several_blocks_of_a_family_leave_its_law_as_it_is(own, monkeypatch):
    """Five rows in two blocks; what was published of them, or of their sums, is known of both together."""
    monkeypatch.setattr("discreet.chains.rare_rows._LARGE_ROWS", 2)
    monkeypatch.setattr("discreet.chains.rare_rows._MANY_ROWS", 2)
    generator = np.random.default_rng(2)
    of_cells = counts("yx", LaplaceNoise(1.5), generator.integers(0, 2, (5, 2)).astype(float))
    of_sums = counts("x", LaplaceNoise(0.4), np.array([1.0, 2.0]))
    known = {"y": 1.0, "x": generator.gamma(2, 0.3, (5, 2))}
    tables = lay_out(by_parent(5), [of_cells if own else of_sums], 3, known, ["x"])
    listed, weights = exact_law(tables, 3)
    drawn = listed[generator.choice(len(listed), CHAINS, p=weights)].T
    chain = FamilyChain(tables, drawn.copy(), FixedRows(tables), generator)
    chain._rare._mean[:] = 1
    chain._rare._odds[:] = 10  # nearly all rows at a time
    assert chain._rare._divide()[0].max() == 1
    for _ in range(10):
        chain.forms.pull(chain.state.counts)
        chain.redraw_rare()
    assert drift(drawn, chain.state.counts) < LARGEST_Z


@pytest.mark.parametrize("way", ["lend", "share"])
def test_cells_of_ten_records_in_two_rows_keep_their_law(way, monkeypatch):
    """Weak priors set empty cells and others far apart, also in the cell that lends."""
    monkeypatch.setattr("discreet.chains.rare_rows._MANY_ROWS", 2)
    known = {"y": 1.0, "x": np.array([[0.15, 0.4], [0.3, 2.0]])}
    tables = lay_out(by_parent(2), [counts("yx", LaplaceNoise(4.0), np.array([[4.0, 0], [9, -2]]))], 10, known, ["x"])
    listed, weights = exact_law(tables, 10)
    drawn = listed[np.random.default_rng(4).choice(len(listed), CHAINS, p=weights)].T
    chain = FamilyChain(tables, drawn.copy(), FixedRows(tables), np.random.default_rng(5))
    for _ in range(8):
        chain._rare.step(chain.state, chain.prior, 0.0) if way == "lend" else chain._rare.share(chain.state, chain.prior)
    assert drift(drawn, chain.state.counts) < LARGEST_Z


def test_rows_of_many_that_are_as_likely_come_and_go():
    """Nothing is known of 64 rows: after a few steps, which of them have records is another matter."""
    parents = [Variable(name, list("01234567")) for name in "yw"]
    network = Network([*parents, Variable("x", list("01"))], {"x": ["y", "w"]})
    tables = lay_out(network, [counts("ywx", LaplaceNoise(1e4), np.zeros((8, 8, 2)))], 3200, 0.5, ["x"])
    start = np.zeros((128, 100))
    start[:40] = 80
    chain = FamilyChain(tables, start, FixedRows(tables), np.random.default_rng(1))
    for _ in range(30):
        chain.forms.pull(chain.state.counts)
        chain.redraw_rare()
    assert (chain.state.rows[20:] > 20).sum(axis=0).mean() > 2


def test_rows_share_their_records_in_pairs_that_are_drawn_by_lot(monkeypatch):
    """Of six rows any two are as often a pair; those that are declared impossible are in none."""
    monkeypatch.setattr("discreet.chains.rare_rows._MANY_ROWS", 6)
    six = by_parent(6)
    tables = lay_out(six, [], 60, 0.4, ["x"])
    rare = rare_rows(tables, np.full((12, 1), 5.0))
    pairs = np.array([rare._pair() for _ in range(3000)])
    assert pairs.shape == (3000, 2, 3)
    assert (np.sort(pairs.reshape(3000, 6), axis=1) == np.arange(6)).all()
    together = (np.sort(pairs, axis=1) == np.array([[0], [3]])).all(axis=1).any(axis=1).mean()
    assert together == pytest.approx(1 / 5, abs=0.03)
    closed = Network(list(six.variables), {"x": ["y"]}, impossible=[{"y": "3"}])
    told = counts("yx", LaplaceNoise(1e4), np.zeros((6, 2)))
    rare = rare_rows(lay_out(closed, [told], 60, 0.4, ["x"]), np.full((12, 1), 5.0))
    pairs = np.array([rare._pair() for _ in range(100)])
    assert pairs.shape == (100, 2, 2)
    assert set(pairs.ravel()) == {0, 1, 2, 4, 5}


def test_how_many_rows_are_drawn_is_learned():
    """Where noise is wide all are taken over; where it is narrow, few are drawn at a time."""
    for scale, few in ((400.0, False), (0.3, True)):
        noisy = np.array([[900.0, 80, 3], [4, 3, 2], [2, 0, 3], [1, 1, 1]])
        tables = lay_out(WIDE, [counts("yx", LaplaceNoise(scale), noisy)], 1000, 0.4, ["x"])
        chain = begun(tables, noisy.ravel())
        chain._rare._most[:] = 12
        for _ in range(40):
            chain.redraw_rare(0.5)
        assert (chain._rare._odds[0] < 0.5) == few


def test_what_lends_does_not_depend_on_where_chains_are():
    tables = laid_out()
    mean = np.repeat(np.array([30.0, 0, 0, 0, 0, 0, 9, 9, 0, 0, 0, 60])[:, None], 5, axis=1)
    rare = rare_rows(tables, mean)
    lenders = np.concatenate([rare._divide()[1] for _ in range(20_000)])
    assert len(lenders) == 20_000  # one block
    chance = np.bincount(lenders, minlength=12) / 20_000
    assert chance[[0, 11, 1]] == pytest.approx([0.95 * 30 / 99 + 0.05 / 11, 0.95 * 60 / 99 + 0.05 / 11, 0.05 / 11], abs=0.015)
    assert chance[7] == 0  # impossible, whatever it held
    weights = rare._mean.copy()
    chain = begun(tables)
    rare.step(chain.state, chain.prior, 0.0)
    assert (rare._mean == weights).all()
    rare.step(chain.state, chain.prior, 0.5)
    assert (rare._mean != weights).any()


def test_a_family_with_many_large_rows_has_many_blocks_and_each_has_a_cell_that_lends():
    tables = lay_out(by_parent(30), [], 3000, 0.4, ["x"])
    start = np.zeros((60, 1))
    start[:48] = 62.5
    rare = rare_rows(tables, start)
    block, lenders = rare._divide()
    assert block.max() == 8 - 1 == len(lenders) - 1  # 24 rows of one size, in threes
    assert (block[tables.row_of_cell[lenders]] == np.arange(8)).all()


@pytest.mark.parametrize("levels", [3, 60])
def test_rows_of_many_levels_are_rare_with_more_records(levels):
    network = Network([Variable("y", list("01")), Variable("x", [str(each) for each in range(levels)])], {"x": ["y"]})
    tables = lay_out(network, [], 40, 0.4, ["x"])
    assert rare_rows(tables, np.full((2 * levels, 1), 20 / levels))._most.tolist() == [max(12, levels // 2)] * 2


@pytest.mark.parametrize(
    ("scale", "records", "most"), [(2.0, 10_000, 12), (100.0, 10_000, 50), (1e4, 10_000, 256), (1e4, 80, 20)]
)
def test_rows_are_rare_with_as_many_records_as_noise_hides(scale, records, most):
    tables = lay_out(by_parent(2), [counts("yx", LaplaceNoise(scale), np.zeros((2, 2)))], records, 1.0, ["x"])
    assert rare_rows(tables, np.full((4, 1), records / 4))._most.tolist() == [most] * 2


def test_rows_of_small_families_are_in_no_pair():
    small = rare_rows(lay_out(by_parent(7), [], 60, 0.4, ["x"]), np.full((14, 1), 5.0))
    assert not len(small._paired)
    chain = begun(laid_out())
    before = chain.state.counts.copy()
    chain._rare.share(chain.state, chain.prior)
    assert (chain.state.counts == before).all()
    assert len(rare_rows(lay_out(by_parent(8), [], 60, 0.4, ["x"]), np.full((16, 1), 5.0))._paired) == 8
