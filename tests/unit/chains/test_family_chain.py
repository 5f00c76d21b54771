"""The chain over true tables, against the sum over all tables that there are."""

from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from scipy.special import gammaincc
from support.measurements import counts as counted
from support.measurements import part_noise

from discreet import Network, Variable
from discreet.chains.exact_counts import exact_counts
from discreet.chains.family_chain import Effort, FamilyChain, FamilyState, begin, log_densities, run_chain
from discreet.chains.family_forms import FamilyForms
from discreet.chains.family_tables import family_tables
from discreet.chains.record_moves import record_moves
from discreet.errors import QueryError
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.published import Published
from discreet.model.prior import UNIFORM, Symmetric, TablePrior

COIN = Network([Variable("coin", ["head", "tail"])])
WIDE = Network(
    [Variable("a", list("01")), Variable("b", list("012")), Variable("c", list("01")), Variable("d", list("0123"))],
    {"c": ["a", "b"], "d": ["b"]},
)
SMALL = Network([Variable(name, list("01")) for name in "abcd"], {"c": ["a", "b"], "d": ["b"]})
ROWS = 4


def measured(law, *, contrast=False):
    """Tables of c given a and b, and of d given b, which says something about the margin of b."""
    generator = np.random.default_rng(4)
    last = () if contrast else (2,)
    tables = {members: generator.integers(-3, 6, (2,) * (len(members) - 1) + last).astype(float) for members in ("abc", "bd")}
    statistic = Statistic.CONTRAST if contrast else Statistic.COUNTS
    return [Measurement(tuple(members), statistic, law, table) for members, table in tables.items()]


def tables_for(network, prior, measurements, families=None):
    return family_tables(Published(network, tuple(measurements), ROWS), prior, families)


def all_tables(cells, rows):
    return np.array([table for table in product(range(rows + 1), repeat=cells) if sum(table) == rows], dtype=float)


@pytest.mark.parametrize(
    ("law", "contrast"),
    [(LaplaceNoise(2.0), False), (GaussianNoise(5.0), False), (part_noise(3, 1), True)],
    ids=["Laplace", "Gaussian", "K-norm"],
)
@pytest.mark.parametrize("prior", [UNIFORM, Symmetric(0.5)], ids=["uniform", "Jeffreys"])
def test_tables_are_visited_as_often_as_their_densities_say(law, contrast, prior):
    tables = tables_for(SMALL, prior, measured(law, contrast=contrast), [SMALL.family("c")])
    assert bool(tables.forms) != contrast  # table d says something about table c; differences of d do not
    listed = all_tables(8, ROWS)
    density = np.exp(log_densities(tables, listed.T)[0])
    weights = density / density.sum()
    kept = run_chain(
        tables, np.full((8, 256), 0.5) + np.array([[0.5], [-0.5]] * 4), Effort(256, 30, 100), np.random.default_rng(2)
    )
    assert (kept.sum(axis=1) == ROWS).all()
    for seen, expected in (
        (kept, weights @ listed),
        (kept**2, weights @ listed**2),
        (kept == 0, weights @ (listed == 0)),
        (kept[:, :4] * kept[:, 4:], weights @ (listed[:, :4] * listed[:, 4:])),
    ):
        means = seen.mean(axis=0)  # of each chain; the chains are independent
        deviation = (means.mean(axis=1) - expected) / (means.std(axis=1) / np.sqrt(256))
        assert np.abs(deviation).max() < 4.5


@pytest.mark.parametrize("part", [1, 3])
def test_numbers_of_one_part_have_noise_together_and_others_alone(part):
    die = Network([Variable("die", list("012"))])
    shape = 2
    noisy = np.array([9.0, -4.0, 3.0])
    tables = tables_for(die, UNIFORM, [counted(["die"], part_noise(shape, 3, part), noisy)])
    counts = np.array([[4.0, 1.0, 2.0], [3.0, 3.0, 1.0], [0.0, 0.0, 7.0]])
    norms = np.abs(noisy - counts) if part == 1 else np.abs(noisy - counts).sum(axis=1, keepdims=True)
    expected = np.log(gammaincc(shape, norms / 3.0)).sum(axis=1)
    found = log_densities(tables, counts.T)[0]
    np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=2e-4)  # tails come from tables


