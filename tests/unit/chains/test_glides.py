"""Steps of all tables at once: their slope is the slope of their law, and they leave a law of wide noise as it is."""

from dataclasses import replace

import numpy as np
import pytest
from support.measurements import counts, part_noise
from support.true_tables import joint_logs, lay_out

from discreet import Network, Variable
from discreet.chains.family_chain import FamilyChain
from discreet.chains.family_tables import FamilyTables
from discreet.chains.glides import Glides, _round
from discreet.chains.real_counts import Frame, RealCounts, seen_share
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.chains.smooth_weights import RowWeights, moving_chance, smooth_cells
from discreet.chains.some_cells import AllCells, SomeCells
from discreet.chains.sum_forms import SumForms
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.model.prior import Hierarchical

PRIOR = Hierarchical(1.5, 0.6, 0.8)
PAIR = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
STAR = Network([Variable("y", list("01")), Variable("a", list("01")), Variable("b", list("012"))], {"a": ["y"], "b": ["y"]})
LAWS = {"Laplace": LaplaceNoise(6.0), "Gaussian": GaussianNoise(60.0), "K-norm": part_noise(6, 4)}
ROWS_LAW = part_noise(6, 4, 3)
ALL_LAWS = LAWS | {"K-norm of rows": ROWS_LAW}


def star(law):
    """Tables that share a node, with a sum that was measured besides: of cells in a family that has no numbers of its own."""
    measured = [counts("ya", law, np.array([[30, 8], [5, 20]])), counts("b", law, np.array([25, 20, 15]))]
    if law is ROWS_LAW:  # the three numbers of a row have noise of one law together
        measured = [counts("yb", law, np.array([[20, 8, 5], [3, 12, 14]]))]
    return lay_out(STAR, measured, 60, 0.0)


def some_tables(tables: FamilyTables, chains):
    """Tables of real counts, with some cells empty."""
    generator = np.random.default_rng(3)
    drawn = [generator.multinomial(60, np.full(family.cells, 1 / family.cells), chains).T for family in tables.families]
    table = np.concatenate(drawn).astype(float)
    for first, family in zip(tables.cell_starts, tables.families, strict=True):
        if family.cells > 2:
            table[first] += table[first + 1]
            table[first + 1] = 0
    return table


def law_of(tables: FamilyTables, prior, table, staying=(), cells=None, precision=np.float64):
    """The law of all cells, or of some; empty ones stay, and some others."""
    whole = AllCells(tables)
    whole.type, whole.targets = precision, whole.targets.astype(precision)
    whole.sums, whole.rounding = whole.sums.as_type(precision), whole.rounding.astype(precision)
    all_moving = (table > 0) & ~np.isin(np.arange(len(table)), staying)[:, None]
    held = np.where(all_moving, 0, table)
    some = SomeCells.of(whole, np.arange(len(table)) if cells is None else cells, held)
    believed, here, moving = prior.among(some.cells, some.rows), table[some.cells], all_moving[some.cells]
    free = table[tables.cells_of(0)].sum(axis=0) - np.add.reduceat(held, tables.cell_starts, axis=0)
    widths = whole.widths[some.cells][:, None]
    frame = Frame(moving.astype(float), free, widths, np.full(free.shape, 0.2), 0.01)
    of_rows = RowWeights(tables.row_spread[some.rows][:, None], believed.strengths)
    law = RealCounts(some, smooth_cells(believed.parameters, believed.rates), of_rows, frame)
    return law, law.place(here, np.random.default_rng(4)), moving


def prior_of(tables: FamilyTables, *, learned):
    generator = np.random.default_rng(2)
    fixed = replace(tables, prior=generator.gamma(2, 0.5, len(tables.prior)))
    return LearnedRows(tables, PRIOR, 3, generator) if learned else FixedRows(fixed)


