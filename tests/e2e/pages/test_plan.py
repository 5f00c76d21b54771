"""The steward's page: a slider over epsilon, on records that were simulated; what it shows is what plans and releases say."""

import re
import time

import numpy as np
import polars as pl
import pytest
from support.pages import known_network
from support.seeing import faults

import discreet as dc
from discreet.experiments.chest_clinic import chest_clinic
from discreet.page import room
from discreet.page.report import percent
from discreet.planning.example_records import draw_example
from discreet.planning.plan_grid import EPSILONS

ROWS = 2000
NETWORK = dc.Network(
    [dc.Variable(name, ["no", "yes"]) for name in ("smoke", "dust", "lung", "xray")],
    {"lung": ["smoke", "dust"], "xray": ["lung"]},
)
QUESTION = ("lung", {"smoke": "yes"})


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    ledger = dc.Ledger(tmp_path_factory.mktemp("ledger") / "a.ledger", cap="1")
    ledger.charge(dc.PureDP("0.4"), "before")
    return dc.plan_grid(NETWORK, ROWS, question=QUESTION, width=0.1, ledger=ledger)


@pytest.fixture(scope="module")
def page_text(grid):
    return grid.to_html(file="clinic.bif")


def move(page, epsilon):
    page.get_by_label("Epsilon", exact=True).last.fill(str(EPSILONS.index(epsilon)))
    page.wait_for_function("() => !document.querySelector('.answer .notice').textContent")


def panel(page):
    return page.locator(".slid").inner_text().replace("\u00a0", " ")


def width(page, epsilon, node, given=(), network=NETWORK):
    """Of the first level's interval on the simulated records; without noise where there is no epsilon."""
    place = None if epsilon is None else EPSILONS.index(epsilon)
    seen = [[network.nodes.index(other), network.level_index(other, level)] for other, level in dict(given).items()]
    script = "([place, seen, node]) => discreet.width(place, {seen: new Map(seen), made: new Map()}, node, 0)"
    return page.evaluate(script, [place, seen, network.nodes.index(node)])


def test_the_slider_says_what_an_epsilon_promises_costs_and_leaves(page_text, grid, visit):
    page = visit(page_text).ready()
    for epsilon in ("0.05", "0.5", "0.8"):
        move(page, epsilon)
        point = next(each for each in grid.points if each.epsilon == epsilon)
        assert f"epsilon {epsilon}" in panel(page)
        assert point.guarantee.meaning in panel(page)
        error = percent(point.errors[point.mechanism]).removesuffix(" %")
        assert f"{point.mechanism} would be off by {error} points in a probability" in panel(page)
        assert f"--epsilon {epsilon} " in page.locator(".code").first.inner_text()
    assert "The ledger would refuse it: data set default has 0.6 left." in panel(page)
    move(page, "0.25")
    assert "It would leave 0.35 of the 0.6 that data set default has left." in panel(page)
    assert page.locator(".odds td").first.inner_text().replace("\u00a0", " ") == "56.3 %"


def test_whiskers_grow_as_epsilon_falls(page_text, visit):
    page = visit(page_text).ready()
    widths = [width(page, epsilon, "lung", {"smoke": "yes"}) for epsilon in ("0.05", "0.2", "1", "10", None)]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 3 * widths[-1]
    shown = []
    for epsilon in ("0.05", "5"):
        move(page, epsilon)
        page.wait_for_timeout(300)
        bar = page.get_by_role("button", name=re.compile("^lung = no:"))
        shown.append([bar.locator(part).bounding_box()["width"] for part in (".added", ".sampling")])
    assert shown[0][0] > 1.5 * shown[1][0]
    assert shown[0][1] / shown[0][0] < shown[1][1] / shown[1][0]


def compare_widths(page, network, rows, epsilon, asked, releases):
    """Widths on the page by those that releases of the very same records show, question by question."""
    codes = draw_example(network, rows)
    levels = {variable.name: variable.levels for variable in network.variables}
    records = pl.DataFrame({node: [levels[node][code] for code in codes[node]] for node in network.nodes})
    made = [
        dc.release(records, network, "auto", epsilon=epsilon, ledger=dc.Ledger.unlimited(), prior=dc.UNIFORM)
        for _ in range(releases)
    ]
    ratios = []
    for node, given in asked:
        answers = [each.posterior.query(node, given, generator=1) for each in made]
        found = np.median([answer.upper[0] - answer.lower[0] for answer in answers])
        ratios.append(width(page, epsilon, node, given, network) / found)
    return float(np.exp(np.log(ratios).mean()))


@pytest.mark.slow
def test_whiskers_are_about_as_wide_as_those_of_releases(page_text, visit):
    """On average over questions within a fifth; an epsilon half as large would be far off."""
    page = visit(page_text).ready()
    asked = [("lung", {"smoke": "yes"}), ("xray", {}), ("smoke", {"xray": "yes"}), ("dust", {})]
    ratio = compare_widths(page, NETWORK, ROWS, "0.2", asked, 2)
    assert 1 / 1.2 < ratio < 1.2
    wrong = np.mean([np.log(width(page, "0.1", *each) / width(page, "0.2", *each)) for each in asked])
    assert ratio * np.exp(wrong) > 1.2


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.05", "0.2", "1"])
def test_whiskers_of_the_clinic_are_about_as_wide_as_those_of_releases(epsilon, visit):
    network = chest_clinic().network
    page = visit(dc.plan_grid(network, 5000).to_html()).ready()
    asked = [("tub", {}), ("lung", {"smoke": "yes"}), ("dysp", {}), ("bronc", {"dysp": "yes"}), ("smoke", {"xray": "yes"})]
    assert 0.85 < compare_widths(page, network, 5000, epsilon, asked, 3) < 1.18


