"""Records that are forgotten and filled in again."""

import numpy as np
import pytest
from scipy.special import gammaln
from support.statistics import ALPHA, chi_square_p
from support.true_tables import all_tables, lay_out

from discreet import Network, Variable
from discreet.chains.refills import Refills

NETWORK = Network([Variable("y", list("01")), Variable("x", list("012"))], {"x": ["y"]})
CHAINS = 40_000


def refills(parameters, seed=1):
    tables = lay_out(NETWORK, [], 10, {"x": np.array(parameters)}, ["x"])
    return Refills(tables, np.random.default_rng(seed)), tables.prior[:, None]


def polya(parameters, rows):
    """All rows of so many records, and their Dirichlet-multinomial law."""
    listed, parameters = all_tables(len(parameters), rows), np.array(parameters)
    log = (gammaln(listed + parameters) - gammaln(parameters) - gammaln(listed + 1)).sum(axis=1)
    log += gammaln(rows + 1) + gammaln(parameters.sum()) - gammaln(rows + parameters.sum())
    return listed, np.exp(log)


def law_of(row, listed, probabilities):
    seen = np.array([(each == row.T).all(axis=1).sum() for each in listed])
    assert seen.sum() == row.shape[1]
    order = np.argsort(probabilities)
    return chi_square_p(seen[order], probabilities[order])


@pytest.mark.parametrize("chance", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("parameters", [[[1.0, 1.0, 1.0], [0.5, 2.0, 0.1]], [[3.0, 1e-6, 0.7], [1e-6, 2e-6, 3e-6]]])
def test_rows_that_are_forgotten_in_part_keep_their_law(chance, parameters):
    """In a row of tiny parameters all records are alike: which level they have must keep its law, too."""
    filler, prior = refills(parameters)
    generator, laws = np.random.default_rng(2), [polya(parameters[0], 4), polya(parameters[1], 3)]
    drawn = np.concatenate([listed[generator.choice(len(listed), CHAINS, p=law / law.sum())].T for listed, law in laws])
    rows = np.repeat([[4.0], [3.0]], CHAINS, axis=1)
    kept = filler.forget(drawn, np.full(rows.shape, chance))
    assert (kept <= drawn).all()
    found = filler.fill(kept, rows, prior)
    assert (found >= kept).all()
    for place, (listed, law) in zip((slice(0, 3), slice(3, 6)), laws, strict=True):
        assert law_of(found[place], listed, law) > ALPHA
    assert (found != drawn).any()


def test_each_record_of_a_row_is_kept_with_the_rows_chance():
    filler, _ = refills(np.ones((2, 3)))
    table = np.repeat([[5.0], [0.0], [9.0], [4.0], [1.0], [0.0]], CHAINS, axis=1)
    chance = np.repeat([[0.2], [0.7]], CHAINS, axis=1)
    mean = table * chance[[0, 0, 0, 1, 1, 1]]
    kept = filler.forget(table, chance)
    error = np.sqrt(mean * (1 - chance[[0, 0, 0, 1, 1, 1]]) / CHAINS)[:, 0]
    assert (np.abs(kept.mean(axis=1) - mean[:, 0]) <= 5 * error).all()
    assert (filler.forget(table, np.ones_like(chance)) == table).all()
    assert (filler.forget(table, np.zeros_like(chance)) == 0).all()


def test_other_parameters_fill_in_by_their_own_law():
    filler, _ = refills(np.ones((2, 3)))
    parameters = np.array([[0.2], [5.0], [1.0], [1.0], [1.0], [7.0]])
    found = filler.fill(np.zeros((6, CHAINS)), np.full((2, CHAINS), 3.0), np.repeat(parameters, CHAINS, axis=1))
    for row in (0, 1):
        listed, law = polya(parameters[3 * row : 3 * row + 3, 0], 3)
        assert law_of(found[3 * row : 3 * row + 3], listed, law) > ALPHA


@pytest.mark.parametrize("parameter", [1e-300, 1e-12, 1e-6, 0.5, 1e6, 1e12])
@pytest.mark.parametrize("rows", [0, 1, 10**9])
def test_any_parameters_and_any_number_of_records_give_whole_tables(parameter, rows):
    filler, prior = refills(np.full((2, 3), parameter))
    table = np.repeat([[rows], [0], [0], [0], [rows], [0]], 50, axis=1).astype(float)
    for chance in (0.0, 1e-9, 0.5, 1.0):
        kept = filler.forget(table, np.full((2, 50), chance))
        found = filler.fill(kept, np.full((2, 50), float(rows)), prior)
        assert (found == np.rint(found)).all()
        assert (found >= 0).all()
        assert (found.reshape(2, 3, 50).sum(axis=1) == rows).all()
    if parameter < 1e-5:  # all records of a row that is forgotten are alike
        empty = filler.fill(np.zeros((6, 50)), np.full((2, 50), float(rows)), prior)
        assert (empty.reshape(2, 3, 50).max(axis=1) == rows).all()


def test_a_thousand_million_records_are_spread_as_widely_as_dirichlet_shares_are():
    filler, prior = refills([[1.0, 1.0, 1.0], [4.0, 1.0, 1.0]])
    found = filler.fill(np.zeros((6, CHAINS)), np.full((2, CHAINS), 1e9), prior) / 1e9
    np.testing.assert_allclose(found.mean(axis=1), [1 / 3, 1 / 3, 1 / 3, 2 / 3, 1 / 6, 1 / 6], atol=0.006)
    np.testing.assert_allclose(found.var(axis=1), [1 / 18, 1 / 18, 1 / 18, 2 / 63, 5 / 252, 5 / 252], rtol=0.05)
