"""What is known about sums of cells: moves are accepted one after another, and shared margins are drawn and integrated out."""

from dataclasses import replace

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.known_sums import KnownSums
from discreet.chains.row_pairs import row_pairs
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
        (),
        np.zeros(0, dtype=np.int64),
    )
    return replace(tables, sums=sums)


def plain_log(tables, column, target):
    """Log density of all sums at one column of cells, written out."""
    sums, found = tables.sums, 0.0
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
    forms = SumForms(tables)
    forms.pull(table, generator)
    target = np.broadcast_to(forms._target, (len(tables.sums.family), CHAINS))
    return tables, forms, table, target, generator


def test_densities_are_those_of_all_sums_written_out(world):
    tables, forms, table, target, _ = world
    expected = [plain_log(tables, table[:, chain], target[:, chain]) for chain in range(CHAINS)]
    np.testing.assert_allclose(forms.logs(table).sum(axis=0), expected)
    measured = replace(tables, sums=replace(tables.sums, precision=np.where(tables.sums.margin < 0, tables.sums.precision, 0)))
    expected = [plain_log(measured, table[:, chain], target[:, chain]) for chain in range(CHAINS)]
    np.testing.assert_allclose(forms.measured_logs(table).sum(axis=0), expected)


def test_each_family_has_its_own_sums_alone(world):
    tables, forms, table, _, _ = world
    for number in range(len(tables.families)):
        other = table.copy()
        other[tables.cells_of(number)] += 1
        changed = (forms.logs(other) != forms.logs(table)).any(axis=1)
        assert changed.tolist() == [place == number for place in range(len(tables.families))]


def test_moves_are_accepted_one_after_another(world):
    tables, forms, table, target, generator = world
    seen = []
    for pairs in 3 * row_pairs(tables.families):
        rows = pairs.draw(generator)
        levels = np.array([family.levels for family in tables.families])[pairs.family]
        chosen = generator.integers(0, levels[None, :, None], (*rows.shape, CHAINS))
        cells = tables.row_starts[rows][..., None] + chosen
        size = generator.integers(0, 4, chosen.shape[1:]).astype(float)
        change = generator.normal(0, 10, size.shape)
        found = forms.accept_moves(pairs, cells, size, change, table)
        for chain in range(CHAINS):
            column = table[:, chain].copy()
            for move, (leave, join) in enumerate(cells[:, :, chain].T):
                after = column.copy()
                after[leave] -= size[move, chain]
                after[join] += size[move, chain]
                gain = plain_log(tables, after, target[:, chain]) - plain_log(tables, column, target[:, chain])
                assert found[move, chain] == (gain + change[move, chain] > 0)
                column = after if found[move, chain] else column
        seen.append(found.mean())
    assert 0.1 < np.mean(seen) < 0.9


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
                gain = plain_log(tables, after, target[:, chain]) - plain_log(tables, column, target[:, chain])
                assert found[row, chain] == (gain + change[row, chain] > 0)
                column = after if found[row, chain] else column


def test_where_nothing_is_known_about_sums_what_else_decides_decides():
    tables = lay_out(NETWORK, [], 20, 1.0, ["c"])
    forms, change = SumForms(tables), np.array([[0.5, -0.5]] * len(tables.family_of_row))
    assert (forms.accept_rows(np.ones((12, 2)), change, np.zeros((12, 2))) == [True, False]).all()
    pairs = row_pairs(tables.families)[0]
    cells = np.zeros((2, len(pairs.family), 2), dtype=np.int64)
    change = change[: len(pairs.family)]
    assert (forms.accept_moves(pairs, cells, np.ones(change.shape), change, np.zeros((12, 2))) == [True, False]).all()


def test_shared_margins_are_drawn_around_the_mean_of_the_tables_that_have_them():
    tables, generator = released_tables(), np.random.default_rng(2)
    column = generator.integers(0, 9, len(tables.prior)).astype(float)
    forms = SumForms(tables)
    forms.pull(np.repeat(column[:, None], 40_000, axis=1), generator)
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
    found = SumForms(tables).tension(table)
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
    forms = SumForms(tables)
    np.testing.assert_array_equal(forms.logs(table), forms.measured_logs(table))
    forms.pull(table, generator)
    assert (forms.logs(table) < forms.measured_logs(table)).all()
