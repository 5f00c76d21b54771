"""Steps count the factors of rows' margins (``row_margins.py``) once: drawn for single rows, as they are for whole tables."""

from dataclasses import replace

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import LARGEST_Z, draw_rows, drift, exact_law, lay_out

from discreet import UNIFORM, Network, Variable
from discreet.chains import tails
from discreet.chains.effort import Effort
from discreet.chains.family_chain import FamilyChain
from discreet.chains.fused_chain import FusedChain
from discreet.chains.glides import Glides
from discreet.chains.real_counts import Frame, RealCounts, seen_share
from discreet.chains.row_margins import RowMargins
from discreet.chains.row_priors import FixedRows
from discreet.chains.smooth_weights import RowWeights, smooth_cells
from discreet.chains.some_cells import AllCells, SomeCells
from discreet.chains.some_margins import SomeMargins
from discreet.chains.sum_forms import SumForms
from discreet.chains.visits import GoingVisits
from discreet.measure.laws import LaplaceNoise
from discreet.measure.published import Published
from discreet.model.prior import TablePrior

CHAINS, ROWS = 1 << 13, 2
UNEVEN = Network(
    [Variable("r", list("01")), Variable("s", list("012")), Variable("c", list("01")), Variable("d", list("01"))],
    {"c": ["r"], "d": ["r", "s"]},
)
"""Rows of d say more of r than its part of three levels of s, and r is known from the table of c: factors of both kinds."""


def uneven_tables(scale=2.0, rows=ROWS):
    generator = np.random.default_rng(3)
    known = {family.node: generator.gamma(2, 0.5, (family.configurations, family.levels)) for family in UNEVEN.families}
    numbers = [counts(nodes, LaplaceNoise(scale), generator.integers(0, 2, shape)) for nodes, shape in
               (("rc", (2, 2)), ("rsd", (2, 3, 2)))]  # fmt: skip
    return lay_out(UNEVEN, numbers, rows, known, list("cd"))


def without_factors(tables):
    """The same tables with the same rows, but no factors."""
    law, none = tables.row_margins, np.zeros(0)
    return replace(tables, row_margins=replace(law, above=none, below=none, pushing=none, rate=none,
                   matrix=law.matrix[:0], back=law.back[:, :0], family=law.family[:0]))  # fmt: skip


@pytest.fixture(scope="module")
def at_the_law():
    tables = uneven_tables()
    law = tables.row_margins
    assert len(law.above) == 2
    assert len(law.pushing) == 2
    # Stronger than they would be: what steps do to them is seen in few draws.
    stronger = {"below": law.above + np.array([3.0, 5.0]), "pushing": np.array([4.0, 9.0]), "rate": np.array([1.5, 2.5])}
    tables = replace(tables, row_margins=replace(law, **stronger))
    listed, weights = exact_law(tables, ROWS)
    generator = np.random.default_rng(4)
    return tables, listed[generator.choice(len(listed), CHAINS, p=weights)].T


def test_the_law_with_factors_is_another_one(at_the_law):
    """Else no step that forgets them would be found out."""
    tables, drawn = at_the_law
    listed, weights = exact_law(without_factors(tables), ROWS)
    other = listed[draw_rows(np.repeat(weights[:, None], CHAINS, axis=1), np.random.default_rng(5))].T
    assert drift(drawn, other) > 3 * LARGEST_Z