@pytest.mark.parametrize("name", ALL_LAWS)
@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_the_slope_is_that_of_the_height(name, learned, precision):
    tables = star(ALL_LAWS[name])
    law, x, moving = law_of(tables, prior_of(tables, learned=learned), some_tables(tables, 3), (2, 5), precision=precision)
    slope, step = law.slope(x), 1e-5
    assert slope.dtype == precision
    for number in range(len(x)):
        change = np.zeros_like(x)
        change[number] = step
        wanted = (law.height(x + change) - law.height(x - change)) / (2 * step)
        np.testing.assert_allclose(slope[number], np.where(moving[number], wanted, 0), rtol=2e-3, atol=5e-3)
    exact = law_of(tables, prior_of(tables, learned=learned), some_tables(tables, 3), (2, 5))[0].slope(x)
    np.testing.assert_allclose(slope, exact, atol=2e-4)


@pytest.mark.parametrize("name", ALL_LAWS)
@pytest.mark.parametrize("learned", [True, False])
def test_cells_that_stay_in_all_chains_need_not_be_looked_at(name, learned):
    """The law without them has the same slope, and is higher by the same everywhere."""
    tables = star(ALL_LAWS[name])
    prior, table, staying = prior_of(tables, learned=learned), some_tables(tables, 3), (2, 5)
    cells = np.flatnonzero(table.any(axis=1) & ~np.isin(np.arange(len(table)), staying))
    assert len(cells) < (table.any(axis=1)).sum() < len(table)
    one, x, _ = law_of(tables, prior, table, staying)
    two, y, _ = law_of(tables, prior, table, staying, cells)
    np.testing.assert_allclose(one.slope(x)[cells], two.slope(y), atol=1e-9)
    rises = one.height(1.1 * x) - one.height(x), two.height(1.1 * y) - two.height(y)
    np.testing.assert_allclose(rises[0], rises[1], atol=1e-8)


@pytest.mark.parametrize("name", LAWS)
def test_height_and_cusp_are_the_law_of_whole_numbers_away_from_empty_cells(name):
    """Up to a constant, and to what is known of the coordinates: their Jacobian, and what the sizes of a family sum to."""
    tables, generator = star(LAWS[name]), np.random.default_rng(4)
    tables = replace(tables, prior=np.full(len(tables.prior), 0.8))
    shares = [generator.dirichlet(np.full(family.cells, 20), 4) for family in tables.families]
    table = np.concatenate([generator.multinomial(4000, each).T for each in shares]).astype(float)
    assert table.min() > 50
    law, x, _ = law_of(tables, FixedRows(tables), table)
    at = law._at(x, law._frame)
    total = np.log(at.sums / law._frame.free)
    coordinates = np.log(law._frame.widths * at.slope).sum(axis=0) - (total * law._number).sum(axis=0)
    coordinates -= np.square(total / 0.2).sum(axis=0) / 2 + np.log1p(0.01 / table).sum(axis=0)
    coordinates += np.log(moving_chance(tables.sum_rows(table))).sum(axis=0)
    found = law.height(x) - coordinates + AllCells(tables).cusp(table)[1:].sum(axis=0)
    wanted = joint_logs(tables, table, tables.prior[:, None])
    np.testing.assert_allclose(law.counts(x), table)
    np.testing.assert_allclose(found - found[0], wanted - wanted[0], atol=2e-3)


def exact_pair(law, rows):
    """All tables of a node and its child with these records, and their law."""
    numbers = counts("yx", law, np.array([[rows * 0.45, rows * 0.1], [rows * 0.05, rows * 0.5]]).round())
    tables = lay_out(PAIR, [numbers], rows, {"y": np.full((1, 2), 0.5), "x": np.array([[0.4, 1.2], [0.7, 0.3]])}, ["x"])
    a, b, c = np.meshgrid(*[np.arange(rows + 1)] * 3, indexing="ij")
    rest = rows - a - b - c
    listed = np.stack([each[rest >= 0] for each in (a, b, c, rest)]).astype(float)
    logs = joint_logs(tables, listed, tables.prior[:, None])
    weights = np.exp(logs - logs.max())
    return tables, listed, weights / weights.sum()


