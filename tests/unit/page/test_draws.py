"""What a page carries of a posterior: draws in two bytes, in an order that tells noise from sampling."""

import numpy as np
import pytest
from support.pages import Guessed

from discreet import Network, Variable
from discreet.page.answers import answer, summarise_table
from discreet.page.draws import Draws, draw_tables, pack_means, pack_tables, unpack_tables
from discreet.posterior.dirichlet import DirichletPosterior

NETWORK = Network([Variable("a", ["x", "y"]), Variable("b", ["p", "q", "r"])], {"b": ["a"]})
FINEST = 1 / 65535


def drawn(network=NETWORK, count=40):
    return draw_tables(Guessed(network), count)


def rounded(table):
    """A table of one node, configurations x levels x draws, as a page has it."""
    network = Network([Variable("a", [str(level) for level in range(table.shape[1])])])
    draws = Draws.rounded(network, {"a": table[..., 0]}, {"a": table}, table.shape[-1], 1)
    return unpack_tables(network, pack_means(draws), pack_tables(draws), draws.outer, 1).tables["a"]


def shares(table, draws):
    """Which shares of the variance of the first node are privacy, had it this table."""
    return summarise_table(Draws.rounded(NETWORK, draws.mean, {"a": table}, draws.outer, draws.inner), "a").privacy


def test_text_and_back_gives_the_same_draws():
    draws = drawn()
    again = unpack_tables(NETWORK, pack_means(draws), pack_tables(draws), draws.outer, draws.inner)
    for node in NETWORK.nodes:
        assert (again.mean[node] == draws.mean[node]).all()
        assert (again.tables[node] == draws.tables[node]).all()


def test_rows_sum_to_one_and_what_is_possible_stays_possible():
    """Tiny probabilities are rounded, never to zero; what is zero stays zero."""
    tiny = np.array([[[1e-30], [1e-9], [1.0]], [[0.0], [0.25], [0.75]]])
    found = rounded(tiny[:1])[0, :, 0]
    assert (found > 0).all()
    assert found[1] == pytest.approx(1e-9, rel=0.01)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert rounded(tiny[1:])[0, 0, 0] == 0


@pytest.mark.parametrize("probability", [0.5, 0.1, 1e-3, 1e-5, 1e-7])
def test_rounding_is_far_below_what_chance_leaves_open(probability):
    """A step of the fourth root is four steps of the logarithm at 1, and more below: under a thousandth at 10^-7."""
    found = rounded(np.array([[[probability], [1 - probability]]]))[0, 0, 0]
    assert found == pytest.approx(probability, rel=max(2 * FINEST / probability**0.25, 1e-4) * 1.1)


def test_draws_of_the_same_tables_stand_next_to_one_another():
    """All of the variance is noise where the draws of the same tables are equal, and none where tables never differ."""
    draws = drawn(count=200)
    pairs = draws.tables["a"].reshape(1, 2, -1, 2)
    assert shares(np.repeat(pairs[..., :1], 2, axis=-1).reshape(1, 2, -1), draws) == pytest.approx(1)
    generator = np.random.default_rng(5)
    shuffled = draws.tables["a"][..., generator.permutation(draws.count)]
    assert (shares(shuffled, draws) < 0.25).all()
    assert (shares(draws.tables["a"], draws) > 0.5).all()


def test_a_posterior_without_noise_has_intervals_and_no_split():
    draws = draw_tables(DirichletPosterior(NETWORK), 64)
    found = answer(draws, "b", {"a": 1})
    assert (draws.outer, draws.inner) == (64, 1)
    assert found.privacy is None
    assert (found.lower < found.probability).all()
    assert (found.probability < found.upper).all()


def test_the_same_posterior_gives_the_same_draws():
    assert pack_tables(drawn()) == pack_tables(drawn())
