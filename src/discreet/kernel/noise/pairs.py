"""Noise for all pairs of columns at once: what goes together, measured without what each column says alone.

A record is a vector u: a one, and for every column of p levels p - 1 whole numbers, its contrasts. The i-th contrast is one
for the levels before the i-th, -i for that level and zero for those after it; its square, summed over the levels, is
i (i + 1) = h^2. Divided by h, the contrasts of a level x are an orthonormal coding of "is x" less 1 / p: of length 1 - 1 / p
for every level, and for two different levels their product is -1 / p.

What is published is the sum over records of u_i u_j for all i < j that do not belong to one column: of each column how often
its levels occur, of two columns what goes together. Those of one column follow from these, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers, WholeNumbers
from discreet.errors import BudgetError
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.bits import Bits
from discreet.kernel.noise import is_exact
from discreet.kernel.noise.gaussian import rounded_gaussian
from discreet.kernel.noise.wishart import wishart_difference

__all__ = ["PairGaussian", "PairWishart", "PairedColumns", "contrasts_of"]

_LARGEST_SCALE = 2**40


def contrasts_of(levels: int) -> Integers:
    """The contrasts of every level of a column: levels x (levels - 1) whole numbers.

    Claim:      the columns are orthogonal, sum to zero, and have squared length i (i + 1); each row, divided by these
                lengths, has squared length 1 - 1 / levels, and the product of two different rows is -1 / levels.
    Requires:   levels >= 1; of a single level there are none.
    Checked by: tests/unit/kernel/noise/test_pairs.py::test_contrasts_are_an_orthonormal_coding_of_levels
    """
    table = np.zeros((levels, max(levels - 1, 0)), dtype=np.int64)
    for number in range(1, levels):
        table[:number, number - 1] = 1
        table[number, number - 1] = -number
    return table


@dataclass(frozen=True, slots=True)
class PairedColumns:
    """Columns of so many levels each, of ``rows`` records, or of persons counted in so many parts.

    Claim:      in units of h, |u|^2 is ``length`` = 1 + sum over columns of (1 - 1 / p), whatever the record is. Replacing a
                record by one that differs in the k columns of a set A changes u'v, the product of both, to length - k. So the
                squares of all changes of u_i u_j sum to 2 length^2 - 2 (length - k)^2 over all i and j; within a column of A
                to 2 (1 - 1/p)^2 - 2 / p^2 = 2 (1 - 2 / p), and within others nothing changes. Half of the difference is what
                the published ones, each once, can change: length^2 - (length - k)^2 - sum over A of (1 - 2 / p), largest for
                given k where the columns with the fewest levels differ: ``squared_change`` is the largest of these. A person
                adds an average of u u', which lies in the convex hull, so moves no further, and is a positive matrix of
                trace ``length``.                                                                      [GUARANTEES 13.1]
    Requires:   neighbours replace one record or person, and numbers are those of ``counts`` for these columns.
    Checked by: tests/unit/kernel/noise/test_pairs.py::test_no_neighbour_moves_the_pairs_further_than_claimed
                tests/unit/kernel/noise/test_pairs.py::test_the_largest_change_is_attained
    """

    levels: tuple[int, ...]
    rows: int
    parts: int = 1

    @property
    def length(self) -> Fraction:
        """The squared length of every record."""
        return 1 + sum((1 - Fraction(1, each) for each in self.levels), Fraction(0))

    @property
    def squared_change(self) -> Fraction:
        """How far one record moves all numbers, in units of h: the largest sum of squares."""
        found, taken = Fraction(0), Fraction(0)
        for number, each in enumerate(sorted(each for each in self.levels if each > 1), start=1):
            taken += 1 - Fraction(2, each)
            found = max(found, self.length**2 - (self.length - number) ** 2 - taken)
        return found

    @property
    def owners(self) -> list[int]:
        """The column of every coordinate of u; -1 for the one."""
        return [-1] + [column for column, each in enumerate(self.levels) for _ in range(each - 1)]

    @property
    def squares(self) -> list[int]:
        """The square of h for every coordinate."""
        return [1] + [number * (number + 1) for each in self.levels for number in range(1, each)]

    @property
    def places(self) -> list[tuple[int, int]]:
        """Which two coordinates every number belongs to, row by row."""
        owners = self.owners
        size = range(len(owners))
        return [(one, two) for one in size for two in size[one + 1 :] if owners[one] != owners[two]]


@dataclass(frozen=True, slots=True)
class PairWishart:
    """The difference of two Wishart matrices of density proportional to exp(-trace / scale), times h, rounded.

    Claim:      publishing the numbers costs epsilon = 2 ``length`` / scale. In units of h a record adds u u' with
                |u|^2 = ``length``, so the real matrix with noise P - Q costs that, as ``wishart_difference`` proves for any
                such sum. Multiplying entry (i, j) by h_i h_j, leaving entries out and rounding are post-processing; and since
                the entries are whole before noise, rounding the sum is rounding the noise. In parts of persons sum and noise
                are so many times larger.                                                          [GUARANTEES 7.5, 11, 13.1]
    Requires:   as ``PairedColumns`` says; columns and scale are public.
    Checked by: tests/unit/kernel/noise/test_pairs.py::test_noise_of_pairs_has_the_claimed_spread
                tests/audit/test_pair_worlds.py::test_no_number_is_likelier_than_epsilon_allows
    """

    columns: PairedColumns
    scale: Fraction

    @property
    def cost(self) -> PureDP:
        """Epsilon, exactly."""
        return PureDP(2 * self.columns.length / self.scale)

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        _check(self.columns, numbers, self.scale)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> WholeNumbers:
        """Noise for all numbers."""
        squares = self.columns.squares
        drawn = iter(wishart_difference(len(squares), self.scale * self.columns.parts, bits, squares))
        wanted = set(self.columns.places)
        return _as_array(
            [number for place, number in zip(_triangle(len(squares)), drawn, strict=True) if place in wanted], shape
        )


@dataclass(frozen=True, slots=True)
class PairGaussian:
    """Independent Gaussian noise of ``variance`` times the squares of both h, rounded.

    Claim:      publishing the numbers costs rho = ``squared_change`` / (2 variance), as ``rounded_gaussian`` proves for the
                sum of squared changes over variances, which ``PairedColumns`` has.
    Requires:   as ``PairedColumns`` says; columns and variance are public.
    Checked by: tests/unit/kernel/noise/test_pairs.py::test_noise_of_pairs_has_the_claimed_spread
                tests/audit/test_pair_worlds.py::test_gaussian_pairs_diverge_no_further_than_rho_allows
    """

    columns: PairedColumns
    variance: Fraction

    @property
    def cost(self) -> ZCDP:
        """Rho, exactly."""
        return ZCDP(self.columns.squared_change / (2 * self.variance))

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        _check(self.columns, numbers, self.variance)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> WholeNumbers:
        """Noise for all numbers, each its own."""
        squares, parts = self.columns.squares, self.columns.parts
        variances = [self.variance * parts**2 * squares[one] * squares[two] for one, two in self.columns.places]
        return _as_array(rounded_gaussian(variances, bits), shape)


def _triangle(size: int) -> Iterator[tuple[int, int]]:
    return ((row, column) for row in range(size) for column in range(row, size))


def _as_array(drawn: list[int], shape: tuple[int, ...]) -> WholeNumbers:
    return np.array(drawn, dtype=object).reshape(shape)


def _check(columns: PairedColumns, numbers: Integers, scale: Fraction) -> None:
    """Refuse numbers that do not belong to such columns, and a scale that is none. Says nothing about the numbers."""
    if type(columns) is not PairedColumns or any(type(each) is not int or each < 1 for each in columns.levels):
        raise TypeError("A release of pairs needs to know how many levels each column has.")
    if any(type(each) is not int or each < 1 for each in (columns.rows, columns.parts)):
        raise ValueError("A release of pairs needs a number of records: whole, at least one.")
    if not is_exact(scale):
        raise ValueError("A release of pairs needs noise of a scale greater than zero, as an exact fraction.")
    if scale > _LARGEST_SCALE:
        raise BudgetError("The noise would be too large for 64-bit integers. Choose a larger epsilon.")
    places = columns.places
    if not places or numbers.shape != (len(places),) or numbers.dtype != np.int64:
        raise ValueError("A release of pairs needs one 64-bit integer for each pair of contrasts.")
