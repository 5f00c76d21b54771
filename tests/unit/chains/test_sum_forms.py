"""What is known about sums of cells: what moves cost that share a sum, and shared margins are drawn and integrated out."""

from dataclasses import replace

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.known_sums import KnownSums
from discreet.chains.sum_forms import SumForms
from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic

NETWORK = Network(
    [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("01")), Variable("d", list("0123"))],
    {"c": ["a", "b"], "d": ["b"]},
)
CHAINS = 6


def told():
    """Every family is tied to others, and c is told of three measurements that are no family's own."""
    generator = np.random.default_rng(4)
    law = LaplaceNoise(0.8)
    return [
        counts("bd", law, generator.integers(0, 9, (3, 4))),
        counts("a", law, generator.integers(0, 9, 2)),
        counts("cb", law, generator.integers(0, 9, (2, 3))),
        Measurement(("b", "a"), Statistic.CONTRAST, law, generator.integers(-4, 5, 3)),
        Measurement(("c", "a"), Statistic.PARITY, law, np.array(7)),
    ]


def released_tables():
    return lay_out(NETWORK, told(), 20, 1.0)


def random_tables():
    """The same tables with sums that any cells count into, with any weights: no layer is a margin."""
    tables, generator = lay_out(NETWORK, [], 20, 1.0), np.random.default_rng(5)
    cells, families = tables.family_of_cell, len(tables.families)
    each, layers = 3, 4
    first = 1 + each * np.arange(families * layers).reshape(layers, families)
    place = first[:, cells] + generator.integers(0, each, (layers, len(cells)))
    place[generator.random(place.shape) < 0.2] = 0
    size = 1 + each * families * layers
    sums = KnownSums(
        place,
        np.where(place > 0, generator.choice([-1.0, 1.0, 0.5], place.shape), 0.0),
        np.concatenate([[0], np.tile(np.repeat(np.arange(families), each), layers)]),
        np.concatenate([[0.0], generator.gamma(1, 0.2, size - 1)]),
        np.concatenate([[0.0], generator.normal(0, 5, size - 1)]),
        np.full(size, -1),
        np.zeros(0),
        np.zeros(0, dtype=np.int64),
        {},
    )
    return replace(tables, sums=sums)


def plain_log(tables, column, target, tilt=None):
    """Log density of all sums at one column of cells, and the factors of records, written out."""
    sums, found = tables.sums, 0.0 if tilt is None else float(tilt @ column)
    for number in range(1, len(sums.family)):
        total = sum(
            sums.sign[layer, cell] * column[cell] for layer, cell in zip(*np.nonzero(sums.place == number), strict=True)
        )
        found -= sums.precision[number] * (total - target[number]) ** 2 / 2
    return found


@pytest.fixture(params=[released_tables, random_tables], ids=["release", "random"])
def world(request):
    tables, generator = request.param(), np.random.default_rng(3)
    table = generator.integers(0, 9, (len(tables.prior), CHAINS)).astype(float)
    forms = SumForms(tables, generator)
    forms.pull(table)
    target = np.broadcast_to(forms._target, (len(tables.sums.family), CHAINS))
    return tables, forms, table, target, generator


def test_densities_are_those_of_all_sums_written_out(world):
    tables, forms, table, target, _ = world
    expected = [plain_log(tables, table[:, chain], target[:, chain]) for chain in range(CHAINS)]
    np.testing.assert_allclose(forms.logs(table).sum(axis=0), expected + tables.row_margins.logs(table).sum(axis=0))


def test_each_family_has_its_own_sums_alone(world):
    tables, forms, table, _, _ = world
    for number in range(len(tables.families)):
        other = table.copy()
        other[tables.cells_of(number)] += 1
        changed = (forms.logs(other) != forms.logs(table)).any(axis=1)
        assert changed.tolist() == [place == number for place in range(len(tables.families))]


def random_moves(tables, generator, count):
    """Moves within one family, from a cell to another: 2 x moves, and how many records move."""
    family = generator.integers(len(tables.families))
    cells = np.arange(len(tables.prior))[tables.cells_of(family)]
    return generator.choice(cells, (2, count)), generator.integers(0, 3, count).astype(float)


@pytest.mark.parametrize("measured", [False, True], ids=["all sums", "measured sums alone"])
def test_a_move_by_itself_costs_what_it_changes(world, measured):
    tables, forms, table, target, generator = world
    look = forms.measured_logs if measured else forms.move_logs
    if measured:
        known = np.where(tables.sums.margin < 0, tables.sums.precision, 0)
        tables = replace(tables, sums=replace(tables.sums, precision=known))
    for _ in range(20):
        cells, size = random_moves(tables, generator, 1)
        found = look(np.repeat(cells[..., None], CHAINS, axis=2), np.repeat(size[:, None], CHAINS, axis=1), table)
        after = table.copy()
        after[cells[0]] -= size
        after[cells[1]] += size
        for chain in range(CHAINS):
            given = target[:, chain], None if measured else np.broadcast_to(forms.tilt, table.shape)[:, chain]
            gain = plain_log(tables, after[:, chain], *given) - plain_log(tables, table[:, chain], *given)
            assert found[0, chain] == pytest.approx(gain, abs=1e-9)


