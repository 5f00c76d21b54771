"""Measurements through the kernel's door, and back: what is left to do after counting, up to a posterior."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from discreet.arrays import Integers, WholeNumbers
from discreet.counts.moments import Moments, moment_numbers
from discreet.counts.statistics import statistics
from discreet.guarantee import ZCDP, Guarantee, PureDP, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.noise.gaussian import check_variance
from discreet.kernel.noise.knorm import check_knorm
from discreet.kernel.noise.laplace import check_scale
from discreet.kernel.publish import PrivateNumbers as Private
from discreet.kernel.publish import publish
from discreet.kernel.stages import Purse
from discreet.measure.blocks import Bundle, Group, split_parts
from discreet.measure.known_zeros import known_numbers
from discreet.measure.laws import GaussianNoise, KNormNoise, WeightedNoise
from discreet.measure.learning import Stage
from discreet.measure.measurement import Measurement, Statistic, fill
from discreet.measure.published import Published, PublishedMoments, Repair
from discreet.measure.strategies.gaussian import MARGIN_COST, gaussian_measurements
from discreet.measure.strategies.knorm import bundles_of, knorm_measurements, optimal_bundles
from discreet.mechanisms.parcels import Numbers, bundle_body, moment_law, parcels_of
from discreet.mechanisms.prepared import Prepared, furthest
from discreet.model.family import Booleans
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.model.prior import Prior
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.linear import RegressionPosterior
from discreet.release_file.moments import LARGEST_MOMENT
from discreet.releases import MechanismRecord

__all__ = [
    "PreparedNoise",
    "check_noise",
    "prepare_moments",
    "prepare_noise",
    "publish_pair",
    "publish_stage",
    "round_to_persons",
]

PreparedNoise: TypeAlias = Prepared[Numbers, DirichletPosterior]


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
                record moves no more than of all. Counts in parts of persons (``ledger.unit``) get noise of so many times the
                scale, in parts, for so many times the move: the cost is that of counts of records. To round the sum to whole
                persons afterwards is post-processing.                                              [GUARANTEES 13.1]
    Requires:   ``counts`` are those of the whole data set under the ledger's name; measurements, repair and increment do not
                depend on them.
    Checked by: tests/audit/test_small_worlds.py::test_the_release_is_the_clamped_sum_of_counts_and_noise
                tests/unit/mechanisms/test_publishing.py::test_a_statistic_that_a_law_does_not_pay_for_costs_nothing
                tests/audit/test_impossible_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/audit/test_person_worlds.py::test_no_output_is_likelier_than_epsilon_allows
    """
    parcels, parts = parcels_of(measurements), ledger.unit.parts
    rows = _whole_persons(int(counts[network.nodes[0]].sum()), parts)
    numbers = statistics(counts, network, measurements)
    private = parcels(measurements, numbers, guarantee, network, parts)

    def make(drawn: Numbers) -> DirichletPosterior:
        return DirichletPosterior(network, prior, Published(network, fill(measurements, drawn), rows, repair, increment))

    known = [known_numbers(network, each) for each in measurements]
    blank = tuple(np.where(own, 0, _furthest(rows, each)) for own, each in zip(known, measurements, strict=True))
    charge_and_draw = _charge_and_draw(record, guarantee, measurements, known, private, ledger, bits)
    return Prepared(record, guarantee, ledger, charge_and_draw, make, blank, bits)


def publish_stage(purse: Purse, counts: Mapping[str, Integers], network: Network, parts: int, cost: PureDP | ZCDP) -> Stage:
    """Measure a network's families under a charge that was made: K-norm noise for epsilon, Gaussian noise for rho.

    Claim:      satisfies ``cost``, which the purse pays; the noise is that of a release by ``KNorm`` or ``Gaussian``.
    Requires:   ``counts`` are those of the network's families, in so many parts of persons.
    Checked by: tests/unit/learning/test_steps.py::test_a_stage_is_measured_as_a_release_is
                tests/audit/test_learning_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
    """
    if isinstance(cost, PureDP):
        measurements = knorm_measurements(optimal_bundles(network, cost.epsilon))
    else:
        measurements = gaussian_measurements(network, cost.rho)
    return _publish_all(purse, measurements, counts, network, parts, cost)


def publish_pair(purse: Purse, counts: Mapping[str, Integers], network: Network, parts: int, cost: PureDP | ZCDP) -> Stage:
    """Measure the table of the one pair that a network has, under a charge that was made.

    Claim:      satisfies ``cost``, which the purse pays. For epsilon the numbers are a bundle of one group, a block for each
                level of the parent: of a child of two levels one contrast, of any other the counts of all levels; so every
                number has Laplace noise. One record moves a bundle by at most 2, as ``block_sensitivity`` proves. For rho it
                is the table of the pair with Gaussian noise, which one record moves by the root of 2.
    Requires:   ``counts`` are those of the network's families, in so many parts of persons; one family has one parent.
    Checked by: tests/unit/learning/test_steps.py::test_a_pair_is_measured_for_exactly_its_cost
                tests/audit/test_pick_worlds.py::test_no_graph_is_likelier_than_epsilon_allows
    """
    (family,) = (family for family in network.families if family.parents)
    measurements: tuple[Measurement, ...]
    if isinstance(cost, PureDP):
        group = Group(family.parents, family.shape[:-1], False, (family.node,), (family.levels,))
        measurements = knorm_measurements([Bundle((group,), cost.epsilon)])
    else:
        nodes = tuple(node for node in network.nodes if node in family.members)  # in declared order, as files have them
        measurements = (Measurement(nodes, Statistic.COUNTS, GaussianNoise(MARGIN_COST / cost.rho)),)
    return _publish_all(purse, measurements, counts, network, parts, cost)


def _publish_all(
    purse: Purse,
    measurements: Sequence[Measurement],
    counts: Mapping[str, Integers],
    network: Network,
    parts: int,
    cost: PureDP | ZCDP,
) -> Stage:
    """These measurements through the purse."""
    numbers = statistics(counts, network, measurements)
    private = parcels_of(measurements)(measurements, numbers, cost, network, parts)
    noisy = purse.publish({str(place): each for place, each in enumerate(private)}, cost)
    known = [known_numbers(network, each) for each in measurements]
    whole = [round_to_persons(each, parts) for each in noisy.values()]
    return Stage(fill(measurements, _unpack(measurements, known, whole)), cost)


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
    if found.parts != ledger.unit.parts:
        raise ValueError("These moments are in other parts of persons than the ledger is charged for.")
    law = moment_law(measurement, model, found.rows, found.parts)
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
        whole = [round_to_persons(each, ledger.unit.parts) for each in noisy.values()]
        return _unpack(measurements, known, whole), receipt

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


def _furthest(rows: int, measurement: Measurement) -> int:
    law = measurement.law
    return furthest(rows, law.scale, law.bundle.dimension if isinstance(law, KNormNoise) else 1)


def _whole_persons(total: int, parts: int) -> int:
    rows, rest = divmod(total, parts)
    if rest:
        raise ValueError("These counts are not those of whole persons.")
    return rows


def round_to_persons(noisy: WholeNumbers, parts: int) -> WholeNumbers:
    """Numbers in parts of persons, rounded to persons.

    Claim:      post-processing: they have their noise already, so this looks at nothing private.
    Requires:   numbers with noise.
    Checked by: tests/unit/mechanisms/test_person_parcels.py::test_parts_of_persons_cost_what_records_cost
    """
    return noisy if parts == 1 else (2 * noisy + parts) // (2 * parts)


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
