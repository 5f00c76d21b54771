"""Family tables: the declared number of records is that number, and a broken counter is noticed."""

import numpy as np
import polars as pl
import pytest

from discreet import DataError, naive_bayes
from discreet.counts import families
from discreet.counts.families import family_counts, family_sensitivity, table_sensitivity

NETWORK = naive_bayes("y", ["x"])
DATA = pl.DataFrame({"y": ["0", "1", "1"], "x": ["0", "1", "0"]})


@pytest.mark.parametrize("rows", [0, 1, 2, 4, 300])
def test_more_or_fewer_records_than_declared_are_refused(rows):
    with pytest.raises(DataError, match="declared number of records") as refused:
        family_counts(DATA, NETWORK, rows=rows)
    assert "3" not in str(refused.value)


def test_as_many_records_as_declared_are_counted():
    assert family_counts(DATA, NETWORK, rows=3)["y"].tolist() == [[1, 2]]
    assert family_counts(DATA, NETWORK)["x"].tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("broken", [[[1, 1]], [[2, 2]], [[4, -1]]])
def test_a_table_that_does_not_count_every_record_once_is_a_defect_that_shows(monkeypatch, broken):
    class Broken(families.FamilyCounter):
        def tables(self):
            return {**super().tables(), "y": np.array(broken)}

    monkeypatch.setattr(families, "FamilyCounter", Broken)
    with pytest.raises(RuntimeError, match="defect"):
        family_counts(DATA, NETWORK)


def test_one_record_moves_two_cells_of_each_table():
    assert table_sensitivity() == 2
    assert family_sensitivity(NETWORK) == 4
