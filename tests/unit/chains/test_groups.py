"""Chains of large networks in two threads: the same visits on every machine, and nobody waits for a run that was ended."""

import threading

import numpy as np
import pytest
from support.chains import run_chain, run_groups
from support.true_tables import lay_out

from discreet.chains import groups
from discreet.chains.effort import Effort
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
    found = run_groups(tables, begin, EFFORT, 7, told.append)
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


@pytest.mark.parametrize("large", [1, 2**16], ids=["two groups", "one"])
@pytest.mark.parametrize("learned", [False, True], ids=["declared", "learned"])
def test_chains_that_go_on_and_on_visit_what_they_would_from_the_start(tables, monkeypatch, large, learned):
    monkeypatch.setattr(groups, "_LARGE", large)
    begin = begin_at(tables, learned)
    efforts = [
        Effort(5, 3, 6),
        Effort(5, 4, 8, 3),
        Effort(5, 14, 6, 3),
        Effort(5, 16, 14, 3),
    ]  # the third begins after all before
    going = groups.Groups(tables, begin, efforts[0], 7)
    for effort in efforts:
        found, wanted = going.run(effort, keep=True), run_groups(tables, begin, effort, 7)
        assert len(found.counts) == effort.rounds
        np.testing.assert_array_equal(found.counts, wanted.counts)
        if learned:
            np.testing.assert_array_equal(found.logs, wanted.logs)


def test_small_networks_run_in_one_group(tables):
    found = run_groups(tables, begin_at(tables, False), EFFORT, 7)
    generator = np.random.default_rng(7)
    start, rows = begin_at(tables, False)(5, generator)
    np.testing.assert_array_equal(found.counts, run_chain(tables, start, rows, EFFORT, generator).counts)


def test_who_stops_one_group_need_not_wait_for_the_other(tables, monkeypatch):
    monkeypatch.setattr(groups, "_LARGE", 1)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # a million rounds would take the better part of an hour
        run_groups(tables, begin_at(tables, False), Effort(4, 1_000_000, 4), 7, interrupt)
    assert not [each.name for each in threading.enumerate() if "ThreadPool" in each.name]
