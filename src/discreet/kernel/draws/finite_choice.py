"""Exact choices among finitely many candidates whose log weights are real numbers: the exponential mechanism's last step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from discreet.balls import working_precision
from discreet.kernel.bits import Bits
from discreet.kernel.exact import FIRST_BITS, SPARE_BITS, Uniform, decide

if TYPE_CHECKING:
    from flint import arb

__all__ = ["LogWeights", "choose", "permute_and_flip"]

LogWeights: TypeAlias = Callable[[], Sequence["arb"]]
"""Gives the log weights in balls, at whatever precision is being worked with."""


def choose(log_weights: LogWeights, bits: Bits) -> int:
    """Draw candidate c with probability exp(l_c) / sum of exp(l).

    Claim:      exactly this law, given uniform bits: the result is the first c whose cumulative probability exceeds a uniform
                number, decided in ball arithmetic; where it stays open, precision and bits are raised.   [GUARANTEES 11]
    Requires:   balls that contain the true log weights and shrink as the precision grows.
    Checked by: tests/unit/kernel/draws/test_finite_choice.py::test_scripted_uniforms_choose_by_cumulative_probability
    """
    return decide(1, partial(_first_above, log_weights), bits)


def permute_and_flip(log_weights: LogWeights, bits: Bits) -> int:
    """Go through the candidates in random order, take each with probability exp(l_c - max l); the first taken is the result.

    Claim:      exactly this law. With weights exp(eta u_c), u_c the scores, it is as private as ``choose`` and its score is
                never worse in expectation.                  [McKenna & Sheldon 2020; GUARANTEES 4.2 (iii)]
    Requires:   as for ``choose``.
    Checked by: tests/unit/kernel/draws/test_finite_choice.py::test_flips_follow_the_exact_law
                tests/audit/test_map_worlds.py::test_no_candidate_is_likelier_than_epsilon_allows
    """
    gaps = _Gaps(log_weights)
    with working_precision(FIRST_BITS + SPARE_BITS):
        waiting = list(range(len(gaps.at_working_precision())))
    while len(waiting) > 1:
        candidate = waiting.pop(_below(len(waiting), bits))
        if decide(1, partial(_is_below, gaps, candidate), bits):
            return candidate
    return waiting[0]  # the best is taken for certain, so if all others were not, the last one is the best


def _first_above(log_weights: LogWeights, uniforms: list[Uniform]) -> int | None:
    """The first candidate whose cumulative probability exceeds the uniform number; None where that is open."""
    (uniform,) = uniforms
    logs = log_weights()
    highest = max(logs, key=lambda ball: float(ball.mid() - logs[0].mid()))
    weights = [(log - highest).exp() for log in logs]
    total = sum(weights[1:], weights[0])
    running = weights[0]
    for candidate in range(len(weights) - 1):
        reached = uniform.reaches(running / total)
        if reached is None:
            return None
        if not reached:
            return candidate
        running += weights[candidate + 1]
    return len(weights) - 1


class _Gaps:
    """The log weights less the largest of them, computed once for each precision."""

    def __init__(self, log_weights: LogWeights) -> None:
        self._log_weights = log_weights
        self._known: dict[int, list[arb]] = {}

    def at_working_precision(self) -> list[arb]:
        from flint import ctx

        if ctx.prec not in self._known:
            logs = self._log_weights()
            highest = logs[0]
            for log in logs[1:]:
                highest = highest.max(log)
            self._known[ctx.prec] = [log - highest for log in logs]
        return self._known[ctx.prec]


def _is_below(gaps: _Gaps, candidate: int, uniforms: list[Uniform]) -> bool | None:
    """Whether the uniform number is below exp(l_c - max l); None where that is open."""
    (uniform,) = uniforms
    reached = uniform.reaches(gaps.at_working_precision()[candidate].exp())
    return None if reached is None else not reached


def _below(limit: int, bits: Bits) -> int:
    """A uniform whole number below the limit. Which tries are thrown away depends on the limit alone."""
    size = (limit - 1).bit_length()
    while True:
        drawn = int.from_bytes(bits.read((size + 7) // 8), "little") & ((1 << size) - 1)
        if drawn < limit:
            return drawn
