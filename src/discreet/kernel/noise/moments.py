"""Noise for the moments of a linear model: three laws, and what each costs by the declared bounds of the records.

The moments are the sum over records of u u'. How far one record moves them follows from how many coordinates u has and how
large each may be. So nobody has to say how far: the laws here work it out from what is declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers, WholeNumbers
from discreet.guarantee import ZCDP, PureDP
from discreet.kernel.bits import Bits
from discreet.kernel.noise import is_exact
from discreet.kernel.noise.gaussian import rounded_gaussian
from discreet.kernel.noise.knorm import knorm_vector
from discreet.kernel.noise.knorm_bodies import box
from discreet.kernel.noise.wishart import wishart_difference

__all__ = ["DeclaredMoments", "MomentBox", "MomentGaussian", "MomentWishart"]


@dataclass(frozen=True, slots=True)
class DeclaredMoments:
    """The upper triangle, row by row, of the sum over ``rows`` records of u u', u of ``size`` whole numbers.

    Every number of u is at most ``largest`` in absolute value. With ``constant`` the first is ``largest`` itself; the square
    of it says how many records there are, which is public, and is left out. With ``parts``, the sum is over persons, each adds
    the average of u u' over some records, and all numbers are multiplied by ``parts``, so that they are whole.

    Claim:      replacing a record moves entry (i, j) by at most ``change`` and a square (i, i) by at most ``square``, and
                |u|^2 is at most ``length``. Let u become v, a = u + v, b = u - v, in units of ``largest``. Then the change is
                D = (a b' + b a') / 2, |a_i| + |b_i| <= 2, |a_i b_i| <= 1, and P = sum |a_i b_i| <= m = ``size``,
                |a|^2 + |b|^2 <= 4m - 2P. So |D_ij| <= 2, and |D_ii| <= 1 since a square lies in [0, 1]. With weight
                k = (m + 1) / 2 on the diagonal, sum_{i<j} D_ij^2 + k sum D_ii^2 =
                (|a|^2 |b|^2 + (a.b)^2) / 4 + (k - 1/2) sum (a_i b_i)^2 <= ((2m - P)^2 + P^2) / 4 + m P / 2, which is convex in
                P, and m^2 at P = 0 and at P = m: at most ``length`` squared. An average lies in the convex hull of the
                u u', so replacing a person moves the moments no further in any norm; and the average is a positive matrix
                whose trace is at most ``length``, which is all that ``wishart_difference`` needs.  [GUARANTEES 7.5, 13.1]
    Requires:   neighbours replace one record, and every number of a record was clipped to ``largest`` (the caller's claim, in
                ``data`` and ``counts``). That moments are not larger than so many such records can make them is checked.
    Checked by: tests/property/test_moments.py::test_replacing_one_record_moves_the_moments_no_further_than_claimed
                tests/property/test_moments.py::test_the_sensitivities_are_attained
                tests/unit/kernel/noise/test_moment_laws.py::test_moments_of_other_records_than_declared_are_refused
    """

    size: int
    largest: int
    constant: bool
    rows: int
    parts: int = 1

    @property
    def square(self) -> int:
        """The largest square of a number, and so the largest change of a sum of squares."""
        return self.parts * self.largest**2

    @property
    def change(self) -> int:
        """The largest change of a sum of products of two different numbers."""
        return 2 * self.square

    @property
    def length(self) -> int:
        """The largest |u|^2."""
        return self.size * self.square

    @property
    def places(self) -> list[tuple[int, int]]:
        """Row and column of every moment, in order."""
        places = [(row, column) for row in range(self.size) for column in range(row, self.size)]
        return places[1:] if self.constant else places


@dataclass(frozen=True, slots=True)
class MomentBox:
    """One radius for all moments: density proportional to exp(-max |z_i| / (h_i scale)), h_i = 1 for squares, else 2; rounded.

    Claim:      publishing the moments costs epsilon = ``declared.square`` / scale: one record moves them by at most that in
                the norm max |z_i| / h_i, by ``change`` where h_i = 2 and ``square`` where it is 1, and the log density by at
                most the move over scale. Rounding is post-processing.            [Hardt & Talwar 2010; GUARANTEES 10, 11]
    Requires:   as ``DeclaredMoments`` says; declaration and scale are public.
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/audit/test_moment_probabilities.py::test_no_output_of_box_noise_is_likelier_than_its_cost_allows
                tests/unit/kernel/noise/test_moment_laws.py::test_a_scale_too_small_for_the_bounds_is_refused_before_the_charge
    """

    declared: DeclaredMoments
    scale: Fraction

    @property
    def cost(self) -> PureDP:
        """Epsilon, exactly."""
        return PureDP(max(Fraction(self.declared.square), Fraction(self.declared.change, 2)) / self.scale)

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        _check(self.declared, numbers, self.scale)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> WholeNumbers:
        """Noise for all moments, by one radius."""
        half_widths = (Fraction(1 if row == column else 2) for row, column in self.declared.places)
        return _as_array(knorm_vector(box(half_widths), self.scale, bits), shape)


@dataclass(frozen=True, slots=True)
class MomentWishart:
    """The difference of two Wishart matrices of density proportional to exp(-trace / scale), rounded, then divided by weights.

    The constant and the last number of u, the target, have ``weight``; the others have 1. Entry (i, j) is divided by the
    weights of i and j, so moments with the target or the constant get less noise, and the others pay for it by the scale.

    Claim:      publishing the moments costs epsilon = 2 ``length`` / scale. Let W be the diagonal matrix of the weights. A
                record W u has |W u|^2 <= ``length``, so W T W + N, N the integers of ``wishart_difference``, costs that
                epsilon, as proven there. Entry (i, j) of W T W is w_i w_j times an integer, so the sum divided by w_i w_j
                and rounded down is T_ij plus N_ij / (w_i w_j) rounded down: what is published is computed from
                W T W + N alone. That, and leaving out the constant's square, is post-processing.   [GUARANTEES 7.5, 11]
    Requires:   as ``DeclaredMoments`` says; declaration, scale and weight are public.
    Checked by: tests/audit/test_wishart_worlds.py::test_no_matrix_is_likelier_than_epsilon_allows
                tests/audit/test_wishart_worlds.py::test_no_matrix_is_likelier_with_weights_than_the_kernel_charges
                tests/property/test_moment_noise.py::test_weighted_noise_is_computed_from_a_release_of_weighted_records
                tests/unit/kernel/noise/test_moment_laws.py::test_a_scale_too_small_for_the_bounds_is_refused_before_the_charge
    """

    declared: DeclaredMoments
    scale: Fraction
    weight: int = 1

    @property
    def length(self) -> int:
        """The largest |W u|^2."""
        heavy = 1 + int(self.declared.constant)
        return self.declared.length + heavy * (self.weight**2 - 1) * self.declared.square

    @property
    def cost(self) -> PureDP:
        """Epsilon, exactly."""
        return PureDP(2 * self.length / self.scale)

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        _check(self.declared, numbers, self.scale)
        if type(self.weight) is not int or self.weight < 1:
            raise ValueError("A release of moments needs a whole weight, at least one.")

    def draw(self, shape: tuple[int, ...], bits: Bits) -> WholeNumbers:
        """Noise for all moments."""
        drawn = wishart_difference(self.declared.size, self.scale, bits)[int(self.declared.constant) :]
        weights = [1] * self.declared.size
        weights[-1] = self.weight
        weights[0] = self.weight if self.declared.constant else weights[0]
        placed = zip(drawn, self.declared.places, strict=True)
        return _as_array([number // (weights[row] * weights[column]) for number, (row, column) in placed], shape)


@dataclass(frozen=True, slots=True)
class MomentGaussian:
    """Independent Gaussian noise, rounded: of ``variance``, and of variance times 2 / (size + 1) for squares.

    Claim:      publishing the moments costs rho = ``declared.length``^2 / (2 variance): as ``rounded_gaussian`` proves, it is
                the sum of D_ij^2 / (2 variance_ij), whose largest value ``DeclaredMoments`` has.
                                                                        [Bun & Steinke 2016; GUARANTEES 7.2, 11]
    Requires:   as ``DeclaredMoments`` says; declaration and variance are public.
    Checked by: tests/property/test_moment_noise.py::test_replacing_one_record_costs_no_more_than_the_guarantee
                tests/audit/test_moment_probabilities.py::test_outputs_of_gaussian_noise_diverge_no_further_than_rho_allows
                tests/unit/kernel/noise/test_moment_laws.py::test_a_scale_too_small_for_the_bounds_is_refused_before_the_charge
    """

    declared: DeclaredMoments
    variance: Fraction

    @property
    def cost(self) -> ZCDP:
        """Rho, exactly."""
        return ZCDP(self.declared.length**2 / (2 * self.variance))

    def check(self, numbers: Integers) -> None:
        """Refuse what could not be published."""
        _check(self.declared, numbers, self.variance)

    def draw(self, shape: tuple[int, ...], bits: Bits) -> WholeNumbers:
        """Noise for all moments, each its own."""
        squares = self.variance * Fraction(2, self.declared.size + 1)
        variances = [squares if row == column else self.variance for row, column in self.declared.places]
        return _as_array(rounded_gaussian(variances, bits), shape)


def _as_array(drawn: list[int], shape: tuple[int, ...]) -> WholeNumbers:
    """Noise of any size, so in Python's integers."""
    return np.array(drawn, dtype=object).reshape(shape)