@pytest.mark.fast("K-norm")
@pytest.mark.parametrize("name", LAWS)
def test_steps_leave_the_law_as_it_is_but_for_a_trace(name):
    """Chains that start at draws of the exact law, and glide only, keep means, spreads and empty cells to a few hundredths."""
    tables, listed, weights = exact_pair(LAWS[name], 60)
    generator = np.random.default_rng(5)
    start = listed[:, generator.choice(len(weights), 1 << 13, p=weights)]
    chain = FamilyChain(tables, start.copy(), FixedRows(tables), generator)
    for _ in range(6):
        chain.glide(0.5)
    chain._glides._length = 0.9  # so far that many steps must be refused
    for _ in range(12):
        chain.glide()
    found, spread = chain.counts, start.std(axis=1)
    assert (np.abs(found - start).mean(axis=1) > 0.3 * spread).all()  # they do move
    assert np.abs(found.mean(axis=1) - start.mean(axis=1)).max() < 0.06 * spread.max()
    np.testing.assert_allclose(found.std(axis=1), spread, rtol=0.06)
    np.testing.assert_allclose((found == 0).mean(axis=1), (start == 0).mean(axis=1), atol=0.03)
    assert (found.sum(axis=0) == 60).all()


def test_steps_of_wide_tables_keep_how_many_cells_are_empty():
    """Cells that are empty or full, in rows that are empty or full: as often as record by record, prior and all."""
    network = Network([Variable("y", list("012")), Variable("x", list("0123"))], {"x": ["y"]})
    numbers = np.array([[60, 4, -3, 2], [5, 80, 3, -6], [2, -4, 8, 1]])
    found = []
    for possible in (True, False):
        tables = lay_out(network, [counts("yx", LaplaceNoise(6.0), numbers)], 150, 0.0, ["x"])
        generator = np.random.default_rng(3)
        prior = LearnedRows(tables, PRIOR, 512, generator)
        start = np.repeat(np.maximum(numbers, 0).reshape(-1, 1), 512, axis=1).astype(float)
        start[0] += 150 - start.sum(axis=0)
        chain = FamilyChain(tables, start, prior, generator)
        chain._glides.possible = possible
        seen = []
        for number in range(90):
            chain.round(number, 0.5 if number < 30 else 0.0)
            if number >= 30:
                table = chain.counts
                seen.append(np.concatenate([table == 0, table, prior.log, tables.sum_rows(table) == 0]))
        found.append(np.mean(seen, axis=0))
    glided, exact = found
    error = np.sqrt(glided.var(axis=1) + exact.var(axis=1)) / np.sqrt(512)
    apart = np.abs(glided.mean(axis=1) - exact.mean(axis=1)) - 5 * error
    # What real numbers may change beyond luck: of chances to be empty, of counts, of logarithms, of chances of rows.
    allowed = np.repeat([0.02, 0.3, 0.06, 0.02], [12, 12, 4, 3])
    assert (apart < allowed).all()


def test_a_full_cell_is_never_lost():
    """Cells stay where they are now and then; what they hold stays with them."""
    numbers = np.array([[1800, 400], [200, 1600]])
    tables = lay_out(PAIR, [counts("yx", LaplaceNoise(6.0), numbers)], 4000, 0.5, ["x"])
    start = np.repeat([[1800.0], [400], [200], [1600]], 4096, axis=1)
    chain = FamilyChain(tables, start, FixedRows(tables), np.random.default_rng(5))
    for _ in range(12):
        before = chain.counts
        chain.glide()
        assert np.abs(chain.counts - before).max() < 150


def test_steps_that_look_at_some_cells_keep_every_record():
    """Whatever share of the cells moves, no record is lost."""
    tables, listed, _ = exact_pair(LAWS["K-norm"], 60)
    start = listed[:, listed[1] == 0][:, ::40]
    chain = FamilyChain(tables, start.copy(), FixedRows(tables), np.random.default_rng(5))
    for number in range(6):
        chain.glide(0.5 if number < 3 else 0.0)
    assert (chain.counts.sum(axis=0) == 60).all()
    assert (chain.counts != start).any(axis=0).mean() > 0.5


