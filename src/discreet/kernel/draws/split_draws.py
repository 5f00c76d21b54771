"""Joint draws of all split probabilities of a network, once their Beta parameters are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.kernel.bits import Bits
from discreet.kernel.draws.truncated_beta import truncated_beta

__all__ = ["Shapes", "draw_splits"]

Shapes: TypeAlias = Sequence[Sequence[tuple[Fraction, Fraction]]]
"""Beta parameters, configurations x splits."""


def draw_splits(shapes: Mapping[str, Shapes], floor: int, draws: int, bits: Bits) -> dict[str, npt.NDArray[np.int64]]:
    """Draw every split of every configuration of every node, independently: node -> draws x configurations x splits.

    Claim:      each draw is a joint draw of independent Beta(a, b) variables, all cut to [floor, 1 - floor] / GRID and rounded
                to the grid; draws are independent of one another.                                  [GUARANTEES 5.2b, 11]
    Requires:   positive parameters; 0 <= floor < GRID / 2 (checked in ``truncated_beta``).
    Checked by: tests/unit/kernel/draws/test_split_draws.py::test_every_split_gets_its_own_bits_and_its_own_parameters
    """
    return {
        node: np.array(
            [[[truncated_beta(a, b, floor, bits) for a, b in row] for row in table] for _ in range(draws)], dtype=np.int64
        )
        for node, table in shapes.items()
    }
