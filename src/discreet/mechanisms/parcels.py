"""What goes through the kernel together: numbers that share noise are one statistic there, the others one each.

The one place that knows which law of the kernel a measurement's law of noise is, and how far one contribution moves it.
Numbers in parts of persons are so many times larger; so is then the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np

from discreet.arrays import WholeNumbers
from discreet.counts.families import table_sensitivity
from discreet.counts.statistics import block_sensitivity, squared_margin_sensitivity
from discreet.errors import ModelError
from discreet.guarantee import Guarantee, PureDP
from discreet.kernel.noise.gaussian import DiscreteGaussian
from discreet.kernel.noise.knorm import KNormLaw
from discreet.kernel.noise.knorm_bodies import Body, Product, Sum, l1_ball
from discreet.kernel.noise.laplace import DiscreteLaplace, WeightedLaplace
from discreet.kernel.noise.moments import DeclaredMoments, MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.publish import PrivateNumbers as Private
from discreet.measure.blocks import Bundle, join_parts
from discreet.measure.known_zeros import known_numbers
from discreet.measure.laws import HEAVY, GaussianNoise, KNormNoise, LaplaceNoise, MomentNoise, NoiseForm, WeightedNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements
from discreet.measure.strategies.moment_noise import check_measures
from discreet.measure.strategies.parity_weights import ParityWeights
from discreet.model.linear import LinearModel
from discreet.model.network import Network

__all__ = ["MomentLaw", "Numbers", "Parcels", "bundle_body", "moment_law", "parcels_of"]

Numbers: TypeAlias = tuple[WholeNumbers, ...]
"""One array for each measurement."""
Parcels: TypeAlias = Callable[[Sequence[Measurement], Numbers, Guarantee, Network, int], list[Private]]
"""How measurements, their numbers, what is paid, the network and the parts of a person become statistics with noise."""
MomentLaw: TypeAlias = MomentBox | MomentWishart | MomentGaussian


def parcels_of(measurements: Sequence[Measurement]) -> Parcels:
    """How measurements with one law of noise are published.

    Claim:      each parcel's cost is that of its measurements for one record, also where numbers are in parts of persons: the
                scale and the move are both so many times larger. How far a record moves them was proved for these statistics.
    Requires:   numbers in so many parts as are said.
    Checked by: tests/unit/mechanisms/test_publishing.py::test_a_statistic_that_a_law_does_not_pay_for_costs_nothing
                tests/unit/mechanisms/test_person_parcels.py::test_parts_of_persons_cost_what_records_cost
    """
    known: dict[type, tuple[set[Statistic], Parcels]] = {
        LaplaceNoise: ({Statistic.COUNTS}, _laplace),
        WeightedNoise: ({Statistic.PARITY}, _weighted),
        GaussianNoise: ({Statistic.COUNTS}, _gaussian),
        KNormNoise: ({Statistic.COUNTS, Statistic.CONTRAST}, _knorm),
    }
    laws = {type(each.law) for each in measurements}
    if len(laws) != 1 or (law := laws.pop()) not in known or not {each.statistic for each in measurements} <= known[law][0]:
        raise ModelError("These measurements cannot be published together: a law that fits none of them, or several laws.")
    return known[law][1]


def bundle_body(bundle: Bundle) -> Body:
    """The unit ball of a bundle's norm: the largest over groups of the sum over blocks of the largest L1 norm of a part.

    Claim:      the norm of ``measure/blocks.py``.
    Requires:   nothing.
    Checked by: tests/audit/test_knorm_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    return Product(
        tuple(Sum((Product(tuple(l1_ball(part) for part in group.parts)),) * group.configurations) for group in bundle.groups)
    )


def _laplace(
    measurements: Sequence[Measurement], numbers: Numbers, _paid: Guarantee, network: Network, parts: int
) -> list[Private]:
    moved, unknown = parts * table_sensitivity(), _unknown(measurements, numbers, network)
    pairs = zip(measurements, unknown, strict=True)
    return [Private(own, DiscreteLaplace(parts * each.law.scale, moved)) for each, own in pairs]