@pytest.mark.parametrize("levels", [30, 100])
def test_wide_rows_move(levels):
    """However many numbers have kinks, most cells move in a step."""
    network = Network([Variable("y", list("01")), Variable("x", [str(level) for level in range(levels)])], {"x": ["y"]})
    generator = np.random.default_rng(2)
    drawn = generator.multinomial(4000, np.full(2 * levels, 0.5 / levels)).reshape(2, levels)
    noisy = drawn + np.rint(generator.laplace(size=drawn.shape) * 6)
    tables = lay_out(network, [counts("yx", LaplaceNoise(6.0), noisy)], 4000, 0.5, ["x"])
    start = np.repeat(drawn.reshape(-1, 1), 8, axis=1).astype(float)
    assert Glides(tables, 4000, generator)._smooth(start).mean() > 0.8
    chain = FamilyChain(tables, start, FixedRows(tables), generator)
    for number in range(20):
        chain.round(number, 0.5)
    before = chain.counts
    chain.round(21, 0.0)
    assert (chain.counts != before).mean() > 0.5


def test_empty_cells_are_no_records_to_their_rows_and_sums():
    assert seen_share(np.array([0.3])).item() < 0.01
    np.testing.assert_allclose(seen_share(np.array([1.5, 20.0, 1e6])), 1, atol=1e-3)


def test_rows_of_few_records_stay():
    """Of the rows of a table those that have less than a few move as seldom as their chance says."""
    tables = lay_out(PAIR, [counts("yx", GaussianNoise(60.0), np.array([[190, 20], [60, 130]]))], 400, 0.5, ["x"])
    glides = Glides(tables, 400, np.random.default_rng(1))
    table = np.repeat([[380.0], [15], [3], [2]], 20_000, axis=1)
    np.testing.assert_allclose(glides._choose_rows(table).mean(axis=1), [1, 0.5], atol=0.02)
    assert moving_chance(np.array([0.0, 1.0])) == pytest.approx([0, 0], abs=2e-3)
    found = glides.step(table, FixedRows(tables), 0.0)
    assert (found[:2] != table[:2]).any(axis=0).mean() > 0.5
    assert (found[2:] != table[2:]).any(axis=0).mean() == pytest.approx(0.45, abs=0.1)


def test_rows_that_stay_keep_their_records_whatever_rounding_leaves(monkeypatch):
    tables = lay_out(PAIR, [counts("yx", GaussianNoise(60.0), np.array([[190, 20], [60, 130]]))], 400, 0.5, ["x"])
    glides = Glides(tables, 400, np.random.default_rng(1))
    monkeypatch.setattr(glides, "_choose_rows", lambda table: np.repeat([[True], [False]], table.shape[1], axis=1))
    table = np.repeat([[300.0], [80], [11], [9]], 500, axis=1)
    for _ in range(4):
        found = glides.step(table, FixedRows(tables), 0.0)
        assert (found[2:] == 11 - 2 * (np.arange(2)[:, None])).all()
        assert (found.sum(axis=0) == 400).all()
        assert (found[:2] != table[:2]).any()
        table = found


def test_numbers_near_their_kink_stay_in_a_step(monkeypatch):
    """What moves in a step is near no kink, in a row that moves, and not next to nothing."""
    glides, table, *_ = a_glide()
    seen, smooth = [], np.random.default_rng(3).random(table.shape) < 0.5
    monkeypatch.setattr(glides, "_smooth", lambda _: smooth)
    monkeypatch.setattr(glides, "_choose_rows", lambda table: np.repeat([[True], [False]], table.shape[1], axis=1))
    original = glides._law
    monkeypatch.setattr(glides, "_law", lambda here, moving, *more: seen.append(moving) or original(here, moving, *more))
    glides.step(table, FixedRows(glides._tables), 0.0)
    assert (seen[0][:2] == smooth[:2]).all()
    assert not seen[0][2:].any()


