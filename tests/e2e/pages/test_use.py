"""What people do with a page: observe, undo, compare, read tables, copy, predict, print, with the keyboard alone."""

import re

import polars as pl
import pytest
from support.browser import figures
from support.pages import Guessed, known_network, page_of

import discreet as dc
from discreet.page.document import write_page
from discreet.page.payload import payload
from discreet.page.report import percent

SENTENCE = re.compile(
    r"P\(lung = yes \| smoke = yes\) = ([\d.]+) %, 90 % between ([\d.]+) and ([\d.]+) %; .* of the width is privacy\."
)


def bar(page, node, level):
    return page.get_by_role("button", name=re.compile(rf"^{node} = {level}:"))


def ask(page, node, level):
    page.get_by_label("Node to ask about").select_option(label=node)
    page.get_by_label("Level to ask about").select_option(label=level)


def sentence(page):
    return page.locator(".sentence").inner_text().replace("\u00a0", " ")


def test_a_click_observes_a_level_and_another_click_takes_it_back(clinic_page, clinic_release, visit):
    page = visit(clinic_page).ready()
    ask(page, "lung", "yes")
    before = sentence(page)
    assert before.startswith("P(lung = yes) = ")
    bar(page, "smoke", "yes").click()
    assert bar(page, "smoke", "yes").get_attribute("aria-pressed") == "true"
    probability, lower, upper = map(float, SENTENCE.search(sentence(page)).groups())
    expected = clinic_release.posterior.query("lung", {"smoke": "yes"}, interval=None)["yes"]
    assert probability == pytest.approx(100 * expected, abs=0.06)
    assert lower < probability < upper
    assert re.search(r"Before: [\d.]+ %\.$", sentence(page))
    assert "; before " in bar(page, "dysp", "yes").get_attribute("aria-label")
    bar(page, "smoke", "yes").click()
    assert sentence(page) == before
    assert "; before " not in bar(page, "dysp", "yes").get_attribute("aria-label")


@pytest.mark.slow
def test_the_probability_before_is_marked_beside_the_new_one(clinic_page, clinic_release, visit):
    page = visit(clinic_page).ready()
    mark = bar(page, "bronc", "yes").locator(".before")
    assert not mark.is_visible()
    bar(page, "smoke", "yes").click()
    page.wait_for_timeout(300)
    track, box = bar(page, "bronc", "yes").locator(".track").bounding_box(), mark.bounding_box()
    before = clinic_release.posterior.query("bronc", interval=None)["yes"]
    assert (box["x"] + 1 - track["x"]) / track["width"] == pytest.approx(before, abs=0.02)
    assert mark.evaluate("mark => getComputedStyle(mark).backgroundColor") == "rgb(109, 40, 168)"


@pytest.mark.slow
def test_the_whisker_has_two_parts_as_long_as_their_shares(clinic_page, visit):
    """Lengths on the screen, as shares of the track, are those of the interval and of what sampling leaves open."""
    page = visit(clinic_page).ready()
    found = figures(page, {})["dysp"]["yes"]
    track, whole, inner = (
        bar(page, "dysp", "yes").locator(part).bounding_box()["width"] for part in (".track", ".added", ".sampling")
    )
    width = found["upper"] - found["lower"]
    assert whole / track == pytest.approx(width, abs=0.03)
    assert inner / whole == pytest.approx(1 - found["privacy"], abs=0.15)


@pytest.mark.slow
def test_another_level_takes_the_place_of_the_first_and_chips_undo(clinic_page, visit):
    page = visit(clinic_page).ready()
    bar(page, "smoke", "yes").click()
    bar(page, "smoke", "no").click()
    bar(page, "xray", "yes").click()
    assert page.locator(".chip").all_inner_texts() == ["smoke = no ×", "xray = yes ×", "Undo all"]
    page.get_by_role("button", name="Undo smoke = no").click()
    assert page.locator(".chip").all_inner_texts() == ["xray = yes ×"]
    bar(page, "asia", "yes").click()
    page.get_by_role("button", name="Undo all").click()
    assert page.locator(".chip").count() == 0