def _gaussian(
    measurements: Sequence[Measurement], numbers: Numbers, _paid: Guarantee, network: Network, parts: int
) -> list[Private]:
    moved, laws = parts**2 * squared_margin_sensitivity(), [cast("GaussianNoise", each.law) for each in measurements]
    pairs = zip(laws, _unknown(measurements, numbers, network), strict=True)
    return [Private(own, DiscreteGaussian(parts**2 * law.parameter, moved)) for law, own in pairs]


def _unknown(measurements: Sequence[Measurement], numbers: Numbers, network: Network) -> list[WholeNumbers]:
    """The numbers of each measurement that the declaration does not know to be zero."""
    return [own[~known_numbers(network, each)] for each, own in zip(measurements, numbers, strict=True)]


def _weighted(
    measurements: Sequence[Measurement], numbers: Numbers, paid: Guarantee, network: Network, parts: int
) -> list[Private]:
    """All numbers together. That one record moves them by the sensitivity at the most is proved here, whoever made them."""
    laws = [cast("WeightedNoise", each.law) for each in measurements]
    if {(law.sensitivity, PureDP(law.epsilon)) for law in laws} != {(laws[0].sensitivity, paid)}:
        raise ModelError("Numbers that move together have one sensitivity, and the epsilon that is paid.")
    weights = {frozenset(each.nodes): law.weight for each, law in zip(measurements, laws, strict=True)}
    if len(weights) != len(laws):
        raise ModelError("Each set of nodes is measured once; a second time would move with the first.")
    ParityWeights(weights, laws[0].sensitivity).certify(network)
    noise = WeightedLaplace(tuple(law.weight for law in laws), parts * laws[0].sensitivity, laws[0].epsilon)
    return [Private(np.array(numbers, dtype=np.int64), noise)]


def _knorm(
    measurements: Sequence[Measurement], numbers: Numbers, _paid: Guarantee, network: Network, parts: int
) -> list[Private]:
    """One statistic for each bundle: its groups one after the other, configurations x the columns of all parts."""
    _check_bundles(measurements, network)

    moved, waiting = Fraction(parts * block_sensitivity()), iter(numbers)
    found = []
    for bundle in bundles_of(measurements):
        blocks = [join_parts(group, [next(waiting) for _ in group.parts]) for group in bundle.groups]
        joined = np.concatenate([block.ravel() for block in blocks])
        found.append(Private(joined, KNormLaw(bundle_body(bundle), moved, bundle.epsilon)))
    return found


def moment_law(measurement: Measurement, model: LinearModel, rows: int, parts: int = 1) -> MomentLaw:
    """The kernel's law for moments of this model.

    Claim:      its cost follows from the bounds that the model declares, and not from the parts.
    Requires:   moments of so many records, or of persons in so many parts.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_noise_that_is_too_small_for_the_bounds_costs_nothing
                tests/unit/mechanisms/test_person_parcels.py::test_parts_of_persons_cost_what_records_cost
    """
    check_measures(measurement, model)
    law = cast("MomentNoise", measurement.law)
    declared = DeclaredMoments(len(measurement.nodes), 2**model.resolution, model.intercept, rows, parts)
    match law.form:
        case NoiseForm.BOX:
            return MomentBox(declared, parts * law.scale)
        case NoiseForm.WISHART:
            return MomentWishart(declared, parts * law.scale)
        case NoiseForm.WEIGHTED:
            return MomentWishart(declared, parts * law.scale, HEAVY)
        case NoiseForm.GAUSSIAN:
            return MomentGaussian(declared, parts**2 * law.scale)
    raise ModelError("These moments cannot be published: their noise is of a form that is not known.")


def _check_bundles(measurements: Sequence[Measurement], network: Network) -> None:
    """Refuse measurements that are not all parts of their bundles, each once: a record moves these by two and no others."""
    bundles = bundles_of(measurements)
    wanted = [(each.nodes, each.statistic, each.law) for each in knorm_measurements(bundles)]
    levels = [
        (network.variable(node).size, size)
        for bundle in bundles
        for group in bundle.groups
        for node, size in zip((*group.parents, *group.children), (*group.parent_levels, *group.child_levels), strict=True)
    ]
    if [(each.nodes, each.statistic, each.law) for each in measurements] != wanted or any(own != size for own, size in levels):
        raise ModelError("These measurements are not the parts of their bundles, for which their noise was made.")
