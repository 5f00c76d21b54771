"""The paper's statements about draws and points as printed: which hold, and what the others are worth."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from discreet import FormatError, Ledger, ModelError, Network, PointPosterior, Sampler, Variable, naive_bayes, release
from discreet.experiments.as_printed import AsPrinted, printed_map_point, printed_sampler
from discreet.measure.strategies.lipschitz import DrawPrivacy, network_constant
from discreet.theorems.printed.sampling import (
    printed_corollary_4,
    printed_lemma_2,
    printed_lemma_3,
    printed_lemma_4,
    printed_naive_bayes_epsilon,
    printed_naive_bayes_floor,
    printed_theorem_4_privacy,
    printed_theorem_4_total_variation,
)

NAIVE = naive_bayes("y", [f"x{i}" for i in range(16)])
KNOWN = [(0.1, 50, 5, 1.17), (0.1, 1000, 100, 2.36), (0.01, 1000, 0, 24.2)]  # floor, rows, ones, epsilon
EDGE = Network([Variable("x", ["0", "1"]), Variable("y", ["0", "1"])], {"y": ["x"]})


def test_lemma_2_has_no_constant_for_a_node_with_parents():
    """Two records with the same y and different x: no distance at y, and another probability of y."""
    tables = {"x": [[0.5, 0.5]], "y": [[0.1, 0.9], [0.9, 0.1]]}
    point = PointPosterior(EDGE, tables)
    logs = [math.log(point.mean("x")[0, x] * point.mean("y")[x, 0]) for x in (0, 1)]
    constants = [0.0, 1e9]  # x is uniform, y has whatever constant one likes
    printed = printed_lemma_2(constants, distance=0.0)  # rho_y(0, 0) = 0, and that of x counts for nothing
    assert not printed.holds
    assert abs(logs[0] - logs[1]) > printed.value
    assert abs(logs[0] - logs[1]) <= float(network_constant(EDGE, Fraction(1, 10)))


def test_lemma_3_holds_in_the_main_text_and_not_in_the_appendix():
    """GUARANTEES 3.2: 17 nodes, c = 1, L0 = 3, L = 3.5: exact failure 0.406, main text 0.823, appendix 4.9e-5."""
    exact = 1 - (1 - math.exp(-3.5)) ** 17
    printed = printed_lemma_3([1.0] * 17, 3.0)
    assert printed.holds
    assert math.exp(-printed.value * 3.5) == pytest.approx(0.823, abs=1e-3)
    assert math.exp(-math.log(17) * 3.5) == pytest.approx(4.9e-5, rel=0.01)
    assert math.exp(-math.log(17) * 3.5) < exact <= math.exp(-printed.value * 3.5)


def test_theorem_4_holds_and_its_total_variation_is_loose():
    constant = math.log(9)
    privacy = DrawPrivacy(2 * constant)
    assert printed_theorem_4_privacy(constant, 1.0).value == pytest.approx(float(privacy.oscillation))
    printed = printed_theorem_4_total_variation(constant, 1.0)
    assert printed.holds
    assert printed.value == pytest.approx(1.48, abs=0.01)  # no probability changes by more than one
    assert privacy.total_variation() == pytest.approx(0.8)


def test_the_printed_floor_is_impossible_for_small_epsilon_and_claims_too_little_for_large():
    assert printed_naive_bayes_floor(1.0).value > 0.5
    claimed = printed_naive_bayes_epsilon(NAIVE, 0.1)
    assert claimed.value == pytest.approx(4.61, abs=0.01)
    assert "74.7" in claimed.why
    assert not claimed.holds
    assert not printed_corollary_4(1.0).holds
    assert not printed_lemma_4(1.0, 1.0, 0.5).holds


def counts(rows, seed=1):
    generator = np.random.default_rng(seed)
    tables = {"y": np.array([[rows // 2, rows - rows // 2]])}
    for node in NAIVE.nodes[1:]:
        ones = generator.integers(0, rows // 2, 2)
        tables[node] = np.stack([rows // 2 - ones, ones], axis=1)
    return tables


def test_the_printed_sampler_tells_what_it_really_reveals():
    """GUARANTEES 5.3: at epsilon 5 one draw reveals about 82, at epsilon 20 about 340."""
    generator = np.random.default_rng(2)
    for epsilon, true in ((5, 82), (20, 340)):
        made = printed_sampler(counts(50), NAIVE, epsilon, 1, generator)
        assert made.claimed_epsilon == epsilon
        assert made.true_epsilon == pytest.approx(true, rel=0.01)
        assert all((table.sum(axis=-1) == 1).all() for table in made.tables.values())
        assert made.tables["x0"].shape == (1, 2, 2)
        assert made.tables["x0"].min() >= math.exp(-epsilon / 2) * (1 - 1e-9)
    assert printed_sampler(counts(50), NAIVE, 5, 100, generator).true_epsilon == pytest.approx(8200, rel=0.01)
    assert "No guarantee" in str(made)
    with pytest.raises(ModelError, match=r"1\.386"):
        printed_sampler(counts(50), NAIVE, 1, 1, generator)


@pytest.mark.parametrize(("floor", "rows", "ones", "actual"), KNOWN)
def test_algorithm_3_as_printed_tells_what_it_really_reveals(floor, rows, ones, actual):
    network = Network([Variable("a", ["1", "0"])])
    made = printed_map_point({"a": np.array([[ones, rows - ones]])}, network, 1.0, floor, np.random.default_rng(1))
    assert made.claimed_epsilon == 1
    assert 0.95 * actual <= made.true_epsilon <= 1.6 * actual  # the known numbers are of one pair of neighbours
    assert floor <= made.tables["a"][0, 0, 0] <= 1 - floor


def test_what_was_made_as_printed_cannot_be_saved_as_a_release(tmp_path):
    made = printed_sampler(counts(50), NAIVE, 5, 1, np.random.default_rng(1))
    assert not hasattr(made, "guarantee")
    assert not hasattr(made, "save")
    honest = release(pl.DataFrame({"x": ["0", "1"], "y": ["0", "1"]}), EDGE, Sampler("1"), ledger=Ledger.unlimited())
    with pytest.raises(FormatError, match="released posterior"):
        honest.map(lambda posterior: made).save(tmp_path / "file.json")
    assert isinstance(made, AsPrinted)