@pytest.mark.parametrize(("last", "owned"), [("d", True), ("b", False)])
def test_a_part_that_runs_along_a_parent_is_not_taken_for_a_row(last, owned):
    members = {"d": ("b", "d"), "b": ("d", "b")}[last]
    network = Network([Variable("b", list("012")), Variable("d", list("012"))], {"d": ["b"]})
    measurement = counted(members, part_noise(2, 3, 3), np.zeros((3, 3)))
    tables = tables_for(network, UNIFORM, [measurement], [network.family("d")])
    assert (tables.coordinate > 0).all() == owned
    assert bool(tables.forms) != owned  # what is not the family's own enters as what other tables say


@pytest.mark.parametrize(
    ("nodes", "law"),
    [("abc", LaplaceNoise(3.0)), ("abc", part_noise(2, 3)), ("bd", part_noise(2, 3, 4))],
    ids=["Laplace", "alone", "together"],
)
def test_the_state_after_moves_is_that_of_a_start_at_the_same_tables(nodes, law):
    noisy = np.full([WIDE.variable(node).size for node in nodes], 7.0)
    tables = tables_for(WIDE, Symmetric(0.5), [counted(nodes, law, noisy)])
    chain = FamilyChain(tables, np.full((len(tables.prior), 4), 10.0), np.random.default_rng(1))
    for kind in 3 * record_moves(tables.families):
        chain.step(kind)
    state = chain.state
    assert (state.counts != 10).any(axis=1).mean() > 0.5
    direct = begin(tables, state.counts)
    for part in fields(FamilyState):
        np.testing.assert_allclose(getattr(state, part.name), getattr(direct, part.name), atol=1e-9, err_msg=part.name)


def test_pairs_of_a_step_share_no_row_and_differ_in_one_node():
    families = sorted(WIDE.families, key=lambda family: -family.cells)
    tables = tables_for(WIDE, UNIFORM, [])
    generator = np.random.default_rng(1)
    seen = set()
    for kind, _ in product(record_moves(families), range(200)):
        pairs = kind.draw(generator)
        rows = tables.row_of_cell[pairs]
        assert (rows[0] == rows[1]).all() == kind.within
        taken = rows[0] if kind.within else rows.ravel()
        assert len(np.unique(taken)) == len(taken)
        for one, two in pairs.T:
            number = tables.family_of_cell[one]
            assert tables.family_of_cell[two] == number
            first, shape = tables.cells_of(number).start, families[number].shape
            places = np.array([np.unravel_index(cell - first, shape) for cell in (one, two)])
            assert (places[0] != places[1]).sum() == 1
            seen.add((int(one), int(two)))
    apart = sum(family.cells * sum(size - 1 for size in family.shape) for family in families)
    assert len(seen) == apart  # every two cells that differ in one node are drawn some time, either way


def test_moves_are_accepted_one_after_another():
    tables = tables_for(SMALL, UNIFORM, measured(LaplaceNoise(0.5)))
    forms, generator = FamilyForms(tables), np.random.default_rng(3)
    counts = generator.integers(0, 9, (len(tables.prior), 5)).astype(float)
    for kind in 20 * record_moves(tables.families):
        pairs = kind.draw(generator)
        size = generator.integers(-3, 4, (pairs.shape[1], 5)).astype(float)
        change = generator.normal(0, 20, size.shape)
        found = forms.accept(kind, pairs, size, change, counts)
        state = counts.copy()
        for move, (left, right) in enumerate(pairs.T):
            after = state.copy()
            after[left] -= size[move]
            after[right] += size[move]
            told = [
                sum(
                    (table[cells] * (linear[:, None] - matrix @ table[cells] / 2)).sum(axis=0)
                    for cells, matrix, linear in ((tables.cells_of(number), *form) for number, form in tables.forms.items())
                )
                for table in (state, after)
            ]
            accepted = change[move] + told[1] - told[0] > 0
            assert (found[move] == accepted).all()
            state[:, accepted] = after[:, accepted]


@pytest.mark.parametrize(
    ("law", "noisy"),
    [(LaplaceNoise(4.0), [30.0, 14.0]), (GaussianNoise(40.0), [30.0, 14.0]), (part_noise(3, 5), 70.0)],
    ids=["Laplace", "Gaussian", "K-norm"],
)
def test_a_family_of_two_cells_is_summed_exactly(law, noisy):
    prior = TablePrior(COIN, {"coin": np.array([[2.0, 0.5]])})
    statistic = Statistic.COUNTS if np.ndim(noisy) else Statistic.CONTRAST
    tables = tables_for(COIN, prior, [Measurement(("coin",), statistic, law, np.array(noisy))])
    counts = np.arange(41.0)
    density = np.exp(log_densities(tables, np.stack([counts, 40 - counts]))[0])
    drawn = exact_counts(tables, 40, 20_000, np.random.default_rng(1))
    assert (drawn.sum(axis=0) == 40).all()
    seen = np.bincount(drawn[0].astype(int), minlength=41) / 20_000
    np.testing.assert_allclose(seen, density / density.sum(), atol=1e-4)  # as nearly as whole numbers of draws can


