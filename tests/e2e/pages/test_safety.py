"""A page is made of names from somebody else's file. None of them runs, loads or sends anything, whatever they say."""

import numpy as np
import polars as pl
import pytest
from support.browser import Visit, figures
from support.pages import Guessed, page_of

import discreet as dc
from discreet.page.document import policy, style

IMAGE = "</script><img src=x onerror=alert(1)>"
SCRIPT = "<script>document.title='gone'</script>"
OPENED = "<!--<script>"
LEVELS = ["<b>yes</b>", "\"'`${alert(2)}", "no\u2028no"]
NAMES = [IMAGE, SCRIPT, OPENED, "javascript:alert(3)", "__proto__", "&lt;i&gt;"]


@pytest.fixture(scope="module")
def hostile_release():
    network = dc.Network([dc.Variable(name, LEVELS) for name in NAMES], {name: [IMAGE] for name in NAMES[1:]})
    draw = np.random.default_rng(3)
    records = pl.DataFrame({name: draw.choice(LEVELS, 300) for name in NAMES})
    return dc.release(records, network, dc.Laplace("1"), ledger=dc.Ledger.unlimited())


def test_hostile_names_are_shown_and_not_obeyed(hostile_release, visit):
    """They are on the page as text, in the graph, in the tables and in what is copied; the page says and asks for nothing."""
    page = visit(hostile_release.to_html(file=f"{IMAGE}.json")).ready()
    assert page.locator(".monitor").count() == len(NAMES)
    assert page.locator(".monitor .title").all_inner_texts()[0] == IMAGE
    assert sorted(page.locator(".monitor .title").all_inner_texts()) == sorted(NAMES)
    page.locator(".bar").first.click()
    page.get_by_role("button", name="Tables").click()
    assert IMAGE in page.locator(".tables").inner_text()
    assert page.locator("img, #page script, #page b, #page i").count() == 0
    assert page.title().startswith(IMAGE)
    found = figures(page, {SCRIPT: LEVELS[0]})
    assert set(found) >= set(NAMES) - {"__proto__"}


def test_a_script_that_somebody_adds_does_not_run(clinic_page, browser, context, tmp_path):
    """The policy is what holds even if escaping failed; a page without it is caught by the same test."""
    image = "<img alt='' src='https://a.example/x.png'>"
    planted = clinic_page.replace("<body>", f"<body><script>document.title = 'gone'</script>{image}")
    before, _, rest = planted.partition('<meta http-equiv="Content-Security-Policy"')
    unprotected = before + rest.partition(">")[2]
    titles = {}
    for name, text in (("with", planted), ("without", unprotected)):
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        visited = Visit(browser, path, context)
        titles[name] = visited.ready().title(), visited.sent
        visited.close()
    assert titles["with"][0] != "gone"
    assert titles["with"][1] == []
    assert titles["without"] == ("gone", ["https://a.example/x.png"])


def test_the_page_asks_nobody_for_anything_also_where_there_is_a_network(clinic_page, visit):
    """Not offline, and all is clicked: the only request is the file itself (which every visit checks)."""
    page = visit(clinic_page, offline=False).ready()
    for button in page.get_by_role("button").all():
        if button.is_visible():
            button.click()
    assert page.locator("a[href], link, iframe, object, embed, form[action]").count() == 0


def test_the_policy_allows_this_script_and_this_style_and_nothing_else(clinic_page):
    allowed = clinic_page.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    parts = dict(part.strip().split(" ", 1) for part in allowed.split(";"))
    assert parts.pop("default-src") == "'none'"
    assert parts.pop("base-uri") == parts.pop("form-action") == "'none'"
    assert parts.keys() == {"script-src", "style-src"}
    assert all(part.startswith("'sha256-") and part.count("'") == 2 for part in parts.values())
    assert policy(style("page")) != policy(style("page") + " ")


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, *(pytest.param(width, marks=pytest.mark.slow) for width in (1400, 3840))])
def test_a_page_of_many_levels_and_long_names_stays_within_its_frame(width, visit):
    """Names of a hundred characters, a thousand levels, names written from right to left; on a phone and a large screen."""
    long = "a name that somebody thought to be a good idea " * 3
    network = dc.Network(
        [
            dc.Variable(long[:100], ["yes", long]),
            dc.Variable("مرحبا", ["نعم", "لا"]),
            dc.Variable("many", [f"level {i}" for i in range(1000)]),
        ],
        {"مرحبا": [long[:100]]},
    )
    text = page_of(Guessed(network), count=64)[1]
    page = visit(text, viewport={"width": width, "height": 900}).ready()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator(".bar").count() == 1004
    page.get_by_role("button", name="Tables").click()
    page.get_by_role("button", name="Show more").first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
