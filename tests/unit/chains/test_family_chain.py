"""The chain over true tables, against the sum over all tables that there are."""

import numpy as np
import pytest
from scipy.special import gammaln
from support.chains import run_chain
from support.measurements import counts as counted
from support.measurements import part_noise
from support.true_tables import LARGEST_Z, all_tables, deviation, exact_law, lay_out, parameter_grid

from discreet import Network, Variable
from discreet.chains.family_chain import Effort
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.errors import ModelError, QueryError
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.model.prior import Hierarchical

SMALL = Network([Variable(name, list("01")) for name in "abcd"], {"c": ["a", "b"], "d": ["b"]})
STAR = Network([Variable("y", list("01")), Variable("a", list("01")), Variable("b", list("012"))], {"a": ["y"], "b": ["y"]})
PAIR = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
CHAINS = 256
LAWS = {
    "Laplace": (LaplaceNoise(2.0), Statistic.COUNTS),
    "Gaussian": (GaussianNoise(5.0), Statistic.COUNTS),
    "K-norm of contrasts": (part_noise(3, 1), Statistic.CONTRAST),
    "K-norm of rows": (part_noise(2, 2, 2), Statistic.COUNTS),
    "K-norm of cells": (part_noise(2, 2), Statistic.COUNTS),
}


def published(nodes, law, statistic, generator):
    last = 2 if statistic is Statistic.COUNTS else 1
    shape = [2] * (len(nodes) - 1) + [last] * (last > 1)
    return Measurement(tuple(nodes), statistic, law, generator.integers(-3, 6, shape).astype(float))


def visited(tables, rows, rounds=100, prior=None, generator=None):
    """What many chains visit that begin with all records in one cell of each table."""
    start = np.zeros((len(tables.prior), CHAINS))
    start[tables.cell_starts] = rows
    generator = np.random.default_rng(2) if generator is None else generator
    return run_chain(tables, start, prior or FixedRows(tables), Effort(CHAINS, 30, rounds), generator)


@pytest.mark.fast("alone and uniform-Laplace", "told and Jeffreys-K-norm of rows")
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("told", "weight"), [(False, 1.0), (True, 0.5)], ids=["alone and uniform", "told and Jeffreys"])
def test_tables_are_visited_as_often_as_their_densities_say(law, told, weight):
    """One family of eight cells; what is told are sums of its cells that are not its own numbers."""
    generator = np.random.default_rng(4)
    measurements = [published("abc", *LAWS[law], generator)]
    if told:
        measurements += [counted("ca", LAWS[law][0], generator.integers(0, 4, (2, 2)))] if law == "Laplace" else []
        measurements += [Measurement(("b", "c"), Statistic.PARITY, LAWS[law][0], np.array(1.0))]
    tables = lay_out(SMALL, measurements, 4, weight, ["c"])
    assert (len(tables.sums.family) > 1) == told
    kept = visited(tables, 4, 60).counts
    assert (kept.sum(axis=1) == 4).all()
    assert deviation(kept, *exact_law(tables, 4)) < LARGEST_Z


@pytest.mark.fast("Laplace")
@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def test_tied_tables_are_visited_together_as_often_as_their_densities_say(law):
    """Three families that share a node, with the margins that they are tied to integrated out."""
    generator = np.random.default_rng(5)
    law = LAWS[law][0]
    measurements = [counted(nodes, law, generator.integers(-2, 4, shape)) for nodes, shape in (("yb", (2, 3)), ("ya", (2, 2)))]
    tables = lay_out(STAR, measurements, 3, 0.5)
    assert set(tables.sums.copies) == {3.0}
    assert deviation(visited(tables, 3).counts, *exact_law(tables, 3)) < LARGEST_Z


def integrate(prior, listed):
    """For each table of two rows and two levels: its probability given nothing, and with it the means of parameters."""
    found = []
    for table in listed.reshape(-1, 2, 2):
        strength, centre, _, weights = parameter_grid(prior, table)
        found.append([weights.sum(), (weights * strength).sum(), (weights * centre).sum(), (weights * strength**2).sum()])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("prior", [Hierarchical(), Hierarchical(1.2, 2.0, 0.7)], ids=["default", "another"])
