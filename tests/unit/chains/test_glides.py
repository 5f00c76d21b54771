"""Steps of all tables at once: their slope is the slope of their law, and they leave a law of wide noise as it is."""

from dataclasses import replace

import numpy as np
import pytest
from support.measurements import counts, part_noise
from support.true_tables import draw_parameters, joint_logs, lay_out

from discreet import Network, Variable
from discreet.chains.family_chain import FamilyChain
from discreet.chains.family_tables import FamilyTables
from discreet.chains.glides import Glides, _round
from discreet.chains.real_counts import Place, RealCounts
from discreet.chains.row_priors import FixedRows, LearnedRows
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


def place_of(tables: FamilyTables, prior, chains):
    """Somewhere, with some cells empty and some that stay."""
    generator = np.random.default_rng(3)
    drawn = [generator.multinomial(60, np.full(family.cells, 1 / family.cells), chains).T for family in tables.families]
    table = np.concatenate(drawn).astype(float)
    for first, family in zip(tables.cell_starts, tables.families, strict=True):
        if family.cells > 2:
            table[first] += table[first + 1]
            table[first + 1] = 0
    return begin(Glides(tables, prior, 60, generator), table, prior)


def begin(glides: Glides, table, prior):
    """Where a step begins that looks at all cells."""
    logs = prior.log if isinstance(prior, LearnedRows) else np.zeros((0, table.shape[1]))
    return glides._begin(table, glides._stays(table), logs)


def law_of(tables: FamilyTables, prior, rows, cells=None):
    """The law of all cells, or of some."""
    some = AllCells(tables).all if cells is None else SomeCells.of(AllCells(tables), cells)
    return RealCounts(some, prior.among(some.cells, some.rows), rows)


@pytest.mark.parametrize("name", ALL_LAWS)
@pytest.mark.parametrize("learned", [True, False])
def test_the_slope_is_that_of_the_height(name, learned):
    tables, generator = star(ALL_LAWS[name]), np.random.default_rng(2)
    fixed = replace(tables, prior=generator.gamma(2, 0.5, len(tables.prior)))
    prior = LearnedRows(tables, PRIOR, 3, generator) if learned else FixedRows(fixed)
    law, place = law_of(tables, prior, 60), place_of(tables, prior, 3)
    slope, step = law.slope(place), 1e-5
    for what in ("logs", "parameters"):
        values = getattr(place, what)
        for number in range(len(values)):
            change = np.zeros_like(values)
            change[number] = step
            up, down = (law.height(replace(place, **{what: values + sign * change})) for sign in (1, -1))
            if what == "logs" or prior.free[number]:
                found = getattr(slope, what)[number]
                np.testing.assert_allclose(found, (up - down) / (2 * step), rtol=2e-3, atol=5e-3)


@pytest.mark.parametrize("name", ALL_LAWS)
@pytest.mark.parametrize("learned", [True, False])
def test_cells_that_are_empty_in_all_chains_need_not_be_looked_at(name, learned):
    """The law without them has the same slope, and is higher by the same everywhere."""
    tables, generator = star(ALL_LAWS[name]), np.random.default_rng(2)
    fixed = replace(tables, prior=generator.gamma(2, 0.5, len(tables.prior)))
    prior = LearnedRows(tables, PRIOR, 3, generator) if learned else FixedRows(fixed)
    place = place_of(tables, prior, 3)
    held = (place.moving + place.held > 0).any(axis=1)
    assert not held.all()
    cells = np.flatnonzero(held)
    some = replace(place, logs=place.logs[cells], moving=place.moving[cells], held=place.held[cells])
    laws, places = [law_of(tables, prior, 60), law_of(tables, prior, 60, cells)], [place, some]
    slopes = [law.slope(each) for law, each in zip(laws, places, strict=True)]
    np.testing.assert_allclose(slopes[0].logs[cells], slopes[1].logs, atol=1e-9)
    np.testing.assert_allclose(slopes[0].parameters, slopes[1].parameters, atol=1e-9)
    rises = []
    for law, each in zip(laws, places, strict=True):
        further = replace(each, logs=each.logs * 1.1, parameters=each.parameters + 0.1 * prior_is_free(prior, each))
        rises.append(law.height(further) - law.height(each))
    np.testing.assert_allclose(rises[0], rises[1], atol=1e-8)


def prior_is_free(prior, place):
    return prior.free[:, None] if isinstance(prior, LearnedRows) else np.zeros_like(place.parameters)


def test_steps_that_look_at_some_cells_keep_every_record(monkeypatch):
    """Whatever share of the cells is occupied, what is not looked at stays empty and no record is lost."""
    monkeypatch.setattr("discreet.chains.some_cells._NEARLY_ALL", 1.1)
    tables, listed, _ = exact_pair(LAWS["K-norm"], 60)
    generator = np.random.default_rng(5)
    start = listed[:, listed[1] == 0][:, ::40]
    monkeypatch.setattr(AllCells, "all", property(lambda _: pytest.fail("all cells are looked at")))
    chain = FamilyChain(tables, start.copy(), FixedRows(tables), generator)
    for number in range(6):
        chain.glide(0.5 if number < 3 else 0.0)
    assert (chain.state.counts.sum(axis=0) == 60).all()
    assert ((chain.state.counts == 0) == (start == 0)).all()
    assert (chain.state.counts != start).any(axis=0).mean() > 0.5


