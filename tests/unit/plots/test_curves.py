"""Curves: labels that do not overlap, and pictures that are the same file every time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.optional import need

from discreet.plots.curves import Chart, Curve, plot_curves, spread


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9).map(sorted))
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
