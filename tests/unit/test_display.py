"""What users hold shows itself: at a prompt without obeying names, in a notebook as small, safe HTML."""

import math
from html.parser import HTMLParser

import polars as pl
import pytest

import discreet as dc
from discreet.chains.diagnostics import Diagnostics
from discreet.display import MOST_ROWS, Display
from discreet.guarantee import Caveat
from discreet.posterior.coefficients import Coefficient

NASTY = "<script>alert('x')</script>\x1b[31m"
NETWORK = dc.Network([dc.Variable(NASTY, ["no & never", "yes"]), dc.Variable("b", [0, 1, 2])], {"b": [NASTY]})
RECORDS = pl.DataFrame({NASTY: ["no & never", "yes"] * 20, "b": ["0", "2"] * 20})
LINE = dc.LinearModel({NASTY: (0, 1)}, ("target", (0, 1)), radius=2, noise="0.25")
NUMBERS = pl.DataFrame({NASTY: [0.1, 0.9] * 20, "target": [0.2, 0.7] * 20})


def made(mechanism, data=RECORDS, declared=NETWORK):
    return dc.release(data, declared, mechanism, ledger=dc.Ledger.unlimited())


@pytest.fixture(scope="module")
def held():
    """One of everything that a user may look at."""
    counts, draws, point = made(dc.Laplace("1")), made(dc.Sampler("1")), made(dc.MapPoint("1"))
    moments, lines = made(dc.RegressionMoments("1"), NUMBERS, LINE), made(dc.RegressionSampler("1"), NUMBERS, LINE)
    plans, regression = dc.plan(NETWORK, 100, "1", "1e-6"), dc.plan(LINE, 100, "1")
    posteriors = [each.posterior for each in (counts, draws, point, moments, lines)]
    return [
        counts, draws, point, moments, lines, counts.plugin, *posteriors, counts.combine(draws),
        counts.posterior.query("b", {NASTY: "yes"}, draws=10), lines.posterior.summary(),
        plans, *plans, regression, *regression, NETWORK, *NETWORK.variables, LINE,
        dc.Ledger.unlimited(), dc.PureDP("1"), dc.ZCDP("0.1"), dc.ApproxDP("1", "1e-6"),
        dc.UNIFORM, dc.BDeu(10), dc.Hierarchical(), dc.TablePrior(NETWORK, {NASTY: [1, 1], "b": [[1, 2, 3], [1, 1, 1]]}),
        dc.Laplace("0.5"), dc.Fourier("1"), dc.KNorm("1"), dc.Gaussian(rho="0.1"), dc.Auto("1"),
        dc.Sampler("1"), dc.MapPoint("1"), dc.RegressionMoments("1", "1e-6"), dc.RegressionSampler("1"),
    ]  # fmt: skip


