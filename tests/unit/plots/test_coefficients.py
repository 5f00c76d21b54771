import pytest
from support.bits import SeededBits
from support.regressions import line_release

pytest.importorskip("matplotlib")

from discreet.plots import coefficients
from discreet.plots.coefficients import plot_coefficients


def test_every_feature_gets_an_interval_inside_which_the_part_without_privacy_lies(tmp_path, monkeypatch):
    posterior = line_release(bits=SeededBits(1)).posterior
    drawn = []

    class Axis:
        def plot(self, x, y, **options):
            drawn.append((options.get("color"), tuple(x), y[0]))

    real = coefficients._draw
    monkeypatch.setattr(coefficients, "_draw", lambda axis, *rest: (real(Axis(), *rest), real(axis, *rest)))
    plot_coefficients(posterior, tmp_path / "picture.png", "A line")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    outer = {place: x for colour, x, place in drawn if colour == coefficients._PRIVACY}
    inner = {place: x for colour, x, place in drawn if colour == coefficients._RECORDS}
    assert outer.keys() == inner.keys() == {0, 1}
    for place, entry in zip((1, 0), list(posterior.summary())[1:], strict=True):
        assert outer[place] == pytest.approx((10 * entry.lower, 10 * entry.upper))  # over the whole range of the feature
        assert outer[place][0] < inner[place][0] < inner[place][1] < outer[place][1]
