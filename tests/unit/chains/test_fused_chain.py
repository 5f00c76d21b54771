"""The chain over the tables behind several releases, against the sum over all tables; and each step by itself."""

import numpy as np
import pytest
from support.chains import run_chain
from support.measurements import counts
from support.true_tables import LARGEST_Z, all_together, deviation, draw_parameters, draw_rows, drift, joint_logs, lay_out

from discreet import Network, Variable
from discreet.chains import fused_chain
from discreet.chains.family_chain import Effort
from discreet.chains.fused_chain import FusedChain, run_fused
from discreet.chains.margin_shifts import MarginShifts
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.model.prior import Hierarchical

PAIR = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
ROWS = (3, 2)
NOISY = {"yx": [[3, -1], [1, 0]], "y": [3, -1]}
OTHER = {"yx": [[0, 2], [1, -1]], "y": [1, 2]}
PRIOR = Hierarchical(1.5, 0.6, 0.8)
CHAINS, LEARNERS = 1 << 13, 1 << 11


def layouts(weight, nodes=None):
    """Two releases on one network: Laplace noise on tables and margins of one, Gaussian noise on the tables of the other."""
    first = [counts(nodes, LaplaceNoise(1.2), np.array(numbers, dtype=float)) for nodes, numbers in NOISY.items()]
    second = [counts("yx", GaussianNoise(2.0), np.array(OTHER["yx"], dtype=float))]
    return [lay_out(PAIR, each, rows, weight, nodes) for each, rows in zip((first, second), ROWS, strict=True)]


def all_pairs(tables):
    """Every combination of the tables of both releases, one column each: the tables of the first, and of the second."""
    first, second = (all_together(each, rows).T for each, rows in zip(tables, ROWS, strict=True))
    return np.repeat(first, second.shape[1], axis=1), np.tile(second, first.shape[1])


def logs_together(tables, first, second, cells):
    """Log densities of both releases' tables with one set of parameters: the second's are drawn given the first's."""
    return joint_logs(tables[0], first, cells) + joint_logs(tables[1], second, cells + first)


def exact(tables):
    first, second = all_pairs(tables)
    logs = logs_together(tables, first, second, tables[0].prior[:, None])
    weights = np.exp(logs - logs.max())
    return np.concatenate([first, second]), weights / weights.sum()


def stacked(chain):
    return np.concatenate([each.state.counts for each in chain.chains])


def visited(chain, warm_up=10, rounds=30):
    kept = []
    for number in range(warm_up + rounds):
        chain.round(number, 0.5 if number < warm_up else 0.0)
        if number >= warm_up:
            kept.append(stacked(chain))
    return np.array(kept)


def far_apart(tables, chains=192, prior=None):
    """Chains that begin with all records in one cell of each table."""
    starts = []
    for each, rows in zip(tables, ROWS, strict=True):
        start = np.zeros((len(each.prior), chains))
        start[each.cell_starts] = rows
        starts.append(start)
    return FusedChain(tables, starts, prior or FixedRows(tables[0]), np.random.default_rng(3))


def test_tables_of_several_releases_are_visited_together_as_often_as_their_densities_say():
    tables = layouts(0.7)
    listed, weights = exact(tables)
    assert deviation(visited(far_apart(tables)), listed.T, weights) < LARGEST_Z


@pytest.mark.slow
def test_a_chain_that_does_not_see_the_other_release_is_found_out(monkeypatch):
    monkeypatch.setattr(FixedRows, "see", lambda self, counts: None)
    tables = layouts(0.7)
    listed, weights = exact(tables)
    assert deviation(visited(far_apart(tables)), listed.T, weights) > 2 * LARGEST_Z


def at_the_law(tables, chains=CHAINS):
    """Chains that start at draws of the exact law."""
    generator = np.random.default_rng(5)
    listed, weights = exact(tables)
    drawn = listed[:, generator.choice(len(weights), chains, p=weights)]
    cells = len(tables[0].prior)
    return FusedChain(tables, [drawn[:cells], drawn[cells:]], FixedRows(tables[0]), generator)


