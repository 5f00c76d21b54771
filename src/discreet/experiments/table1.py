"""Table 1 of the paper: what every mechanism costs and how wrong it is, as printed, corrected, and measured.

Bounds are taken at confidence 95 % and measurements are 95 % quantiles, unless a row says otherwise. Measurements are
simulations with seeded bits on even counts, or on records of random parameters: no private record is needed for any of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.experiments.as_printed import printed_map_point
from discreet.experiments.claims import independent
from discreet.experiments.study import SeededBits, markdown_table, write_csv, write_page
from discreet.experiments.table1_measured import MECHANISMS, largest_move, most_odd, released_errors
from discreet.kernel.noise.laplace import discrete_laplace
from discreet.measure.strategies.laplace import laplace_scale, largest_noise
from discreet.measure.strategies.lipschitz import draw_privacy, floor_on_grid, map_failure
from discreet.measure.strategies.odd_weight import parity_sensitivity
from discreet.model.network import Network
from discreet.theorems.fourier_utility import fourier_utility
from discreet.theorems.of_true_counts import beta_divergence, divergence_bound
from discreet.theorems.printed.noise import printed_corollary_2, printed_proposition_1, printed_table_1, printed_theorem_3
from discreet.theorems.printed.sampling import (
    printed_lemma_4,
    printed_naive_bayes_floor,
    printed_theorem_4_total_variation,
)

__all__ = ["COLUMNS", "Entry", "PARTS", "lines", "table1", "write_table1"]

COLUMNS = ("mechanism", "kind", "quantity", "printed", "corrected", "measured", "remark")
PARTS = 3 + len(MECHANISMS)
"""Bounds of three kinds of mechanisms, and the errors of each."""
_DELTA = 0.05
_RUNS = 4000
_FLOOR = 0.1
_READING = (
    "What every mechanism costs and how wrong it is. Printed: the paper's formula. Corrected: what is true. Measured: a 95 %"
    " quantile of simulations, or for privacy the largest log ratio of probabilities that was found for some pair of"
    " neighbours. A printed epsilon below the measured one is a broken promise; a printed bound below the measured error is"
    " wrong, and far above it is of little use."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a quantity by the paper's formula, by the true one, and as found. None where there is no such number."""

    mechanism: str
    kind: str
    """privacy or utility."""
    quantity: str
    printed: float | None
    corrected: float | None
    measured: float | None
    remark: str

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can carry."""
        return asdict(self)


def table1(
    network: Network, rows: int, epsilon: Fraction, seed: int = 2016, progress: Callable[[int], None] = lambda _: None
) -> list[Entry]:
    """Evaluate and measure everything. Same seed, same numbers. ``progress`` is told how many of ``PARTS`` are done."""
    generator = np.random.default_rng(seed)
    binary = all(variable.size == 2 for variable in network.variables)
    entries = list(_laplace(network, rows, epsilon, binary, generator))
    progress(1)
    if binary:
        entries += [*_fourier(network, epsilon, generator), *_sampler(network, epsilon)]
    progress(2)
    entries += [*_map(rows, epsilon)]
    progress(3)
    # A mechanism that the network does not allow counts as a part that is done: there is nothing to wait for.
    for place, found in enumerate(released_errors(network, rows, epsilon, generator), start=4):
        if found is not None:
            mechanism, predicted, measured = found
            what = "mean error of a released probability"
            entries.append(Entry(mechanism, "utility", what, None, predicted, measured, "the paper has no such number"))
        progress(place)
    return entries


def _even(network: Network, rows: int) -> npt.NDArray[np.int64]:
    """Counts of records that spread evenly, one line for each parent configuration."""
    lines = [[round(rows / family.cells)] * 2 for family in network.families for _ in range(family.configurations)]
    return np.array(lines, dtype=np.int64)


def _laplace(network: Network, rows: int, epsilon: Fraction, binary: bool, generator: np.random.Generator) -> Iterator[Entry]:
    scale = laplace_scale(network, epsilon)
    cost, moved = float(epsilon), largest_move(network, generator)
    yield Entry("Laplace", "privacy", "epsilon", cost, cost, moved / float(scale), "Corollary 1, holds")
    noise = discrete_laplace(scale, _RUNS * network.cells, SeededBits(generator)).reshape(_RUNS, network.cells)
    found = float(np.quantile(np.abs(noise).max(axis=1), 1 - _DELTA))
    printed = printed_proposition_1(network, epsilon, _DELTA)
    exact = float(largest_noise(scale, network.cells, 1 - _DELTA))
    yield Entry("Laplace", "utility", "largest noise of a count, records", printed.value, exact, found, "Proposition 1")
    if not binary:
        return
    counts = _even(network, rows)
    noisy = np.clip(counts + noise.reshape(_RUNS, -1, 2), 0, rows)
    divergences = beta_divergence(1 + counts[:, 0], 1 + counts[:, 1], 1 + noisy[..., 0], 1 + noisy[..., 1]).sum(axis=1)
    bound = divergence_bound((1, 1), counts, scale, rows, _DELTA)
    printed = printed_table_1(network, epsilon, max(rows, 2), _DELTA)
    quantile = float(np.quantile(divergences, 1 - _DELTA))
    remark = "Theorem 1, even counts; printed with 1 for its unnamed constants, refuted for each of them by some rows"
    yield Entry("Laplace", "utility", "divergence of the posteriors, nats", printed.value, bound, quantile, remark)


def _fourier(network: Network, epsilon: Fraction, generator: np.random.Generator) -> Iterator[Entry]:
    sensitivity = parity_sensitivity(network).value
    printed = printed_corollary_2(network, epsilon).value
    spent, found_move = 2 * sensitivity / printed, 2 * most_odd(network, generator) / printed
    what = "epsilon at the printed scale"
    yield Entry("Fourier", "privacy", what, float(epsilon), spent, found_move, "Corollary 2, holds and is loose")
    widest = max(network.families, key=lambda family: family.cells)
    scale = Fraction(sensitivity) / epsilon
    noise = discrete_laplace(scale, _RUNS * (widest.cells - 1), SeededBits(generator)).reshape(_RUNS, -1)
    signs = np.array([[(-1) ** (set_ & cell).bit_count() for cell in range(widest.cells)] for set_ in range(1, widest.cells)])
    found = np.abs(2 * noise @ signs).sum(axis=1) / widest.cells
    bounds = printed_theorem_3(network, widest.node, epsilon, _DELTA).value, fourier_utility(network, scale, _DELTA)
    what = f"L1 error of the table of {widest.node}, records"
    quantile = float(np.quantile(found, 1 - _DELTA))
    remark = "Theorem 3; the printed scale is larger, too; measured for this table alone"
    yield Entry("Fourier", "utility", what, bounds[0], bounds[1].together[widest.node], quantile, remark)


def _sampler(network: Network, epsilon: Fraction) -> Iterator[Entry]:
    floor = printed_naive_bayes_floor(float(epsilon)).value
    if floor >= 0.5:
        remark = f"not defined: its floor exp(-epsilon / 2) = {floor:.2f} is above 1/2"
        yield Entry("sampler as printed", "privacy", "epsilon of one draw", float(epsilon), None, None, remark)
        return
    true = float(draw_privacy(network, floor_on_grid(Fraction(floor))).oscillation)
    remark = "2 log(1 / omega) in print; approached by many records"
    yield Entry(
        "sampler as printed", "privacy", "epsilon of one draw", float(epsilon), true, _approach(network, floor), remark
    )


def _approach(network: Network, floor: float) -> float:
    """What neighbours among many equal records reveal by one draw: each touched parameter by itself, which add up."""
    places = np.linspace(floor, 1 - floor, 4001)
    logs, others = np.log(places), np.log1p(-places)
    total = 0.0
    for family in network.families:
        if family.configurations == 1:
            total += _log_ratio(2000 * logs, 1999 * logs + others)
        else:  # the record leaves one parent configuration, whose records agree with it, for another where they do not
            total += _log_ratio(2000 * logs, 1999 * logs) + _log_ratio(2000 * others, 2000 * others + logs)
    return total


def _log_ratio(first: Floats, second: Floats) -> float:
    """The largest log ratio of two densities on a grid, given by unnormalised logarithms."""
    laws = [logs - logs.max() - math.log(float(np.exp(logs - logs.max()).sum())) for logs in (first, second)]
    return float(np.abs(laws[0] - laws[1]).max())


def _map(rows: int, epsilon: Fraction) -> Iterator[Entry]:
    """Algorithm 3 for a single node, the only case in which it can be sampled as printed."""
    counts: Mapping[str, Any] = {"x0": np.array([[0, rows]])}
    made = printed_map_point(counts, independent(1), float(epsilon), _FLOOR, np.random.default_rng(0))
    remark = f"Corollary 4, one node, floor {_FLOOR}, all records alike; no bound holds, longer data reveal more"
    yield Entry("MAP as printed", "privacy", "epsilon", float(epsilon), None, made.true_epsilon, remark)
    delta = printed_theorem_4_total_variation(math.log((1 - _FLOOR) / _FLOOR), 1.0).value
    exponent = float(epsilon) / (2 * delta)
    places = np.linspace(_FLOOR, 1 - _FLOOR, 20_001)
    logs = rows / 2 * (np.log(places) + np.log1p(-places))
    density = np.exp(logs - logs.max())
    density *= len(places) / density.sum()  # against the uniform law on the allowed interval
    law = np.exp(exponent * (density - density.max()))
    distance = float(density.max()) / 4
    mass = float((density > density.max() - distance).mean())
    actual = float(law[density < density.max() - 2 * distance].sum() / law.sum())
    printed = min(1.0, printed_lemma_4(float(epsilon), distance, mass).value)
    what = "probability of a score below half the best"
    remark = "Lemma 4, one node, even counts; a bound of 1 says nothing"
    yield Entry("MAP as printed", "utility", what, printed, map_failure(exponent, distance, mass), actual, remark)


def lines(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """The entries as words, in the order of ``COLUMNS``."""
    return [
        (each.mechanism, each.kind, each.quantity, *map(_number, (each.printed, each.corrected, each.measured)), each.remark)
        for each in entries
    ]


def write_table1(entries: Sequence[Entry], folder: Path, settings: Mapping[str, Any], seconds: float) -> tuple[Path, ...]:
    """Write the table as CSV and as a page."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "table1.csv", folder / "table1.md"
    write_csv(paths[0], COLUMNS, [list(each.to_dict().values()) for each in entries])
    write_page(paths[1], "Table 1: privacy and utility", _READING, markdown_table(COLUMNS, lines(entries)), settings, seconds)
    return paths


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
