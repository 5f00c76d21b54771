"""Pages and reports that anybody can use: axe finds no fault, light and dark, on a phone, on paper."""

import re

import pytest
from support.pages import Guessed, known_network, page_of
from support.seeing import faults

from discreet.page.report import make_report
from discreet.page.report_html import write_html


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), pytest.param("dark", 1400, marks=pytest.mark.slow)])
def test_axe_finds_no_fault_in_any_view(clinic_page, visit, scheme, width):
    page = visit(clinic_page, color_scheme=scheme, viewport={"width": width, "height": 900}).ready()
    page.get_by_role("button", name=re.compile("^smoke = yes:")).click()
    page.get_by_role("button", name="Compare with this").click()
    page.get_by_role("button", name="Set", exact=True).click()
    page.get_by_role("button", name=re.compile("^either = no:")).click()
    for view in ("Graph", "List", "Tables"):
        page.get_by_role("button", name=view, exact=True).click()
        assert faults(page) == [], view


@pytest.mark.slow
def test_axe_finds_no_fault_in_a_line_and_a_report(clinic_release, line_release, visit):
    assert faults(visit(line_release.to_html()).ready()) == []
    assert faults(visit(write_html(make_report(clinic_release, "clinic.json"))).page) == []


@pytest.mark.slow
def test_axe_finds_no_fault_in_a_wide_network_and_the_report_of_a_line(line_release, visit):
    wide = page_of(Guessed(known_network("asia")[0]))[1].replace('"wide":null', '"wide":"too wide for a browser"')
    assert faults(visit(wide).ready()) == []
    assert faults(visit(write_html(make_report(line_release, "clinic.json"))).page) == []


def test_axe_finds_a_fault_that_was_planted(clinic_page, visit):
    page = visit(clinic_page).ready()
    page.evaluate("document.querySelector('.question select').removeAttribute('aria-label')")
    page.evaluate("document.querySelector('.sentence').style.color = '#ddd'")
    assert {"select-name", "color-contrast"} <= {rule for rule, _ in faults(page)}


def test_the_report_of_the_clinic_is_two_pages_of_paper(clinic_release, visit):
    page = visit(write_html(make_report(clinic_release, "clinic.json"))).page
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 2
    assert page.locator("script").count() == 0


def test_no_table_of_the_report_is_cut_off_on_paper(clinic_release, visit):
    """Tables stand in columns: one that is too wide for its column would be wider than the others, and lose its last one."""
    page = visit(write_html(make_report(clinic_release, "clinic.json")), viewport={"width": 688, "height": 1000}).page
    page.emulate_media(media="print")
    widths = [table.bounding_box()["width"] for table in page.locator("table").all()]
    assert max(widths) - min(widths) < 1


@pytest.mark.slow
def test_the_page_can_be_printed(clinic_page, visit):
    """Every monitor is on paper, one after the other, and nothing is cut off at the side."""
    page = visit(clinic_page).ready()
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = [monitor.bounding_box() for monitor in page.locator(".monitor").all()]
    assert len({(box["x"], box["y"]) for box in boxes}) == len(boxes)
    assert not page.get_by_label("View").is_visible()