class Tags(HTMLParser):
    """Whether every tag that is opened is closed, and which there are."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        assert all(name == "style" for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_everything_shows_itself_as_small_html_that_runs_nothing_and_asks_nobody(held):
    for thing in held:
        page = thing._repr_html_()
        tags = Tags()
        tags.feed(page)
        assert tags.open == [], type(thing)
        assert tags.seen <= {"div", "strong", "table", "tr", "th", "td", "pre"}, type(thing)
        assert "http" not in page
        assert "url(" not in page
        assert len(page) < 20_000


@pytest.mark.slow
def test_colours_are_those_of_the_notebook_light_or_dark(held):
    for thing in held:
        assert "color:" not in thing._repr_html_()


def test_names_are_shown_and_not_obeyed(held):
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;\\x1b[31m" in NETWORK._repr_html_()
    assert "no &amp; never" in NETWORK._repr_html_()
    for thing in held:
        assert "\x1b" not in repr(thing) + thing._repr_html_(), type(thing)


def test_nothing_shows_itself_as_a_bare_address_or_without_end(held):
    for thing in held:
        assert "object at 0x" not in repr(thing)
        assert "Fraction(" not in repr(thing)
        assert max(map(len, repr(thing).splitlines())) <= 130, repr(thing)
        assert len(repr(thing).splitlines()) <= 40


def test_showing_a_posterior_runs_no_chain(held):
    posterior = made(dc.Laplace("1")).posterior
    assert "NoiseAwarePosterior of 2 nodes" in repr(posterior)
    assert "NoiseAwarePosterior of 2 nodes" in posterior._repr_html_()
    assert "_visited" not in vars(posterior)


def test_mechanisms_variables_and_priors_are_shown_as_one_writes_them():
    names = {name: getattr(dc, name) for name in dc.__all__}
    priors = (dc.BDeu(10), dc.UNIFORM, dc.Hierarchical(), dc.Hierarchical(1.0, 0.5, 2.0))
    for thing in (dc.Laplace("0.1"), dc.Fourier("1/3"), dc.Auto("1", "1e-6"), dc.PureDP("0.1"), *priors):
        assert eval(repr(thing), names) == thing
    assert repr(dc.Variable("a", [0, 1])) == "Variable('a', ['0', '1'])"
    assert repr(dc.Variable("a", range(100))).endswith(", '11', ... (100 levels)])")


def test_a_network_shows_its_nodes_levels_and_parents_and_of_many_the_first():
    network = dc.naive_bayes("y", ["a"], ["no", "yes"])
    assert repr(network).splitlines() == [
        "Network of 2 nodes, 1 edge, 6 cells",
        "  node  levels   parents",
        "  y     no, yes",
        "  a     no, yes  y",
    ]
    many = dc.naive_bayes("y", [f"x{number}" for number in range(100)])
    assert len(repr(many).splitlines()) == MOST_ROWS + 3
    assert "... and 81 more" in repr(many)
    assert "... and 81 more" in many._repr_html_()


def test_lines_that_belong_to_another_stand_further_in_also_in_a_notebook():
    page = Display("Title", notes=["Edges:", "  one", "    two"]).html()
    assert page.endswith('<div>Edges:</div><div style="margin-left:1em">one</div><div style="margin-left:2em">two</div></div>')


def test_the_parts_of_a_release_are_shown_to_people():
    release = made(dc.Laplace("1/3"))
    assert repr(release.receipts[0]) == f"<Receipt: {release.receipts[0]}>"
    assert repr(release.mechanism) == "<Mechanism laplace: epsilon 1/3>"
    assert repr(release.caveats[0]).startswith("<Caveat public-rows: The number of records is published exactly;")
    assert repr(Caveat("one", "two\x1b[31m\nthree")) == "<Caveat one: two\\x1b[31m\\nthree>"


def test_a_coefficient_is_shown_in_digits_that_mean_something():
    found = Coefficient("height\x1b", 0.9062297956, 0.02863947167, 0.86249739843, 0.95526264600)
    assert repr(found) == "<Coefficient height\\x1b: 0.90623, sd 0.02864, 0.8625 to 0.95526>"
    assert repr(Coefficient("age", 0.5, math.nan, math.nan, math.nan)) == "<Coefficient age: 0.5>"


def test_diagnostics_are_shown_in_digits_that_mean_something():
    good = Diagnostics(1.0312345, 1.00123, 812.3456, 1900.987, 4000)
    assert repr(good) == (
        "<Diagnostics: converged; R-hat 1.03 at worst, 1.00 typically; 4,000 draws worth 812 at worst, 1,901 typically>"
    )
    assert "NOT converged" in repr(Diagnostics(2.0, 1.5, 8.0, 20.0, 4000))


def test_a_display_breaks_long_facts_between_words():
    shown = Display("Title", [("fact", "word " * 40)]).text().splitlines()
    assert shown[0] == "Title"
    assert shown[1].startswith("  fact  word word")
    assert all(line.startswith("        word") for line in shown[2:])
    assert max(map(len, shown)) <= 100
