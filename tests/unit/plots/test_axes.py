"""Pictures for one's own figures, looked at as data: what is drawn is what the posterior, the plan and the ledger say."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from support.optional import need

import discreet as dc
from discreet.cli import main
from discreet.plots import axes, posteriors

figures = need("matplotlib.figure")
NETWORK = dc.Network(
    [dc.Variable(name, ["no", "yes"]) for name in ("smoke", "lung", "cough")], {"lung": ["smoke"], "cough": ["lung", "smoke"]}
)


@pytest.fixture(scope="module")
def released():
    generator = np.random.default_rng(1)
    columns = {name: np.where(generator.random(300) < 0.4, "yes", "no") for name in NETWORK.nodes}
    return dc.release(pl.DataFrame(columns), NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), prior="uniform")


@pytest.fixture
def ax():
    return figures.Figure().subplots()


def bars(ax, colour):
    return {line.get_ydata()[0]: tuple(line.get_xdata()) for line in ax.lines if line.get_color() == colour}


def test_a_forest_shows_the_intervals_and_the_share_of_privacy(released, ax):
    posterior = released.posterior
    assert axes.draw_forest(posterior, "lung", ax, interval=0.8) is ax
    lower, upper = (each.ravel() for each in posterior.interval("lung", 0.8))
    outer, inner = bars(ax, posteriors._PRIVACY), bars(ax, posteriors._RECORDS)
    share = (1 - posterior.noise_share("lung").ravel()) ** 0.5
    for place in range(4):
        height = 3 - place
        assert outer[height] == pytest.approx((lower[place], upper[place]))
        width = inner[height][1] - inner[height][0]
        assert width == pytest.approx(share[place] * (upper[place] - lower[place]))
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[::-1] == ["no | smoke=no", "yes | smoke=no", "no | smoke=yes", "yes | smoke=yes"]


def test_a_network_has_every_node_every_arrow_and_what_is_sure(released, ax):
    assert axes.draw_network(released.posterior, ax) is ax
    arrows = [each for each in ax.texts if getattr(each, "arrow_patch", None) is not None]
    nodes = [each for each in ax.texts if each not in arrows]
    assert len(arrows) == NETWORK.edges
    assert [each.get_text().split("\n")[0] for each in nodes] == list(NETWORK.nodes)
    heights = {each.get_text().split("\n")[0]: each.get_position()[1] for each in nodes}
    assert heights["smoke"] > heights["lung"] > heights["cough"]  # parents above their children
    lower, upper = released.posterior.interval("cough", 0.9)
    assert f"{50 * (upper - lower).mean():.1f} points" in nodes[2].get_text()


def test_a_node_beside_the_way_of_an_arrow_is_not_on_it(released):
    places = axes._layers(NETWORK)
    assert places["lung"][0] != (places["smoke"][0] + places["cough"][0]) / 2


def test_plans_are_errors_against_budgets(ax):
    plans = [dc.plan(NETWORK, rows=100, epsilon=epsilon) for epsilon in ("1", "0.1")]
    axes.draw_plans(plans, ax)
    line = next(line for line in ax.lines if line.get_label() == "laplace")
    assert line.get_xdata().tolist() == [0.1, 1.0]
    assert line.get_ydata().tolist() == [each["laplace"].parameter_error.mean for each in reversed(plans)]


def test_a_budget_is_what_was_spent_and_its_cap(tmp_path, ax):
    ledger = dc.Ledger(tmp_path / "l", cap="2")
    for epsilon in ("0.5", "0.25"):
        ledger.charge(dc.PureDP(epsilon), "a test")
    axes.draw_budget(dc.Ledger.datasets(tmp_path / "l")[0], ax)
    assert list(ax.lines[0].get_ydata()) == [0.0, 0.5, 0.75]
    assert list(next(line for line in ax.lines if line.get_label() == "cap").get_ydata()) == [2.0, 2.0]
    with pytest.raises(dc.QueryError, match="Nothing was charged"):
        axes.draw_budget(SimpleNamespace(charges=(), cap=1, dataset="x"))


def test_what_has_no_intervals_is_told_so():
    tables = {"smoke": [[0.5, 0.5]], "lung": [[0.5, 0.5]] * 2, "cough": [[0.5, 0.5]] * 4}
    point = dc.PointPosterior(NETWORK, tables)
    with pytest.raises(dc.QueryError, match="There is none to draw"):
        axes.draw_forest(point, "lung")
    assert [text.get_text() for text in axes.draw_network(point).texts][-1] == "cough"


def test_the_command_draws(released, tmp_path, capsys):
    released.save(tmp_path / "r.json")
    for words, start in ((["lung", "-o", str(tmp_path / "a.png")], b"\x89PNG"), (["-o", str(tmp_path / "b.svg")], b"<?xml")):
        assert main(["plot", str(tmp_path / "r.json"), *words]) == 0
        assert (tmp_path / words[-1]).read_bytes().startswith(start)
    assert main(["plot", str(tmp_path / "r.json"), "-o", str(tmp_path / "c.txt")]) == 2
    assert "must end in .png" in capsys.readouterr().err
