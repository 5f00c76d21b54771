"""Fractions in and out of ball arithmetic: real numbers that carry a proven bound on their own error.

The precision of ball arithmetic is one setting for the whole process. Two threads that each set it and set it back would
compute with each other's precision, and could leave the wrong one behind. A ball holds its number at any precision, so draws
and bounds would stay true; but draws would take more bits than they need, and bounds would be wider than they say.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

__all__ = ["ball", "rounded_down", "rounded_up", "working_precision"]

_ONE_AT_A_TIME = threading.RLock()
if hasattr(os, "register_at_fork"):  # a child must not inherit the lock, or the precision, of a thread that it does not have
    os.register_at_fork(
        before=_ONE_AT_A_TIME.acquire, after_in_parent=_ONE_AT_A_TIME.release, after_in_child=_ONE_AT_A_TIME.release
    )


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Do the block at this precision, one thread at a time; afterwards the precision is what it was."""
    from flint import ctx

    with _ONE_AT_A_TIME:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(value: Fraction) -> arb:
    """The ball around an exact number, at the working precision."""
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def rounded_up(value: arb, places: int) -> Fraction:
    """A multiple of 2^-places that no number of the ball exceeds."""
    return Fraction(int((value * 2**places).upper().ceil().unique_fmpz()), 2**places)


def rounded_down(value: arb, places: int) -> Fraction:
    """A multiple of 2^-places that exceeds no number of the ball."""
    return -rounded_up(-value, places)
