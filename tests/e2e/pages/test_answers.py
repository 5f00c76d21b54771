"""Answers that the page computes are those of Python on the same draws, and of `query` up to chance."""

import re

import numpy as np
import pytest
from support.browser import figures
from support.pages import Guessed, Stuck, known_network, page_of

from discreet import Network, PointPosterior, Variable
from discreet.page.answers import answer, contrast, rough, rough_rows
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


def coded(network, levels):
    return {node: network.level_index(node, level) for node, level in levels.items()}


def largest_gap(found, draws, given, nodes=None, do=None):
    """How far the answers of a page are from Python's, over these nodes, or over all that are not certain."""
    network, made = draws.network, do or {}
    gaps = []
    for node in nodes or [node for node in network.nodes if node not in given and node not in made]:
        expected = answer(draws, node, coded(network, given), coded(network, made))
        for part in PARTS:
            values = [found[node][level][part] for level in network.variable(node).levels]
            gaps.append(float(np.abs(np.array(values) - getattr(expected, part)).max()))
    return max(gaps)


@pytest.mark.parametrize("name", ["asia", *(pytest.param(name, marks=pytest.mark.slow) for name in ASKED if name != "asia")])
def test_the_page_answers_as_python_does_on_the_same_draws(name, visit):
    """Given levels that are seen, and given some of them that are set."""
    network, tables = known_network(name)
    (counts, draws), generator = ASKED[name], np.random.default_rng(7)
    content, text = page_of(Guessed(network), count=draws)
    decoded = draws_of(network, content)
    page = visit(unasked(text) if name == "water" else text).ready()
    for count in counts:
        given = draw_evidence(network, tables, count, generator)
        assert largest_gap(figures(page, given), decoded, given) < CLOSE
        made = dict(list(given.items())[: count // 2 + 1])
        seen = {node: level for node, level in given.items() if node not in made}
        if made:
            assert largest_gap(figures(page, seen, made), decoded, seen, do=made) < CLOSE


@pytest.mark.slow
def test_one_node_of_a_wide_network_is_answered_as_python_does(visit):
    """Pigs has 441 nodes. Intervals of all would take long, so the page computes those of one; what was seen lies below it."""
    network, tables = known_network("pigs")
    content, text = page_of(Guessed(network), count=32)
    page, decoded = visit(unasked(text)).ready(), draws_of(network, content)
    record = draw_evidence(network, tables, len(network.nodes), np.random.default_rng(3))
    seen = next(node for node in reversed(network.nodes) if network.parents[node])
    above = network.parents[seen][0]
    target = next(iter(network.parents[above]), above)
    given = {seen: record[seen]}
    found = figures(page, given, asked=target)
    assert largest_gap(found, decoded, given, [target]) < CLOSE
    other = next(node for node in network.nodes if node not in given and node != target)
    codes = coded(network, given)
    levels = network.variable(other).levels
    assert [found[other][level]["probability"] for level in levels] == pytest.approx(answer(decoded, other, codes).probability)
    assert all("lower" not in found[other][level] for level in levels)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(({}, {"smoke": "yes"}), ({}, {"smoke": "no"}), id="do", marks=pytest.mark.slow),
        pytest.param(({"smoke": "yes"}, {}), ({"smoke": "no"}, {}), id="given", marks=pytest.mark.slow),
        pytest.param(({"xray": "yes"}, {"either": "no"}), ({}, {}), id="both against nothing"),
    ],
)
def test_differences_and_ratios_are_those_of_python_on_the_same_draws(one, other, visit):
    network, _ = known_network("asia")
    content, text = page_of(Guessed(network), count=200)
    asked = [{"given": given, "set": made} for given, made in (one, other)]
    found = visit(text).ready().evaluate("([one, other]) => discreet.compare('dysp', one, other)", asked)
    expected = contrast(
        draws_of(network, content), "dysp", *(tuple(coded(network, part) for part in side) for side in (one, other))
    )
    for place, level in enumerate(network.variable("dysp").levels):
        for name, summary in (("difference", expected.difference), ("ratio", expected.ratio)):
            values = [summary.probability[place], summary.lower[place], summary.upper[place]]
            assert [found[level][name][part] for part in ("value", "lower", "upper")] == pytest.approx(values, abs=CLOSE)
        assert found[level]["privacy"] == pytest.approx(expected.difference.privacy[place], abs=CLOSE)


