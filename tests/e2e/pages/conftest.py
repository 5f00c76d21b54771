"""One browser for all tests of pages, and what they open in it."""

import polars as pl
import pytest
from support.bits import SeededBits
from support.browser import Visit, new_context, open_browser

import discreet as dc
from discreet.experiments.chest_clinic import chest_clinic


@pytest.fixture(scope="session")
def browser():
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def context(browser, tmp_path_factory):
    """Where all pages are opened that need no settings of their own. One that stays open spares each its own process."""
    empty = tmp_path_factory.mktemp("empty") / "page.html"
    empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
    made = new_context(browser)
    made.new_page().goto(empty.as_uri())
    return made


@pytest.fixture
def visit(browser, context, tmp_path):
    """Open a page, given as text, from disk: `visit(text)`. It is closed afterwards, and must have said nothing."""
    opened = []

    def open_page(text, **settings):
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(text, encoding="utf-8")
        opened.append(Visit(browser, path, None if settings else context, **settings))
        return opened[-1]

    yield open_page
    for each in opened:
        each.close()
        assert each.said == []
        assert each.requests == [each.requests[0]]
        assert each.requests[0].startswith("file://")


@pytest.fixture(scope="session")
def clinic_release():
    """A release of the chest clinic, always the same one. What chains find of it is kept in it."""
    clinic, ledger = chest_clinic(), dc.Ledger.unlimited()
    release = dc.release(clinic.sample(5_000, 1), clinic.network, dc.Laplace("1"), ledger=ledger, _bits=SeededBits(1))
    release.posterior.prepare()
    return release


@pytest.fixture(scope="session")
def clinic_page(clinic_release):
    return clinic_release.to_html(file="clinic.json")


@pytest.fixture(scope="session")
def line_release():
    """A release of a linear model, always the same one."""
    import numpy as np

    draw = np.random.default_rng(5)
    height, age = draw.normal(172, 9, 5000), draw.uniform(18, 90, 5000)
    weight = 75 + 0.9 * (height - 172) + 0.1 * (age - 50) + draw.normal(0, 9, 5000)
    model = dc.LinearModel({"height": (140, 210), "age": (18, 90)}, ("weight", (40, 140)))
    records = pl.DataFrame({"height": height, "age": age, "weight": weight})
    return dc.release(records, model, dc.RegressionMoments("2"), ledger=dc.Ledger.unlimited(), _bits=SeededBits(1))
