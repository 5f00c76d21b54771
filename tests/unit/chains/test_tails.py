"""What is below half a record is drawn anew, by the law that it has there; all else stays."""

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.real_counts import seen_share
from discreet.chains.row_priors import FixedRows
from discreet.chains.smooth_weights import HALF, RowWeights
from discreet.chains.tails import draw_tails
from discreet.measure.laws import LaplaceNoise

LEAST = 1e-4
RARE = Network([Variable("y", list("012")), Variable("x", list("012"))], {"x": ["y"]}, impossible=[{"y": "1", "x": "2"}])


@pytest.fixture(scope="module")
def drawn():
    """Of a table with two full rows, one of which has an impossible cell, and one that does not move, very many draws."""
    tables = lay_out(RARE, [counts("yx", LaplaceNoise(8.0), np.zeros((3, 3)))], 100, 0.2, ["x"])
    table = np.array([50.0, 0.3, 0, 20, 29.7, 0, 7, 0.2, 0])
    many = np.repeat(table[:, None], 40_000, axis=1)
    moving = np.repeat([[True], [True], [False]], 40_000, axis=1)
    found = draw_tails(tables, many, moving, FixedRows(tables), LEAST, np.random.default_rng(1))
    return many, found


def test_what_has_records_stays_and_what_is_impossible_stays_empty(drawn):
    table, found = drawn
    assert (found[[0, 3, 4]] == table[[0, 3, 4]]).all()
    assert (found[5] == 0).all()
    assert (found < HALF)[[1, 2, 5]].all()
    assert ((found == 0) | (found >= LEAST)).all()


def test_rows_that_do_not_move_stay(drawn):
    table, found = drawn
    assert (found[6:] == table[6:]).all()


def test_a_row_is_accepted_by_what_is_seen_of_it():
    """In rows of a few records and many empty cells, cells just below a half are as rare as the row's weight says."""
    levels = 40
    network = Network([Variable("y", list("01")), Variable("x", [str(level) for level in range(levels)])], {"x": ["y"]})
    tables = lay_out(network, [counts("yx", LaplaceNoise(8.0), np.zeros((2, levels)))], 100, 2.0, ["x"])
    table = np.zeros((2 * levels, 6000))
    table[0], table[levels] = 3, 97
    moving, prior, generator = np.ones((2, 6000), dtype=bool), FixedRows(tables), np.random.default_rng(1)
    for _ in range(60):
        table = draw_tails(tables, table, moving, prior, LEAST, generator)
    seen = (table * seen_share(table))[:levels].sum(axis=0)
    rate = 2 / (1 + 2**4) ** 0.25
    free = HALF * generator.random((200_000, levels - 1)) ** (1 / rate)
    totals = 3 + (free * seen_share(free)).sum(axis=1)
    weights = np.exp(RowWeights(tables.row_spread[:1, None], np.array([[2.0 * levels]])).log(totals[None])[0])
    assert seen.mean() == pytest.approx(np.average(totals, weights=weights), abs=0.03)
    assert abs(totals.mean() - np.average(totals, weights=weights)) > 0.2  # it would be seen


@pytest.mark.parametrize("cell", [1, 2])
def test_an_empty_cell_of_a_full_row_is_as_deep_as_its_parameter_says(drawn, cell):
    """The chance to be above r is 1 - (r / h)^t."""
    for limit in (LEAST, 1e-2, 0.1):
        assert (drawn[1][cell] > limit).mean() == pytest.approx(1 - (limit / HALF) ** 0.2, abs=0.015)
