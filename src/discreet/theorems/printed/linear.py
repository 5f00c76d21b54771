"""The paper's bound for posterior sampling in linear regression as it is printed, marked as not holding.

For comparison and reproduction only: it carries no guarantee of any kind. ``draw_epsilon`` is what is used.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.theorems.printed.noise import Printed

__all__ = ["printed_regression_epsilon", "printed_regression_lipschitz"]


def printed_regression_lipschitz(weights: npt.ArrayLike, rows: int, noise: float) -> Printed:
    """The L(w) = n (1 + 2 |w|_1 + d |w|_2) / (2 sigma^2) of the appendix.

    Claim:      none. For one record it is less than the log-likelihood can change per unit of distance: the gradient in its
                proof is wrong. For many it is larger by a factor of n than any change of one record.
                                                        [Paper, appendix on linear regression; GUARANTEES 6]
    Requires:   nothing.
    Checked by: tests/paper/test_linear_regression.py::test_the_printed_constant_is_exceeded_by_one_record
    """
    given = np.asarray(weights, dtype=np.float64)
    norms = 1 + 2 * np.abs(given).sum() + len(given) * np.linalg.norm(given)
    return Printed(float(rows * norms / (2 * noise**2)), False, "the gradient has a wrong factor and form; use draw_epsilon")


def printed_regression_epsilon(weights: npt.ArrayLike, rows: int, noise: float) -> Printed:
    """The 2 L(w) that the appendix calls the privacy of one draw, at one w.

    Claim:      none: the privacy of a draw cannot depend on what was drawn, and the largest L over the truncated prior is
                useless where it is a bound at all.        [Paper, appendix on linear regression; GUARANTEES 6]
    Requires:   nothing.
    Checked by: tests/paper/test_linear_regression.py::test_the_printed_epsilon_is_useless_where_it_is_not_wrong
    """
    value = 2 * printed_regression_lipschitz(weights, rows, noise).value
    return Printed(value, False, "it depends on the draw, and on the number of records; use draw_epsilon")
