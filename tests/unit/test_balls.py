"""The precision of ball arithmetic is one setting for the whole process, which threads must not take from each other."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from fractions import Fraction

import pytest
from flint import arb, ctx
from support.bits import ScriptedBits

from discreet.balls import ball, rounded_down, rounded_up
from discreet.kernel.draws.truncated_beta import truncated_beta
from discreet.kernel.exact import Probability
from discreet.kernel.noise.gaussian import rounded_gaussian
from discreet.measure.strategies.lipschitz import log_odds

BYTES = bytes(range(7, 247)) * 40


def draw_normals() -> tuple:
    bits = ScriptedBits(BYTES)
    return tuple(rounded_gaussian([Fraction(10**50, 7)] * 20, bits)), bits.used


def draw_beta() -> tuple:
    bits = ScriptedBits(BYTES)
    return truncated_beta(Fraction(7, 3), Fraction(400), 2**20, bits), bits.used


def decide_coin() -> tuple:
    return (Probability(1, Fraction(1, 3)).leading(900),)


def bound() -> tuple:
    return (log_odds(Fraction(1, 1000)),)


WORKS = (draw_normals, draw_beta, decide_coin, bound)


@contextmanager
def eager_switching():
    """Let threads take turns as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def at_once(works, repeats: int) -> tuple[set, list]:
    """What threads find that repeat one work each, all of them at once, and what went wrong."""
    found, failures, start = set(), [], threading.Barrier(len(works))

    def repeat(work):
        start.wait()
        try:
            found.update((work.__name__, work()) for _ in range(repeats))
        except Exception as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    with eager_switching():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found, failures


@pytest.fixture
def precision():
    """Whatever a test does to the precision ends with it."""
    before = ctx.prec
    yield before
    ctx.prec = before


def test_threads_draw_what_they_draw_alone_from_the_same_bits_and_leave_the_precision_as_it_was(precision):
    alone = {(work.__name__, work()) for work in WORKS}
    found, failures = at_once(WORKS * 2, repeats=150)
    assert failures == []
    assert found == alone
    assert ctx.prec == precision


def test_a_failure_in_one_of_many_threads_leaves_the_precision_as_it_was(precision):
    def fail():
        with pytest.raises(ZeroDivisionError):
            Probability(1, Broken()).leading(50)

    assert at_once((fail, draw_beta, decide_coin, fail), repeats=150)[1] == []
    assert ctx.prec == precision


class Broken(Fraction):
    """A rate that cannot be worked with: it fails in the middle of the work, at another precision."""

    @property
    def numerator(self):
        raise ZeroDivisionError


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_process_forked_while_others_draw_can_draw_too(precision):
    stop, started = threading.Event(), threading.Event()

    def keep_drawing():
        while not stop.is_set():
            decide_coin()
            started.set()

    threads = [threading.Thread(target=keep_drawing, daemon=True) for _ in range(3)]
    with eager_switching():
        for thread in threads:
            thread.start()
        started.wait()
        codes = [forked() for _ in range(20)]
        stop.set()
        for thread in threads:
            thread.join()
    assert codes == [precision] * 20


def forked() -> int:
    """The precision that a child has after a draw; 0 if it has not drawn within seconds."""
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(10)  # kills the child if it waits for a thread that it does not have
        decide_coin()
        os._exit(ctx.prec)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


@pytest.mark.parametrize("value", [Fraction(0), Fraction(1, 3), Fraction(-10, 3), Fraction(10**40, 3), Fraction(5, 4)])
@pytest.mark.parametrize("bits", [10, 53, 300])
def test_rounding_keeps_its_side_at_any_precision(precision, value, bits):
    ctx.prec = bits
    up, down = rounded_up(ball(value), 64), rounded_down(ball(value), 64)
    assert down <= value <= up
    assert (up * 2**64).denominator == (down * 2**64).denominator == 1
    assert up - down <= abs(value) * Fraction(2) ** (3 - bits) + Fraction(2, 2**64)


def test_what_is_exact_is_not_rounded():
    assert rounded_up(arb(0), 64) == rounded_down(arb(0), 64) == 0
    assert rounded_up(arb(3), 0) == rounded_down(arb(3), 0) == 3
    assert rounded_up(arb(0.75), 1) == 1
    assert rounded_down(arb(-0.75), 1) == -1
