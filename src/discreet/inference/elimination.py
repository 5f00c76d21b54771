"""Exact inference: variable elimination for many parameter draws, or many records, at once.

A factor is an array with one axis for each of its nodes and a last axis for the batch: parameter draws, records, or 1. The
batch stands last because numpy is fastest along the last axis, and it is the long one.

Several codes as one: the row of a table that a combination of levels stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.inference.elimination_order import EliminationPlan, PlannedFamily

__all__ = ["PIECE_CELLS", "Codes", "Elimination", "batches", "eliminate", "free_factors", "mixed_radix"]

Codes: TypeAlias = npt.NDArray[np.unsignedinteger]

PIECE_CELLS = 2**18
"""Cells of the largest factor times batch: 2 MB, so that the factors of a step stay in the processor's cache."""

_SAFE = 1e-200
"""Factors on the way are at most one where a sum over a node has the node's own table in it, and else at most its levels. So a
product that is too small for floating point, 1e-307, stays small wherever it goes: beside such a total nothing is lost."""


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """Distribution of the targets given the evidence (levels of each target, batch) and the log probability of the evidence.

    Where the evidence is impossible its log probability is minus infinity and the distribution is not a number.
    """

    probability: Floats
    log_evidence: Floats


def batches(plan: EliminationPlan, count: int) -> Iterator[slice]:
    """Cut a batch into pieces whose factors are small."""
    size = max(1, PIECE_CELLS // plan.largest)
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def eliminate(
    plan: EliminationPlan, tables: Mapping[str, Floats], evidence: Mapping[str, int] | Mapping[str, Codes]
) -> Elimination:
    """Carry out a plan.

    ``tables`` holds conditional probabilities, (configurations, levels) or (configurations, levels, draws) for each planned
    family. ``evidence`` holds a level's index for each observed node, or with tables without draws an array of them, one for
    each record; for the plan's ``sometimes`` nodes the number of levels stands for a missing one.
    """
    factors = free_factors(plan, tables, evidence)
    joint_axes = tuple(range(len(plan.targets)))
    with np.errstate(under="ignore"):
        joint = _sum_of_products(plan, factors)
        total = np.asarray(joint.sum(axis=joint_axes))
        if (total > _SAFE).all():
            return Elimination(joint / total, np.log(total))
    # Products that leave the range of floating point must not pass for impossible evidence.
    with np.errstate(divide="ignore", under="ignore"):
        log_joint = _carry_out(plan, [np.log(factor) for factor in factors], np.add, _log_sum, np.zeros(1))
        log_total = _log_sum(log_joint.reshape(-1, log_joint.shape[-1]))
    with np.errstate(invalid="ignore", under="ignore"):
        return Elimination(np.exp(log_joint - log_total), log_total)


def free_factors(
    plan: EliminationPlan, tables: Mapping[str, Floats], evidence: Mapping[str, int] | Mapping[str, Codes]
) -> list[Floats]:
    """The factors that a plan begins with, at the evidence: one for each family, then one for each ``sometimes`` node."""
    factors = [_factor(family, tables[family.node], evidence) for family in plan.families]
    sometimes = zip(plan.sometimes, plan.sometimes_sizes, strict=True)
    return factors + [_indicator(size, evidence[node]) for node, size in sometimes]


def _factor(family: PlannedFamily, table: Floats, evidence: Mapping[str, int] | Mapping[str, Codes]) -> Floats:
    """The family's table at the evidence: free nodes in the plan's order, then the batch."""
    full = table.reshape(*family.shape, -1).transpose(*family.axes, len(family.axes))
    if not family.observed:
        return full if full.shape[-1] == 1 else np.ascontiguousarray(full)
    codes = [evidence[node] for node in family.observed]
    if isinstance(codes[0], np.ndarray):
        free = full.shape[: len(family.axes) - len(codes)]
        return full.reshape(*free, -1).take(mixed_radix(codes, family.observed_shape), axis=-1)  # type: ignore[arg-type]
    factor = full[(..., *codes, slice(None))]
    return factor if factor.shape[-1] == 1 else np.ascontiguousarray(factor)


def _indicator(size: int, codes: int | Codes) -> Floats:
    """One at the level that a record has, zero elsewhere; one everywhere if it has none."""
    return np.hstack([np.eye(size), np.ones((size, 1))]).take(np.atleast_1d(codes), axis=1)


def _carry_out(
    plan: EliminationPlan, factors: list[Floats], times: np.ufunc, total: Callable[[Floats], Floats], one: Floats
) -> Floats:
    """Sums of products; which product and which sum depends on the scale."""
    product = one
    for step in plan.steps:
        product = factors[step.operands[0]][step.spread[0]] if step.operands else one
        for number, spread in zip(step.operands[1:], step.spread[1:], strict=True):
            product = times(product, factors[number][spread])
        for number in step.operands:
            factors[number] = one  # used up: its memory may be freed
        factors.append(total(product) if step is not plan.steps[-1] else product)
    return product


def _sum_of_products(plan: EliminationPlan, factors: list[Floats]) -> Floats:
    return _carry_out(plan, list(factors), np.multiply, _sum, np.ones(1))


def _sum(terms: Floats) -> Floats:
    return np.asarray(np.add.reduce(terms, axis=0))


def _log_sum(logs: Floats) -> Floats:
    """Log of the sum of exp over the first axis; minus infinity where all terms are."""
    top = logs.max(axis=0)
    top[np.isneginf(top)] = 0
    return np.asarray(np.log(np.exp(logs - top).sum(axis=0)) + top)


def mixed_radix(
    codes: Sequence[npt.NDArray[np.unsignedinteger]], sizes: Sequence[int]
) -> npt.NDArray[np.unsignedinteger] | npt.NDArray[np.intp]:
    """Number combinations of levels, the first code slowest, as the rows of a family's table are numbered."""
    total = math.prod(sizes)
    # Narrow integers: the codes are read from memory more often than the result is used.
    kind: npt.DTypeLike = np.uint8 if total <= 2**8 else np.uint16 if total <= 2**16 else np.intp
    number = codes[0].astype(kind)
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        number *= np.asarray(size, dtype=kind)
        np.add(number, code, out=number, casting="unsafe")
    return number