def test_what_is_impossible_is_not_observed_and_the_page_says_why(visit):
    """A network with a declared impossibility: given the one level, the other has probability zero in every draw."""
    network = dc.Network(
        [dc.Variable("sex", ["male", "female"]), dc.Variable("pregnant", ["yes", "no"])],
        {"pregnant": ["sex"]},
        impossible=[{"sex": "male", "pregnant": "yes"}],
    )
    page = visit(page_of(dc.DirichletPosterior(network), count=64)[1]).ready()
    bar(page, "sex", "male").click()
    assert bar(page, "pregnant", "yes").get_attribute("aria-label").startswith("pregnant = yes: 0\u00a0%")
    bar(page, "pregnant", "yes").click()
    assert page.locator(".notice").inner_text() == "pregnant = yes is impossible where sex = male; it was not set."
    assert page.locator(".chip").all_inner_texts() == ["sex = male ×"]
    assert figures(page, {"sex": "male", "pregnant": "yes"}) == "impossible"


def test_the_tables_have_every_conditional_probability_with_its_interval(clinic_page, clinic_release, visit):
    page = visit(clinic_page).ready()
    page.get_by_role("button", name="Tables").click()
    rows = page.get_by_label("Table of bronc").locator("tbody tr").all()
    cells = [[cell.replace("\u00a0", " ") for cell in row.locator("td").all_inner_texts()] for row in rows]
    assert [row[:2] for row in cells] == [["yes", "yes"], ["yes", "no"], ["no", "yes"], ["no", "no"]]
    assert [row[3] for row in cells] == [percent(value) for value in clinic_release.posterior.mean("bronc").ravel()]
    interval, privacy = cells[0][4:]
    lower, upper = (float(end.removesuffix(" %")) for end in interval.split(" to "))
    expected = [100 * end[0, 0] for end in clinic_release.posterior.interval("bronc")]
    assert [lower, upper] == pytest.approx(expected, abs=0.15 * (expected[1] - expected[0]))
    assert float(privacy.removesuffix(" %")) == pytest.approx(
        100 * clinic_release.posterior.noise_share("bronc")[0, 0], abs=20
    )
    assert page.locator(".tables tbody tr").count() == clinic_release.value.network.cells


@pytest.mark.slow
def test_how_to_go_on_is_copied_and_works(clinic_page, clinic_release, visit, tmp_path, monkeypatch, capsys):
    page = visit(clinic_page, permissions=["clipboard-read", "clipboard-write"]).ready()
    ask(page, "lung", "yes")
    bar(page, "smoke", "yes").click()
    page.get_by_role("button", name="Copy in Python").click()
    page.get_by_role("button", name="Copied in Python").wait_for()
    code = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy with the command").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('discreet'))")
    assert page.evaluate("navigator.clipboard.readText()") == "discreet query clinic.json lung --given smoke=yes"
    monkeypatch.chdir(tmp_path)
    clinic_release.save("clinic.json")
    exec(code, {})
    assert "P(lung | smoke=yes)" in capsys.readouterr().out


def test_the_keyboard_alone_observes_and_undoes(clinic_page, visit):
    """One stop for each monitor's title and one for its bars; arrows go from level to level."""
    page = visit(clinic_page).ready()
    page.get_by_role("button", name="Ask about smoke").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("smoke = yes:")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".chip").all_inner_texts() == ["smoke = no ×"]
    page.keyboard.press("Space")
    assert page.locator(".chip").count() == 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Ask about ")