@pytest.mark.parametrize("name", LAWS)
def test_height_and_cusp_are_the_law_of_whole_numbers_away_from_empty_cells(name):
    """Up to a constant: the Jacobian of logarithms, and the wall, which is far away."""
    tables, generator = star(LAWS[name]), np.random.default_rng(4)
    tables = replace(tables, prior=np.full(len(tables.prior), 0.8))
    prior = FixedRows(tables)
    shares = [generator.dirichlet(np.full(family.cells, 20), 4) for family in tables.families]
    table = np.concatenate([generator.multinomial(400, each).T for each in shares]).astype(float)
    assert table.min() > 5
    law = law_of(tables, prior, 400)
    glides = Glides(tables, prior, 400, generator)
    place = replace(begin(glides, table, prior), logs=np.log(table), moving=np.ones_like(table), held=np.zeros_like(table))
    wanted = joint_logs(tables, table, tables.prior[:, None])
    found = law.height(place) + AllCells(tables).cusp(table)[1:].sum(axis=0) - np.log(table).sum(axis=0)
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
    """Chains that start at draws of the exact law, and glide only, keep means and spreads to a few hundredths of a spread."""
    tables, listed, weights = exact_pair(LAWS[name], 40)
    generator = np.random.default_rng(5)
    start = listed[:, generator.choice(len(weights), 1 << 12, p=weights)]
    chain = FamilyChain(tables, start.copy(), FixedRows(tables), generator)
    for _ in range(6):
        chain.glide(0.5)
    chain._glides._length = 1.5  # so far that many steps must be refused
    for _ in range(8):
        chain.glide()
    spread = start.std(axis=1)
    assert (np.abs(chain.state.counts - start).mean(axis=1) > 0.3 * spread).all()  # they do move
    assert np.abs(chain.state.counts.mean(axis=1) - start.mean(axis=1)).max() < 0.06 * spread.max()
    np.testing.assert_allclose(chain.state.counts.std(axis=1), spread, rtol=0.06)
    assert (chain.state.counts.sum(axis=0) == 40).all()
    assert ((chain.state.counts == 0) == (start == 0)).all()


def test_noise_near_its_kink_stays_as_often_as_it_should():
    """Two of four numbers are hit exactly: their cells move with the chance of the rounded side, the others nearly always."""
    tables = lay_out(PAIR, [counts("yx", LaplaceNoise(8.0), np.array([[9, 1], [33, 77]]))], 60, 1.0, ["x"])
    prior, table = FixedRows(tables), np.repeat([[9.0], [1], [3], [47]], 20_000, axis=1)
    glides = Glides(tables, prior, 60, np.random.default_rng(1))
    moving = begin(glides, table, prior).moving.mean(axis=1)
    lost = 8 * 0.3  # what rounding adds to a magnitude of zero
    far = np.hypot(30, lost) - 30
    np.testing.assert_allclose(moving, np.exp([-2 * lost / 8, -2 * lost / 8, -2 * far / 8, -2 * far / 8]), atol=0.015)


def test_steps_leave_learned_parameters_at_their_law_given_tables_that_are_known():
    """Two rows of many records: what is learned from them is the same whether tables move along or not."""
    tables = lay_out(PAIR, [counts("yx", LaplaceNoise(4.0), np.array([[90, 10], [30, 70]]))], 200, 0.0, ["x"])
    generator = np.random.default_rng(6)
    start = np.repeat([[90.0], [10], [30], [70]], 1024, axis=1)
    kept = []
    for glide in (True, False):
        prior = LearnedRows(tables, PRIOR, 1024, np.random.default_rng(7))
        prior.put(draw_parameters(tables, PRIOR, 1024, np.random.default_rng(8)))
        chain = FamilyChain(tables, start.copy(), prior, generator)
        for number in range(40):
            if glide:
                chain.glide(0.5 if number < 20 else 0.0)
            else:
                chain._forms.pull(chain.state.counts)
                chain.trade(0.0)
                chain.learn(prior, 0.5 if number < 20 else 0.0)
        kept.append(prior.log)
    np.testing.assert_allclose(kept[0].mean(axis=1), kept[1].mean(axis=1), atol=0.1)
    np.testing.assert_allclose(kept[0].std(axis=1), kept[1].std(axis=1), rtol=0.1)


def test_counts_are_not_taken_as_real_numbers_where_noise_is_narrow_or_records_are_few():
    tables = lay_out(PAIR, [counts("yx", LaplaceNoise(1.0), np.array([[9, 1], [3, 7]]))], 20, 1.0, ["x"])
    prior, generator = FixedRows(tables), np.random.default_rng(1)
    assert not Glides(tables, prior, 20, generator).possible
    assert not Glides(tables, prior, 20_000, generator).possible
    wide = lay_out(PAIR, [counts("yx", LaplaceNoise(2.0), np.array([[9, 1], [3, 7]]))], 20, 1.0, ["x"])
    assert not Glides(wide, prior, 20, generator).possible
    assert Glides(wide, prior, 20_000, generator).possible


def test_cells_that_are_rounded_up_to_one_never_leave_another_below_nothing():
    """Very many cells of about half a record: what rounding adds is more than any cell holds, and all that hold more give."""
    network = Network([Variable("x", [str(level) for level in range(300)])])
    tables = lay_out(network, [counts("x", LaplaceNoise(6.0), np.zeros(300))], 310, 1.0)
    some, prior = AllCells(tables).all, FixedRows(tables)
    wanted = np.full((300, 2), 0.55)
    wanted[:10] = (310 - 290 * 0.55) / 10
    place = Place(np.log(wanted), np.zeros((0, 2)), np.ones_like(wanted), np.zeros_like(wanted))
    law = RealCounts(some, prior.among(some.cells, some.rows), 310)
    rounded = _round(place, law, some)
    assert rounded.min() >= 1
    assert (rounded.sum(axis=0) == 310).all()


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
    apart = SumForms(tables, generator).tension(chain.state.counts).sum(axis=0).mean()
    assert 0.2 * margins / 2 < apart < 2.0 * margins
