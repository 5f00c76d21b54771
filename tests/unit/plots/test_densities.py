"""The picture of the demonstration: its words fit what it shows."""

import numpy as np
import pytest
from support.optional import need

from discreet.plots import densities
from discreet.plots.densities import Panel, plot_densities


def test_the_caption_says_that_the_private_curve_knows_about_the_noise(tmp_path, monkeypatch):
    need("matplotlib")
    said = []

    class Axis:
        def text(self, _x, _y, words, **_):
            said.append(words)

        def __getattr__(self, _):
            return lambda *_, **__: None

    real = densities._explain
    monkeypatch.setattr(densities, "_explain", lambda axis: (real(Axis()), real(axis)))
    draws = np.linspace(0.1, 0.9, 50)
    plot_densities([Panel("question", 0.5, draws, draws)], tmp_path / "picture.png", "Title")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert said[:3] == ["private release", "exact posterior, never published", "truth"]
    assert "as wide as sampling\nand the noise of privacy make it" in said[3]
    assert "not yet" not in said[3]


@pytest.mark.parametrize(
    ("low", "high", "step"), [(0.598, 0.682, 0.025), (0.1, 0.6, 0.1), (0.031, 0.037, 0.001), (0.4, 0.402, 0.0005)]
)
def test_ticks_are_at_the_places_that_their_labels_say(low, high, step):
    figure = need("matplotlib.figure").Figure()
    axis = figure.subplots()
    densities._draw(axis, Panel("question", low, np.linspace(low, high, 50), np.linspace(low, high, 50)))
    axis.set_xticks(np.arange(1, 5) * step + round(low / step) * step)
    figure.draw_without_rendering()
    places, labels = axis.get_xticks(), [label.get_text() for label in axis.get_xticklabels()]
    assert [float(label.removesuffix("%")) for label in labels] == pytest.approx(100 * places, abs=1e-9)
    assert max(map(len, labels)) <= len("60.05%")
