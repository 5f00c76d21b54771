"""Measurements through the kernel's door: the one place that knows how each law of noise is published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np

from discreet.arrays import Integers
from discreet.errors import ModelError
from discreet.guarantee import ZCDP, Guarantee, PureDP, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.body import Body, Product, Sum, l1_ball
from discreet.kernel.release import Share, release_shares, release_weighted
from discreet.kernel.release_gaussian import Blurred, release_gaussian
from discreet.kernel.release_shaped import Shaped, release_shaped
from discreet.measure.blocks import Bundle, join_parts, split_parts
from discreet.measure.laws import GaussianNoise, KNormNoise, LaplaceNoise, WeightedNoise
from discreet.measure.measurement import Measurement, Statistic, fill
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.knorm import bundles_of
from discreet.mechanisms.prepared import Prepared, furthest
from discreet.model.network import Network
from discreet.model.prior import Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.releases import MechanismRecord

__all__ = ["PreparedNoise", "bundle_body", "prepare_noise"]

Numbers: TypeAlias = tuple[Integers, ...]
"""One array for each measurement."""
PreparedNoise: TypeAlias = Prepared[Numbers, DirichletPosterior]
_Publish: TypeAlias = Callable[[Sequence[Measurement], Numbers, Guarantee, Ledger, str, Bits | None], tuple[Numbers, Receipt]]


def prepare_noise(
    record: MechanismRecord,
    guarantee: Guarantee,
    measurements: Sequence[Measurement],
    counts: Mapping[str, Integers],
    network: Network,
    prior: Prior,
    ledger: Ledger,
    bits: Bits | None,
    repair: Repair = Repair.PROJECT,
    increment: int = 0,
) -> PreparedNoise:
    """How family counts become a release of these measurements: what is left to do after counting.

    Claim:      the result depends on the records only through the measurements with their noise and the number of records;
                fusion and the repair of negative cells are post-processing. Unknown laws, and statistics whose sensitivity is
                not that of the law, are refused before the charge.
    Requires:   ``counts`` are those of the whole data set under the ledger's name; measurements, repair and increment do not
                depend on them.
    Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
                tests/unit/mechanisms/test_publishing.py::test_a_statistic_that_a_law_does_not_pay_for_costs_nothing
    """
    from discreet.counts.statistics import statistics

    publish = _way_out(measurements)
    rows = int(counts[network.nodes[0]].sum())
    numbers = statistics(counts, network, measurements)

    def charge() -> tuple[Numbers, Receipt]:
        return publish(measurements, numbers, guarantee, ledger, record.name, bits)

    def make(drawn: Numbers) -> DirichletPosterior:
        return DirichletPosterior(network, prior, Published(network, fill(measurements, drawn), rows, repair, increment))

    blank = tuple(np.full_like(own, _furthest(rows, each)) for own, each in zip(numbers, measurements, strict=True))
    return Prepared(record, guarantee, ledger, charge, make, blank, bits)


def bundle_body(bundle: Bundle) -> Body:
    """The unit ball of a bundle's norm: the largest over groups of the sum over blocks of the largest L1 norm of a part.

    Claim:      the norm of ``measure/blocks.py``.
    Requires:   nothing.
    Checked by: tests/audit/test_knorm_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    return Product(
        tuple(Sum((Product(tuple(l1_ball(part) for part in group.parts)),) * group.configurations) for group in bundle.groups)
    )


def _furthest(rows: int, measurement: Measurement) -> int:
    law = measurement.law
    return furthest(rows, law.scale, law.bundle.dimension if isinstance(law, KNormNoise) else 1)


def _way_out(measurements: Sequence[Measurement]) -> _Publish:
    """How measurements with one law of noise are published. How far a record moves them was proved for these statistics."""
    known: dict[type, tuple[set[Statistic], _Publish]] = {
        LaplaceNoise: ({Statistic.COUNTS}, _laplace),
        WeightedNoise: ({Statistic.PARITY}, _weighted),
        GaussianNoise: ({Statistic.COUNTS}, _gaussian),
        KNormNoise: ({Statistic.COUNTS, Statistic.CONTRAST}, _knorm),
    }
    laws = {type(each.law) for each in measurements}
    if len(laws) != 1 or (law := laws.pop()) not in known or not {each.statistic for each in measurements} <= known[law][0]:
        raise ModelError("These measurements cannot be published together: a law that fits none of them, or several laws.")
    return known[law][1]


