"""Every kind of release has a page and a report that open without a word in the console, and in which axe finds no fault."""

import pytest
from support.graphs import binary, chain_records
from support.seeing import faults

import discreet as dc
from discreet.page.report import make_report
from discreet.page.report_html import write_html


def released(kind):
    """A release of 300 records of three columns, of this kind."""
    records, variables = chain_records(3, 300), binary(3)
    names = [each.name for each in variables]
    network, ledger = dc.Network(variables, {names[1]: [names[0]], names[2]: [names[1]]}), dc.Ledger.unlimited()
    match kind:
        case "tree":
            return dc.release(
                records, dc.learn(records, variables, epsilon="1", ledger=ledger, form="tree"), epsilon="1", ledger=ledger
            )
        case "dag":
            return dc.learn(records, variables, epsilon="1", ledger=ledger, form="dag").release
        case "fused":
            parts = [dc.release(records, network, dc.KNorm("1"), ledger=dc.Ledger.unlimited()) for _ in range(2)]
            return dc.fuse(*parts)
        case "one node":
            return dc.release(records[names[:1]], dc.Network(variables[:1]), dc.KNorm("1"), ledger=ledger)
        case "no edges":
            return dc.release(records, dc.Network(variables), dc.KNorm("1"), ledger=ledger)
        case "persons":
            numbered = records.with_row_index("person")
            return dc.release(numbered, network, dc.KNorm("1"), ledger=ledger, person="person")
        case mechanism:
            return dc.release(records, network, getattr(dc, mechanism)("1"), ledger=ledger)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    ["tree", "dag", "fused", "one node", "no edges", "persons", "KNorm", "Laplace", "Fourier", "Sampler", "MapPoint"],
)
def test_every_kind_of_release_has_a_page_and_a_report(kind, visit):
    release = released(kind)
    page = visit(release.to_html(), viewport={"width": 1280, "height": 900}).ready()
    assert release.meaning in page.locator("header").inner_text()
    for caveat in release.caveats:
        assert caveat.text in page.get_by_label("About this release").inner_text()
    page.locator(".bar").last.click()
    assert page.locator(".chip").count() == 1
    assert faults(page) == []
    assert faults(visit(write_html(make_report(release, "a.json"))).page) == []