def test_what_stays_is_counted_into_rows_numbers_and_sums():
    tables = star(ROWS_LAW)
    generator = np.random.default_rng(7)
    table = some_tables(tables, 3)
    moving = generator.random(table.shape) < 0.5
    staying = np.where(moving, 0, table)
    whole = AllCells(tables)
    some = whole.taken(moving.any(axis=1), staying)
    assert set(np.flatnonzero(moving.any(axis=1))) <= set(some.cells)
    np.testing.assert_allclose(some.held, tables.sum_rows(staying)[some.rows])
    seen = np.where(moving, table, 0)
    np.testing.assert_allclose(some.held + some.sum_rows(seen[some.cells]), tables.sum_rows(table)[some.rows])
    alone = SomeCells.of(whole, np.arange(len(table)), np.zeros_like(table))
    at_once = alone.known_log(table) - alone.known_log(staying)
    apart = some.known_log(seen[some.cells]) - some.known_log(np.zeros_like(seen[some.cells]))
    np.testing.assert_allclose(apart, at_once, atol=1e-3)


def a_glide(rows=400):
    tables = lay_out(PAIR, [counts("yx", GaussianNoise(60.0), np.array([[190, 20], [60, 130]]))], rows, 0.5, ["x"])
    glides = Glides(tables, rows, np.random.default_rng(1))
    table = np.repeat([[190.0], [20], [60], [130]], 6, axis=1)
    glides._learn_mean(table, 0.0)
    glides._learn_directions(FixedRows(tables))
    return glides, table, *glides._law(table, np.ones(table.shape, dtype=bool), FixedRows(tables))


def test_a_step_can_be_taken_back(monkeypatch):
    """With the impulse turned around it ends where it began."""
    monkeypatch.setattr("discreet.chains.some_cells._SINGLE", 0.0)  # in double precision
    glides, table, law, metric = a_glide()
    start, impulses = law.place(table, np.random.default_rng(2)), []
    kick = np.random.default_rng(3).standard_normal(start.shape)
    monkeypatch.setattr(type(metric), "draw", lambda *_: kick.copy())
    original = type(metric).energy
    monkeypatch.setattr(
        type(metric), "energy", lambda self, impulse: impulses.append(impulse.copy()) or original(self, impulse)
    )
    monkeypatch.setattr(glides, "_generator", _Even())
    end, gain = glides._glide(start, law, metric)
    assert np.abs(end - start).min(axis=0).max() > 0.05
    kick = -impulses[-1]
    back, loss = glides._glide(end, law, metric)
    np.testing.assert_allclose(back, start, atol=1e-8)
    np.testing.assert_allclose(gain, -loss, atol=1e-7)


class _Even:
    """What is drawn evenly is in the middle."""

    @staticmethod
    def uniform(low, high, size=None):
        return (low + high) / 2 if size is None else np.full(size, (low + high) / 2)


def test_the_metric_does_not_depend_on_where_chains_are():
    glides, table, law, _ = a_glide()
    other = table[::-1]
    elsewhere, _ = glides._law(other, np.ones(table.shape, dtype=bool), FixedRows(glides._tables))
    assert (elsewhere._frame.widths == law._frame.widths).all()
    assert (elsewhere._frame.spread == law._frame.spread).all()
    glides.step(table, FixedRows(glides._tables), 0.0)
    mean, before = glides._mean.copy(), glides._stiff
    for _ in range(20):
        glides.step(other, FixedRows(glides._tables), 0.0)
    assert (glides._mean == mean).all()
    assert glides._stiff is before


def test_what_other_steps_change_is_taken_over():
    """Real numbers go on from where they were, by as many records as others have moved."""
    tables, _, _ = exact_pair(LAWS["Laplace"], 60)
    generator = np.random.default_rng(1)
    glides = Glides(tables, 60, generator)
    table = glides.step(np.repeat([[20.0], [15], [10], [15]], 8, axis=1), FixedRows(tables), 0.0)
    real = glides._take(table)
    assert np.abs(real - table).max() <= 2.5  # the largest cell takes what rounding leaves
    moved = table + np.array([[3.0], [0], [0], [-3]])
    np.testing.assert_allclose(glides._take(moved) - real, moved - table, atol=1e-9)


