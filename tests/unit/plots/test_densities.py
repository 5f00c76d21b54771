"""Densities of an answer against a baseline, looked at as data."""

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.optional import need

import discreet as dc
from discreet.inference.query import query_draws
from discreet.plots.densities import draw_answer
from discreet.plots.figure import COLOURS

figures = need("matplotlib.figure")
NETWORK = dc.Network(
    [dc.Variable("smoke", ["no", "yes"]), dc.Variable("lung", ["well", "ill", "unknown"])], {"lung": ["smoke"]}
)
POINT = dc.PointPosterior(NETWORK, {"smoke": [[0.75, 0.25]], "lung": [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]})


@pytest.fixture(scope="module")
def posterior():
    records = pl.DataFrame({"smoke": ["no", "no", "no", "yes"] * 500, "lung": ["well", "ill", "unknown", "ill", "ill"] * 400})
    return dc.release(
        records, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), prior="uniform", _bits=SeededBits(1)
    ).plugin


def curves(ax, style):
    return [line for line in ax.lines if line.get_linestyle() == style]


def test_every_level_has_a_density_around_its_probability(posterior):
    ax = figures.Figure().subplots()
    assert draw_answer(posterior, "lung", {"smoke": "yes"}, ax, generator=1) is ax
    drawn = query_draws(posterior, "lung", {"smoke": "yes"}, 4000, 2)
    found = curves(ax, "-")
    assert [line.get_color() for line in found] == list(COLOURS[:3])
    for line, draws in zip(found, drawn, strict=True):
        x, y = line.get_xdata(), line.get_ydata()
        assert np.trapezoid(y, x) == pytest.approx(1, abs=0.05)
        assert np.trapezoid(x * y, x) == pytest.approx(draws.mean(), abs=0.02)
    assert ax.get_title(loc="left") == "lung given smoke = yes"


def test_of_two_levels_the_rarer_is_drawn_and_a_known_baseline_is_a_line(posterior):
    ax = draw_answer(posterior, "smoke", baseline=POINT, names=("ours", "theirs"))
    assert len(curves(ax, "-")) == 1
    (line,) = curves(ax, "--")
    assert line.get_xdata() == [0.25, 0.25]
    assert ax.get_title(loc="left") == "smoke = yes"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours", "theirs"]


def test_another_posterior_as_baseline_is_dashed(posterior):
    ax = draw_answer(posterior, "lung", baseline=posterior.with_prior("jeffreys"))
    assert len(curves(ax, "-")) == len(curves(ax, "--")) == 3


def test_what_cannot_be_compared_or_told_apart_is_refused(posterior):
    other = dc.Network([dc.Variable("smoke", ["no", "sometimes"])], {})
    with pytest.raises(dc.QueryError, match="other levels"):
        draw_answer(posterior, "smoke", baseline=dc.PointPosterior(other, {"smoke": [[0.5, 0.5]]}))
    many = dc.Network([dc.Variable("x", [str(i) for i in range(7)])], {})
    with pytest.raises(dc.QueryError, match="at most 6"):
        draw_answer(dc.PointPosterior(many, {"x": [[1 / 7] * 7]}), "x")
    with pytest.raises(dc.QueryError, match="lung"):
        draw_answer(posterior, "lungs")
