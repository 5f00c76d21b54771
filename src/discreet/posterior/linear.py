"""The noise-aware posterior of a regression: what noisy moments say about the weights, in the user's units.

The true moments are unknown; chains of draws of them are made when a question is first asked. Given the moments the weights
are Gaussian, so the two reasons for not knowing a coefficient come apart: the spread that would be there without privacy, and
what the noise adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.chains.diagnostics import Diagnostics, diagnose
from discreet.chains.hamiltonian import Walk, climb
from discreet.chains.latent_moments import LatentMoments
from discreet.chains.learned_moments import LearnedMoments
from discreet.chains.moment_law import NOISE_RATE, MomentLaw, WeightLaw
from discreet.checks import check_probability, check_whole
from discreet.display import Display, Displayed
from discreet.errors import ModelError, QueryError
from discreet.inference.beliefs import GeneratorLike, as_generator
from discreet.inference.linear import Line, Prediction, predict_target
from discreet.inference.own_counts import OwnMoments
from discreet.measure.published import PublishedMoments
from discreet.model.linear import LinearModel
from discreet.posterior.coefficients import Coefficient, Coefficients, regression_display, units_map
from discreet.posterior.data_tree import line_tree
from discreet.posterior.kept_visits import diagnostics_array, read_diagnostics
from discreet.posterior.running import USUAL, DamagedError, Entry, Running, find_slot
from discreet.progress import progress

__all__ = ["RegressionPosterior", "Spread"]

_CHAINS = 16
_SETTLE = 25
_BLOCK = 64
_MOST_BLOCKS = 12
_SEED = 20140419
"""Answers to questions use draws of a fixed seed, so that the same file gives the same answers; it protects nothing."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Why a coefficient is not known exactly: standard deviations in the user's units, which add as squares."""

    name: str
    records: float
    """What the number of records leaves open, without privacy."""
    privacy: float
    """What the noise of the release adds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """Draws of the scaled weights and of the noise variance: rounds x chains (x weights), and what lies behind them."""

    weights: Floats
    means: Floats
    variances: Floats
    within: Floats
    """Mean covariance of the weights given the moments: what would be left without privacy."""
    diagnostics: Diagnostics

    def arrays(self) -> dict[str, Floats]:
        """All of it as arrays, to be kept."""
        named = {name: getattr(self, name) for name in ("weights", "means", "variances", "within")}
        return {**named, "diagnostics": diagnostics_array(self.diagnostics)}


def _read_draws(entry: Entry, count: int) -> _Draws:
    """The same back from what was kept."""
    rounds = [_BLOCK * blocks for blocks in range(1, _MOST_BLOCKS + 1)]
    weights = entry.read("weights", *((each, _CHAINS, count) for each in rounds))
    variances = entry.read("variances", weights.shape[:2], least=0.0)
    within = entry.read("within", (count, count))
    return _Draws(weights, entry.read("means", weights.shape), variances, within, read_diagnostics(entry))


@dataclass(frozen=True, eq=False, repr=False)
class RegressionPosterior(Displayed):
    """Beliefs about the weights and the noise of a linear model, given noisy moments and records of the holder's own.

    Where the model declares precisions, its prior is taken at its word, not truncated: it is the noise that bounds what one
    record can do. Where it declares none, the size of the slopes is learned with the rest, and so is the noise of the target,
    of which a declared one is then only a first guess.
    """

    model: LinearModel
    released: PublishedMoments
    own: OwnMoments | None = None
    running: Running = USUAL

    def __post_init__(self) -> None:
        if self.released.model != self.model:
            raise ModelError("The moments were released for another model.")

    def _display(self) -> Display:
        return regression_display(self.model, self.rows, self, 0 if self.own is None else self.own.rows)

    @property
    def rows(self) -> int:
        """The public number of records in the release."""
        return self.released.rows

    def draws(self, count: int, generator: GeneratorLike = None) -> Floats:
        """Draws of the coefficients in the user's units, one in each row, intercept first."""
        generator, count = as_generator(generator), check_whole(count, "The number of draws")
        found = self._run(generator, -(-count // _CHAINS), _MOST_BLOCKS)
        weights = found.weights.reshape(-1, found.weights.shape[-1])
        return self.model.to_units(weights[generator.permutation(len(weights))[:count]])

    @property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains behind all answers agree with one another, and how many independent draws they are worth."""
        return self._found.diagnostics

    @property
    def noise(self) -> tuple[float, float]:
        """The standard deviation of the target about the line in the user's units: its mean and its standard deviation."""
        deviations = self.model.noise_in_units(np.sqrt(self._found.variances))
        return float(deviations.mean()), float(deviations.std())

    def summary(self, interval: float = 0.9) -> Coefficients:
        """Mean, standard deviation and central credible interval of every coefficient in the user's units."""
        interval = check_probability(interval)
        draws = self.model.to_units(self._flat)
        tail = (1 - interval) / 2
        numbers = np.vstack([draws.mean(axis=0), draws.std(axis=0), np.quantile(draws, [tail, 1 - tail], axis=0)])
        named = zip(self.model.coefficients, numbers.T.tolist(), strict=True)
        return Coefficients(tuple(Coefficient(name, *entry) for name, entry in named), interval)

    def spreads(self) -> tuple[Spread, ...]:
        """For every coefficient the part of its uncertainty that the records leave and the part that privacy adds."""
        turn = units_map(self.model)
        total = np.cov(self._flat.T).reshape(2 * (self._flat.shape[1],))
        whole, within = (np.diag(turn.T @ part @ turn) for part in (total, self._found.within))
        privacy = np.sqrt(np.maximum(whole - within, 0.0))
        named = zip(self.model.coefficients, np.sqrt(within).tolist(), privacy.tolist(), strict=True)
        return tuple(Spread(name, records, noise) for name, records, noise in named)

    def predict(self, data: Any, interval: float = 0.9) -> Prediction:
        """Expected target of every record, with an interval for it and one for the target of a new record."""
        return predict_target(self.line(interval), data)

    def to_datatree(self, draws: int | None = None, chains: int | None = None) -> Any:
        """Draws of the coefficients, in the user's units, as an ``xarray.DataTree``: the posterior's chains, kept apart."""
        weights = self._found.weights
        return line_tree(self.model, weights, len(weights) if draws is None else draws, chains)

    def update(
        self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None
    ) -> RegressionPosterior:
        """The posterior after records of one's own: this posterior is their prior. They are counted exactly, without noise."""
        # Here and nowhere else in posteriors: only an update may reach for records, which tools/check_layers.py checks.
        from discreet.inference.own_records import own_moments

        if missing is not None:
            raise QueryError("A regression needs a number in every column of every record; fill in missing ones first.")
        return replace(self, own=own_moments(data, self.model, progress).plus(self.own))

    def line(self, interval: float = 0.9) -> Line:
        """What predictions are computed from."""
        from scipy.special import ndtri

        interval, weights = check_probability(interval), self._flat
        noise = math.sqrt(float(self._found.variances.mean()))
        covariance = np.cov(weights.T).reshape(2 * (weights.shape[1],))
        quantile = float(ndtri(0.5 + interval / 2))
        return Line(self.model, weights.mean(axis=0), covariance, noise, quantile, interval, self._found.within)

    @cached_property
    def _found(self) -> _Draws:
        slot = find_slot(self.running, "draws", self.model, self.released) if self.own is None else None
        entry = None if slot is None else slot.read()
        if entry is not None:
            with suppress(DamagedError):
                return _read_draws(entry, len(self.model.coordinates))
        with progress("Weighing the noise", wanted=self.running.progress):
            found = self._run(np.random.default_rng(_SEED), _BLOCK, _MOST_BLOCKS)
        if slot is not None:
            slot.write(found.arrays())
        return found

    def prepare(self) -> RegressionPosterior:
        """Run the chains behind all answers, unless they ran before."""
        _ = self._found
        return self

    @property
    def _flat(self) -> Floats:
        return self._found.weights.reshape(-1, self._found.weights.shape[-1])

    def _run(self, generator: np.random.Generator, rounds: int, most: int) -> _Draws:
        """Walk until there are so many rounds and the chains agree on everything, or patience ends."""
        hill = climb(self._latent())
        walk = Walk(hill, _CHAINS, generator)
        walk.settle(_SETTLE)
        blocks: list[Floats] = []
        while True:
            blocks.append(walk.rounds(max(rounds, _BLOCK)))
            found = _draw_weights(hill.landscape.weights, np.concatenate(blocks), generator, len(self.model.coordinates))
            if found.diagnostics.all_agree or len(blocks) >= most:
                return found

    def _latent(self) -> LatentMoments | LearnedMoments:
        model, count = self.model, len(self.model.coordinates)
        if model.learned:
            return LearnedMoments(self._law(NOISE_RATE if model.noise is None else math.log(2) * float(model.noise) ** 2))
        precisions = count * np.array([float(each) for each in model.precisions])
        return LatentMoments(self._law(NOISE_RATE), precisions, None if model.noise is None else float(model.noise) ** 2)

    def _law(self, noise_rate: float) -> MomentLaw:
        """The prior of the noise variance has its median at the rate by log 2."""
        matrix, own = self.released.matrix, self.own
        return MomentLaw(
            noisy=matrix,
            variances=self.released.noise.variances,
            rows=self.rows,
            intercept=self.model.intercept,
            own=np.zeros_like(matrix) if own is None else np.array(own.products, dtype=np.float64) / 4**self.model.resolution,
            own_rows=0 if own is None else own.rows,
            noise_rate=noise_rate,
        )


def _draw_weights(law: Callable[[Floats], WeightLaw], places: Floats, generator: np.random.Generator, count: int) -> _Draws:
    """Draw weights given the moments of every place. The model's are sqrt(count) times those of columns in [-1, 1]."""
    given = law(places.reshape(-1, places.shape[-1]))
    normals = generator.standard_normal(given.mean.shape)
    weights = given.mean + (np.linalg.cholesky(given.covariance) @ normals[:, :, None])[:, :, 0]
    shape = (*places.shape[:2], count)
    means, weights = (math.sqrt(count) * part.reshape(shape) for part in (given.mean, weights))
    variances = given.variance.reshape(shape[:2])
    watched = np.concatenate([means, given.watched.reshape(*shape[:2], -1)], axis=2)
    return _Draws(weights, means, variances, count * given.covariance.mean(axis=0), diagnose(watched))
