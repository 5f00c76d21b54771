"""The law of rows says nothing of parents that is said elsewhere, and tied tables do not push one another away from zero."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln, ndtr
from support.true_tables import lay_out

from discreet import UNIFORM, Network, Variable
from discreet.chains import row_margins as module
from discreet.chains.family_chain import Effort
from discreet.chains.family_state import log_densities
from discreet.chains.row_margins import CLOSED, homes, row_margins
from discreet.chains.visits import visit
from discreet.measure.laws import LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.published import Published

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 2}
VARIABLES = [Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items()]
NETWORK = Network(VARIABLES, {"c": ["a", "b"], "d": ["b", "c"], "e": ["a", "b", "d"]})


def law_of(nodes, ties=None, roots=None, network=NETWORK):
    families = [network.family(node) for node in nodes]
    return families, row_margins(families, ties or {}, roots or {})


def sums_over(family, nodes, row_values):
    """What rows have together that have the same levels of some parents."""
    table = np.reshape(row_values, family.shape[:-1])
    others = tuple(axis for axis, node in enumerate(family.parents) if node not in nodes)
    return table.sum(axis=others).ravel()


def test_parents_that_no_other_table_has_bring_their_own_prior():
    (family,), law = law_of("c", roots={"a": np.array([0.5, 0.5]), "b": np.array([0.2, 0.3, 0.4])})
    np.testing.assert_allclose(law.spread, 1.2 / 6)  # 3 levels with 0.4 at the most
    np.testing.assert_allclose(law.below, [0.6, 0.6, 0.4, 0.4])
    np.testing.assert_allclose(law.above, [0.5, 0.5, 0.2, 0.3])  # where nothing is said too much there is no factor
    assert len(law.pushing) == 0
    np.testing.assert_allclose(sums_over(family, "a", law.spread), 0.6)


def test_an_only_parent_has_its_prior_and_strong_ones_of_several_are_not_those_of_others():
    network = Network(VARIABLES[:3], {"c": ["b"]})
    assert law_of("c", roots={"b": np.array([30.0, 5, 1])}, network=network)[1].spread.tolist() == [30, 5, 1]
    (family,), law = law_of("c", roots={"a": np.array([30.0, 40])})
    np.testing.assert_allclose(law.spread, 3 / 6)
    np.testing.assert_allclose(sums_over(family, "a", law.spread), 1.5)
    assert len(law.below) == 0


def test_rows_that_an_earlier_table_has_all_are_equally_likely():
    """The rows of d are those of a sum of the table of c; of e only a and b are, so what is said of d has a factor."""
    families, law = law_of("cde", ties={("b", "c"): 2.0, ("a", "b"): 8.0, ("b", "d"): 2.0})
    spreads = np.split(law.spread, np.cumsum([family.configurations for family in families])[:-1])
    np.testing.assert_allclose(spreads[1], 1)
    # The largest set that is shared is b and d, of 12 combinations: each has one in all, and each level of a has six.
    np.testing.assert_allclose(spreads[2], 12 / 24)
    np.testing.assert_allclose(law.below[law.family[: len(law.below)] == 2], 6)
    np.testing.assert_allclose(law.above, 1)


def test_earlier_tables_are_given_back_what_ties_take():
    families, law = law_of("edc", ties={("b", "c"): 2.0, ("a", "b"): 8.0, ("b", "d"): 2.0})
    pushed = law.family[len(law.below) :]
    assert {families[number].node: int((pushed == number).sum()) for number in set(pushed.tolist())} == {"c": 8, "d": 12}
    np.testing.assert_allclose(law.pushing, 1)
    counts = np.arange(len(law.matrix.toarray()[0]), dtype=float)[:, None]
    seen = law.matrix @ counts
    for number, width in ((1, 2.0), (2, 2.0)):
        mine = len(law.below) + np.flatnonzero(pushed == number)
        wanted = -np.log(ndtr(seen[mine] / width))
        np.testing.assert_allclose(law.logs(counts)[mine][: len(wanted)], wanted, atol=0.03)


def test_what_makes_up_for_a_tie_has_the_value_and_the_slope_of_the_inverse_at_zero():
    for tables in (1, 2, 4):
        network = Network(
            [Variable("a", list("01")), *(Variable(f"x{number}", list("01")) for number in range(tables + 1))],
            {f"x{number}": ["a"] for number in range(tables + 1)},
        )
        families = [network.family(node) for node in network.nodes[1:]]
        law = row_margins(families, {("a",): 8.0}, {})
        step = np.zeros((len(law.back.toarray()), 1))
        at_zero, beside = law.logs(step), law.logs(step + 1e-4)
        np.testing.assert_allclose(at_zero, np.log(1 + tables))
        slope = (beside - at_zero)[0, 0] / 2e-4  # two cells count into each level
        # Of tables whose copies of a margin lie around it with variance 1, seen from their home; the width is root two.
        seen = np.random.default_rng(tables).standard_normal((400_000, tables + 1))
        largest = seen.max(axis=1).mean()
        assert slope * 4 == pytest.approx(-np.sqrt(2) * largest, rel=0.01)


def test_rows_that_are_declared_impossible_stay_empty():
    network = Network(VARIABLES[:3], {"b": ["a"], "c": ["a", "b"]}, impossible=[{"a": "1", "b": "2"}])
    _, law = law_of("c", network=network)
    assert law.spread[-1] == CLOSED
    np.testing.assert_allclose(law.spread[:-1], 1)  # of the last level of b there is one row alone


def test_the_earliest_table_is_a_sets_home():
    families = [NETWORK.family(node) for node in "edc"]
    assert homes(families, [("b",), ("a", "b"), ("b", "d")]) == [[2, 1, 0], [2, 0], [1, 0]]


def test_small_tables_come_before_large_ones_but_none_before_those_of_its_parents():
    sizes = {"a": 2, "b": 3, "c": 9, "d": 2, "e": 2, "f": 2}
    variables = [Variable(name, [str(level) for level in range(size)]) for name, size in sizes.items()]
    network = Network(variables, {"c": ["a", "b"], "d": ["c"], "e": ["a"], "f": ["b", "a"]})
    families = [network.family(node) for node in "cdef"]
    assert homes(families, [("a",), ("b",), ("c",)]) == [[2, 3, 0], [3, 0], [0, 1]]


@pytest.fixture(scope="module")
def tables():
    return lay_out(NETWORK, [], 40, 1.0)


def test_factors_are_those_of_the_law_of_all_tables(tables):
    """Written out: rows of every family, divided by what they say of their parents."""
    generator, law = np.random.default_rng(1), tables.row_margins
    counts = generator.integers(0, 9, (len(tables.prior), 1)).astype(float)
    plain = replace(tables, row_margins=replace(law, **dict.fromkeys(("above", "below", "pushing", "rate"), np.zeros(0)),
                    matrix=law.matrix[:0], back=law.back[:, :0], family=law.family[:0]))  # fmt: skip
    prior = tables.prior[:, None]
    found = log_densities(tables, counts, prior) - log_densities(plain, counts, prior)
    seen, expected = (law.matrix @ counts)[:, 0], np.zeros(len(tables.families))
    for place, (above, below) in enumerate(zip(law.above, law.below, strict=True)):
        expected[law.family[place]] += gammaln(seen[place] + above) - gammaln(seen[place] + below)
    for place, (tied, rate) in enumerate(zip(law.pushing, law.rate, strict=True), len(law.above)):
        expected[law.family[place]] += np.log(1 + tied * np.exp(-rate * seen[place]))
    np.testing.assert_allclose(found[:, 0], expected)


def test_factors_that_are_drawn_are_the_law_on_average(tables):
    """Given the tables, the mean of what drawn factors say of other tables is what the law says of them."""
    generator, law, many = np.random.default_rng(2), tables.row_margins, 200_000
    counts = generator.integers(0, 4, (len(tables.prior), 1)).astype(float)
    drawn = law.draw(np.repeat(counts, many, axis=1), generator)
    for cell in range(0, len(counts), 7):
        other = counts.copy()
        other[cell] += 1
        ratio = np.exp((law.logs(other) - law.logs(counts)).sum())
        factors = np.exp(drawn[cell])
        assert factors.mean() == pytest.approx(ratio, abs=5 * factors.std() / np.sqrt(many) + 1e-9)


CHAIN_OF_PARENTS = Network(
    [Variable("r", list("01")), Variable("s", list("0123")), *(Variable(name, list("01")) for name in "xyz")],
    {"x": ["r", "s"], "y": ["r", "s"], "z": ["r"]},
)


def spread_of_a_root(rows=400):
    """How wide a root without a table of its own is believed to be where noise hides everything, as a share of its prior."""
    measured = [
        Measurement((*CHAIN_OF_PARENTS.parents[node], node), Statistic.COUNTS, LaplaceNoise(10**5), np.zeros(shape))
        for node, shape in (("x", (2, 4, 2)), ("y", (2, 4, 2)), ("z", (2, 2)))
    ]
    visits = visit(CHAIN_OF_PARENTS, UNIFORM, Published(CHAIN_OF_PARENTS, tuple(measured), rows), {}, Effort(16, 60, 250), 1)
    return visits.counts["r"][:, 0, 0].std() / (rows / np.sqrt(12))


def test_where_noise_hides_everything_a_root_is_believed_to_be_nearly_what_its_prior_says():
    assert spread_of_a_root() == pytest.approx(0.92, abs=0.07)


@pytest.mark.slow
def test_without_factors_it_would_be_believed_to_be_even(monkeypatch):
    monkeypatch.setattr(module, "_SAME", 1e9)
    monkeypatch.setattr(module, "_widths", lambda *_: {})
    assert spread_of_a_root() < 0.8