def test_noise_near_its_kink_stays_as_often_as_it_should():
    """Two of four numbers are hit exactly: their cells move with the chance of the rounded side, the others nearly always."""
    tables = lay_out(PAIR, [counts("yx", LaplaceNoise(8.0), np.array([[9, 1], [33, 77]]))], 60, 1.0, ["x"])
    table = np.repeat([[9.0], [1], [3], [47]], 20_000, axis=1)
    moving = Glides(tables, 60, np.random.default_rng(1))._smooth(table).mean(axis=1)
    lost = 8 * 0.2  # what rounding adds to a magnitude of zero
    far = np.hypot(30, lost) - 30
    np.testing.assert_allclose(moving, np.exp([-lost / 8, -lost / 8, -far / 8, -far / 8]), atol=0.015)


def test_counts_are_not_taken_as_real_numbers_where_noise_is_narrow_or_records_are_few():
    tables = lay_out(PAIR, [counts("yx", LaplaceNoise(1.0), np.array([[9, 1], [3, 7]]))], 20, 1.0, ["x"])
    generator = np.random.default_rng(1)
    assert not Glides(tables, 20, generator).possible
    assert not Glides(tables, 20_000, generator).possible
    wide = lay_out(PAIR, [counts("yx", LaplaceNoise(2.0), np.array([[9, 1], [3, 7]]))], 20, 1.0, ["x"])
    assert not Glides(wide, 20, generator).possible
    assert Glides(wide, 20_000, generator).possible


def test_numbers_beyond_single_precision_have_slopes_in_double():
    for rows, kind in ((20_000, np.float32), (20_000_000, np.float64)):
        numbers = counts("yx", LaplaceNoise(20.0), np.array([[rows / 2, 1], [3, rows / 2]]))
        assert AllCells(lay_out(PAIR, [numbers], rows, 1.0, ["x"])).type is kind


@pytest.mark.parametrize(("full", "rest"), [(10, 0.57), (10, 0.5), (0, 1000 / 300), (300, 0.6), (299, 0.6)])
def test_rounding_keeps_every_record_and_leaves_no_cell_below_nothing(full, rest):
    """Very many cells of about half a record: those that hold more share what rounding leaves."""
    network = Network([Variable("x", [str(level) for level in range(300)])])
    tables = lay_out(network, [counts("x", LaplaceNoise(6.0), np.zeros(300))], 1000, 1.0)
    wanted = np.full((300, 64), float(rest))
    if 0 < full < 200:
        wanted[:full] = (1000 - (300 - full) * rest) / full
    rounded = _round(wanted, np.full(wanted.shape, -1.0), tables, 1000, np.random.default_rng(1))
    assert rounded.min() >= 0
    assert (rounded.sum(axis=0) == 1000).all()
    if 0 < full < 200:
        assert np.ptp(rounded[:full].mean(axis=1)) < 1


@pytest.mark.slow
def test_copies_of_a_margin_move_together():
    """Tables that share a node agree as closely after many steps as before: their tension is what it should be."""
    tables = star(LaplaceNoise(6.0))
    generator = np.random.default_rng(9)
    start = np.concatenate(
        [np.repeat(np.full((family.cells, 1), 60 // family.cells), 512, axis=1) for family in tables.families]
    ).astype(float)
    chain = FamilyChain(tables, start, LearnedRows(tables, PRIOR, 512, generator), generator)
    for number in range(30):
        chain.round(number, 0.5 if number < 15 else 0.0)
    margins = len(tables.sums.copies)
    apart = SumForms(tables, generator).tension(chain.counts).sum(axis=0).mean()
    assert 0.2 * margins / 2 < apart < 2.0 * margins


def test_stiff_directions_of_very_large_tables_are_not_looked_for(monkeypatch):
    """They would fill the memory; steps are shorter without them, and as right."""
    looked = []
    monkeypatch.setattr("discreet.chains.glides.find_directions", lambda *given: looked.append(given))
    for largest, times in ((4, 1), (3, 0)):
        monkeypatch.setattr("discreet.chains.glides._LARGEST", largest)
        glides, before = Glides(lay_out(PAIR, [], 60, 0.5, ["x"]), 60, np.random.default_rng(1)), len(looked)
        glides._mean = np.ones(4)
        glides._learn_directions(FixedRows(glides._tables))
        assert len(looked) - before == times