STEPS = {
    "refill of tables": lambda chain, turn: chain.refill(),
    "refill of one row": lambda chain, turn: chain.refill(alone=True),
    "shift of a margin": lambda chain, turn: chain.shift(turn),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_of_all_releases_leaves_the_law_as_it_is(step):
    chain = at_the_law(layouts(0.7))
    before = stacked(chain)
    for turn in range(3):
        STEPS[step](chain, turn)
    assert [each.state.counts.sum(axis=0).min() / 2 for each in chain.chains] == list(ROWS)
    assert drift(before, stacked(chain)) < LARGEST_Z


def fill_apart(self, chance):
    """Fill in each release as if the others had kept all of their records."""
    filled = []
    for tables, refills, chain in zip(self._tables, self._refills, self.chains, strict=True):
        self.prior.see(self.total - chain.state.counts)
        kept = refills.forget(chain.state.counts, chance)
        filled.append(fused_chain.begin(tables, refills.fill(kept, chain.state.rows, self.prior.cells)))
    return filled


@pytest.mark.fast("shift of a margin-where0*", "refill of tables-where1*")
@pytest.mark.parametrize(
    ("step", "where", "fault"),
    [
        ("shift of a margin", (MarginShifts, "_density"), lambda self, *given: 0.0),
        ("refill of tables", (FusedChain, "_fill"), fill_apart),
        ("refill of one row", (FusedChain, "_fill"), fill_apart),
        ("refill of tables", (FixedRows, "see"), lambda self, counts: None),
        ("shift of a margin", (FixedRows, "see"), lambda self, counts: None),
    ],
)
def test_a_step_with_a_fault_does_not(monkeypatch, step, where, fault):
    chain = at_the_law(layouts(0.7))
    before = stacked(chain)
    monkeypatch.setattr(*where, fault)
    for turn in range(10):
        STEPS[step](chain, turn)
    assert drift(before, stacked(chain)) > LARGEST_Z


def learners(tables):
    """Chains that start at draws of tables and parameters together, and the weights that make them draws of their law."""
    generator = np.random.default_rng(8)
    prior = LearnedRows(tables[0], PRIOR, LEARNERS, generator)
    prior.log = draw_parameters(tables[0], PRIOR, LEARNERS, generator)
    cells = np.exp(prior.log)[prior.parameter_of_cell]
    first, second = all_pairs(tables)
    even = np.ones((1, LEARNERS))
    pairs = zip(first.T[:, :, None], second.T[:, :, None], strict=True)
    logs = np.array([logs_together(tables, one * even, two * even, cells) for one, two in pairs])
    weights = np.exp(logs - logs.max())
    chosen = draw_rows(weights, generator)
    chain = FusedChain(tables, [first[:, chosen], second[:, chosen]], prior, generator)
    return chain, weights.sum(axis=0) / weights.sum(axis=0).mean()


def learned_drift(rounds=2):
    chain, weights = learners(layouts(0.0, ["x"]))
    before = np.concatenate([stacked(chain), chain.prior.log])
    for number in range(rounds):
        chain.round(number, 0.0)
    return drift(before, np.concatenate([stacked(chain), chain.prior.log]), weights)


@pytest.mark.slow
def test_parameters_are_learned_from_the_tables_of_all_releases():
    assert learned_drift() < LARGEST_Z


@pytest.mark.slow
def test_parameters_that_are_learned_from_one_release_alone_are_found_out(monkeypatch):
    learn = LearnedRows.learn

    def alone(self, counts, rate):
        own, self._own = self._own, np.zeros((1, 1))
        found = learn(self, counts, rate)
        self._own = own
        return found

    monkeypatch.setattr(LearnedRows, "learn", alone)
    assert learned_drift() > LARGEST_Z


@pytest.mark.parametrize("learned", [False, True], ids=["declared", "learned"])
def test_one_release_alone_is_visited_as_it_always_was(learned):
    tables = layouts(0.0 if learned else 0.7)[0]
    start = np.zeros((len(tables.prior), 8))
    start[tables.cell_starts] = ROWS[0]
    found = []
    for run, given in ((run_chain, (tables, start)), (run_fused, ([tables], [start]))):
        generator = np.random.default_rng(4)
        prior = LearnedRows(tables, PRIOR, 8, generator) if learned else FixedRows(tables)
        found.append(run(*given, prior, Effort(8, 5, 20), generator))
    np.testing.assert_array_equal(found[0].counts, found[1].counts)
    assert not learned or (found[0].logs == found[1].logs).all()


def test_progress_is_told_and_the_sums_of_all_tables_are_kept():
    tables, told = layouts(0.7), []
    chain = far_apart(tables, 4)
    starts = [each.state.counts for each in chain.chains]
    found = run_fused(tables, starts, FixedRows(tables[0]), Effort(4, 3, 5), np.random.default_rng(1), told.append)
    assert told == list(range(1, 9))
    assert (found.counts.reshape(5, 2, -1, 4)[:, :, :].sum(axis=(1, 2)) == 2 * sum(ROWS)).all()