def test_tables_and_learned_parameters_are_visited_as_an_integral_says(prior):
    noisy = np.array([[5.0, -1.0], [2.0, 1.0]])
    tables = lay_out(PAIR, [counted("yx", LaplaceNoise(1.5), noisy)], 5, 0.0, ["x"])
    listed = all_tables(4, 5)
    sums = integrate(prior, listed)
    rows = listed.reshape(-1, 2, 2).sum(axis=2)
    given = gammaln(rows + tables.row_spread).sum(axis=1) - np.abs(noisy.ravel() - listed).sum(axis=1) / 1.5
    weights = sums * np.exp(given - given.max())[:, None]
    means = weights.sum(axis=0) / weights[:, 0].sum()
    generator = np.random.default_rng(2)
    found = visited(tables, 5, 120, LearnedRows(tables, prior, CHAINS, generator), generator)
    assert deviation(found.counts, listed, weights[:, 0] / weights[:, 0].sum()) < LARGEST_Z
    total = np.log(np.exp(found.logs).sum(axis=1))
    for seen, expected in ((total, means[1]), (np.exp(found.logs[:, 0] - total), means[2]), (total**2, means[3])):
        of_chain = seen.mean(axis=0)
        assert abs(of_chain.mean() - expected) < LARGEST_Z * of_chain.std() / np.sqrt(CHAINS)


def test_chains_do_not_move_together():
    """Once they have forgotten where they began, the mean of many chains is as steady as that of independent draws."""
    tables = lay_out(PAIR, [counted("yx", LaplaceNoise(50.0), np.full((2, 2), 25))], 100, 1.0, ["x", "y"])
    kept = visited(tables, 100, 40).counts
    apart = kept.std(axis=2).mean(axis=0) / np.sqrt(CHAINS)
    together = kept.mean(axis=2)[:, tables.row_starts]
    assert (together.std(axis=0) < 2 * apart[tables.row_starts]).all()


@pytest.mark.slow
def test_hopeless_noise_leaves_every_count_of_a_row_as_likely_as_any_other():
    """Where the rows are the levels of one parent, what is believed of their counts says nothing about them."""
    tables = lay_out(PAIR, [counted("yx", LaplaceNoise(1e6), np.zeros((2, 2)))], 100, 1.0, ["x"])
    found = visited(tables, 100, 200).counts[:, :2].sum(axis=1)
    for seen, expected in ((found, 50), (found**2, 3350), (found == 0, 1 / 101), (found == 100, 1 / 101)):
        means = seen.mean(axis=0)
        assert abs(means.mean() - expected) < LARGEST_Z * means.std() / np.sqrt(CHAINS)


def test_a_family_that_was_not_measured_moves():
    kept = visited(lay_out(STAR, [], 80, 1.0, ["b"]), 80, 30).counts
    assert (np.diff(kept, axis=0) != 0).any(axis=1).mean() > 0.5


def test_progress_is_told_and_only_rounds_after_the_warm_up_are_kept():
    tables, told = lay_out(PAIR, [], 6, 1.0, ["x"]), []
    found = run_chain(
        tables, np.full((4, 4), 1.5) // 1, FixedRows(tables), Effort(4, 3, 5), np.random.default_rng(1), told.append
    )
    assert told == list(range(1, 9))
    assert found.counts.shape == (5, 4, 4)
    assert found.logs is None


def test_large_networks_get_fewer_chains_huge_ones_shorter_and_small_ones_what_was_asked_for():
    asked = Effort(chains=16, warm_up=40, rounds=100)
    assert asked.within(500) == asked
    assert asked.within(5000) == Effort(8, 40, 100)
    assert asked.within(10**5) == Effort(8, 40, 2**25 // (8 * 10**5))
    assert asked.within(10**9) == Effort(4, 40, 4)


@pytest.mark.parametrize("given", [{"chains": 3}, {"rounds": 3}, {"warm_up": -1}, {"chains": "many"}, {"rounds": 9.5}])
def test_chains_that_cannot_be_judged_are_refused(given):
    least = 0 if "warm_up" in given else 4
    with pytest.raises(QueryError, match=f"must be a whole number of at least {least}"):
        Effort(**given)


@pytest.mark.parametrize(("given", "error"), [(-1, QueryError), (41, ModelError), (2.5, QueryError)])
def test_steps_are_learned_in_the_warm_up(given, error):
    with pytest.raises(error):
        Effort(warm_up=40, learning=given)
    assert Effort(warm_up=40, learning=40).learning == 40
