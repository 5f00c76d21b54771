"""Laws of noise: one file for each, drawn exactly; and what all of them need: exact scales, and room.

What is added to 64-bit integers must not leave them, and that must not come to light after the charge.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.arrays import Integers

__all__ = ["check_room", "is_exact"]


def is_exact(value: object) -> bool:
    """Whether a scale or a budget is a positive fraction of Python's integers, which have no largest one.

    Claim:      true exactly then. A fraction can be made of NumPy's integers, too, and those wrap around.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_publish.py::test_fractions_of_integers_that_wrap_around_are_refused_before_the_charge
    """
    return type(value) is Fraction and type(value.numerator) is type(value.denominator) is int and value > 0


def check_room(numbers: Integers, largest: int) -> None:
    """Refuse numbers that are not 64-bit integers, or not below ``largest`` in absolute value.

    Claim:      on return every sum of a number with noise of at most 2^63 - largest in absolute value is a 64-bit integer.
    Requires:   nothing. What is wrong is said without a word about the numbers.
    Checked by: tests/unit/kernel/test_publish.py::test_what_cannot_be_released_is_refused_before_the_charge
                tests/unit/kernel/test_publish.py::test_the_largest_numbers_are_allowed_and_no_others
    """
    if numbers.dtype != np.int64 or (numbers.size and not (numbers.min() > -largest and numbers.max() < largest)):
        raise ValueError("A release needs 64-bit integers with room for the noise.")
