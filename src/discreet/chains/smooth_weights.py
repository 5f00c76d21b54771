"""The weights of whole numbers as densities of real ones: what lets counts move along the slope of their law.

A cell of n records with the Dirichlet parameter a has the weight G(n + a) / n!. From one record on, the same formula is the
density of a real count r. Below half a record it is a power of r, however small that is: it stands for the cell without
records. In between it is another power, which makes the ends meet. The power r^(t - 1) with t = a / (1 + a^4)^(1/4), nearly a
where a is small, and one where it is large, is such that what is below a half weighs as much as no record does.

A half is 1.5 / e here. The corners are rounded: r is replaced by (1 + r^4)^(1/4) above, and in the same way below.

A row of n records has the weight G(n + s) / G(n + A), where A sums the parameters of its cells. Rows of few records stay where
they are (``glides.py``): a row moves with the chance h(n) = n^4 / (n^4 + c^4), which is a factor of its weight while it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import Floats

__all__ = ["HALF", "RowWeights", "SmoothWeights", "moving_chance", "rise_of_weights", "smooth_cells", "tail_rates"]

HALF = 1.5 / float(np.e)
"""Below so many records there are none: about a half, so that what is from there to one and a half weighs as much as one."""
_DEPTH = -float(np.log(HALF))
_INVERSE = HALF**-4.0
_LARGE = 1e3
"""From so many records on corners are too far away to be felt."""
_FEW = 5.0
"""Of so many records rows move every other time."""
_NONE = 1e-2
"""Rows of fewer records have no slope of their own: they do not move."""


@dataclass(frozen=True, eq=False)
class SmoothWeights:
    """The density G(r + above) / G(r + below), and powers of r below one and below a half."""

    above: Floats
    below: Floats
    middle: Floats
    """The power of r between a half and one."""
    tail: Floats
    """The power of r below a half."""

    @cached_property
    def _corner(self) -> Floats:
        return self.tail - self.middle

    def log(self, counts: Floats) -> Floats:
        """The log density of each count."""
        from scipy.special import gammaln

        logs, near = np.log(counts), np.minimum(counts, _LARGE)
        fourth = np.square(np.square(near))
        large = counts > _LARGE
        one = np.where(large, logs, np.log1p(fourth) / 4)
        half = np.where(large, logs + _DEPTH, np.log1p(_INVERSE * fourth) / 4)
        rounded = np.where(large, counts, np.exp(one))
        found = gammaln(rounded + self.above) - gammaln(rounded + self.below) + self.middle * (logs - one)
        return np.asarray(found + self._corner * (logs + _DEPTH - half))

    def rise(self, counts: Floats) -> Floats:
        """How the log density rises with the logarithm of each count, in the precision of the counts."""
        fourth = np.minimum(counts, _LARGE)
        np.square(fourth, out=fourth)
        np.square(fourth, out=fourth)
        more = fourth + 1
        rounded = np.sqrt(more)
        np.sqrt(rounded, out=rounded)
        np.maximum(rounded, counts, out=rounded)
        found = self._slope(rounded)
        found *= rounded
        found -= self.middle
        np.divide(fourth, more, out=more)
        found *= more
        found += self.middle
        fourth *= _INVERSE
        fourth += 1
        found += self._corner / fourth
        return found

    def _slope(self, counts: Floats) -> Floats:
        """Of the log of the quotient of gamma functions, from one record on: to 2e-3, by the series of exp(digamma)."""
        return rise_of_weights(counts + self.above, counts + self.below)

    def as_type(self, kind: type[np.floating[Any]]) -> SmoothWeights:
        """The same in another precision."""
        return SmoothWeights(*(each.astype(kind) for each in (self.above, self.below, self.middle, self.tail)))


def tail_rates(parameters: Floats) -> Floats:
    """What stands for Dirichlet parameters below half a record: never above one."""
    return np.asarray(parameters / np.sqrt(np.sqrt(1 + np.square(np.square(np.minimum(parameters, 1e9))))))


def smooth_cells(parameters: Floats, rates: Floats) -> SmoothWeights:
    """Of cells with these Dirichlet parameters, and with what stands for them below half a record."""
    return SmoothWeights(parameters, np.ones((1, 1)), np.log(parameters / rates) / _DEPTH - 1, rates - 1)


@dataclass(frozen=True, eq=False)
class RowWeights:
    """The density h(r) G(r + above) / G(r + below) of the counts of rows that move."""

    above: Floats
    below: Floats

    def log(self, counts: Floats) -> Floats:
        """The log density of each count."""
        from scipy.special import gammaln

        counts = np.maximum(counts, _NONE)
        return np.asarray(gammaln(counts + self.above) - gammaln(counts + self.below) + np.log(moving_chance(counts)))

    def slope(self, counts: Floats) -> Floats:
        """How the log density rises with each count, in the precision of the counts."""
        counts = np.maximum(counts, _NONE)
        found = rise_of_weights(counts + self.above, counts + self.below)
        found += 4 / (_odds(counts) + 1) / counts  # of h
        return found

    def as_type(self, kind: type[np.floating[Any]]) -> RowWeights:
        """The same in another precision."""
        return RowWeights(self.above.astype(kind), self.below.astype(kind))


def moving_chance(counts: Floats) -> Floats:
    """The chance that a row of so many records moves: next to one, but where there are few."""
    return np.asarray(1 - 1 / (1 + _odds(counts)))


def _odds(counts: Floats) -> Floats:
    """The odds that a row of so many records moves."""
    found = np.minimum(counts, _LARGE)
    found *= 1 / _FEW
    np.square(found, out=found)
    return np.square(found, out=found)


def rise_of_weights(above: Floats, below: Floats) -> Floats:
    """Of the log of the quotient of gamma functions at numbers from one on: to 2e-3, by the series of exp(digamma)."""
    for each in (above, below):
        inverse = 1 / each
        each -= 0.5
        each += inverse * (1 / 24)
        inverse *= inverse
        inverse *= 1 / 48
        each += inverse
    above /= below
    return np.log(above, out=above)
