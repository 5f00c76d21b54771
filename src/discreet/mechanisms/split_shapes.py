"""From counts to the Beta parameters of every split, in exact fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.arrays import Integers
from discreet.errors import ModelError
from discreet.guarantee import Caveat
from discreet.kernel.draws.truncated_beta import Shapes
from discreet.measure.strategies.draw_law import LEAST, MOST
from discreet.measure.strategies.lipschitz import GRID_BITS
from discreet.model.network import Network
from discreet.model.prior import Prior
from discreet.model.probability import Split, sides, splits

__all__ = ["TIMING", "Base", "blank_splits", "check_size", "prior_base", "split_shapes"]

Base: TypeAlias = Mapping[str, Shapes]
"""The Beta parameters before any record: node -> configurations x splits."""

TIMING = Caveat(
    "timing",
    "How long a draw takes depends on the counts. Whoever could time the release may have learned something about them.",
)

MOST_DRAWN = 200_000
"""Numbers that one release may draw: a few minutes."""


def check_size(network: Network, prior: Prior, draws: int) -> None:
    """Refuse what could not be drawn in reasonable time, before anything is charged.

    Claim:      raises unless the numbers to draw are few enough and the prior's parameters of a size that draws are made for.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_sampler.py::test_what_could_not_be_drawn_is_refused_before_the_charge
    """
    if network.parameters * draws > MOST_DRAWN:
        most, what = MOST_DRAWN // network.parameters, "one draw" if draws == 1 else f"{draws:,} draws"
        advice = f"Ask for at most {most:,}, or use" if most else "Leave out edges into large tables, or use"
        raise ModelError(
            f"For {what} of {network.parameters:,} parameters more than {MOST_DRAWN:,} numbers would have to be drawn exactly,"
            f" which takes too long. {advice} a mechanism that adds noise, such as Laplace."
        )
    for family in network.families:
        table = prior.concentration(family)
        if not (table.min() >= LEAST and table.max() <= MOST):
            raise ModelError(f"Draws need a prior whose parameters lie between {LEAST} and {MOST:g}: see {family.node!r}.")


def prior_base(network: Network, prior: Prior) -> Base:
    """The Beta parameters of the splits under the prior: those of the levels on each side, added up.

    Claim:      a Dirichlet with parameters a_l is the law of levels whose splits are independent Beta(sum of a_l on the first
                side, sum on the second). Sums are exact: only then are the draws those of a Dirichlet.  [GUARANTEES 5.2b]
    Requires:   a prior that fits the network.
    Checked by: tests/unit/mechanisms/test_sampler.py::test_untruncated_draws_are_those_of_the_dirichlet_posterior
    """
    base = {}
    for family in network.families:
        table = [[Fraction(weight) for weight in row] for row in prior.concentration(family).tolist()]
        base[family.node] = [[_sides(row, split) for split in splits(family.levels)] for row in table]
    return base


def _sides(row: list[Fraction], split: Split) -> tuple[Fraction, Fraction]:
    return sum(row[split.start : split.middle], Fraction(0)), sum(row[split.middle : split.end], Fraction(0))


def blank_splits(network: Network, draws: int, floor: int) -> dict[str, Integers]:
    """Splits of the shape of drawn ones, and as long as the longest: all of them at the upper end.

    Claim:      the file of a release can hold them; they depend on graph, number of draws and floor alone.
    Requires:   0 <= floor < 2^(GRID_BITS - 1).
    Checked by: tests/unit/mechanisms/test_prepared.py::test_no_file_is_longer_than_its_room
    """
    return {
        family.node: np.full((draws, family.configurations, family.levels - 1), 2**GRID_BITS - max(floor, 1), dtype=np.int64)
        for family in network.families
    }


def split_shapes(counts: Mapping[str, Integers], base: Base, temper: Fraction) -> Base:
    """The Beta parameters of the splits under prior x likelihood^temper: base + temper x counts, exactly.

    Claim:      conjugacy: the likelihood of a split with n records on its first side and n' on its second is s^n (1 - s)^n'.
    Requires:   integer tables, configurations x levels, of at most 10^9 records times the temper (checked).
    Checked by: tests/unit/mechanisms/test_sampler.py::test_the_parameters_of_every_draw_are_prior_plus_tempered_counts
    """
    if temper * int(next(iter(counts.values())).sum()) > MOST:
        raise ModelError("So many records to this power are more than draws are made for. Use the Laplace mechanism.")
    shapes = {}
    for node, table in base.items():
        first, second = (side.tolist() for side in sides(counts[node]))
        shapes[node] = [
            [(a + temper * n, b + temper * m) for (a, b), n, m in zip(*row, strict=True)]
            for row in zip(table, first, second, strict=True)
        ]
    return shapes
