"""Measurements through the kernel's door: the one place that knows how each law of noise is published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np

from discreet.arrays import Integers, WholeNumbers
from discreet.counts.families import table_sensitivity
from discreet.counts.moments import Moments, moment_numbers
from discreet.counts.statistics import block_sensitivity, squared_margin_sensitivity, statistics
from discreet.errors import ModelError
from discreet.guarantee import Guarantee, PureDP, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.gaussian import DiscreteGaussian, check_variance
from discreet.kernel.noise.knorm import KNormLaw, check_knorm
from discreet.kernel.noise.knorm_bodies import Body, Product, Sum, l1_ball
from discreet.kernel.noise.laplace import DiscreteLaplace, WeightedLaplace, check_scale
from discreet.kernel.noise.moments import DeclaredMoments, MomentBox, MomentGaussian, MomentWishart
from discreet.kernel.publish import PrivateNumbers as Private
from discreet.kernel.publish import publish
from discreet.measure.blocks import Bundle, join_parts, split_parts
from discreet.measure.known_zeros import known_numbers
from discreet.measure.laws import HEAVY, GaussianNoise, KNormNoise, LaplaceNoise, MomentNoise, NoiseForm, WeightedNoise
from discreet.measure.measurement import Measurement, Statistic, fill
from discreet.measure.published import Published, PublishedMoments, Repair
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements
from discreet.measure.strategies.moment_noise import check_measures
from discreet.measure.strategies.parity_weights import ParityWeights
from discreet.mechanisms.prepared import Prepared, furthest
from discreet.model.family import Booleans
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.model.prior import Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.linear import RegressionPosterior
from discreet.release_file.moments import LARGEST_MOMENT
from discreet.releases import MechanismRecord

__all__ = ["Numbers", "PreparedNoise", "bundle_body", "check_noise", "prepare_moments", "prepare_noise"]

Numbers: TypeAlias = tuple[WholeNumbers, ...]
"""One array for each measurement."""
PreparedNoise: TypeAlias = Prepared[Numbers, DirichletPosterior]
_Parcels: TypeAlias = Callable[[Sequence[Measurement], Numbers, Guarantee, Network], list[Private]]
"""What goes through the kernel together: numbers that share noise are one statistic there, the others one each."""


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
                not that of the law, are refused before the charge. Numbers that the declaration knows to be zero do not go
                through the kernel, and zero is published: a constant tells nothing, and of the numbers that are left one
                record moves no more than of all.
    Requires:   ``counts`` are those of the whole data set under the ledger's name; measurements, repair and increment do not
                depend on them.
    Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
                tests/unit/mechanisms/test_publishing.py::test_a_statistic_that_a_law_does_not_pay_for_costs_nothing
                tests/audit/test_impossible_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    parcels = _parcels(measurements)
    rows = int(counts[network.nodes[0]].sum())
    numbers = statistics(counts, network, measurements)
    private = parcels(measurements, numbers, guarantee, network)

    def make(drawn: Numbers) -> DirichletPosterior:
        return DirichletPosterior(network, prior, Published(network, fill(measurements, drawn), rows, repair, increment))

    known = [known_numbers(network, each) for each in measurements]
    blank = tuple(np.where(own, 0, _furthest(rows, each)) for own, each in zip(known, measurements, strict=True))
    charge_and_draw = _charge_and_draw(record, guarantee, measurements, known, private, ledger, bits)
    return Prepared(record, guarantee, ledger, charge_and_draw, make, blank, bits)


def prepare_moments(
    record: MechanismRecord,
    guarantee: Guarantee,
    measurement: Measurement,
    found: Moments,
    model: LinearModel,
    ledger: Ledger,
    bits: Bits | None,
) -> Prepared[Numbers, RegressionPosterior]:
    """How the moments of a linear model become a release of this measurement: what is left to do after adding them up.

    Claim:      the result depends on the records only through the noisy moments and the number of records. A measurement of
                another model or of another law, and moments that are not those of so many records within the bounds of this
                model, are refused before the charge; so is noise that costs more by these bounds than the guarantee.
    Requires:   ``found`` are the moments, by this model, of the whole data set under the ledger's name.
    Checked by: tests/unit/mechanisms/test_linear_moments.py::test_what_is_no_measurement_of_the_model_costs_nothing
                tests/unit/mechanisms/test_linear_moments.py::test_noise_that_is_too_small_for_the_bounds_costs_nothing
    """
    law = _moment_law(measurement, model, found.rows)
    numbers = moment_numbers(found, model)

    def make(drawn: Numbers) -> RegressionPosterior:
        (filled,) = fill([measurement], drawn)
        return RegressionPosterior(model, PublishedMoments(model, filled, found.rows))

    blank = (np.full(numbers.shape, 1 - LARGEST_MOMENT, dtype=object),)
    known = [np.zeros(numbers.shape, dtype=np.bool_)]
    charge_and_draw = _charge_and_draw(record, guarantee, [measurement], known, [Private(numbers, law)], ledger, bits)
    return Prepared(record, guarantee, ledger, charge_and_draw, make, blank, bits)


def _charge_and_draw(
    record: MechanismRecord,
    guarantee: Guarantee,
    measurements: Sequence[Measurement],
    known: Sequence[Booleans],
    parcels: Sequence[Private],
    ledger: Ledger,
    bits: Bits | None,
) -> Callable[[], tuple[Numbers, Receipt]]:
    """How the parcels go through the kernel, and what comes out, for each measurement."""
    private = {str(place): each for place, each in enumerate(parcels)}

    def charge_and_draw() -> tuple[Numbers, Receipt]:
        noisy, receipt = publish(private, guarantee, ledger, record.name, _bits=bits)
        return _unpack(measurements, known, list(noisy.values())), receipt

    return charge_and_draw


def check_noise(measurements: Sequence[Measurement]) -> None:
    """Refuse noise that could leave 64-bit integers, as far as is known without the records.

    Claim:      afterwards the kernel accepts the scale of every law.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_publishing.py::test_noise_that_is_too_large_is_known_before_the_records
    """
    for law in {each.law for each in measurements if not isinstance(each.law, KNormNoise)}:
        check_variance(law.parameter) if isinstance(law, GaussianNoise) else check_scale(law.scale)
    for bundle in bundles_of(measurements):
        check_knorm(bundle_body(bundle), bundle.scale)


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


def _parcels(measurements: Sequence[Measurement]) -> _Parcels:
    """How measurements with one law of noise are published. How far a record moves them was proved for these statistics."""
    known: dict[type, tuple[set[Statistic], _Parcels]] = {
        LaplaceNoise: ({Statistic.COUNTS}, _laplace),
        WeightedNoise: ({Statistic.PARITY}, _weighted),
        GaussianNoise: ({Statistic.COUNTS}, _gaussian),
        KNormNoise: ({Statistic.COUNTS, Statistic.CONTRAST}, _knorm),
    }
    laws = {type(each.law) for each in measurements}
    if len(laws) != 1 or (law := laws.pop()) not in known or not {each.statistic for each in measurements} <= known[law][0]:
        raise ModelError("These measurements cannot be published together: a law that fits none of them, or several laws.")
    return known[law][1]


def _laplace(measurements: Sequence[Measurement], numbers: Numbers, _paid: Guarantee, network: Network) -> list[Private]:
    moved, unknown = table_sensitivity(), _unknown(measurements, numbers, network)
    return [Private(own, DiscreteLaplace(each.law.scale, moved)) for each, own in zip(measurements, unknown, strict=True)]


def _gaussian(measurements: Sequence[Measurement], numbers: Numbers, _paid: Guarantee, network: Network) -> list[Private]:
    moved, laws = squared_margin_sensitivity(), [cast("GaussianNoise", each.law) for each in measurements]
    unknown = _unknown(measurements, numbers, network)
    return [Private(own, DiscreteGaussian(law.parameter, moved)) for law, own in zip(laws, unknown, strict=True)]


def _unknown(measurements: Sequence[Measurement], numbers: Numbers, network: Network) -> list[WholeNumbers]:
    """The numbers of each measurement that the declaration does not know to be zero."""
    return [own[~known_numbers(network, each)] for each, own in zip(measurements, numbers, strict=True)]


def _weighted(measurements: Sequence[Measurement], numbers: Numbers, paid: Guarantee, network: Network) -> list[Private]:
    """All numbers together. That one record moves them by the sensitivity at the most is proved here, whoever made them."""
    laws = [cast("WeightedNoise", each.law) for each in measurements]
    if {(law.sensitivity, PureDP(law.epsilon)) for law in laws} != {(laws[0].sensitivity, paid)}:
        raise ModelError("Numbers that move together have one sensitivity, and the epsilon that is paid.")
    weights = {frozenset(each.nodes): law.weight for each, law in zip(measurements, laws, strict=True)}
    if len(weights) != len(laws):
        raise ModelError("Each set of nodes is measured once; a second time would move with the first.")
    ParityWeights(weights, laws[0].sensitivity).certify(network)
    noise = WeightedLaplace(tuple(law.weight for law in laws), laws[0].sensitivity, laws[0].epsilon)
    return [Private(np.array(numbers, dtype=np.int64), noise)]


def _knorm(measurements: Sequence[Measurement], numbers: Numbers, _paid: Guarantee, network: Network) -> list[Private]:
    """One statistic for each bundle: its groups one after the other, configurations x the columns of all parts."""
    _check_bundles(measurements, network)

    moved, waiting = Fraction(block_sensitivity()), iter(numbers)
    found = []
    for bundle in bundles_of(measurements):
        blocks = [join_parts(group, [next(waiting) for _ in group.parts]) for group in bundle.groups]
        joined = np.concatenate([block.ravel() for block in blocks])
        found.append(Private(joined, KNormLaw(bundle_body(bundle), moved, bundle.epsilon)))
    return found


def _moment_law(measurement: Measurement, model: LinearModel, rows: int) -> MomentBox | MomentWishart | MomentGaussian:
    """The kernel's law for moments of this model. Its cost follows from the bounds that the model declares."""
    check_measures(measurement, model)
    law = cast("MomentNoise", measurement.law)
    declared = DeclaredMoments(len(measurement.nodes), 2**model.resolution, model.intercept, rows)
    match law.form:
        case NoiseForm.BOX:
            return MomentBox(declared, law.scale)
        case NoiseForm.WISHART:
            return MomentWishart(declared, law.scale)
        case NoiseForm.WEIGHTED:
            return MomentWishart(declared, law.scale, HEAVY)
        case NoiseForm.GAUSSIAN:
            return MomentGaussian(declared, law.scale)
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


def _unpack(measurements: Sequence[Measurement], known: Sequence[Booleans], noisy: Sequence[Integers]) -> Numbers:
    """The noisy numbers of each measurement, as the parcels of its law hold them; zero where it is known."""
    match measurements[0].law:
        case WeightedNoise():
            drawn = list(noisy[0])
        case KNormNoise():
            pairs = zip(bundles_of(measurements), noisy, strict=True)
            drawn = [part for bundle, values in pairs for part in _divide(bundle, values)]
        case _:
            drawn = list(noisy)
    return tuple(_lay_out(np.asarray(part), own) for part, own in zip(drawn, known, strict=True))


def _lay_out(noisy: WholeNumbers, known: Booleans) -> WholeNumbers:
    whole = np.zeros(known.shape, dtype=noisy.dtype)
    whole[~known] = noisy.ravel()
    return whole


def _divide(bundle: Bundle, values: Integers) -> list[Integers]:
    """The numbers of each part of each group."""
    ends = np.cumsum([group.dimension for group in bundle.groups])[:-1]
    blocks = zip(bundle.groups, np.split(values, ends), strict=True)
    return [part for group, block in blocks for part in split_parts(group, block.reshape(group.configurations, -1))]