@pytest.mark.fast("release")
def test_moves_that_share_sums_pay_on_average_for_all_that_they_change_together(world):
    """Errors are shared out so that the mean of the ratio over all errors is the ratio without them."""
    tables, forms, table, target, generator = world
    many, weaker = 100_000, 0.02  # where sums hold tight, the mean of so many ratios says little
    forms._target, forms._precision, forms.tilt = target[:, :1], weaker * forms._precision, forms.tilt[:, :1]
    tables = replace(tables, sums=replace(tables.sums, precision=weaker * tables.sums.precision))
    before, wide = table[:, 0], 0
    for _ in range(20):
        cells, size = random_moves(tables, generator, 3)
        moves = np.broadcast_to(cells[..., None], (2, 3, many)), np.broadcast_to(size[:, None], (3, many))
        found = forms.move_logs(*moves, np.repeat(table[:, :1], many, axis=1))
        after = before.copy()
        np.subtract.at(after, cells[0], size)
        np.add.at(after, cells[1], size)
        given = target[:, 0], forms.tilt[:, 0]
        ratio = np.exp(found.sum(axis=0) - plain_log(tables, after, *given) + plain_log(tables, before, *given))
        assert ratio.std() < 1.5
        wide += ratio.std() > 0.01
        assert ratio.mean() == pytest.approx(1, abs=5 * ratio.std() / np.sqrt(many) + 1e-9)
    assert wide >= 3


def test_rows_are_accepted_one_after_another(world):
    tables, forms, table, target, generator = world
    for _ in range(3):
        moved = generator.integers(-3, 4, table.shape).astype(float)
        change = generator.normal(0, 10, (len(tables.family_of_row), CHAINS))
        found = forms.accept_rows(moved, change, table)
        assert 0.1 < found.mean() < 0.9
        for chain in range(CHAINS):
            column = table[:, chain].copy()
            for row in range(len(change)):
                after = np.where(tables.row_of_cell == row, column + moved[:, chain], column)
                given = target[:, chain], np.broadcast_to(forms.tilt, table.shape)[:, chain]
                gain = plain_log(tables, after, *given) - plain_log(tables, column, *given)
                assert found[row, chain] == (gain + change[row, chain] > 0)
                column = after if found[row, chain] else column


def test_where_nothing_is_known_about_sums_what_else_decides_decides():
    tables = lay_out(NETWORK, [], 20, 1.0, ["c"])
    forms, change = SumForms(tables, np.random.default_rng(1)), np.array([[0.5, -0.5]] * len(tables.family_of_row))
    assert (forms.accept_rows(np.ones((12, 2)), change, np.zeros((12, 2))) == [True, False]).all()
    cells = np.zeros((2, 3, 2), dtype=np.int64)
    assert not forms.move_logs(cells, np.ones((3, 2)), np.zeros((12, 2))).any()


def test_shared_margins_are_drawn_around_the_mean_of_the_tables_that_have_them():
    tables, generator = released_tables(), np.random.default_rng(2)
    column = generator.integers(0, 9, len(tables.prior)).astype(float)
    forms = SumForms(tables, generator)
    forms.pull(np.repeat(column[:, None], 40_000, axis=1))
    by_cell = tables.sums.matrix() @ column
    for cell in range(len(tables.sums.copies)):
        tied = np.flatnonzero(tables.sums.margin == cell)
        assert len(tied) == tables.sums.copies[cell]
        drawn = forms._target[tied]
        assert (drawn == drawn[0]).all()
        variance = 1 / tables.sums.precision[tied[0]] / len(tied)
        assert drawn[0].mean() == pytest.approx(by_cell[tied].mean(), abs=5 * np.sqrt(variance / 40_000))
        assert drawn[0].var() == pytest.approx(variance, rel=0.05)


def test_the_tension_is_what_is_left_when_shared_margins_are_integrated_out():
    tables, generator = released_tables(), np.random.default_rng(2)
    table = generator.integers(0, 9, (len(tables.prior), 3)).astype(float)
    found = SumForms(tables, generator).tension(table)
    sums = tables.sums.matrix() @ table
    margin = np.linspace(-200, 300, 200_001)
    assert set(tables.sums.copies) >= {2.0, 3.0}
    for cell in range(len(tables.sums.copies)):
        tied = np.flatnonzero(tables.sums.margin == cell)
        precision = tables.sums.precision[tied[0]]
        for chain in range(3):
            log = -precision / 2 * sum((sums[each, chain] - margin) ** 2 for each in tied)
            integral = np.log(np.exp(log - log.max()).sum() * (margin[1] - margin[0])) + log.max()
            constant = np.log(2 * np.pi / precision / len(tied)) / 2
            assert found[cell, chain] == pytest.approx(constant - integral, abs=1e-6)


def test_ties_hold_from_the_first_draw_of_the_margins_on():
    tables, generator = released_tables(), np.random.default_rng(2)
    table = generator.integers(0, 9, (len(tables.prior), 3)).astype(float)
    forms = SumForms(tables, generator)
    measured = forms.logs(table)
    gaps = tables.sums.matrix() @ table - tables.sums.measured[:, None]
    known = np.where(tables.sums.margin < 0, tables.sums.precision, 0)[:, None]
    factors = tables.row_margins.logs(table).sum(axis=0)
    np.testing.assert_allclose(measured.sum(axis=0), (-known * gaps**2 / 2).sum(axis=0) + factors)
    forms.pull(table)
    assert (forms.logs(table) < measured).all()
