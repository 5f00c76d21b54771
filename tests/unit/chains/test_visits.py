"""What a posterior that knows about noise is made of: every table that was visited, for any release."""

from fractions import Fraction

import numpy as np
import pytest
from support.measurements import counts, part_noise
from support.true_tables import LARGEST_Z, parameter_grid

from discreet import Network, Variable
from discreet.chains import effort
from discreet.chains.family_chain import Effort
from discreet.chains.visits import Visits, _read, _whole, visit
from discreet.measure import needs
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.published import Published
from discreet.model.prior import LEARNED, UNIFORM, Hierarchical, Symmetric

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4}
NETWORK = Network(
    [Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items()], {"c": ["a", "b"], "d": ["b"]}
)
COIN = Network([Variable("coin", ["head", "tail"])])
PAIR = Network([Variable("y", ["0", "1"]), Variable("x", ["0", "1"])], {"x": ["y"]})
QUICK = Effort(8, 12, 4)


def check_tables(network, visits, rows):
    """Whole numbers that sum to the records, and parameters of which draws can be made."""
    for family in network.families:
        table = visits.counts[family.node]
        assert table.shape == (visits.rounds * visits.chains, family.configurations, family.levels)
        assert (table == np.rint(table)).all()
        assert (table >= 0).all()
        assert (table.sum(axis=(1, 2)) == rows).all()
        found = visits.concentrations(family)
        assert found.shape == table.shape
        assert np.isfinite(found).all()
        assert (found > 0).all()


def released(network, law, rows, nodes=None):
    """Tables of records most of which are alike, so that some counts are huge and others none."""
    generator, measured = np.random.default_rng(3), []
    for family in network.families if nodes is None else map(network.family, nodes):
        table = generator.multinomial(rows, generator.dirichlet(np.full(family.cells, 0.3)))
        measured.append(counts(family.members, law, table.reshape(family.shape)))
    return Published(network, tuple(measured), rows)


@pytest.mark.fast("1/1000-1000000000-four nodes", "10000000-0-four nodes", "1-1-*")
@pytest.mark.parametrize("network", [COIN, NETWORK], ids=["one node", "four nodes"])
@pytest.mark.parametrize("rows", [0, 1, 2, 10**9])
@pytest.mark.parametrize("scale", ["1/1000", "1", "10000000"])
def test_any_number_of_records_and_any_noise_give_whole_tables(network, rows, scale):
    laws = [LaplaceNoise(Fraction(scale)), GaussianNoise(Fraction(scale) ** 2), part_noise(2, Fraction(scale))]
    for law, prior in zip(laws, (UNIFORM, Symmetric(1e-6), LEARNED), strict=True):
        check_tables(network, visit(network, prior, released(network, law, rows), {}, QUICK, 1), rows)