STEPS = {
    "exchange": lambda chain, turn: chain.exchange(turn),
    "trade": lambda chain, turn: chain.trade(),
    "refill of rows": lambda chain, turn: chain.refill_rows(),
    "refill of tables": lambda chain, turn: chain.refill_tables(),
    "rare rows": lambda chain, turn: chain.redraw_rare(),
    "shift": lambda chain, turn: chain._shifts.step(turn, chain.state, chain.prior, 0.0),
    "round": lambda chain, turn: chain.round(turn, 0.0),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_leaves_the_law_with_factors_of_both_kinds_as_it_is(at_the_law, step):
    tables, drawn = at_the_law
    chain = FamilyChain(tables, drawn.copy(), FixedRows(tables), np.random.default_rng(6))
    for turn in range(3 if step == "round" else 6):
        if step not in ("round", "shift"):
            chain.forms.pull(chain.counts)
        STEPS[step](chain, turn)
    assert drift(drawn, chain.counts) < LARGEST_Z


def told_events(monkeypatch):
    """What chains do, in order: factors are drawn, rows move by drawn factors, tables move by factors as they are."""
    events = []

    def listen(owner, name, event):
        plain = getattr(owner, name)

        def told(self, *given, **named):
            events.append(event)
            return plain(self, *given, **named)

        monkeypatch.setattr(owner, name, told)

    listen(SumForms, "pull", "draw")
    for name in ("move_logs", "accept_rows"):
        listen(SumForms, name, "rows")
    for name in ("logs", "factors"):
        listen(SumForms, name, "tables")
    listen(Glides, "step", "tables")
    return events


def in_order(events):
    """No row moves by factors that were drawn before tables moved without them."""
    drawn = False
    for event in events:
        if event == "rows" and not drawn:
            return False
        drawn = event == "draw" or (drawn and event == "rows")
    return events.count("rows") > 0


@pytest.mark.parametrize("wide", [False, True], ids=["whole numbers", "real numbers, wide rows"])
def test_factors_are_drawn_anew_before_rows_move_by_them(monkeypatch, wide):
    tables = uneven_tables(20.0, 600) if wide else uneven_tables()
    start = np.zeros((len(tables.prior), 4))
    start[tables.cell_starts] = 600 if wide else ROWS
    chain = FamilyChain(tables, start, FixedRows(tables), np.random.default_rng(1))
    assert chain._glides.possible == wide
    chain._wide = wide
    events = told_events(monkeypatch)
    for number in range(4):
        chain.round(number, 0.0)
    assert in_order(events)


def test_so_they_are_in_chains_of_several_releases(monkeypatch):
    tables = uneven_tables()
    start = np.zeros((len(tables.prior), 4))
    start[tables.cell_starts] = ROWS
    chain = FusedChain([tables, tables], [start, start.copy()], FixedRows(tables), np.random.default_rng(1))
    events = told_events(monkeypatch)
    for number in range(2):
        chain.round(number, 0.0)
    assert in_order(events)


def test_each_draw_is_given_the_tables_as_they_are(monkeypatch):
    monkeypatch.setattr(RowMargins, "draw", lambda self, seen, generator: 7 * seen)
    tables = uneven_tables()
    forms = SumForms(tables, np.random.default_rng(1))
    for records in (1.0, 2.0):
        forms.pull(np.full((len(tables.prior), 2), records))
        assert (forms.tilt == 7 * records).all()


@pytest.fixture(scope="module")
def some():
    """Some cells of tables, while others stay, and one that moves in some chains alone."""
    tables = uneven_tables(20.0, 600)
    table = np.random.default_rng(2).uniform(6, 40, (len(tables.prior), 3))
    cells = np.flatnonzero(np.arange(len(table)) % 5 > 0)
    moving = np.isin(np.arange(len(table)), cells)[:, None] & np.ones(3, dtype=bool)
    moving[cells[2], 1] = False
    staying, here = np.where(moving, 0, table), np.where(moving, table, 0)[cells]
    return tables, table, here, SomeMargins.of(tables.row_margins, cells, staying, np.float64)


def test_factors_are_as_high_as_those_of_all_cells_also_where_some_stay(some):
    tables, table, here, margins = some
    np.testing.assert_allclose(margins.log(here), tables.row_margins.logs(table).sum(axis=0), rtol=1e-9)


def test_the_slope_of_factors_is_that_of_their_height(some):
    _, _, here, margins = some
    slope, step = margins.slope(here), 1e-4
    for number in range(len(here)):
        change = np.zeros_like(here)
        change[number] = step
        wanted = (margins.log(here + change) - margins.log(here - change)) / (2 * step)
        np.testing.assert_allclose(slope[number], wanted, rtol=1e-2, atol=2e-6)
    assert np.abs(slope).max() > 1e-3


def law_of_all(tables, table):
    """The law of all cells as real numbers."""
    prior, every = FixedRows(tables), np.arange(len(table))
    whole = AllCells(tables, 600)
    whole.type = np.float64
    cells = SomeCells.of(whole, every, np.zeros_like(table))
    believed = prior.among(cells.cells, cells.rows)
    free = np.add.reduceat(table, tables.cell_starts, axis=0)
    frame = Frame(np.ones_like(table), free, whole.widths[:, None], np.full(free.shape, 0.2), 0.01)
    of_rows = RowWeights(tables.row_spread[:, None], believed.strengths)
    return RealCounts(cells, smooth_cells(believed.parameters, believed.rates), of_rows, frame)


def test_tables_glide_by_the_law_with_factors():
    tables, generator = uneven_tables(20.0, 600), np.random.default_rng(2)
    table = generator.uniform(2, 9, (len(tables.prior), 3))
    one, two = law_of_all(tables, table), law_of_all(without_factors(tables), table)
    x = one.place(table, generator)
    at = one._at(x, one._frame)
    added = tables.row_margins.logs(at.seen).sum(axis=0)
    np.testing.assert_allclose(one.height(x) - two.height(x), added, rtol=1e-6)
    step, way = 1e-4, generator.standard_normal(x.shape)
    ends = [tables.row_margins.logs(one._at(x + sign * step * way, one._frame).seen).sum(axis=0) for sign in (1, -1)]
    wanted = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(((one.slope(x) - two.slope(x)) * way).sum(axis=0), wanted, rtol=2e-2, atol=1e-4)
    assert np.abs(wanted).max() > 1e-2


@pytest.mark.parametrize("sign", [-1, 1])
def test_what_is_drawn_anew_below_a_half_is_accepted_by_drawn_factors(monkeypatch, sign):
    """Factors of records that are next to nothing let no row see more than before, and huge ones no row less."""
    tables, generator = uneven_tables(20.0, 600), np.random.default_rng(2)
    table = np.where(generator.random((len(tables.prior), 500)) < 0.5, 50.0, 0.3)
    given = []

    def draw(self, seen, generator):
        given.append(seen)
        return np.full(seen.shape, sign * 1e9)

    monkeypatch.setattr(RowMargins, "draw", draw)
    moving = np.ones((len(tables.row_spread), 500), dtype=bool)
    found = tails.draw_tails(tables, table, moving, FixedRows(tables), 1e-4, generator)
    before, after = (tables.sum_rows(each * seen_share(each)) for each in (table, found))
    np.testing.assert_array_equal(given[0], table * seen_share(table))
    assert (sign * (after - before) >= -1e-6).all()
    assert (found != table).any()


def test_changes_of_rows_are_accepted_by_drawn_factors_also_where_nothing_is_tied():
    tables = lay_out(UNEVEN, [], ROWS, 1.0, ["d"])
    forms = SumForms(tables, np.random.default_rng(1))
    forms.tilt = np.log(np.arange(1.0, 13))[:, None]
    moved = np.tile([-1.0, 1.0], 6)[:, None]
    wanted = forms.tilt.reshape(6, 2)[:, 1] - forms.tilt.reshape(6, 2)[:, 0]
    for slack, accepted in ((1e-6, True), (-1e-6, False)):
        assert (forms.accept_rows(moved, (slack - wanted)[:, None], np.ones((12, 1))) == accepted).all()


def going(network, prior, own, measured):
    shapes = {node: tuple(network.variable(each).size for each in (*network.parents[node], node)) for node in measured}
    released = [counts((*network.parents[node], node), LaplaceNoise(1e5), np.zeros(shape)) for node, shape in shapes.items()]
    return GoingVisits(network, prior, Published(network, tuple(released), 400), own, Effort(8, 60, 60), 1)


PAIR = Network([Variable("r", list("01")), Variable("x", list("01"))], {"x": ["r"]})
TWO = Network([Variable("r", list("01")), Variable("s", list("01")), Variable("x", list("01"))], {"x": ["r", "s"]})


def prior_of_root(network, parameters):
    ones = {family.node: np.ones((family.configurations, family.levels)) for family in network.families}
    return TablePrior(network, ones | {"r": np.array([parameters])})


def test_a_root_that_is_read_off_has_its_declared_prior():
    visits = going(PAIR, prior_of_root(PAIR, [0.9, 0.5]), {}, "x")
    np.testing.assert_allclose(visits._tables.row_spread, [0.9, 0.5])


def test_records_of_ones_own_tell_the_counts_of_a_root_of_which_nothing_was_published():
    """What is published is of persons like one's own."""
    own = {"r": np.array([[270, 30]]), "x": np.zeros((2, 2), dtype=int)}
    visits = going(PAIR, UNIFORM, own, "x").run(Effort(8, 60, 60))
    assert visits.counts["r"][:, 0, 0].mean() == pytest.approx(0.9 * 400, abs=20)
    assert (visits.parameters["r"] == 1).all()  # one's own records are added to the counts later


def test_a_strong_prior_of_one_of_several_parents_tells_its_counts():
    visits = going(TWO, prior_of_root(TWO, [27.0, 3.0]), {}, "sx").run(Effort(8, 60, 60))
    assert visits.counts["r"][:, 0, 0].mean() == pytest.approx(0.9 * 400, abs=20)


def test_no_combination_is_said_less_of_than_is_known_also_where_rows_are_impossible():
    network = Network(
        [Variable("r", list("01")), *(Variable(name, list("0123")) for name in "st"), Variable("x", list("01"))],
        {"s": ["r"], "t": ["s"], "x": ["r", "s", "t"]},
        impossible=[{"r": "1", "s": "3"}, {"r": "1", "s": "2"}],
    )
    measured = [counts(nodes, LaplaceNoise(5.0), np.zeros(shape)) for nodes, shape in
                (("rs", (2, 4)), ("st", (4, 4)), ("rstx", (2, 4, 4, 2)))]  # fmt: skip
    tables = lay_out(network, measured, 100, 1.0, list("stx"))
    x = next(number for number, family in enumerate(tables.families) if family.node == "x")
    rows = tables.row_spread[tables.family_of_row == x].reshape(2, 4, 4)
    assert rows.sum(axis=0).min() > 1 - 1e-9  # of s and t, which the table of t has
