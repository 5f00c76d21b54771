"""How far the Fourier mechanism moves the table of a family: the paper's Theorem 3 with the constant of Parseval.

A table of s binary nodes is 2^-s times the Walsh-Hadamard transform of its 2^s coefficients phi. Parseval's identity and
Cauchy-Schwarz give: L1 distance of two tables <= root of the sum of squared differences of their coefficients. The paper adds
up 2^s absolute differences instead, and pays 2^s where 2^(s/2) is enough. All bounds are in records, and depend on the
graph and the noise alone: they may be published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import ModelError
from discreet.measure.needs import subsets
from discreet.measure.strategies.laplace import largest_noise
from discreet.model.network import Family, Network

__all__ = ["FourierUtility", "cell_variance_ratio", "fourier_utility"]


@dataclass(frozen=True, slots=True)
class FourierUtility:
    """Bounds on the L1 distance between each released family table and the true one, in records."""

    delta: float
    """Probability that a promise is broken."""
    together: Mapping[str, float]
    """For each node; all of them hold together with probability at least 1 - delta."""
    alone: Mapping[str, float]
    """For each node; each holds with probability at least 1 - delta, for one node chosen beforehand."""


def fourier_utility(
    network: Network, scale: Fraction | Mapping[frozenset[str], Fraction], delta: float, increment: int = 0
) -> FourierUtility:
    """What the L1 distance of every family table stays below, in records.

    Claim:      with probability >= 1 - delta, ||true - released||_1 <= sqrt(sum_g (2 z_g)^2 + increment^2) over the non-empty
                g in the family, z_g such that all |N| - 1 discrete Laplace variables stay within theirs (together) or those
                2^s - 1 do (one node), each with the same probability: for one scale at most 2^(s/2) 2 z + increment.
                                                                                      [Paper, Theorem 3; GUARANTEES 2.7]
    Requires:   variables of two levels, 0 < delta < 1 (checked); noise of ``scale`` (one for all, or one for each set) on
                every odd count and hence of twice that on phi, none on the number of records; ``increment`` added to it.
                Cells that are clamped at zero are covered too; projected tables are not.
    Checked by: tests/paper/test_theorem_3.py::test_the_tables_stay_within_the_bound_together
                tests/paper/test_theorem_3.py::test_the_table_of_one_node_stays_within_its_own_bound
    """
    _check_binary(network)
    if not 0 < delta < 1:
        raise ModelError("delta must lie between 0 and 1; give a number such as 0.05.")
    if increment < 0:
        raise ModelError("The increment is a number of records that is added: at least 0.")
    everywhere = len(network.downward_closure) - 1
    together, alone = {}, {}
    for family in network.families:
        noisy = family.cells - 1  # the coefficient of the empty set is the public number of records
        together[family.node] = _parseval(family, scale, everywhere, delta, increment)
        alone[family.node] = _parseval(family, scale, noisy, delta, increment)
    return FourierUtility(delta, together, alone)


def cell_variance_ratio(network: Network, node: str) -> float:
    """Variance of a cell of the node's table under Algorithm 2 as printed, over that under Algorithm 1. No unit.

    Claim:      2^-s (|N| / |I|)^2, s the size of the family: Fourier noise is smaller if and only if |N| < |I| 2^(s/2). What
                Remark 1 of the paper should say.                                        [Paper, Remark 1; GUARANTEES 2.3]
    Requires:   variables of two levels (checked).
    Checked by: tests/paper/test_printed_formulas.py::test_remark_1_compares_different_units
    """
    _check_binary(network)
    return (len(network.downward_closure) / len(network.nodes)) ** 2 / network.family(node).cells


def _parseval(
    family: Family, scale: Fraction | Mapping[frozenset[str], Fraction], among: int, delta: float, increment: int
) -> float:
    """Each coefficient stays within its reach with probability (1 - delta)^(1 / among)."""
    if not isinstance(scale, Mapping):
        return math.hypot(2 * largest_noise(scale, among, 1 - delta) * math.sqrt(family.cells - 1), increment)
    return math.hypot(*(2 * largest_noise(scale[gamma], among, 1 - delta) for gamma in subsets(family.members)), increment)


def _check_binary(network: Network) -> None:
    wide = next((variable.name for variable in network.variables if variable.size != 2), None)
    if wide is not None:
        raise ModelError(f"The Fourier mechanism needs variables of two levels; {wide!r} has more or fewer. Use Laplace.")
