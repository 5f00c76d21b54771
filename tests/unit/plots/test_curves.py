"""Curves: labels that do not overlap, and pictures that are the same file every time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.optional import need

from discreet.plots.curves import Chart, Curve, plot_curves, spread


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9).map(sorted), st.floats(0.02, 0.11))
def test_labels_stay_inside_the_picture(heights, size):
    moved = np.array(spread(heights, [size] * len(heights)))
    assert (np.diff(moved) >= size - 1e-9).all()
    assert moved.min() >= size / 2 - 1e-9
    assert moved.max() <= 1 - size / 2 + 1e-9


def test_a_line_leads_from_the_end_of_each_curve_to_its_label(tmp_path, monkeypatch):
    """Curves that end together have labels that cannot all stand beside their ends."""
    need("matplotlib")
    from matplotlib.figure import Figure

    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: figures.append(self))
    ends = [0.9, 0.9, 0.5]
    curves = [Curve(f"curve {end} {place}", [1, 10], [0.2, end], [0, 0]) for place, end in enumerate(ends)]
    plot_curves(curves, Chart("Title", "x", "y"), tmp_path / "picture.png")
    (axis,) = figures[0].axes
    leaders = [text for text in axis.texts if text.arrow_patch is not None]
    labels = {text.get_text(): text for text in axis.texts if text.get_text()}
    assert sorted(leader.xy for leader in leaders) == sorted((10, end) for end in ends)
    for leader in leaders:
        (label,) = (text for text in labels.values() if text.xy[1] == leader.get_position()[1])
        assert float(label.get_text().split()[1]) == leader.xy[1]


@given(st.lists(st.floats(0.25, 0.75), min_size=1, max_size=9).map(sorted))
def test_labels_keep_their_distance_their_order_and_their_middle(heights):
    moved = np.array(spread(heights, [0.05] * len(heights)))
    assert (np.diff(moved) >= 0.05 - 1e-9).all()
    assert moved.mean() == pytest.approx(np.mean(heights))
    if (np.diff(heights) >= 0.05).all():
        assert moved == pytest.approx(np.array(heights))


def test_a_label_of_two_lines_takes_the_room_of_two():
    assert spread([0.5, 0.5], [0.1, 0.05]) == pytest.approx([0.475, 0.55])


def test_a_picture_is_the_same_file_every_time(tmp_path):
    need("matplotlib")
    curves = [Curve(name, [0.1, 1, 10], [0.5, 0.6 + place, 0.9], [0.01] * 3, place == 1) for place, name in enumerate("ab")]
    chart = Chart("Title", "epsilon", "accuracy", "note", ("above", [0.1, 1], ["a", "b"]))
    for run in ("first", "second"):
        plot_curves(curves, chart, *(tmp_path / f"{run}.{ending}" for ending in ("png", "svg")))
    for ending in ("png", "svg"):
        assert (tmp_path / f"first.{ending}").read_bytes() == (tmp_path / f"second.{ending}").read_bytes()
