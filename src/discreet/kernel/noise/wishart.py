"""Exact noise for sums of outer products: the difference of two Wishart matrices, rounded to integers.

A record adds a positive matrix u u' to such a sum. A random positive matrix P with density proportional to exp(-trace / scale)
hides what is added, an independent Q of the same law hides what is taken away, and both pay only for the lengths of records,
not for the number of entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.balls import ball
from discreet.kernel.bits import Bits
from discreet.kernel.exact import Uniform, normals, rounded

if TYPE_CHECKING:
    from flint import arb, arb_mat

__all__ = ["wishart_difference"]


def wishart_difference(size: int, scale: Fraction, bits: Bits, squares: Sequence[int] | None = None) -> list[int]:
    """Draw round(P - Q) for independent positive matrices with density proportional to exp(-trace / scale).

    With ``squares`` entry (i, j) is multiplied by the root of the squares of i and j before it is rounded.

    Entries of the upper triangle come row by row, from the diagonal on: (0, 0), (0, 1), ..., (1, 1), (1, 2), ...

    Claim:      the entries follow this law exactly, given uniform bits, and added to a symmetric integer matrix they are the
                ideal real mechanism, rounded. If neighbours have S + u u' and S + v v' with |u|^2, |v|^2 <= B, the sum is
                released with (2 B / scale)-differential privacy. Proof: write X <= c Y for laws with P(X in A) <= c P(Y in A)
                for all A. The law of u u' + P has the density exp(-(trace(x) - |u|^2) / scale) / Z where x - u u' is positive
                and none elsewhere. Such x are positive, so P has the density exp(-trace(x) / scale) / Z there:
                (1) u u' + P <= exp(|u|^2 / scale) P. The same for v and Q is v v' + Q <= exp(|v|^2 / scale) Q; negated and
                moved by v v' it says (2) -Q <= exp(|v|^2 / scale) (v v' - Q). Both sides of (1) and (2) are independent and
                such bounds multiply under sums, so u u' + P - Q <= exp((|u|^2 + |v|^2) / scale) (v v' + P - Q).
                The law of P: with g_1, ..., g_{m+1} standard normal of m = size coordinates, t sum g g' has the Wishart
                density, proportional to det(x)^((m + 1 - m - 1) / 2) exp(-trace(x) / (2 t)): the wanted one for t = scale / 2.
                Releasing only some entries is post-processing.                                       [GUARANTEES 7.5, 11]
    Requires:   size >= 1 and scale > 0 (checked here); uniform independent bytes (``kernel/bits.py``).
    Checked by: tests/statistical/test_wishart.py::test_noise_of_one_coordinate_is_laplace
                tests/statistical/test_wishart.py::test_directions_have_the_exact_law
                tests/audit/test_wishart_worlds.py::test_no_matrix_is_likelier_than_epsilon_allows
                tests/unit/kernel/noise/test_wishart.py::test_the_noise_is_that_of_the_normals
    """
    if size < 1 or scale <= 0:
        raise ValueError("Noise for outer products needs a size and a scale greater than zero.")
    needed = 2 * size * (size + 1)  # both matrices take size (size + 1) normals, and every pair of normals two uniforms
    return rounded(needed, lambda uniforms: _noise(size, scale, uniforms, squares), bits)


def _noise(size: int, scale: Fraction, uniforms: Iterator[Uniform], squares: Sequence[int] | None) -> list[arb]:
    """The upper triangle of P - Q, perhaps widened."""
    added, taken = _normals(size, uniforms), _normals(size, uniforms)
    difference = added * added.transpose() - taken * taken.transpose()
    half = ball(scale / 2)
    triangle = ((row, column) for row in range(size) for column in range(row, size))
    if squares is None:
        return [difference[row, column] * half for row, column in triangle]
    roots = [ball(Fraction(each)).sqrt() for each in squares]
    return [difference[row, column] * (half * roots[row] * roots[column]) for row, column in triangle]


def _normals(size: int, uniforms: Iterator[Uniform]) -> arb_mat:
    """A matrix of independent standard normals with one column more than rows."""
    from flint import arb_mat

    return arb_mat(size, size + 1, normals(size * (size + 1), uniforms))
