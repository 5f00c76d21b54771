"""Whether pairs are measured at once or picked is decided by public facts."""

import numpy as np
import pytest

from discreet import ZCDP, Network, PureDP, Variable
from discreet.kernel.stages import Purse
from discreet.learning.routes import route_of
from discreet.learning.wanted import read_wanted
from discreet.measure.picks import PickedPairs
from discreet.mechanisms.publishing import publish_pair, publish_stage
from discreet.planning.pair_routes import pick_deviation
from tests.support.bits import SeededBits


def wanted(*levels, **given):
    variables = tuple(Variable(f"c{place}", [str(each) for each in range(size)]) for place, size in enumerate(levels))
    return read_wanted(variables, "dag", None, None, given.get("required", ()), given.get("forbidden", ()))


@pytest.mark.parametrize("cost", [PureDP("0.3"), ZCDP("0.004")], ids=["pure", "zero-concentrated"])
def test_narrow_columns_are_measured_at_once_and_wide_ones_are_picked(cost):
    assert route_of(wanted(*[2] * 16), 17_000, cost).picks is None
    assert route_of(wanted(*[12] * 10), 17_000, cost).picks == 9  # a tree's worth of edges


def test_more_is_picked_where_noise_is_small():
    mixed = wanted(9, 7, 15, 6, 5, 2, 6, 5, 4, 2, 2, 2)
    few, more, all_ = (route_of(mixed, 39_000, ZCDP(rho)).picks for rho in ("0.0002", "0.0016", "0.01"))
    assert few == 11 < more <= 36
    assert all_ is None


def test_of_one_pair_nothing_is_picked():
    assert route_of(wanted(30, 30), 1000, PureDP("1")).picks is None


def test_what_is_required_has_its_picks():
    required = [(f"c{one}", f"c{two}") for one, two in [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]]
    assert route_of(wanted(*[25] * 4, required=required), 5000, PureDP("0.1")).picks == 5


def test_what_is_required_has_its_picks_however_much_it_is():
    required = [(f"c{one}", f"c{two}") for two in range(12) for one in range(max(0, two - 5), two)]
    asked = wanted(*[2] * 12, 300, required=required)
    assert len(required) > 3 * 13  # more than would be picked
    assert route_of(asked, 2000, PureDP("1")).picks == len(required)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 5), (4, 3)])
@pytest.mark.parametrize("cost", [PureDP("0.05"), ZCDP("0.001")], ids=["pure", "zero-concentrated"])
def test_the_noise_of_a_pick_is_that_of_its_measurement(sizes, cost):
    """What was planned, what the measurement says of itself, and what is drawn."""
    variables = [Variable(name, [str(level) for level in range(size)]) for name, size in zip("ab", sizes, strict=True)]
    alone, pair = Network(variables), Network(variables, {"a": ["b"]} if sizes[0] == 2 else {"b": ["a"]})
    even = np.full(sizes, 60)
    rows, bits, share = int(even.sum()), SeededBits(4), (1 - 1 / sizes[0]) * (1 - 1 / sizes[1])
    single = {"a": even.sum(axis=1)[None], "b": even.sum(axis=0)[None]}
    both = {"a": even.T, "b": single["b"]} if sizes[0] == 2 else {"a": single["a"], "b": even}
    planned = pick_deviation(*sizes, cost)
    errors = []
    for _ in range(150):
        stages = [
            publish_stage(Purse(cost, bits), single, alone, 1, cost),
            publish_pair(Purse(cost, bits), both, pair, 1, cost),
        ]
        found = PickedPairs({"a": sizes[0], "b": sizes[1]}, rows, tuple(m for stage in stages for m in stage.measurements))
        assert found.spread("a", "b") == pytest.approx(planned * share**0.5 / rows, rel=0.02)
        sides = found.margins["a"][:, None] / sizes[1] + found.margins["b"] / sizes[0]
        errors.append((found.pair("a", "b") - sides + 1 / even.size) * rows)
    assert np.std(errors) == pytest.approx(planned * share**0.5, rel=0.15)
