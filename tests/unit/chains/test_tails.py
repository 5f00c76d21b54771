"""What is below half a record is drawn anew, by the law that it has there; all else stays."""

import numpy as np
import pytest
from support.measurements import counts
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.row_priors import FixedRows
from discreet.chains.smooth_weights import HALF
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


@pytest.mark.parametrize("cell", [1, 2])
def test_an_empty_cell_of_a_full_row_is_as_deep_as_its_parameter_says(drawn, cell):
    """The chance to be above r is 1 - (r / h)^t."""
    for limit in (LEAST, 1e-2, 0.1):
        assert (drawn[1][cell] > limit).mean() == pytest.approx(1 - (limit / HALF) ** 0.2, abs=0.015)