def _laplace(
    measurements: Sequence[Measurement],
    numbers: Numbers,
    guarantee: Guarantee,
    ledger: Ledger,
    purpose: str,
    bits: Bits | None,
) -> tuple[Numbers, Receipt]:
    from discreet.counts.families import table_sensitivity

    moved = table_sensitivity()
    shares = {str(place): Share(moved, moved / each.law.scale) for place, each in enumerate(measurements)}
    noisy = release_shares(_named(numbers), shares, cast("PureDP", guarantee), ledger, purpose, _bits=bits)
    return tuple(noisy.tables.values()), noisy.receipt


def _weighted(
    measurements: Sequence[Measurement],
    numbers: Numbers,
    guarantee: Guarantee,
    ledger: Ledger,
    purpose: str,
    bits: Bits | None,
) -> tuple[Numbers, Receipt]:
    laws = [cast("WeightedNoise", each.law) for each in measurements]
    if {(law.sensitivity, PureDP(law.epsilon)) for law in laws} != {(laws[0].sensitivity, guarantee)}:
        raise ModelError("Numbers that move together have one sensitivity, and the epsilon that is paid.")
    values = np.array(numbers, dtype=np.int64)
    weights = tuple(law.weight for law in laws)
    noisy = release_weighted(values, weights, laws[0].sensitivity, cast("PureDP", guarantee), ledger, purpose, _bits=bits)
    return tuple(np.asarray(value) for value in noisy.values), noisy.receipt


def _gaussian(
    measurements: Sequence[Measurement],
    numbers: Numbers,
    guarantee: Guarantee,
    ledger: Ledger,
    purpose: str,
    bits: Bits | None,
) -> tuple[Numbers, Receipt]:
    from discreet.counts.margins import squared_margin_sensitivity

    moved = squared_margin_sensitivity()
    laws = [cast("GaussianNoise", each.law) for each in measurements]
    statistics = {
        str(place): Blurred(own, moved, law.parameter) for place, (own, law) in enumerate(zip(numbers, laws, strict=True))
    }
    noisy, receipt = release_gaussian(statistics, cast("ZCDP", guarantee), ledger, purpose, _bits=bits)
    return tuple(noisy.values()), receipt


def _knorm(
    measurements: Sequence[Measurement],
    numbers: Numbers,
    guarantee: Guarantee,
    ledger: Ledger,
    purpose: str,
    bits: Bits | None,
) -> tuple[Numbers, Receipt]:
    """One statistic for each bundle: its groups one after the other, configurations x the columns of all parts."""
    from discreet.counts.blocks import block_sensitivity

    moved, bundles = Fraction(block_sensitivity()), bundles_of(measurements)
    waiting = iter(numbers)
    statistics = {}
    for place, bundle in enumerate(bundles):
        blocks = [join_parts(group, [next(waiting) for _ in group.parts]) for group in bundle.groups]
        joined = np.concatenate([block.ravel() for block in blocks])
        statistics[str(place)] = Shaped(joined, bundle_body(bundle), moved, bundle.epsilon)
    noisy, receipt = release_shaped(statistics, cast("PureDP", guarantee), ledger, purpose, _bits=bits)
    drawn = [part for bundle, values in zip(bundles, noisy.values(), strict=True) for part in _divide(bundle, values)]
    return tuple(part.reshape(own.shape) for part, own in zip(drawn, numbers, strict=True)), receipt


def _divide(bundle: Bundle, values: Integers) -> list[Integers]:
    """The numbers of each part of each group."""
    ends = np.cumsum([group.dimension for group in bundle.groups])[:-1]
    blocks = zip(bundle.groups, np.split(values, ends), strict=True)
    return [part for group, block in blocks for part in split_parts(group, block.reshape(group.configurations, -1))]


def _named(numbers: Numbers) -> dict[str, Integers]:
    return {str(place): own for place, own in enumerate(numbers)}
