"""Parts of persons cost what records cost, in every law of noise: scale and move are both so many times larger."""

import pytest
from support.bits import SeededBits
from support.persons import person_frame, persons_of
from support.small_worlds import graphs

from discreet import Fourier, Gaussian, KNorm, Laplace, LinearModel, RegressionMoments, Unit
from discreet.counts.persons import person_family_counts
from discreet.counts.statistics import statistics
from discreet.mechanisms.parcels import moment_law, parcels_of

NETWORK = list(graphs(2))[-1]
AVERAGE = Unit.person("id", "average")


def parcels(mechanism, unit):
    asked = mechanism.measurements(NETWORK)
    tables = person_family_counts(person_frame(NETWORK, persons_of(NETWORK)), NETWORK, unit, SeededBits(1).read)
    return parcels_of(asked)(asked, statistics(tables, NETWORK, asked), mechanism.guarantee, NETWORK, unit.parts)


@pytest.mark.parametrize(
    "mechanism", [Laplace("1/3"), KNorm("1/3"), Fourier("1/3"), Gaussian(rho="1/3")], ids=lambda m: m.name
)
def test_parts_of_persons_cost_what_records_cost(mechanism):
    one, average = parcels(mechanism, Unit.person("id")), parcels(mechanism, AVERAGE)
    assert [each.noise.cost for each in one] == [each.noise.cost for each in average]
    for each in average:
        each.noise.check(each.numbers)
    spread = {"laplace": "scale", "knorm": "scale", "fourier": "sensitivity", "gaussian": "variance"}[mechanism.name]
    power = 2 if spread == "variance" else 1
    for mine, theirs in zip(one, average, strict=True):
        assert getattr(theirs.noise, spread) == AVERAGE.parts**power * getattr(mine.noise, spread)


@pytest.mark.parametrize("delta", [None, "1e-6"])
@pytest.mark.parametrize("features", [1, 8])
def test_parts_of_persons_cost_what_records_cost_in_moments(features, delta):
    model = LinearModel({f"x{place}": (0, 1) for place in range(features)}, ("y", (0, 1)))
    measurement = RegressionMoments("1", delta).measurement(model)
    assert moment_law(measurement, model, 10).cost == moment_law(measurement, model, 10, AVERAGE.parts).cost