def _check(declared: DeclaredMoments, numbers: Integers, scale: Fraction) -> None:
    """Refuse numbers that are no moments of such records, and a scale that is none. Says nothing about the numbers."""
    if type(declared) is not DeclaredMoments or type(declared.constant) is not bool:
        raise TypeError("A release of moments needs to know what is declared about the records.")
    if any(type(each) is not int or each < 1 for each in (declared.size, declared.largest, declared.rows, declared.parts)):
        raise ValueError("A release of moments needs a size, a largest value and a number of records: whole, at least one.")
    if not is_exact(scale):
        raise ValueError("A release of moments needs noise of a scale greater than zero, as an exact fraction.")
    places, most = declared.places, declared.rows * declared.square
    if not places or numbers.shape != (len(places),) or not _are_whole(numbers, declared.parts):
        raise ValueError("A release of moments needs one 64-bit integer for each place of the upper triangle.")
    least = [0 if row == column else -most for row, column in places]
    if any(not low <= number <= most for low, number in zip(least, numbers.tolist(), strict=True)):
        raise ValueError("A release of moments needs those of so many records within the declared bounds.")


def _are_whole(numbers: WholeNumbers, parts: int) -> bool:
    """Whether these are integers of 64 bits; those of parts of persons may be larger, and are Python's."""
    if parts == 1:
        return numbers.dtype == np.int64
    return numbers.dtype == object and all(type(number) is int for number in numbers.tolist())