@pytest.mark.slow
def test_alarm_is_a_file_of_moderate_size_that_answers_a_click_at_once(visit):
    """With as many draws as a release of it has. The time is that of its processor, until all whiskers are there."""
    content, text = page_of(Guessed(known_network("alarm")[0]))
    assert content["outer"] * content["inner"] >= 500
    assert len(text.encode()) < 1_500_000
    page = visit(text).ready()
    watch = page.context.new_cdp_session(page)
    watch.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy():
        return next(
            each["value"] for each in watch.send("Performance.getMetrics")["metrics"] if each["name"] == "TaskDuration"
        )

    took = []
    for place in range(0, 14, 2):
        began, picked = busy(), page.locator(".bar").nth(place)
        picked.evaluate("bar => bar.click()")
        page.wait_for_function(
            "place => document.querySelectorAll('.bar')[place].ariaPressed === 'true'"
            " && !document.querySelector('.notice').textContent",
            arg=place,
        )
        took.append(busy() - began)
    assert 0.001 < sorted(took)[len(took) // 2] < 0.2


def test_asia_is_a_small_file(clinic_page):
    assert len(clinic_page.encode()) < 300_000


@pytest.mark.slow
def test_a_network_too_wide_for_a_browser_shows_its_tables_and_says_why(visit):
    network, _ = known_network("link")
    text = page_of(Guessed(network))[1]
    page = visit(text).ready()
    assert "too many for a browser" in page.locator(".question").inner_text()
    assert page.locator(".bar").count() == 0
    page.locator("summary").first.click()
    assert page.locator(".tables tbody tr").count() > 0


def test_the_form_of_a_linear_model_predicts_as_python_does(line_release, visit):
    page = visit(line_release.to_html(file="weight.json")).ready()
    expected = line_release.posterior.predict(pl.DataFrame({"height": [180.0, 150.0, 400.0], "age": [30.0, 81.5, 20.0]}))
    for place, values in enumerate([[180, 30], [150, 81.5], [400, 20]]):
        found = page.evaluate("values => discreet.predict(values)", values)
        assert found["mean"] == pytest.approx(expected.mean[place], rel=1e-9)
        for part in ("credible", "predictive"):
            assert found[part] == pytest.approx([end[place] for end in getattr(expected, part)], rel=1e-9)
    first, second = (page.get_by_label(name).bounding_box() for name in ("height", "age"))
    assert first["y"] == second["y"]
    page.get_by_label("height").fill("400")
    assert "Outside the declared bounds, and taken for the nearer end: height." in sentence(page)
    page.get_by_label("height").fill("")
    assert sentence(page) == "Give a number for every feature."
    rows = page.locator("tbody tr").all_inner_texts()
    assert [row.split()[0] for row in rows] == ["(intercept)", "height", "age"]


def test_the_page_of_a_point_has_no_interval_and_says_so(visit):
    clinic, _ = known_network("asia")
    point = dc.release(Guessed(clinic).sample(500, 1), clinic, dc.MapPoint("1"), ledger=dc.Ledger.unlimited())
    page = visit(write_page(payload(point, "point.json"))).ready()
    assert "No interval" in page.locator(".warning").inner_text()
    assert "between" not in sentence(page)


def test_a_level_that_is_set_cuts_the_arrows_into_its_node(clinic_page, clinic_release, visit):
    """Observing either says something about smoking; making it so does not. The code to go on with says do."""
    page = visit(clinic_page).ready()
    ask(page, "smoke", "yes")
    before = sentence(page)
    page.get_by_role("button", name="Set", exact=True).click()
    bar(page, "either", "yes").click()
    assert page.locator(".chips").inner_text().startswith("Set:")
    assert sentence(page).startswith("P(smoke = yes | do(either = yes)) = ")
    assert re.search(r"= ([\d.]+) %", sentence(page))[1] == re.search(r"= ([\d.]+) %", before)[1]
    assert page.locator(".comparison").inner_text() == "Against before: no difference."
    assert page.locator("path.arrow.cut").count() == len(clinic_release.value.network.parents["either"])
    assert 'do={"either": "yes"}' in page.locator(".code").first.inner_text()
    assert "--do either=yes" in page.locator(".code").nth(1).inner_text()
    page.get_by_role("button", name="Observe", exact=True).click()
    bar(page, "either", "no").click()
    assert "| either = no)" in sentence(page)
    assert page.locator("path.arrow.cut").count() == 0


def test_two_questions_are_compared_and_the_code_does_the_same(
    clinic_page, clinic_release, visit, tmp_path, monkeypatch, capsys
):
    page = visit(clinic_page).ready()
    ask(page, "lung", "yes")
    page.get_by_role("button", name="Set", exact=True).click()
    bar(page, "smoke", "no").click()
    page.get_by_role("button", name="Compare with this").click()
    assert not page.get_by_role("button", name="Compare with this").is_visible()
    bar(page, "smoke", "yes").click()
    said = page.locator(".comparison").inner_text().replace("\u00a0", " ")
    found = re.match(
        r"Against [\d.]+ % given do\(smoke = no\): \+([\d.]+) points, "
        r"90 % between [+\u2212]?([\d.]+) and \+([\d.]+); .*privacy\. "
        r"([\d.]+) times as probable", said)  # fmt: skip
    expected = clinic_release.posterior.compare("lung", do=({"smoke": "yes"}, {"smoke": "no"}), interval=None)
    index = expected.first.levels[0].index("yes")
    assert float(found[1]) == pytest.approx(100 * expected.difference.value[index], abs=0.06)
    assert float(found[4]) == pytest.approx(expected.ratio.value[index], rel=0.01)
    assert "--do smoke=yes --against smoke=no" in page.locator(".code").nth(1).inner_text()
    monkeypatch.chdir(tmp_path)
    clinic_release.save("clinic.json")
    exec(page.locator(".code code").first.inner_text().replace("\u00a0", " "), {})
    assert "P(lung | do(smoke=yes)) against P(lung | do(smoke=no))" in capsys.readouterr().out
    page.get_by_role("button", name="Stop comparing with do(smoke = no)").click()
    assert page.locator(".comparison").inner_text().startswith("Against before: ")


def test_a_learned_graph_is_set_only_by_who_knows_that_its_arrows_are_causes(visit):
    names = ("rain", "wet")
    network = dc.Network([dc.Variable(name, ["no", "yes"]) for name in names], {"wet": ["rain"]}, learned=True)
    page = visit(page_of(Guessed(network), count=64)[1]).ready()
    page.get_by_role("button", name="Set", exact=True).click()
    assert "learned from records" in page.locator(".doubt").inner_text()
    bar(page, "wet", "yes").click()
    assert page.locator(".chip").count() == 0
    assert page.locator(".notice").inner_text().startswith("Nothing was set")
    page.get_by_label("I know that these arrows are causes.").check()
    bar(page, "wet", "yes").click()
    assert page.locator(".chips").inner_text().startswith("Set:")
    assert "arrows_are_causes=True" in page.locator(".code").first.inner_text()
    assert "--arrows-are-causes" in page.locator(".code").nth(1).inner_text()


def test_nobody_makes_what_is_declared_impossible(visit):
    """The table of who is pregnant says that no man is; where it no longer counts, nothing is known about pregnant men."""
    network = dc.Network(
        [dc.Variable("sex", ["male", "female"]), dc.Variable("pregnant", ["yes", "no"])],
        {"pregnant": ["sex"]},
        impossible=[{"sex": "male", "pregnant": "yes"}],
    )
    page = visit(page_of(dc.DirichletPosterior(network), count=64)[1]).ready()
    page.get_by_role("button", name="Set", exact=True).click()
    bar(page, "pregnant", "yes").click()
    assert "would make what is declared impossible (sex = male, pregnant = yes)" in page.locator(".notice").inner_text()
    assert page.locator(".chip").count() == 0
    bar(page, "pregnant", "no").click()
    assert page.locator(".chips").inner_text().startswith("Set:")


def test_names_written_from_right_to_left_move_nothing_in_a_sentence(visit):
    network = dc.Network([dc.Variable("مرحبا", ["نعم", "لا"])])
    page = visit(page_of(Guessed(network), count=64)[1]).ready()
    assert sentence(page).startswith("P(\u2068مرحبا\u2069 = \u2068نعم\u2069) = ")