@pytest.mark.slow
def test_levels_are_observed_set_and_compared_as_on_the_page_of_a_release(page_text, visit):
    page = visit(page_text).ready()
    page.get_by_label("Node to ask about").select_option(label="lung")
    page.get_by_role("button", name="Set", exact=True).click()
    page.get_by_role("button", name=re.compile("^smoke = yes:")).click()
    assert page.locator(".sentence").last.inner_text().startswith("P(lung = no | do(smoke = yes)) = ")
    assert page.locator(".comparison").inner_text().startswith("Against before: ")
    move(page, "0.01")
    assert "do(smoke = yes)" in page.locator(".sentence").last.inner_text()


@pytest.mark.slow
def test_the_smallest_epsilon_for_the_planned_question_and_for_any_other(page_text, grid, visit):
    page = visit(page_text).ready()
    aside = page.get_by_label("About this plan")
    assert grid.question.verdict in aside.inner_text()
    aside.get_by_role("button", name="Find").first.click()
    smallest = next(each for each in grid.points if each.width <= 0.1).epsilon
    assert f"About epsilon {smallest}:" in aside.get_by_role("status").first.inner_text()
    assert f"epsilon {smallest}" in panel(page)
    aside.get_by_label("An interval of").first.fill("0.5")
    aside.get_by_role("button", name="Find").first.click()
    assert "Not at any epsilon up to 10:" in aside.get_by_role("status").first.inner_text()
    page.get_by_label("Node to ask about").select_option(label="dust")
    aside.get_by_label("An interval of").last.fill("8")
    aside.get_by_role("button", name="Find").last.click()
    aside.get_by_text("makes it that narrow with these records").wait_for()
    found = re.search(r"epsilon ([\d.]+)", aside.get_by_role("status").last.inner_text())[1]
    before = EPSILONS[EPSILONS.index(found) - 1]
    assert width(page, found, "dust") <= 0.08 < width(page, before, "dust")


def test_mechanisms_and_edges_are_those_of_the_plan(page_text, grid, visit):
    page = visit(page_text).ready()
    move(page, "1")
    page.get_by_role("button", name="Mechanisms and edges").click()
    point = next(each for each in grid.points if each.epsilon == "1")
    rows = page.locator("main table").first.locator("tbody tr").all_inner_texts()
    assert len(rows) == len(point.errors)
    assert rows[0].startswith(min(point.errors, key=point.errors.get))
    assert page.locator(".curve").count() == len(point.errors)
    costly = grid.example.edges["1"][0]
    assert page.locator("main table").last.locator("tbody th").first.inner_text() == f"{costly.parent} → {costly.child}"
    assert page.locator("path.arrow.cost-3 title").first.text_content().startswith("without ")


@pytest.mark.slow
def test_the_keyboard_alone_moves_the_slider(page_text, visit):
    page = visit(page_text).ready()
    page.get_by_label("Epsilon", exact=True).last.focus()
    before = page.locator("output.epsilon").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator("output.epsilon").inner_text() != before
    page.keyboard.press("Home")
    assert page.locator("output.epsilon").inner_text() == "epsilon 0.01"


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_no_fault(page_text, visit, scheme, width):
    page = visit(page_text, color_scheme=scheme, viewport={"width": width, "height": 900}).ready()
    for view in ("Graph", "List", "Mechanisms and edges"):
        page.get_by_role("button", name=view, exact=True).click()
        assert faults(page) == [], view
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_line_says_how_far_predictions_are_off(visit):
    model = dc.LinearModel({"height": (140, 210), "<b>age": (18, 90)}, ("weight", (40, 140)))
    grid = dc.plan_grid(model, ROWS, "1e-6")
    page = visit(grid.to_html(file="weight.toml")).ready()
    page.get_by_label("Epsilon", exact=True).last.fill(str(EPSILONS.index("1")))
    point = next(each for each in grid.points if each.epsilon == "1")
    error = point.errors[point.mechanism]
    assert f"Within {1.645 * error:.4g} either way" in page.locator(".prediction").inner_text()
    assert "in the expected weight" in panel(page)
    assert faults(page) == []


def test_names_are_shown_and_not_obeyed(visit):
    hostile = "</script><img src=x onerror=alert(1)>"
    network = dc.Network([dc.Variable(hostile, ["<b>yes</b>", "نعم"]), dc.Variable("مرحبا", ["a", "b"])], {"مرحبا": [hostile]})
    page = visit(dc.plan_grid(network, ROWS).to_html(file=hostile)).ready()
    page.locator(".bar").first.click()
    page.get_by_role("button", name="Mechanisms and edges").click()
    assert hostile in page.locator("main table").last.inner_text()
    assert page.locator("img, #page script, #page b").count() == 0


@pytest.mark.slow
def test_a_network_too_wide_for_a_browser_says_so_and_keeps_the_rest(visit, monkeypatch):
    monkeypatch.setattr(room, "_MOST_WORK", 1)
    page = visit(dc.plan_grid(NETWORK, ROWS).to_html()).ready()
    assert "too many for a browser" in page.locator(".question").last.inner_text()
    page.get_by_role("button", name="Mechanisms and edges").click()
    assert page.locator(".curve").count() >= 4


@pytest.mark.slow
def test_the_grid_of_alarm_takes_seconds_and_its_page_is_small():
    began = time.process_time()
    text = dc.plan_grid(known_network("alarm")[0], 10_000).to_html()
    assert time.process_time() - began < 20
    assert len(text.encode()) < 400_000
