"""Pictures of posteriors: their words and intervals fit what they show."""

import numpy as np
import pytest
from support.bits import SeededBits
from support.optional import need
from support.regressions import line_release

from discreet.plots import posteriors
from discreet.plots.posteriors import Panel, plot_coefficients, plot_densities


def test_the_caption_says_that_the_private_curve_knows_about_the_noise(tmp_path, monkeypatch):
    need("matplotlib")
    said = []

    class Axis:
        def text(self, _x, _y, words, **_):
            said.append(words)

        def __getattr__(self, _):
            return lambda *_, **__: None

    real = posteriors._explain_panels
    monkeypatch.setattr(posteriors, "_explain_panels", lambda axis: (real(Axis()), real(axis)))
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
    posteriors.draw_density(Panel("question", low, np.linspace(low, high, 50), np.linspace(low, high, 50)), axis)
    axis.set_xticks(np.arange(1, 5) * step + round(low / step) * step)
    figure.draw_without_rendering()
    places, labels = axis.get_xticks(), [label.get_text() for label in axis.get_xticklabels()]
    assert [float(label.removesuffix("%")) for label in labels] == pytest.approx(100 * places, abs=1e-9)
    assert max(map(len, labels)) <= len("60.05%")


def test_every_feature_gets_an_interval_inside_which_the_part_without_privacy_lies(tmp_path, monkeypatch):
    need("matplotlib")
    posterior = line_release(bits=SeededBits(1)).posterior
    drawn = []

    class Axis:
        def plot(self, x, y, **options):
            drawn.append((options.get("color"), tuple(x), y[0]))

    real = posteriors.draw_bar
    monkeypatch.setattr(posteriors, "draw_bar", lambda axis, *rest: (real(Axis(), *rest), real(axis, *rest)))
    plot_coefficients(posterior, tmp_path / "picture.png", "A line")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    outer = {place: x for colour, x, place in drawn if colour == posteriors._PRIVACY}
    inner = {place: x for colour, x, place in drawn if colour == posteriors._RECORDS}
    assert outer.keys() == inner.keys() == {0, 1}
    for place, entry in zip((1, 0), list(posterior.summary())[1:], strict=True):
        assert outer[place] == pytest.approx((10 * entry.lower, 10 * entry.upper))  # over the whole range of the feature
        assert outer[place][0] < inner[place][0] < inner[place][1] < outer[place][1]
