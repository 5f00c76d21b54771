"""The picture of the demonstration: its words fit what it shows."""

import numpy as np
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
