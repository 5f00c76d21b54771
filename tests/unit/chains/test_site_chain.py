"""The chain over the tables of sites that differ, against sums over all tables and a grid of common tables and spreads."""

import numpy as np
import pytest
from scipy.special import betaln, gammaln
from support.measurements import counts
from support.true_tables import LARGEST_Z, lay_out

from discreet import Network, Variable
from discreet.chains import site_chain
from discreet.chains.effort import Effort
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.chains.site_chain import draw_firsts, run_sites
from discreet.measure.laws import LaplaceNoise
from discreet.model.prior import Hierarchical

COIN = Network([Variable("x", list("01"))], {})
NOISY = ([9.0, 12.0], [15.0, 4.0], [7.0, 2.0])
ROWS = (20, 20, 10)
OWN = (3, 9)
SCALE = 1.5
CHAINS = 600


def grid():
    """Weights of the first common probability and of the spread, in the middles of small cells."""
    theta = (np.arange(120) + 0.5) / 120
    low, high = site_chain._SPREADS
    spread = low + (high - low) * (np.arange(120) + 0.5) / 120
    first, second = theta[:, None] * (1 / spread**2 - 1), (1 - theta[:, None]) * (1 / spread**2 - 1)
    logs = 2 * np.log1p(-spread) + np.zeros_like(first)  # a uniform prior of the probability, and Beta(1, 3) of the spread
    for noisy, rows in zip(NOISY, ROWS, strict=True):
        held = np.arange(rows + 1)[:, None, None]
        law = (
            -gammaln(held + 1) - gammaln(rows - held + 1) + betaln(first + held, second + rows - held) - betaln(first, second)
        )
        law = law - (abs(noisy[0] - held) + abs(noisy[1] - rows + held)) / SCALE
        logs = logs + np.log(np.exp(law).sum(axis=0))
    logs = logs + betaln(first + OWN[0], second + OWN[1]) - betaln(first, second)
    weights = np.exp(logs - logs.max())
    return theta, spread, weights / weights.sum()


def run(effort=None):
    tables = [
        lay_out(COIN, [counts("x", LaplaceNoise(SCALE), np.array(noisy))], rows, 0.0)
        for noisy, rows in zip(NOISY, ROWS, strict=True)
    ]
    prior = FixedRows(lay_out(COIN, [], 1, 1.0))
    starts = [np.repeat(np.array([[rows], [0.0]]), CHAINS, axis=1) for rows in ROWS]
    effort = effort or Effort(CHAINS, 30, 30)
    return run_sites(tables, starts, prior, [np.array(OWN, dtype=float)], effort, np.random.default_rng(7))


def distances(found):
    """How many standard errors the chains are from the grid: in the common probability, its square, and the spread."""
    theta, spread, weights = grid()
    parameters = found.firsts + 1
    total = parameters.sum(axis=1)
    mean = parameters[:, 0] / total
    square = parameters[:, 0] * (parameters[:, 0] + 1) / (total * (total + 1))
    pairs = (
        (mean, theta @ weights.sum(axis=1)),
        (square, theta**2 @ weights.sum(axis=1)),
        (found.spreads[:, 0], spread @ weights.sum(axis=0)),
    )
    by_chain = [(each.mean(axis=0), wanted) for each, wanted in pairs]
    return [abs(each.mean() - wanted) / (each.std() / CHAINS**0.5) for each, wanted in by_chain]


def test_common_tables_and_spreads_are_visited_as_often_as_their_densities_say():
    assert max(distances(run())) < LARGEST_Z


def fault_in_firsts(monkeypatch):
    wrong = lambda counts, parameters, generator: draw_firsts(counts, parameters + 1, generator)  # noqa: E731
    monkeypatch.setattr(site_chain, "draw_firsts", wrong)


def fault_in_the_prior_of_the_spread(monkeypatch):
    monkeypatch.setattr(site_chain, "_PRIOR", 2.0)


def fault_in_what_sites_see(monkeypatch):
    monkeypatch.setattr(FixedRows, "see", lambda self, cells: FixedRows._see(self, cells * 0 + 1), raising=True)


@pytest.mark.fast("fault_in_firsts")
@pytest.mark.parametrize("plant", [fault_in_firsts, fault_in_the_prior_of_the_spread, fault_in_what_sites_see])
def test_a_fault_is_found_out(monkeypatch, plant):
    monkeypatch.setattr(FixedRows, "_see", FixedRows.see, raising=False)
    plant(monkeypatch)
    assert max(distances(run())) > LARGEST_Z


@pytest.mark.parametrize("parameter", [1e-6, 0.3, 5.0, 2000.0])
@pytest.mark.parametrize("records", [0, 1, 11, 60, 5000])
def test_firsts_have_the_mean_and_the_variance_of_their_law(parameter, records):
    shape = (20_000, 1)
    drawn = draw_firsts(np.full(shape, float(records)), np.full(shape, parameter), np.random.default_rng(records))
    chance = parameter / (parameter + np.arange(records))
    mean, variance = chance.sum(), (chance * (1 - chance)).sum()
    assert abs(drawn.mean() - mean) <= LARGEST_Z * (variance / len(drawn)) ** 0.5 + 1e-4
    assert drawn.var() == pytest.approx(variance, rel=0.1, abs=0.01)
    assert (drawn <= records).all()


def test_a_learned_prior_moves_and_progress_is_told():
    pair = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
    tables = [lay_out(pair, [counts("yx", LaplaceNoise(1.0), np.array([[9.0, 1], [2, 8]]))], 20, 0.0) for _ in range(2)]
    starts = [np.repeat(np.full((len(each.prior), 1), 5.0), 8, axis=1) for each in tables]
    for start, each in zip(starts, tables, strict=True):
        start[each.cells_of(1)] = 10.0
    generator, told = np.random.default_rng(1), []
    prior = LearnedRows(tables[0], Hierarchical(), 8, generator)
    found = run_sites(tables, starts, prior, [], Effort(8, 4, 6), generator, told.append)
    assert told == list(range(1, 11))
    assert found.logs is not None
    assert len(np.unique(found.logs[:, 0, 0])) > 1
    assert found.spreads.shape == (6, 2, 8)
    assert ((found.spreads > 0) & (found.spreads < 1)).all()
