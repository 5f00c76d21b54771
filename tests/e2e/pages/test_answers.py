"""Answers that the page computes are those of Python on the same draws, and of `query` up to chance."""

import numpy as np
import pytest
from support.browser import figures
from support.pages import Guessed, known_network, page_of

from discreet import Network, PointPosterior, Variable
from discreet.page.answers import answer
from discreet.page.draws import unpack_tables

PARTS = ("probability", "lower", "upper", "privacy")
CLOSE = 1e-9
# Evidence on so many nodes, and how many draws: the more of water is observed, the less there is to compute.
ASKED = {"asia": ((0, 1, 3), 200), "alarm": ((0, 2, 9), 60), "hailfinder": ((0, 3, 12), 20), "water": ((8, 12), 4)}


def draws_of(network, content):
    return unpack_tables(network, *(content[part] for part in ("means", "draws", "outer", "inner")))


def unasked(text):
    """A page that does not compute all it shows when it opens, which of a wide network takes long; it can be asked."""
    return text.replace('"wide":null', '"wide":"not asked at first"')


def draw_evidence(network, tables, count, generator):
    """Levels of some nodes that one record has, so that they are possible together."""
    record = PointPosterior(network, tables).sample(1, generator).row(0, named=True)
    chosen = generator.choice(network.nodes, count, replace=False)
    return {str(node): record[node] for node in chosen}


def largest_gap(found, draws, given, nodes=None):
    """How far the answers of a page are from Python's, over these nodes, or over all that are not observed."""
    network = draws.network
    codes = {node: network.level_index(node, level) for node, level in given.items()}
    gaps = []
    for node in nodes or [node for node in network.nodes if node not in given]:
        expected = answer(draws, node, codes)
        for part in PARTS:
            values = [found[node][level][part] for level in network.variable(node).levels]
            gaps.append(float(np.abs(np.array(values) - getattr(expected, part)).max()))
    return max(gaps)


@pytest.mark.parametrize("name", ASKED)
def test_the_page_answers_as_python_does_on_the_same_draws(name, visit):
    network, tables = known_network(name)
    (counts, draws), generator = ASKED[name], np.random.default_rng(7)
    content, text = page_of(Guessed(network), count=draws)
    decoded = draws_of(network, content)
    page = visit(unasked(text) if name == "water" else text).ready()
    for count in counts:
        given = draw_evidence(network, tables, count, generator)
        assert largest_gap(figures(page, given), decoded, given) < CLOSE


def test_an_answer_from_other_draws_is_noticed(visit):
    """The comparison above can fail: draws of another seed are off by far more."""
    network, _ = known_network("asia")
    content, text = page_of(Guessed(network), count=200)
    other, _ = page_of(Guessed(network), count=198)
    found = figures(visit(text).ready(), {"smoke": "yes"})
    assert largest_gap(found, draws_of(network, content), {"smoke": "yes"}) < CLOSE
    assert largest_gap(found, draws_of(network, other), {"smoke": "yes"}) > 1e-4


def test_the_page_of_a_release_agrees_with_query(clinic_release, clinic_page, visit):
    """Probabilities to the last digits, the ends of intervals and privacy's share up to the chance of a thousand draws."""
    page, posterior = visit(clinic_page).ready(), clinic_release.posterior
    for node, given in (("lung", {"smoke": "yes"}), ("dysp", {}), ("bronc", {"dysp": "yes", "xray": "no"})):
        expected, found = posterior.query(node, given, draws=4000, generator=3), figures(page, given)[node]
        for place, level in enumerate(expected.keys()):
            width = expected.upper[place] - expected.lower[place]
            assert found[level]["probability"] == pytest.approx(expected[level], abs=CLOSE)
            assert found[level]["lower"] == pytest.approx(expected.lower[place], abs=0.12 * width)
            assert found[level]["upper"] == pytest.approx(expected.upper[place], abs=0.12 * width)
            assert found[level]["privacy"] == pytest.approx(expected.noise[place], abs=0.2)


def test_evidence_does_not_weigh_draws(visit):
    """Two nodes without an arrow: one new record's level of the one says nothing about the parameters of the other."""
    network = Network([Variable("a", ["x", "y"]), Variable("b", ["x", "y"])])
    page = visit(page_of(Guessed(network), count=400)[1]).ready()
    assert figures(page, {"a": "x"})["b"]["x"] == pytest.approx(figures(page, {})["b"]["x"])


def test_hundreds_of_observed_features_do_not_underflow(visit):
    """Each of 300 features has twenty levels: all of them together have a probability of about 10^-390."""
    names, levels = [f"x{number}" for number in range(300)], [str(level) for level in range(20)]
    features = [Variable(name, levels) for name in names]
    network = Network([Variable("y", ["0", "1"]), *features], {name: ["y"] for name in names})
    content, text = page_of(Guessed(network), count=8)
    given = dict.fromkeys(names, "7")
    found = figures(visit(unasked(text)).ready(), given)
    assert largest_gap(found, draws_of(network, content), given, ["y"]) < CLOSE
