"""Answers say where the chains behind them do not agree."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits

import discreet as dc
from discreet.chains import effort as efforts
from discreet.chains.diagnostics import Diagnostics
from discreet.chains.visits import Visits
from discreet.inference import query as queries
from discreet.posterior import noise_aware

NETWORK = dc.naive_bayes("y", ["a"])
DATA = pl.DataFrame({"y": ["0", "1"] * 50, "a": ["0", "1"] * 50})
CHAINS, ROUNDS = 4, 50


def posterior_of(counts):
    """A posterior that visited these counts of y, rounds x chains, of 100 records; a is always the same."""
    made = dc.release(DATA, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), prior="uniform", _bits=SeededBits(1))
    posterior = replace(made.posterior, effort=dc.Effort(CHAINS, 0, ROUNDS))
    of_y = np.stack([counts, 100 - counts], axis=2).reshape(-1, 1, 2)
    tables = {"y": of_y, "a": np.broadcast_to([[25.0, 25.0]] * 2, (len(of_y), 2, 2))}
    parameters = {node: np.ones((1, 1, 2)) for node in NETWORK.nodes}
    posterior.__dict__["_visits"] = Visits(CHAINS, ROUNDS, tables, parameters, {})
    return posterior


@pytest.fixture
def agreeing():
    return posterior_of(np.random.default_rng(1).integers(20, 80, (ROUNDS, CHAINS)).astype(float))


@pytest.fixture
def apart():
    return posterior_of(np.broadcast_to([20.0, 20.0, 80.0, 80.0], (ROUNDS, CHAINS)))


def test_chains_that_agree_leave_no_doubt(agreeing):
    answer = agreeing.query("y", generator=1)
    assert answer.caution is None
    assert "caution" not in answer.to_dict()


def test_chains_that_do_not_agree_on_an_answer_are_told_everywhere(apart):
    answer = apart.query("y", generator=1)
    assert answer.caution.startswith("The chains do not agree on this answer (R-hat ")
    assert answer.to_dict()["caution"] == answer.caution
    assert "do not agree" in repr(answer)
    assert "do not agree" in answer._repr_html_()
    assert answer.remark is None
    assert answer.lower is not None


def test_an_answer_that_does_not_depend_on_them_is_not_doubted(apart):
    """Of a given y the chains say the same, and the diagnostics of the whole posterior do not count."""
    assert not apart.diagnostics.converged
    assert apart.query("a", {"y": "0"}, generator=1).caution is None
    assert apart.doubt_of_table("a") is None
    assert apart.doubt_of_table("y") is not None


def test_chains_stay_in_turn_where_draws_are_made_in_parts(apart, monkeypatch):
    """Parts of 5 draws would mix the chains up, and what is mixed up agrees."""
    monkeypatch.setattr(queries, "_DRAWN_CELLS", 5 * NETWORK.cells)
    assert apart.query("y", generator=1).caution is not None


def test_where_draws_are_left_out_nothing_is_said_of_chains(apart, monkeypatch):
    """What is left is no longer in the order of the chains."""
    draw = queries.draw_answers
    monkeypatch.setattr(queries, "draw_answers", lambda *words: [drawn[..., 1:] for drawn in draw(*words)])
    assert apart.query("y", generator=1).caution is None


@pytest.mark.parametrize("draws", [1, 3, 5, 17])
def test_few_draws_are_no_reason_to_fail(apart, draws):
    assert apart.query("y", draws=draws, generator=1).lower is not None


def test_independent_draws_leave_no_doubt(apart):
    assert apart.plugin.query("y", generator=1).caution is None
    assert apart.plugin.chains == 1


def test_the_advice_is_to_run_chains_four_times_as_long_as_they_ran(apart):
    assert f"posterior.with_rounds({4 * ROUNDS})" in apart.query("y", generator=1).caution
    assert apart.with_rounds(4 * ROUNDS).effort == dc.Effort(CHAINS, 4 * ROUNDS // 5, 4 * ROUNDS)  # with a longer warm-up
    assert apart.with_rounds(4 * ROUNDS).released is apart.released


def test_longer_chains_are_not_advised_where_memory_has_no_room_for_them(apart, monkeypatch):
    monkeypatch.setattr(efforts, "_KEPT", ROUNDS * CHAINS * NETWORK.cells)
    assert "too much memory" in apart.advice
    assert "with_rounds" not in apart.advice


@pytest.mark.parametrize("rounds", [3, 2.5, "many", None])
def test_too_few_rounds_are_refused(apart, rounds):
    with pytest.raises(dc.DiscreetError, match="The number of rounds"):
        apart.with_rounds(rounds)


def test_an_r_hat_just_above_the_limit_does_not_look_like_the_limit(apart, monkeypatch):
    monkeypatch.setattr(noise_aware, "agreement", lambda *_: Diagnostics(1.104, 1.1, 10.0, 10.0, 200))
    assert "R-hat 1.104)" in apart.query("y", generator=1).caution
