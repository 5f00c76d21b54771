"""Hamiltonian Monte Carlo with several chains side by side: climb to the mode, take its curvature as unit, walk.

It works on what is already public, so an approximation costs accuracy and never privacy; ``diagnostics.py`` measures it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats

__all__ = ["Walk", "climb"]

_STEEPEST = 0.7
"""No coordinate moves further than this in one step of the climb."""
_FLATTEST = 0.25
"""Curvatures below this are taken as this: a direction of which nothing is known is not to be run away in."""
_WANTED = 0.8
"""Share of proposals that are accepted at a good step size."""


class Landscape(Protocol):
    """A density that can be written about another point."""

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        ...

    def density(self, points: Floats) -> tuple[Floats, Floats]:
        """Log density and gradient at each point."""
        ...

    def move(self, point: Floats) -> tuple[Self, Floats]:
        """The same density in coordinates about a point, and the point in them."""
        ...


L = TypeVar("L", bound=Landscape)


@dataclass(frozen=True, slots=True, eq=False)
class Hill(Generic[L]):
    """A landscape, its mode and a matrix that turns standard normals into steps of the size of its curvature."""

    landscape: L
    mode: Floats
    spread: Floats


def climb(landscape: L, iterations: int = 60) -> Hill[L]:
    """Newton's method with steps that are never downhill."""
    point: Floats = np.zeros(landscape.dimension)
    for _ in range(iterations):
        height, gradient = (part[0] for part in landscape.density(point[None]))
        values, vectors = np.linalg.eigh(_curvature(landscape, point))
        step = vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-2))
        share = min(1.0, _STEEPEST / float(np.abs(step).max()))
        while share > 1e-8 and not landscape.density((point + share * step)[None])[0][0] >= height - 1e-9:
            share /= 2
        landscape, point = landscape.move(point + share * step)
        if gradient @ step < 1e-2 or share <= 1e-8:
            break
    values, vectors = np.linalg.eigh(_curvature(landscape, point))
    return Hill(landscape, point, vectors / np.sqrt(np.maximum(values, _FLATTEST)))


def _curvature(landscape: Landscape, point: Floats, width: float = 1e-5) -> Floats:
    """Minus the matrix of second derivatives, from differences of gradients."""
    steps = width * np.eye(landscape.dimension)
    difference = landscape.density(point - steps)[1] - landscape.density(point + steps)[1]
    curvature: Floats = (difference + difference.T) / (4 * width)
    return curvature


class Walk:
    """Chains on a hill: they settle while they adapt, then every round gives one draw of each chain."""

    def __init__(self, hill: Hill[Any], chains: int, generator: np.random.Generator) -> None:
        self._hill = hill
        self._generator = generator
        self._spread = hill.spread
        self._step = 0.3
        self._places = generator.standard_normal((chains, hill.landscape.dimension)) / 2
        self._heights, self._slopes = self._density(self._places)

    def settle(self, rounds: int) -> None:
        """Forget the start, find a step size, then the width of every direction. Nothing of this is kept."""
        for phase in range(2):
            seen = np.array([self._adapt(number) for number in range(rounds)])[rounds // 2 :]
            self._restart(np.ptp(seen, axis=0).max(axis=1) == 0)
            if phase == 0:
                width = np.clip(seen.reshape(-1, seen.shape[-1]).std(axis=0), 0.3, 3.0)
                self._spread = self._spread * width
                self._places = self._places / width
                self._heights, self._slopes = self._density(self._places)

    def _restart(self, stuck: npt.NDArray[np.bool_]) -> None:
        """Chains that began where no step is small enough go on from where others are."""
        if stuck.any() and not stuck.all():
            source = self._generator.choice(np.flatnonzero(~stuck), int(stuck.sum()))
            for array in (self._places, self._heights, self._slopes):
                array[stuck] = array[source]

    def rounds(self, count: int) -> Floats:
        """So many draws of every chain: count x chains x dimension, in the coordinates of the hill's landscape."""
        drawn = []
        for _ in range(count):
            self._move()
            drawn.append(self._hill.mode + self._places @ self._spread.T)
        return np.array(drawn)

    def _adapt(self, number: int) -> Floats:
        accepted = self._move()
        self._step *= float(np.exp(0.3 * (accepted - _WANTED) / np.sqrt(1 + number / 10)))
        return self._places

    def _density(self, places: Floats) -> tuple[Floats, Floats]:
        heights, slopes = self._hill.landscape.density(self._hill.mode + places @ self._spread.T)
        return heights, slopes @ self._spread

    def _move(self) -> float:
        """One trajectory of every chain; the mean probability of acceptance."""
        draw = self._generator
        momentum = draw.standard_normal(self._places.shape)
        energy = self._heights - np.sum(momentum**2, axis=1) / 2
        places, heights, slopes = self._places, self._heights, self._slopes
        step = self._step * draw.uniform(0.8, 1.2)
        for _ in range(int(draw.integers(4, 9))):
            momentum = momentum + step / 2 * slopes
            places = places + step * momentum
            heights, slopes = self._density(places)
            momentum = momentum + step / 2 * slopes
        gain = heights - np.sum(momentum**2, axis=1) / 2 - energy
        chance = np.exp(np.minimum(gain, 0.0))
        taken = draw.random(len(places)) < chance
        self._places = np.where(taken[:, None], places, self._places)
        self._heights = np.where(taken, heights, self._heights)
        self._slopes = np.where(taken[:, None], slopes, self._slopes)
        return float(chance.mean())