@pytest.mark.parametrize("scale", [3.0, 1e7])
def test_a_thousand_million_records_are_summed_where_they_are_probable(scale):
    rows, heads = 10**9, 123_456_789
    noisy = counted(["coin"], LaplaceNoise(scale), np.array([heads, rows - heads]))
    drawn = exact_counts(tables_for(COIN, UNIFORM, [noisy]), rows, 50_000, np.random.default_rng(1))[0]
    assert (drawn == np.rint(drawn)).all()
    # Both cells measure the count, so its law is Laplace with half the scale.
    assert drawn.mean() == pytest.approx(heads, abs=scale / 20)
    ratio = np.exp(-2 / scale)
    assert len(np.unique(drawn)) > min(10_000, scale)
    assert drawn.std() == pytest.approx(np.sqrt(2 * ratio) / (1 - ratio), rel=0.03)


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.01])
def test_a_prior_that_rises_towards_none_is_summed_where_noise_is_wide(weight):
    """Far more counts are probable than are looked at, and those next to none are not alike."""
    rows = 10**6
    noisy = counted(["coin"], LaplaceNoise(1e4), np.array([100, rows - 100]))
    tables = tables_for(COIN, Symmetric(weight), [noisy])
    counts = np.arange(rows + 1.0)
    log = log_densities(tables, np.stack([counts, rows - counts]))[0]
    sums = np.cumsum(np.exp(log - log.max()))
    drawn = exact_counts(tables, rows, 20_000, np.random.default_rng(1))[0]
    for count in (0, 1, 10, 100, 1000, 10_000):
        assert (drawn <= count).mean() == pytest.approx(sums[count] / sums[-1], abs=1e-3)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_records_are_summed_as_well(rows):
    tables = tables_for(COIN, UNIFORM, [counted(["coin"], LaplaceNoise(1e-9), np.array([50, -50]))])
    assert (exact_counts(tables, rows, 10, np.random.default_rng(1)) == [[rows], [0]]).all()


def test_a_family_that_was_not_measured_moves():
    tables = tables_for(WIDE, UNIFORM, [], [WIDE.family("d")])
    kept = run_chain(tables, np.full((12, 16), 80.0), Effort(16, 40, 60), np.random.default_rng(1))
    assert (np.diff(kept, axis=0) != 0).any(axis=1).mean() > 0.5


@pytest.mark.parametrize("weight", [1e-2, 1e-3, 1e-6, 1e-12])
def test_a_weak_prior_leaves_the_counts_of_rows_open(weight):
    spread = tables_for(WIDE, Symmetric(weight), [], [WIDE.family("d")]).row_spread
    assert (spread < 2 * weight + 1e-3).all()


def test_what_a_prior_takes_for_nearly_impossible_stays_possible():
    prior = TablePrior(SMALL, {node: np.full((SMALL.family(node).configurations, 2), [1e-5, 1e5]) for node in SMALL.nodes})
    tables = tables_for(SMALL, prior, [], [SMALL.family("c")])
    assert np.isfinite(begin(tables, np.ones((8, 1))).row_logs).all()
    assert np.isfinite(begin(tables, np.zeros((8, 1))).row_logs).all()


def test_huge_networks_get_shorter_chains_and_small_ones_what_was_asked_for():
    asked = Effort(chains=16, warm_up=40, rounds=100)
    assert asked.within(500) == asked
    assert asked.within(10**5) == Effort(16, 40, 2**25 // (16 * 10**5))
    assert asked.within(10**9) == Effort(4, 40, 4)


@pytest.mark.parametrize("given", [{"chains": 3}, {"rounds": 3}, {"warm_up": -1}, {"chains": "many"}, {"rounds": 9.5}])
def test_chains_that_cannot_be_judged_are_refused(given):
    least = 0 if "warm_up" in given else 4
    with pytest.raises(QueryError, match=f"must be a whole number of at least {least}"):
        Effort(**given)
