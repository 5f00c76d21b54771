"""Reports: the numbers of the posterior, known weaknesses that are those of the documents, names that stay names."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.pages import Stuck, known_network

import discreet as dc
from discreet.guarantee import Neighbours
from discreet.page.report import WEAKNESSES, Table, make_report, percent
from discreet.page.report_html import write_html
from discreet.page.report_markdown import write_markdown
from discreet.releases import MechanismRecord

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def report(clinic_release):
    return make_report(clinic_release, "clinic.json")


def released(posterior):
    """Something to be released, without receipts."""
    words = (Neighbours.REPLACE_ONE, MechanismRecord("laplace", {}), (), (), "discreet")
    return dc.Release(posterior, dc.PureDP("1"), *words)


def section(report, title):
    return next(each for each in report.sections if each.title == title)


def test_the_tables_are_those_of_the_posterior(report, clinic_release):
    network = clinic_release.value.network
    tables = [block for block in section(report, "Conditional probabilities").blocks if isinstance(block, Table)]
    assert [table.headings[table.words - 1] for table in tables] == list(network.nodes)
    for node, table in zip(network.nodes, tables, strict=True):
        expected = clinic_release.posterior.mean(node)
        assert [row[table.words] for row in table.rows] == [percent(value) for value in expected.ravel()]
    (marginals, _) = section(report, "How probable each level is").blocks
    lung = next(row for row in marginals.rows if row[0] == "lung")
    assert lung[2] == percent(clinic_release.posterior.query("lung", interval=None)["yes"])


def test_answers_on_which_chains_do_not_agree_are_marked():
    """The one node whose chains stand at different places: its probabilities, and the rows of its table."""
    network, _ = known_network("asia")
    report = make_report(released(Stuck(network, at="lung")), "clinic.json")
    (marginals, words) = section(report, "How probable each level is").blocks
    marked = {place for place, row in enumerate(marginals.rows) if row[3].endswith(" †")}
    first = next(place for place, row in enumerate(marginals.rows) if row[0] == "lung")
    assert {first, first + 1} <= marked
    assert "take that interval as rough" in words.texts[0]
    tables = [block for block in section(report, "Conditional probabilities").blocks if isinstance(block, Table)]
    for table in tables:
        assert {row[-2].endswith(" †") for row in table.rows} == {table.headings[table.words - 1] == "lung"}


def test_a_report_draws_what_it_says(report):
    """The fill of a bar, the ends of its whisker and of the thick part of it, as far across as the numbers say."""
    (marginals, _) = section(report, "How probable each level is").blocks
    text, figure = write_html(report), marginals.figures[0]
    picture = re.search(r'<svg class="whisker" width="(\d+)".*?</svg>', text)
    width, drawn = float(picture[1]), picture[0]
    fill = float(re.search(r'class="fill" width="([\d.]+)"', drawn)[1])
    low, high = map(float, re.search(r'class="added" d="M([\d.]+) 4.5H([\d.]+)', drawn).groups())
    inner, outer = map(float, re.search(r'class="sampling" d="M([\d.]+) 4.5H([\d.]+)', drawn).groups())
    assert [fill, low, high] == pytest.approx(
        [width * part for part in (figure.probability, figure.lower, figure.upper)], abs=0.051
    )
    assert outer - inner == pytest.approx((1 - figure.privacy) * (high - low), abs=0.11)
    assert text.count('class="whisker"') == len(marginals.figures)


def test_it_says_what_the_release_says_of_itself(report, clinic_release):
    for text in (write_html(report), write_markdown(report).replace("\\", "")):
        assert clinic_release.guarantee.meaning in text
        for caveat in clinic_release.caveats:
            assert caveat.text in text
        assert "charge 1 of data set" in text
        assert re.search("sha256:[0-9a-f]{64}", text)
        for lead, _ in WEAKNESSES:
            assert lead in text


def test_the_weaknesses_are_those_of_the_documents():
    leads = set(
        re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs" / "known-weaknesses.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {lead for lead, _ in WEAKNESSES} <= leads
    assert "The moon is made of cheese." not in leads


def test_names_stay_names():
    names = ["</title><script>alert(1)</script>", "[a](javascript:x) | *b* `c`"]
    network = dc.Network([dc.Variable(name, ["<b>", "x|y"]) for name in names], {names[1]: [names[0]]})
    records = pl.DataFrame({name: ["<b>", "x|y"] * 50 for name in names})
    release = dc.release(records, network, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    report = make_report(release, "a.json")
    html = write_html(report)
    assert "<script" not in html
    assert "<b>" not in html
    text = write_markdown(report)
    bare = re.sub(r"\\.|\*\*", "", "\n".join(line for line in text.splitlines() if "discreet" not in line))
    assert not set("[]()*`<>") & set(bare)
    assert {row.count("|") for row in bare.splitlines() if row.startswith("|")} == {5, 6}


def test_a_network_too_large_to_print_says_where_its_tables_are():
    network, _ = known_network("mildew")
    text = write_markdown(make_report(released(dc.DirichletPosterior(network)), "mildew.json"))
    assert "Too many to print: 547,158" in text
    assert "`discreet show mildew.json NODE`" in text


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0, "0 %"), (1e-9, "< 0.001 %"), (0.0004, "0.040 %"), (0.00987, "0.99 %"), (0.00996, "1.0 %"), (0.098, "9.8 %"),
     (0.5, "50.0 %"), (0.9996, "99.96 %"), (0.99999, "99.999 %"), (0.9999999, "> 99.999 %"), (1, "100 %")],
)  # fmt: skip
def test_per_cent_never_rounds_the_possible_to_the_impossible(probability, text):
    assert percent(probability) == text


def test_a_line_has_its_coefficients_and_why_they_are_not_known(line_records):
    records, model = line_records
    release = dc.release(records, model, dc.RegressionMoments("5"), ledger=dc.Ledger.unlimited())
    text = write_markdown(make_report(release, "line.json"))
    for each in release.posterior.spreads():
        assert f"| {each.name} | {each.records:,.4g} | {each.privacy:,.4g} |" in text.replace("\\", "")


@pytest.fixture
def line_records():
    draw = np.random.default_rng(5)
    age = draw.uniform(18, 90, 2000)
    records = pl.DataFrame({"age": age, "weight": 60 + 0.2 * age + draw.normal(0, 5, 2000)})
    return records, dc.LinearModel({"age": (18, 90)}, ("weight", (40, 140)))
