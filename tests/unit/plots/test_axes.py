"""Pictures for one's own figures, looked at as data: what is drawn is what the posterior, the plan and the ledger say."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from support.optional import need

import discreet as dc
from discreet.cli import main
from discreet.plots import axes, posteriors

figures, patches = need("matplotlib.figure"), need("matplotlib.patches")
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


@pytest.mark.slow
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


def test_the_legend_of_a_forest_is_not_on_its_title(released):
    figure = figures.Figure(figsize=(3, 3))
    drawn = axes.draw_forest(released.plugin, "lung", figure.subplots())
    figure.draw_without_rendering()
    title = next(each for each in (drawn.title, drawn._left_title) if each.get_text() == "lung")
    assert title.get_window_extent().y0 >= drawn.get_legend().get_window_extent().y1 - 1


def test_names_of_anybody_are_drawn_as_they_are(tmp_path):
    names = ["cost $x_1", "a long name that goes on and on, much longer than a box", "new\nline\x1b"]
    network = dc.Network([dc.Variable(name, ["$a$", "\\frac"]) for name in names], {names[1]: [names[0]]})
    records = pl.DataFrame({name: ["$a$", "\\frac"] * 30 for name in names})
    posterior = dc.release(records, network, dc.Laplace("1"), ledger=dc.Ledger.unlimited(), prior="uniform").plugin
    drawn = axes.draw_network(posterior)
    drawn.figure.savefig(tmp_path / "x.png")  # a formula that is none would stop it
    nodes = [text.get_text().split("\n\u00b1")[0] for text in drawn.texts if text.get_text()]
    assert set(nodes) == {r"cost \$x_1", "a long name that ...", r"new\nline\x1b"}
    forest = axes.draw_forest(posterior, names[1])
    forest.figure.savefig(tmp_path / "y.png")
    assert forest.get_yticklabels()[-1].get_text() == r"\$a\$ | cost \$x_1=\$a\$"


def test_a_network_has_every_node_every_arrow_and_what_is_sure(released, ax):
    assert axes.draw_network(released.posterior, ax) is ax
    nodes = ax.texts
    assert len(arrows_of(ax)) == NETWORK.edges
    assert [each.get_text().split("\n")[0] for each in nodes] == list(NETWORK.nodes)
    heights = {each.get_text().split("\n")[0]: each.get_window_extent().y0 for each in nodes}
    assert heights["smoke"] > heights["lung"] > heights["cough"]  # parents above their children
    lower, upper = released.posterior.interval("cough", 0.9)
    assert f"{50 * (upper - lower).mean():.1f} points" in nodes[2].get_text()


def arrows_of(ax):
    return [each for each in ax.patches if isinstance(each, patches.FancyArrowPatch)]


def boxes_of(ax):
    return [each for each in ax.patches if isinstance(each, patches.FancyBboxPatch)]


def test_arrows_lead_from_box_to_box_and_through_none():
    names = [f"node {number}" for number in range(12)]
    parents = {name: [each for step in (1, 3, 5) for each in names[max(0, place - step) :][:1] if place >= step]
               for place, name in enumerate(names)}  # fmt: skip
    network = dc.Network([dc.Variable(name, ["0", "1"]) for name in names], parents)
    drawn = axes.draw_network(dc.DirichletPosterior(network))
    boxes = {
        text.get_text().split("\n")[0]: (box.get_x(), box.get_y(), box.get_width(), box.get_height())
        for text, box in zip(drawn.texts, boxes_of(drawn), strict=True)
    }
    ways = [each._path_original.to_polygons(closed_only=False)[0] for each in arrows_of(drawn)]
    assert len(ways) == network.edges
    for (x, y), (end, bottom) in ((way[0], way[-1]) for way in ways):
        assert any(left <= x <= left + width and abs(top + height - y) < 0.1 for left, top, width, height in boxes.values())
        assert any(left <= end <= left + width and abs(top - bottom) < 0.1 for left, top, width, height in boxes.values())
    for way in ways:
        between = np.concatenate([np.linspace(*ends, 20) for ends in pairwise(way)])
        for x, y in between[1:-1]:
            assert not any(a < x < a + width and b + 0.1 < y < b + height - 0.1 for a, b, width, height in boxes.values())


def test_a_node_has_room_for_its_name_in_axes_of_any_size(released):
    for size in ((12, 9), (3, 3), (2, 6)):
        figure = figures.Figure(figsize=size)
        drawn = axes.draw_network(released.posterior, figure.subplots())
        figure.draw_without_rendering()
        for text, box in zip(drawn.texts, boxes_of(drawn), strict=True):
            inner, outer = text.get_window_extent(), box.get_window_extent()
            assert outer.x0 <= inner.x0
            assert inner.x1 <= outer.x1


def test_plans_are_errors_against_budgets(ax):
    plans = [dc.plan(NETWORK, rows=100, epsilon=epsilon) for epsilon in ("1", "0.1")]
    axes.draw_plans(plans, ax)
    line = next(line for line in ax.lines if line.get_label() == "laplace")
    assert line.get_xdata().tolist() == [0.1, 1.0]
    assert line.get_ydata().tolist() == [each["laplace"].parameter_error.mean for each in reversed(plans)]


def test_what_is_not_pure_stands_at_the_epsilon_of_its_plan(ax):
    plans = [dc.plan(NETWORK, rows=100, epsilon=epsilon, delta="1e-6") for epsilon in ("1", "0.1")]
    axes.draw_plans(plans, ax)
    line = next(line for line in ax.lines if line.get_label() == "gaussian")
    assert line.get_xdata().tolist() == [0.1, 1.0]
    assert line.get_ydata().tolist() == [each["gaussian"].parameter_error.mean for each in reversed(plans)]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.1", "1"]


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
    assert [text.get_text() for text in axes.draw_network(point).texts if text.get_text()][-1] == "cough"


def test_the_command_draws(released, tmp_path, capsys):
    released.save(tmp_path / "r.json")
    density = ["lung", "--given", "smoke=yes", "-o", str(tmp_path / "a.png")]
    for words, start in ((density, b"\x89PNG"), (["-o", str(tmp_path / "b.svg")], b"<?xml")):
        assert main(["plot", str(tmp_path / "r.json"), *words]) == 0
        assert (tmp_path / words[-1]).read_bytes().startswith(start)
    assert main(["plot", str(tmp_path / "r.json"), "-o", str(tmp_path / "c.txt")]) == 2
    assert "must end in .png" in capsys.readouterr().err


@pytest.fixture
def folder(released, tmp_path, monkeypatch):
    """A release, its network, and two ledgers, in the working directory."""
    monkeypatch.chdir(tmp_path)
    released.save("r.json")
    dc.write_network(NETWORK, "n.json", {"smoke": [[0.6, 0.4]], "lung": [[0.6, 0.4]] * 2, "cough": [[0.6, 0.4]] * 4})
    for name, datasets in (("one", ["a"]), ("two", ["a", "b"]), ("none", ["a"])):
        for dataset in datasets:
            ledger = dc.Ledger(f"{name}.ledger", cap="2", dataset=dataset)
            if name != "none":
                ledger.charge(dc.PureDP("0.5"), "a test")
    return tmp_path


@pytest.mark.fast("words[0145]")
@pytest.mark.parametrize(
    "words",
    [
        ["one.ledger"],
        ["two.ledger", "--dataset", "b"],
        ["n.json", "--rows", "200"],
        ["n.json", "--rows", "200", "--delta", "1e-6"],
        ["n.json", "lung", "--given", "smoke=yes"],
        ["n.json", "cough", "--given", "smoke=yes", "--against", "n.json"],
        ["n.json"],
    ],
)
def test_the_command_draws_ledgers_plans_and_densities(folder, words, capsys):
    assert main(["plot", *words, "-o", "x.png"]) == 0
    assert (folder / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["two.ledger"], 2, "several data sets; name one. Known: 'a', 'b'"),
        (["one.ledger", "--dataset", "c"], 2, "no data set of that name"),
        (["none.ledger"], 2, "Nothing was charged"),
        (["one.ledger", "lung"], 2, "does not belong"),
        (["one.ledger", "--rows", "3"], 2, "--rows"),
        (["r.json", "--delta", "1e-6"], 2, "--delta"),
        (["r.json", "--dataset", "a"], 2, "--dataset"),
        (["r.json", "--rows", "100"], 5, "r.json"),
        (["r.json", "--rows", "0"], 2, "at least 1"),
        (["r.json", "--given", "smoke=yes"], 2, "of which node"),
        (["r.json", "lung", "--given", "smoke=maybe"], 2, "maybe"),
        (["r.json", "lung", "--against", "none.json"], 5, "none.json"),
        (["r.json", "lung", "--against", "same.png", "-o", "same.png"], 2, "also an input"),
        (["n.json", "lungs", "--against", "n.json"], 2, "lung"),
        (["nothing.json"], 5, "nothing.json"),
    ],
)
def test_words_that_do_not_go_together_are_answered(folder, words, code, said, capsys):
    before = sorted(path.name for path in folder.iterdir())
    assert main(["plot", *words, *([] if "-o" in words else ["-o", "x.png"])]) == code
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == before
