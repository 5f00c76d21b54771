"""What changed between two posteriors: nothing where nothing did, and what did where it did."""

import numpy as np
import pytest

import discreet as dc

BITS = ["no", "yes"]
NETWORK = dc.Network([dc.Variable("a", BITS), dc.Variable("b", ["0", "1", "2"])], {"b": ["a"]})
TRUTH = {"a": [[0.6, 0.4]], "b": [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]}
MOVED = {**TRUTH, "b": [[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]]}


def posterior(tables, seed, rows=1500):
    return dc.DirichletPosterior(NETWORK).update(dc.PointPosterior(NETWORK, tables).sample(rows, seed))


def test_what_changed_is_found_first_and_is_the_difference_of_the_means():
    one, two = posterior(TRUTH, 1), posterior(MOVED, 2)
    found = dc.compare_posteriors(one, two, generator=1)
    assert len(found) == 1 + 6
    assert {each.title for each in list(found)[:2]} == {"P(b=0 | a=yes)", "P(b=2 | a=yes)"}
    first = found.changes[0]
    place = ["0", "1", "2"].index(first.level)
    assert first.difference == pytest.approx(two.mean("b")[1, place] - one.mean("b")[1, place])
    assert first.clear
    assert first.lower < first.difference < first.upper


def test_where_nothing_changed_intervals_hold_zero_nine_times_in_ten():
    held = asked = 0
    for seed in range(60):
        found = dc.compare_posteriors(posterior(TRUTH, seed), posterior(TRUTH, 1000 + seed), generator=seed, draws=400)
        held += sum(not each.clear for each in found)
        asked += len(found)
    assert 0.85 < held / asked < 0.95
    assert f"of {len(found)} intervals leave zero out" in repr(found)


def test_a_picture_and_plain_values(tmp_path):
    pytest.importorskip("matplotlib")
    found = dc.compare_posteriors(posterior(TRUTH, 1), posterior(MOVED, 2), generator=1)
    found.plot(tmp_path / "changes.png")
    assert (tmp_path / "changes.png").stat().st_size > 5000
    assert found.to_dict()["changes"][0]["clear"] is True


def test_a_point_has_no_interval_and_says_why():
    found = dc.compare_posteriors(dc.PointPosterior(NETWORK, TRUTH), dc.PointPosterior(NETWORK, MOVED))
    assert found.interval is None
    assert found.remark in repr(found)
    assert np.abs([each.difference for each in found]).max() == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (dc.Network([dc.Variable("a", BITS), dc.Variable("c", ["0", "1", "2"])], {"c": ["a"]}), "has a node 'b'"),
        (dc.Network([dc.Variable("a", BITS), dc.Variable("b", BITS)], {"b": ["a"]}), "different levels of 'b'"),
        (dc.Network(NETWORK.variables), "'b' has different parents"),
    ],
)
def test_networks_that_differ_are_refused_with_what_differs(other, said):
    with pytest.raises(dc.QueryError, match=said):
        dc.compare_posteriors(dc.DirichletPosterior(NETWORK), dc.DirichletPosterior(other))


def test_different_priors_are_told():
    one = dc.DirichletPosterior(NETWORK)
    found = dc.compare_posteriors(one, one.with_prior("jeffreys"))
    assert "different priors, Symmetric(1.0) and Symmetric(0.5)" in found.caution
    assert found.caution in found.remarks()
    assert found.to_dict()["caution"] == found.caution
    assert dc.compare_posteriors(one, one).caution is None
    assert "caution" not in dc.compare_posteriors(one, one).to_dict()
