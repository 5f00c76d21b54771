"""Chains of large networks in two threads: the same visits on every machine, and nobody waits for a run that was ended."""

import threading

import numpy as np
import pytest
from support.true_tables import lay_out

from discreet.chains import groups
from discreet.chains.effort import Effort
from discreet.chains.family_chain import run_chain
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.model.network import Network
from discreet.model.prior import LEARNED
from discreet.model.variable import Variable

EFFORT = Effort(5, 3, 6)
PAIR = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})


@pytest.fixture
def tables():
    return lay_out(PAIR, [], 6, 1.0, ["x"])


def begin_at(tables, learned):
    def begin(chains, generator):
        start = np.zeros((len(tables.prior), chains))
        start[tables.cell_starts] = 6
        return start, LearnedRows(tables, LEARNED, chains, generator) if learned else FixedRows(tables)

    return begin


@pytest.mark.parametrize("learned", [False, True], ids=["declared", "learned"])
def test_two_groups_are_two_runs_side_by_side(tables, monkeypatch, learned):
    monkeypatch.setattr(groups, "_LARGE", 1)
    begin, told = begin_at(tables, learned), []
    found = groups.run_groups(tables, begin, EFFORT, 7, told.append)
    parts = []
    for chains, generator in zip((3, 2), np.random.default_rng(7).spawn(2), strict=True):
        start, rows = begin(chains, generator)
        parts.append(run_chain(tables, start, rows, EFFORT, generator))
    np.testing.assert_array_equal(found.counts, np.concatenate([part.counts for part in parts], axis=2))
    assert told == list(range(1, 10))
    if learned:
        np.testing.assert_array_equal(found.logs, np.concatenate([part.logs for part in parts], axis=2))
    else:
        assert found.logs is None


def test_small_networks_run_in_one_group(tables):
    found = groups.run_groups(tables, begin_at(tables, False), EFFORT, 7)
    generator = np.random.default_rng(7)
    start, rows = begin_at(tables, False)(5, generator)
    np.testing.assert_array_equal(found.counts, run_chain(tables, start, rows, EFFORT, generator).counts)


def test_who_stops_one_group_need_not_wait_for_the_other(tables, monkeypatch):
    monkeypatch.setattr(groups, "_LARGE", 1)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # a million rounds would take the better part of an hour
        groups.run_groups(tables, begin_at(tables, False), Effort(4, 1_000_000, 4), 7, interrupt)
    assert not [each.name for each in threading.enumerate() if "ThreadPool" in each.name]