@pytest.mark.slow
def test_a_difference_of_the_page_is_that_of_compare_up_to_chance(clinic_release, clinic_page, visit):
    page, posterior = visit(clinic_page).ready(), clinic_release.posterior
    asked = [{"given": {}, "set": {"smoke": level}} for level in ("yes", "no")]
    found = page.evaluate("([one, other]) => discreet.compare('lung', one, other)", asked)["yes"]
    expected = posterior.compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}), draws=4000, generator=3)
    index = expected.first.levels[0].index("yes")
    width = expected.difference.upper[index] - expected.difference.lower[index]
    assert found["difference"]["value"] == pytest.approx(expected.difference.value[index], abs=CLOSE)
    assert found["difference"]["lower"] == pytest.approx(expected.difference.lower[index], abs=0.15 * width)
    assert found["difference"]["upper"] == pytest.approx(expected.difference.upper[index], abs=0.15 * width)


def test_the_page_finds_the_r_hat_of_python_and_says_which_answers_are_rough(visit):
    """Chains that stand at different places in the table of one node: answers about it are rough, others are not."""
    network, _ = known_network("asia")
    content, text = page_of(Stuck(network, at="lung"), count=400)
    page, draws = visit(text).ready(), draws_of(network, content)
    found = figures(page, {})
    for node in network.nodes:
        expected = rough(draws, node, {}, 4)
        said = found[node][network.variable(node).levels[0]]["rough"]
        assert said == (None if expected <= content["agreement"]["limit"] else pytest.approx(expected, rel=CLOSE))
    assert found["lung"]["yes"]["rough"] > 1.3
    assert found["smoke"]["yes"]["rough"] is None
    page.get_by_role("button", name="Ask about lung").click()
    assert "The chains do not agree on this answer (R-hat " in page.locator(".caution").inner_text()
    assert "; a rough interval" in page.get_by_role("button", name=re.compile("^lung = yes:")).get_attribute("aria-label")
    page.get_by_role("button", name="Ask about smoke").click()
    assert page.locator(".caution").inner_text() == ""
    page.get_by_role("button", name="Tables").click()
    for node in network.nodes:
        marks = page.get_by_label(f"Table of {node}").locator(".rough").all()
        levels = network.variable(node).size
        limit, rows = content["agreement"]["limit"], rough_rows(draws, node, 4).repeat(levels)
        assert [mark.get_attribute("title").split()[-1] for mark in marks] == [f"{row:.2f}" for row in rows if row > limit]
        assert bool(marks) == (node == "lung")


@pytest.mark.slow
def test_chains_that_agree_are_hardly_ever_called_rough(visit):
    """Independent draws as if of four chains, and so few of them that chance alone makes R-hat large."""
    network, _ = known_network("hailfinder")
    content, text = page_of(Stuck(network, at=None), count=64)
    assert content["agreement"]["limit"] > 1.1
    found = figures(visit(text).ready(), {})
    called = [node for node, levels in found.items() if next(iter(levels.values()))["rough"] is not None]
    assert len(called) <= 2


@pytest.mark.slow
def test_an_answer_from_other_draws_is_noticed(visit):
    """The comparison above can fail: draws of another seed are off by far more."""
    network, _ = known_network("asia")
    content, text = page_of(Guessed(network), count=200)
    other, _ = page_of(Guessed(network), count=198)
    found = figures(visit(text).ready(), {"smoke": "yes"})
    assert largest_gap(found, draws_of(network, content), {"smoke": "yes"}) < CLOSE
    assert largest_gap(found, draws_of(network, other), {"smoke": "yes"}) > 1e-4


def test_the_page_of_a_release_agrees_with_query(clinic_release, clinic_page, visit):
    """Probabilities to the last digits, the ends of intervals and privacy's share up to the chance of a thousand draws.

    Of the same chains: those of a question could go on, which those of a page do not.
    """
    page, posterior = visit(clinic_page).ready(), clinic_release.posterior
    posterior = posterior.with_rounds(posterior.rounds)
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


@pytest.mark.slow
def test_hundreds_of_observed_features_do_not_underflow(visit):
    """Each of 300 features has twenty levels: all of them together have a probability of about 10^-390."""
    names, levels = [f"x{number}" for number in range(300)], [str(level) for level in range(20)]
    features = [Variable(name, levels) for name in names]
    network = Network([Variable("y", ["0", "1"]), *features], {name: ["y"] for name in names})
    content, text = page_of(Guessed(network), count=8)
    given = dict.fromkeys(names, "7")
    found = figures(visit(unasked(text)).ready(), given)
    assert largest_gap(found, draws_of(network, content), given, ["y"]) < CLOSE