@pytest.mark.slow
def test_rare_levels_move_beside_a_thousand_million_records_of_other_nodes():
    """Nodes without a common family move at once: what is large in one must not hide what is small in another."""
    network = Network(
        [Variable(name, [str(level) for level in range(size)]) for name, size in {"y": 2, "x": 4, "z": 3, "w": 2}.items()],
        {"x": ["y"], "w": ["z"]},
    )
    rows, law = 10**9, LaplaceNoise(Fraction(2))
    even, rare = np.full((2, 4), rows // 8), np.array([[rows - 12, 0], [6, 0], [6, 0]])
    measured = [counts("y", law, even.sum(axis=1)), counts("yx", law, even), counts("z", law, rare.sum(axis=1))]
    visits = visit(network, UNIFORM, Published(network, (*measured, counts("zw", law, rare)), rows), {}, Effort(8, 40, 40), 1)
    check_tables(network, visits, rows)
    assert len(np.unique(visits.counts["z"][:, 0, 1])) > 3


def test_families_too_wide_to_be_tied_run_by_themselves(monkeypatch):
    monkeypatch.setattr(needs, "WIDEST_FAMILY", 2)
    published = released(NETWORK, LaplaceNoise(Fraction(1)), 50)
    monkeypatch.setattr(Published, "near", lambda self, family: np.ones((family.configurations, family.levels)))
    check_tables(NETWORK, visit(NETWORK, LEARNED, published, {}, QUICK, 1), 50)


def test_nodes_without_parents_of_which_nothing_was_published_are_read_off_their_childrens_tables():
    published = released(NETWORK, LaplaceNoise(Fraction(3)), 40, ["c", "d"])
    visits = visit(NETWORK, UNIFORM, published, {}, QUICK, 1)
    check_tables(NETWORK, visits, 40)
    tables = visits.counts["c"].reshape(-1, 2, 3, 2)
    np.testing.assert_array_equal(visits.counts["a"][:, 0], tables.sum(axis=(2, 3)))
    np.testing.assert_array_equal(visits.counts["b"][:, 0], tables.sum(axis=(1, 3)))  # of c, which is laid out first
    learned = visit(NETWORK, LEARNED, published, {}, QUICK, 1)
    np.testing.assert_allclose(learned.parameters["a"], np.full((1, 1, 2), 0.5))
    np.testing.assert_allclose(visits.parameters["a"], np.ones((1, 1, 2)))


def test_a_node_without_parents_that_was_measured_has_a_table_of_its_own():
    published = released(NETWORK, LaplaceNoise(Fraction(3)), 40)
    visits = visit(NETWORK, UNIFORM, published, {}, QUICK, 1)
    assert (visits.counts["a"][:, 0] != visits.counts["c"].reshape(-1, 2, 3, 2).sum(axis=(2, 3))).any()


def test_a_node_without_parents_is_read_off_the_table_that_has_its_prior():
    tables = {"c": np.zeros((1, 6, 2)), "d": np.zeros((1, 3, 4))}
    tables["c"][0, :, 0] = [1, 2, 3, 0, 2, 1]
    tables["d"][0, :, 1] = [2, 3, 4]
    for node, expected in (("c", [1, 4, 4]), ("d", [2, 3, 4])):
        assert _read(NETWORK.family("b"), NETWORK.family(node), tables).tolist() == [[expected]]


def test_whole_numbers_in_proportion_sum_to_the_records():
    shares = np.random.default_rng(1).gamma(0.5, 1, (7, 50)) + 1e-9
    for rows in (0, 1, 10, 12345, 10**9):
        found = _whole(shares, rows)
        assert (found.sum(axis=0) == rows).all()
        assert (np.abs(found - shares * rows / shares.sum(axis=0)) < 1 + 1e-6).all()
        assert (found == np.rint(found)).all()


def test_own_records_are_added_to_every_table_and_count_for_what_is_learned():
    own = {"x": np.array([[400, 100], [300, 200]]), "y": np.array([[500, 500]])}
    published = released(PAIR, LaplaceNoise(Fraction(1)), 30)
    for prior in (UNIFORM, LEARNED):
        visits = visit(PAIR, prior, published, own, QUICK, 1)
        for node in "xy":
            expected = visits.counts[node] + visits.parameters[node] + own[node]
            np.testing.assert_array_equal(visits.concentrations(PAIR.family(node)), expected)
    alone = visit(PAIR, LEARNED, published, {}, Effort(64, 40, 20), 1).parameters["x"].sum(axis=2)
    taught = visit(PAIR, LEARNED, published, own, Effort(64, 40, 20), 1).parameters["x"].sum(axis=2)
    assert np.log(taught).mean() > np.log(alone).mean() + 0.5  # two rows nearly alike: the strength is larger


def test_without_a_release_a_declared_prior_needs_no_chain():
    own = {"coin": np.array([[3, 1]])}
    visits = visit(COIN, UNIFORM, None, own, QUICK, 1)
    np.testing.assert_array_equal(visits.concentrations(COIN.family("coin")), [[[4, 2]]])


@pytest.mark.slow
@pytest.mark.parametrize("prior", [Hierarchical(), Hierarchical(1.2, 2.0, 0.7)], ids=["default", "another"])
def test_own_records_without_a_release_have_the_hierarchical_posterior(prior):
    own = np.array([[9, 1], [0, 2]])
    visits = visit(PAIR, prior, None, {"x": own, "y": np.array([[10, 2]])}, Effort(256, 30, 60), 1)
    found = visits.concentrations(PAIR.family("x"))
    shares = (found[..., 0] / found.sum(axis=2)).reshape(visits.rounds, visits.chains, 2).mean(axis=0)
    error = shares.std(axis=0) / np.sqrt(visits.chains)
    _, _, parameters, weights = parameter_grid(prior, own)
    exact = [np.average((row[0] + parameters[0]) / (row.sum() + parameters.sum(axis=0)), weights=weights) for row in own]
    assert (np.abs(shares.mean(axis=0) - exact) < LARGEST_Z * error).all()
    np.testing.assert_allclose(visits.concentrations(PAIR.family("y")), [[[10.5, 2.5]]] * len(found))


def test_chains_that_are_shortened_to_fit_into_memory_say_how_long_they_are(monkeypatch):
    monkeypatch.setattr(effort, "_KEPT", 23 * 4 * 10)
    visits = visit(NETWORK, UNIFORM, released(NETWORK, LaplaceNoise(Fraction(1)), 20), {}, Effort(8, 4, 400), 1)
    assert NETWORK.cells == 29
    assert (visits.chains, visits.rounds) == (4, 23 * 4 * 10 // (4 * 29))
    check_tables(NETWORK, visits, 20)


def test_visits_are_chosen_evenly_along_the_way_and_the_chains_in_turn():
    visits = Visits(4, 100, {}, {}, {})
    for count in (1, 4, 10, 400, 1000):
        chosen = visits.spread(count, np.random.default_rng(1))
        assert len(chosen) == count
        assert (chosen % 4 == np.arange(count) % 4).all()
        rounds = (chosen // 4)[::4]
        parts = -(-count // 4)
        assert (np.floor(rounds * parts / 100 + 1e-9) <= np.arange(parts)).all()
        assert ((rounds + 1) * parts / 100 > np.arange(parts)).all()


def test_progress_is_told_round_by_round():
    told = []
    visit(COIN, UNIFORM, released(COIN, LaplaceNoise(Fraction(1)), 9), {}, QUICK, 1, told.append)
    assert told == list(range(1, QUICK.total + 1))
