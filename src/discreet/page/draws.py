"""The draws that a page carries: so many of the tables that could be behind a release, and for each some of the parameters.

What differs between draws of the same tables is sampling, what differs between tables is privacy noise, so any answer that is
computed from the draws can be split into the two. A page has room for two bytes a probability: its fourth root in steps of
1/65535. That is finer than a thousandth of any probability above 10^-7 and keeps those down to 10^-20 from becoming zero; what
is zero stays zero.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.model.network import Network
from discreet.posterior.posterior import Posterior

__all__ = ["Draws", "base64_text", "draw_tables", "pack_means", "pack_tables", "unpack_tables"]

_SEED = 0
"""The same release gives the same page. Everything here is public already, so the seed protects nothing."""
_STEPS = 2**16 - 1
_INNER = 2
"""Draws of the parameters for each draw of the tables: two tell sampling from noise, and leave most room for tables."""

Packed = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Draws:
    """All that answers are computed from: the mean tables, and draws of them as the page has them."""

    network: Network
    mean: Mapping[str, Floats]
    """Node -> configurations x levels."""
    steps: Mapping[str, Packed]
    """Node -> configurations x levels x draws, those that share tables next to one another; empty where nothing is unsure."""
    outer: int
    inner: int

    @classmethod
    def rounded(
        cls, network: Network, mean: Mapping[str, Floats], tables: Mapping[str, Floats], outer: int, inner: int
    ) -> Draws:
        """Draws of these tables, rounded once: what Python and the page compute with is the same."""
        return cls(network, mean, {node: _to_steps(table) for node, table in tables.items()}, outer, inner)

    @cached_property
    def tables(self) -> dict[str, Floats]:
        """The same as probabilities."""
        return {node: _from_steps(steps) for node, steps in self.steps.items()}

    @property
    def count(self) -> int:
        """How many draws there are."""
        return self.outer * self.inner


def draw_tables(posterior: Posterior, count: int) -> Draws:
    """About so many draws, rounded as a page rounds them; none where the release says nothing about its own errors."""
    network = posterior.network
    mean = {node: posterior.mean(node) for node in network.nodes}
    if posterior.without_spread is not None:
        return Draws(network, mean, {}, 0, 1)
    outer = max(2, count // _INNER)
    repeated = posterior.repeated_draws(outer, _INNER, _SEED)
    if repeated is None:
        count = min(count, getattr(posterior, "released_draws", count))
        repeated, outer = [posterior.draws(count, _SEED)], count
    stacked = {node: np.stack([drawn[node] for drawn in repeated], axis=-1) for node in network.nodes}
    moved = {node: np.moveaxis(table, 0, -2) for node, table in stacked.items()}
    joined = {node: table.reshape(*table.shape[:2], -1) for node, table in moved.items()}
    return Draws.rounded(network, mean, joined, outer, len(repeated))


def pack_means(draws: Draws) -> str:
    """The mean tables of all nodes, one after the other, as text: numbers of 64 bits in base64."""
    return base64_text(np.concatenate([draws.mean[node].ravel() for node in draws.network.nodes]).astype("<f8"))


def pack_tables(draws: Draws) -> str:
    """The draws of all tables as text: for each node, configuration and level all draws, two bytes each."""
    if not draws.steps:
        return ""
    return base64_text(np.concatenate([draws.steps[node].ravel() for node in draws.network.nodes]).astype("<u2"))


def unpack_tables(network: Network, means: str, tables: str, outer: int, inner: int) -> Draws:
    """The draws that a page has, from its text: what the page does itself, and what its answers are checked against."""
    numbers, steps = np.frombuffer(b64decode(means), "<f8"), np.frombuffer(b64decode(tables), "<u2")
    mean, drawn, start = {}, {}, 0
    for family in network.families:
        shape = (family.configurations, family.levels)
        end = start + math.prod(shape)
        mean[family.node] = numbers[start:end].reshape(shape)
        if tables:
            drawn[family.node] = steps[start * outer * inner : end * outer * inner].reshape(*shape, -1)
        start = end
    return Draws(network, mean, drawn, outer, inner)


def _to_steps(probabilities: Floats) -> Packed:
    steps = np.rint(_STEPS * np.sqrt(np.sqrt(probabilities)))
    return np.where(probabilities > 0, np.maximum(steps, 1), 0).astype(np.uint16)


def _from_steps(steps: Packed) -> Floats:
    """Powers by multiplication, which browsers round alike; then each row sums to one again."""
    root = steps / _STEPS
    power = (root * root) * (root * root)
    return np.asarray(power / power.sum(axis=1, keepdims=True))


def base64_text(numbers: npt.NDArray[np.generic]) -> str:
    """Numbers as a page carries them."""
    return b64encode(numbers.tobytes()).decode("ascii")
