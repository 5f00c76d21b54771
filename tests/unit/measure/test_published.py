"""What was published, and how family tables follow from it, whatever was measured."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support.measurements import counts, noisy_counts
from support.structures import MIXED

from discreet import DirichletPosterior, FormatError, Laplace, Ledger, ModelError, naive_bayes, release
from discreet.counts.statistics import statistics
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Margin, Measurement, Statistic, fill
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.gaussian import gaussian_measurements
from discreet.measure.strategies.knorm import knorm_measurements, optimal_bundles
from discreet.measure.strategies.parity_weights import parity_weights
from discreet.model.prior import UNIFORM
from discreet.release_file.document import release_text

BINARY = naive_bayes("y", ["a", "b"])
SHARP = LaplaceNoise(Fraction(1))
STRATEGIES = {
    "parities": (BINARY, lambda network: parity_weights(network).measurements(network, Fraction(1))),
    "blocks": (MIXED, lambda network: knorm_measurements(optimal_bundles(network, Fraction(1)))),
    "margins": (MIXED, lambda network: gaussian_measurements(network, Fraction(1))),
}


def margins_of_a_joint_table(network, seed=3):
    """Tables of all families, configurations x levels, that agree."""
    joint = np.random.default_rng(seed).integers(0, 9, [variable.size for variable in network.variables])
    order = {node: axis for axis, node in enumerate(network.nodes)}
    found = {}
    for family in network.families:
        kept = [order[member] for member in family.members]
        table = joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in kept))
        ranked = sorted(kept)
        found[family.node] = table.transpose([ranked.index(axis) for axis in kept]).reshape(-1, family.levels)
    return found, int(joint.sum())


@pytest.mark.parametrize("repair", [Repair.PROJECT, Repair.CLAMP])
@pytest.mark.parametrize(("network", "strategy"), STRATEGIES.values(), ids=STRATEGIES)
def test_exact_numbers_give_the_exact_tables_whatever_was_measured(network, strategy, repair):
    tables, rows = margins_of_a_joint_table(network)
    measurements = strategy(network)
    published = Published(network, fill(measurements, statistics(tables, network, measurements)), rows, repair)
    for family in network.families:
        np.testing.assert_allclose(published.update(family), tables[family.node], atol=1e-9)
        np.testing.assert_allclose(published.table(family).reshape(-1, family.levels), tables[family.node], atol=1e-9)


def test_one_wrong_number_is_not_lost():
    """Planted: an odd count that is off by two moves every cell that it counts into."""
    tables, rows = margins_of_a_joint_table(BINARY)
    measurements = parity_weights(BINARY).measurements(BINARY, Fraction(1))
    numbers = list(statistics(tables, BINARY, measurements))
    numbers[0] = numbers[0] + 2
    wrong = Published(BINARY, fill(measurements, numbers), rows, Repair.CLAMP)
    assert max(np.abs(wrong.update(family) - tables[family.node]).max() for family in BINARY.families) >= 1


def test_a_clamped_family_is_taken_from_the_sharpest_table_that_contains_it():
    noisy = {name: counts(["y", name], law, np.full((2, 2), value)) for name, law, value in (
        ("a", LaplaceNoise(Fraction(9)), 40), ("b", SHARP, 3))}  # fmt: skip
    published = Published(BINARY, tuple(noisy.values()), 12, Repair.CLAMP)
    assert published.update(BINARY.family("y")).tolist() == [[6, 6]]
    assert published.update(BINARY.family("a")).tolist() == [[12, 12], [12, 12]]  # never more than there are records


def test_an_increment_is_shared_by_the_cells_of_each_table():
    measurements = parity_weights(BINARY).measurements(BINARY, Fraction(1))
    numbers = [np.array(20)] * len(measurements)
    plain, raised = (Published(BINARY, fill(measurements, numbers), 10, Repair.INCREMENT, more) for more in (0, 400))
    for family in BINARY.families:
        assert plain.table(family).min() < 0
        expected = plain.table(family) + 400 / family.cells
        np.testing.assert_allclose(raised.update(family).reshape(family.shape), np.maximum(expected, 0))


def test_numbers_that_do_not_fit_are_refused():
    planned = counts("ya", SHARP)
    for wrong in (planned, replace(planned, numbers=np.zeros(4)), replace(planned, numbers=np.zeros((2, 3)))):
        with pytest.raises(ModelError, match=r"no numbers yet|do not fit"):
            Published(BINARY, (wrong,), 10)
    with pytest.raises(ModelError, match="repair"):
        Published(BINARY, (replace(planned, numbers=np.zeros((2, 2))),), 10, "clamp")


def test_what_is_measured_can_be_asked_before_its_noise_is_known():
    assert Margin(("y", "a")).statistic is Statistic.COUNTS
    assert Measurement(("y",), Statistic.PARITY, SHARP).unit == 2


@pytest.mark.parametrize(
    "other",
    [
        noisy_counts(MIXED, margins_of_a_joint_table(MIXED)[0], 3, 10, Repair.PROJECT),  # a repair that its file cannot say
        Published(
            MIXED,
            tuple(
                counts(family.members, GaussianNoise(Fraction(9)), np.ones(family.shape, dtype=np.int64))
                for family in MIXED.families
            ),
            10,
            Repair.CLAMP,
        ),
    ],
    ids=["repair", "law"],
)
def test_a_file_that_would_say_something_else_is_not_written(other):
    from support.structures import even_data

    honest = release(even_data(MIXED), MIXED, Laplace("1"), ledger=Ledger.unlimited())
    assert release_text(honest)
    with pytest.raises(FormatError, match="not those of their mechanism"):
        release_text(replace(honest, value=DirichletPosterior(MIXED, UNIFORM, other)))
