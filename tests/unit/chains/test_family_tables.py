"""How families are laid out in one column of cells, and what is known about each."""

import numpy as np
import pytest
from scipy.special import gammaincc
from support.measurements import counts as counted
from support.measurements import part_noise
from support.true_tables import lay_out

from discreet import Network, Variable
from discreet.chains.family_state import begin, log_densities
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic

DIE = Network([Variable("die", list("012"))])
NETWORK = Network([Variable("b", list("012")), Variable("d", list("012"))], {"d": ["b"]})
WIDE = Network(
    [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("01")), Variable("d", list("0123"))],
    {"c": ["a", "b"], "d": ["b"]},
)


@pytest.mark.parametrize("part", [1, 3])
def test_numbers_of_one_part_have_noise_together_and_others_alone(part):
    shape = 2
    noisy = np.array([9.0, -4.0, 3.0])
    tables = lay_out(DIE, [counted(["die"], part_noise(shape, 3, part), noisy)], 7, 1.0)
    table = np.array([[4.0, 1.0, 2.0], [3.0, 3.0, 1.0], [0.0, 0.0, 7.0]])
    norms = np.abs(noisy - table) if part == 1 else np.abs(noisy - table).sum(axis=1, keepdims=True)
    expected = np.log(gammaincc(shape, norms / 3.0)).sum(axis=1)
    found = log_densities(tables, table.T, np.ones((3, 1)))[0]
    np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=2e-4)  # tails come from tables


@pytest.mark.parametrize(("last", "owned"), [("d", True), ("b", False)])
def test_a_part_that_runs_along_a_parent_is_not_taken_for_a_row(last, owned):
    members = {"d": ("b", "d"), "b": ("d", "b")}[last]
    tables = lay_out(NETWORK, [counted(members, part_noise(2, 3, 3), np.zeros((3, 3)))], 9, 1.0, ["d"])
    assert (tables.coordinate > 0).all() == owned
    assert (len(tables.sums.family) > 1) != owned  # what is not the family's own is told as sums of its cells


@pytest.mark.parametrize("law", [LaplaceNoise(2.0), GaussianNoise(5.0)], ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize("nodes", ["bd", "db"])
def test_the_density_of_a_table_is_that_of_its_rows_their_counts_and_its_noise(law, nodes):
    """Written out for one table: Dirichlet-multinomial rows, and counts of rows that are so themselves, weakly."""
    from scipy.special import gammaln

    generator = np.random.default_rng(1)
    published = generator.integers(-3, 9, (3, 3))
    tables = lay_out(NETWORK, [counted(nodes, law, published)], 20, {"d": generator.gamma(1, 1, (3, 3))}, ["d"])
    prior, spread = tables.prior.reshape(3, 3), tables.row_spread
    noisy = published if nodes == "bd" else published.T

    def by_hand(table):
        found = 0.0
        for row in range(3):
            total = table[row].sum()
            found += gammaln(total + 1) - gammaln(table[row] + 1).sum()
            found += gammaln(prior[row].sum()) - gammaln(prior[row].sum() + total)
            found += (gammaln(prior[row] + table[row]) - gammaln(prior[row])).sum()
            found += gammaln(total + spread[row]) - gammaln(total + 1)
        gaps = np.abs(noisy - table)
        return found - (gaps.sum() / 2 if isinstance(law, LaplaceNoise) else (gaps**2).sum() / 10)

    listed = generator.multinomial(20, np.ones(9) / 9, 5).astype(float)
    found = log_densities(tables, listed.T, tables.prior[:, None])[0]
    expected = np.array([by_hand(each.reshape(3, 3)) for each in listed])
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-9)


def test_differences_of_levels_add_one_and_take_away_the_other():
    network = Network([Variable("b", list("012")), Variable("d", list("01"))], {"d": ["b"]})
    measured = Measurement(("b", "d"), Statistic.CONTRAST, part_noise(3, 1), np.array([4.0, -2.0, 0.0]))
    tables = lay_out(network, [measured], 9, 1.0, ["d"])
    gaps = begin(tables, np.array([[5.0], [1.0], [0.0], [2.0], [1.0], [0.0]])).gaps
    assert gaps[1:, 0].tolist() == [4.0 - 4, -2.0 + 2, 0.0 - 1]


@pytest.mark.parametrize("measured", [[], [counted("b", LaplaceNoise(1e-3), np.array([38, 1, 1]))]], ids=["nothing", "b"])
def test_what_is_believed_of_the_counts_of_rows_says_nothing_of_a_parent_whatever_was_published(measured):
    """One for each level of a single parent, which makes every count as likely; of two parents, for the one with more."""
    for node, spread in (("d", np.ones(3)), ("c", np.full(6, 0.5)), ("a", np.ones(1))):
        np.testing.assert_array_equal(lay_out(WIDE, measured, 40, 1.0, [node]).row_spread, spread)


@pytest.mark.parametrize("prior", [1e-300, 1e-5, 1e5])
def test_what_a_prior_takes_for_nearly_impossible_stays_possible(prior):
    tables = lay_out(WIDE, [], 12, prior, ["c"])
    for table in (np.ones((12, 1)), np.zeros((12, 1)), 12.0 * np.eye(12)):
        assert np.isfinite(log_densities(tables, table, tables.prior[:, None])).all()
