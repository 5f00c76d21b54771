"""The guarantee of released points, by listing everything that can happen in small worlds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from support.posterior_worlds import frame, largest_log_ratio, shapes_of
from support.small_worlds import data_sets, graphs, neighbours

from discreet import UNIFORM, Ledger, MapPoint, ModelError, Network, PureDP, Symmetric, TablePrior, Variable, release
from discreet.counts import family_counts
from discreet.kernel.draws import truncated_beta as split_draws
from discreet.mechanisms import map_point
from discreet.mechanisms.map_point import _annealed_base, _log_weights

THREE = Network([Variable("a", list("012")), Variable("b", list("01"))], {"b": ["a"]})
WORLDS = [*graphs(2), list(graphs(3))[5], THREE]
POINTS = [MapPoint("1"), MapPoint("2", floor="0.2"), MapPoint("40", floor="0.1")]


@pytest.mark.parametrize("mechanism", POINTS, ids=repr)
@pytest.mark.parametrize("network", WORLDS, ids=repr)
def test_no_point_is_likelier_than_epsilon_allows(network, mechanism):
    rows = 2 if network.cells < 8 else 1
    law = mechanism.law(network, rows)
    base = _annealed_base(network, UNIFORM, law.temper)
    shapes = {data: shapes_of(network, data, base, law.temper) for data in data_sets(network, rows)}
    worst = max(
        largest_log_ratio(mine, shapes[other], law.floor)
        for data, mine in shapes.items()
        for other in set(neighbours(network, data))
    )
    assert 0.2 * mechanism.epsilon <= worst <= mechanism.epsilon * (1 + 1e-9)


def test_an_annealed_point_reveals_nearly_all_that_was_paid_for():
    """GUARANTEES 4.2: one node, floor 0.1, a thousand records: target 20 gives 19.90, at an exponent of 4.55."""
    one = Network([Variable("a", list("01"))])
    for epsilon, least in (("1", 0.97), ("20", 19.8)):
        law = MapPoint(epsilon, floor="0.1").law(one, 1000)
        base = _annealed_base(one, UNIFORM, law.temper)
        mine, others = (shapes_of(one, [("0",)] * (1000 - ones) + [("1",)] * ones, base, law.temper) for ones in (1, 0))
        reached = largest_log_ratio(mine, others, law.floor)
        assert least < reached <= float(epsilon)
        if epsilon == "20":
            assert float(law.temper) == pytest.approx(4.55, abs=0.01)


CANDIDATES = [{"a": [[p, 0.9 - p, 0.1]], "b": [[q, 1 - q], [0.5, 0.5], [1 - q, q]]} for p in (0.2, 0.6) for q in (0.3, 0.9)]


def flip_law(logs):
    """Exact law of permute-and-flip: integrate over how far into the random order a candidate comes."""
    chances = np.exp(np.array(logs) - max(logs))
    places = (np.arange(4000)[:, None] + 0.5) / 4000
    passed = 1 - places * chances
    return np.array([chances[c] * np.delete(passed, c, axis=1).prod(axis=1).mean() for c in range(len(logs))])


ONE = Network([Variable("a", list("01"))])
OPPOSITE = [{"a": [[0.1, 0.9]]}, {"a": [[0.9, 0.1]]}]


@pytest.fixture
def weighed(monkeypatch):
    """The log weights with which a release chooses among its candidates, as the mechanism hands them to the kernel."""
    seen = []

    def watched(weights, _bits):
        seen.append([float(log.mid()) for log in weights()])
        return 0

    monkeypatch.setattr(map_point, "choose", watched)
    monkeypatch.setattr(map_point, "permute_and_flip", watched)

    def weights(mechanism, network, data):
        seen.clear()
        released = release(frame(network, data), network, mechanism, ledger=Ledger.unlimited())
        assert released.guarantee == PureDP(mechanism.epsilon)
        return seen[0]

    return weights


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(
    ("network", "candidates", "rows", "least"), [(THREE, CANDIDATES, 2, 0.3), (ONE, OPPOSITE, 8, 0.99)], ids=["three", "one"]
)
def test_no_candidate_is_likelier_than_epsilon_allows(weighed, network, candidates, rows, least, flip):
    """Two opposite points of one node reveal nearly all that is paid for: an exponent larger by a hundredth would show."""
    mechanism = MapPoint("2", candidates=candidates, permute_and_flip=flip)

    def law(data):
        logs = np.array(weighed(mechanism, network, data))
        if flip:
            return flip_law(logs)
        scaled = np.exp(logs - logs.max())
        return scaled / scaled.sum()

    laws = {data: law(data) for data in data_sets(network, rows)}
    for data in laws:
        assert laws[data].sum() == pytest.approx(1, abs=1e-6)
    worst = max(np.log(laws[data] / laws[other]).max() for data in laws for other in set(neighbours(network, data)))
    assert least * 2 < worst <= 2 * (1 + 1e-6)


def test_a_candidate_is_chosen_with_the_exponent_that_the_release_tells(weighed):
    """Four records more of the first level: the log-likelihood of the second point is ahead by 4 log 9."""
    data = [("0",)] * 4
    mechanism = MapPoint("2", candidates=OPPOSITE)
    first, second = weighed(mechanism, ONE, data)
    told = release(frame(ONE, data), ONE, mechanism, ledger=Ledger.unlimited()).posterior.released.temper
    assert float(told) == pytest.approx(2 / (2 * math.log(9)))
    assert second - first == pytest.approx(float(told) * 4 * math.log(9))


def test_a_candidates_weight_is_its_posterior_density_to_the_power_of_the_exponent():
    tables = [{node: np.array(table) for node, table in candidate.items()} for candidate in CANDIDATES]
    data = [("0", "1"), ("2", "0"), ("0", "0"), ("1", "1")]
    counts = family_counts(frame(THREE, data), THREE)
    prior = Symmetric(2.5)
    logs = [float(log.mid()) for log in _log_weights(counts, THREE, prior, tables, Fraction(1, 3))()]
    direct = [sum(((counts[node] + 1.5) * np.log(tables_[node])).sum() for node in ("a", "b")) / 3 for tables_ in tables]
    np.testing.assert_allclose(logs, direct)


def test_the_density_of_a_point_peaks_at_the_mode_of_the_posterior():
    """Three levels: the mode of Dirichlet(1 + counts) has the shares of the counts, whichever way levels are split."""
    network = Network([Variable("a", list("012"))])
    data = [("0",)] * 5 + [("1",)] * 3 + [("2",)] * 2
    for exponent in (Fraction(1), Fraction(7, 2)):
        (first, second), (third, fourth) = shapes_of(network, data, _annealed_base(network, UNIFORM, exponent), exponent)
        assert (first - 1) / (first + second - 2) == Fraction(8, 10)
        assert (third - 1) / (third + fourth - 2) == Fraction(5, 8)


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(1), Fraction(5)])
def test_the_prior_is_taken_to_the_same_power_as_the_likelihood(exponent):
    """Prior weights 2, 3, 7 of three levels, split into the first two and the last: the densities are to the power a - 1."""
    network = Network([Variable("a", list("012"))])
    prior = TablePrior(network, {"a": [[2.0, 3.0, 7.0]]})
    ((first, second),) = _annealed_base(network, prior, exponent)["a"]
    assert first == (1 + exponent * 3, 1 + exponent * 6)
    assert second == (1 + exponent * 1, 1 + exponent * 2)


def test_one_large_weight_of_the_prior_is_enough_to_refuse(tmp_path):
    prior = TablePrior(ONE, {"a": [[1.0, 1e9]]})
    ledger = Ledger(tmp_path / "ledger", cap="1000")
    with pytest.raises(ModelError, match="to this power"):
        release(frame(ONE, [("0",)]), ONE, MapPoint("10", floor="1/4"), ledger=ledger, prior=prior)
    assert ledger.spent == 0


def test_a_prior_with_its_mode_at_zero_is_refused_before_the_charge(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1000")
    with pytest.raises(ModelError, match="at least 1"):
        release(frame(THREE, [("0", "1")]), THREE, MapPoint("900"), ledger=ledger, prior=Symmetric(0.2))
    assert ledger.spent == 0


def test_the_release_is_made_of_the_point_alone(monkeypatch):
    given, floors = [], set()

    def scripted(first, second, floor, bits):
        given.append((first, second))
        floors.add(Fraction(floor, 2**32))
        return 2**31

    monkeypatch.setattr(split_draws, "truncated_beta", scripted)
    mechanism = MapPoint("1")
    for data in data_sets(THREE, 2)[:5]:
        given.clear()
        point = release(frame(THREE, data), THREE, mechanism, ledger=Ledger.unlimited()).posterior
        law = mechanism.law(THREE, 2)
        assert given == shapes_of(THREE, data, _annealed_base(THREE, UNIFORM, law.temper), law.temper)
        assert (point.released.floor, point.released.temper) == (law.floor, law.temper)
        assert floors == {law.floor}
        np.testing.assert_allclose(point.mean("a"), [[0.25, 0.25, 0.5]])
    monkeypatch.setattr(map_point, "choose", lambda weights, bits: 2)
    chosen = release(frame(THREE, data), THREE, MapPoint("1", candidates=CANDIDATES), ledger=Ledger.unlimited()).posterior
    np.testing.assert_allclose(chosen.mean("a"), CANDIDATES[2]["a"])
    assert chosen.released.candidates == 4


@pytest.mark.parametrize(
    ("floor", "rows", "ones", "score", "actual"),
    [(0.1, 50, 5, 1.48, 1.17), (0.1, 1000, 100, 1.48, 2.36), (0.01, 1000, 0, 2.14, 24.2)],
)
def test_the_density_as_a_score_is_not_private(floor, rows, ones, score, actual):
    """GUARANTEES 4.1: Algorithm 3 as printed, one node, claimed epsilon 1: one pair of neighbours already reveals more."""
    places = np.linspace(floor, 1 - floor, 400_001)
    step = places[1] - places[0]

    def posterior(successes):
        logs = successes * np.log(places) + (rows - successes) * np.log1p(-places)
        density = np.exp(logs - logs.max())
        return density / (density.sum() * step)

    delta = math.sqrt(math.log((1 - floor) / floor))
    assert delta == pytest.approx(score, abs=0.01)

    def released(successes):
        logs = posterior(successes) / (2 * delta)
        return logs - logs.max() - math.log(np.exp(logs - logs.max()).sum() * step)

    ratio = np.abs(released(ones) - released(ones + 1)).max()
    assert ratio > 1
    assert ratio == pytest.approx(actual, rel=0.05)
