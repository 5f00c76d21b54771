"""Progress is for who watches: on a terminal or in a notebook, when it takes long, and not if it is not wanted."""

import builtins
import io
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from support.measurements import noisy_counts

from discreet import Effort, Network, Variable
from discreet import progress as module
from discreet.chains import effort as efforts
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.running import Running

COIN = Network([Variable("coin", ["head", "tail"])])


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def stderr(monkeypatch):
    def put(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.0)
        monkeypatch.setattr(module, "_LINE_SECONDS", 0.0)
        return stream

    return put


@pytest.fixture
def notebook(monkeypatch):
    monkeypatch.setattr(builtins, "get_ipython", lambda: SimpleNamespace(kernel=None), raising=False)


def work(progress, seconds=0.0):
    with progress as advance:
        for rounds in range(1, 4):
            advance(rounds)
        time.sleep(seconds)


def ask(**more):
    released = noisy_counts(COIN, {"coin": np.array([[20, 33]])}, 12, 50)
    posterior = NoiseAwarePosterior(COIN, "uniform", released, effort=Effort(4, 5, 10), **more)
    return posterior.mean("coin")


def test_a_terminal_shows_what_is_done(stderr):
    shown = stderr(Terminal())
    work(module.progress("Weighing", lambda: 3, "rounds"), 0.3)
    assert "Weighing" in shown.getvalue()


def test_a_notebook_shows_one_line_and_wipes_it_out(stderr, notebook):
    shown = stderr(io.StringIO())
    work(module.progress("Weighing", lambda: 3, "rounds"))
    assert shown.getvalue().split("\r") == ["", *(f"Weighing: {done} of 3 rounds" for done in (1, 2, 3)), " " * 23, ""]


def test_nothing_is_shown_of_what_is_done_at_once(stderr, notebook, monkeypatch):
    shown = stderr(io.StringIO())
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 60.0)
    work(module.progress("Weighing", lambda: 3, "rounds"))
    assert shown.getvalue() == ""


def test_nothing_is_shown_where_nobody_watches(stderr):
    shown = stderr(io.StringIO())
    work(module.progress("Weighing", lambda: 1 / 0, "rounds"), 0.1)
    stderr(None)
    work(module.progress("Weighing", lambda: 1 / 0, "rounds"))
    assert shown.getvalue() == ""


def test_a_question_in_python_shows_the_chain_unless_it_is_silenced(stderr, notebook):
    shown = stderr(io.StringIO())
    loud = ask()
    assert "Weighing the noise: 15 of 15 rounds" in shown.getvalue()
    silent = stderr(io.StringIO())
    assert np.array_equal(ask(running=Running(progress=False)), loud)
    assert silent.getvalue() == ""


def test_the_bar_ends_with_the_rounds_that_memory_leaves(stderr, notebook, monkeypatch):
    monkeypatch.setattr(efforts, "_KEPT", 6 * 4 * COIN.cells)  # six rounds of four chains
    shown = stderr(io.StringIO())
    ask()
    assert "11 of 11 rounds" in shown.getvalue()


def test_of_two_bars_only_the_inner_one_is_shown_and_then_the_outer_again(stderr):
    shown = stderr(Terminal())
    with module.progress("Asking"):
        time.sleep(0.1)
        before = len(shown.getvalue())
        work(module.progress("Weighing", lambda: 3, "rounds"), 0.4)
        within = shown.getvalue()[before:]
        time.sleep(0.2)
    after = shown.getvalue()[before + len(within) :]
    assert "Asking" in shown.getvalue()[:before]
    assert "Weighing" in within
    assert within.count("Asking") <= 2  # as it goes, and as it comes back
    assert "Weighing" not in after
    assert not module._displays
