"""Records as they might be, and what a grid of plans says of itself."""

import numpy as np

import discreet as dc
from discreet.model.family import zero_probabilities
from discreet.planning.example_records import draw_example, example_counts
from discreet.planning.plan_grid import EPSILONS

NETWORK = dc.Network(
    [dc.Variable("sex", ["male", "female"]), dc.Variable("pregnant", ["yes", "no"]), dc.Variable("age", ["a", "b", "c"])],
    {"pregnant": ["sex", "age"]},
    impossible=[{"sex": "male", "pregnant": "yes"}],
)


def test_example_records_follow_from_what_is_declared():
    """The same each time, as many as there are, the same in every table, and none that is impossible."""
    counts, again = (example_counts(NETWORK, 700) for _ in range(2))
    for family in NETWORK.families:
        assert (counts[family.node] == again[family.node]).all()
        assert counts[family.node].sum() == 700
        assert counts[family.node][zero_probabilities(family)].sum() == 0
    by_sex = counts["pregnant"].reshape(2, 3, 2).sum(axis=(1, 2))
    assert (by_sex == counts["sex"][0]).all()
    assert (np.bincount(draw_example(NETWORK, 700)["age"], minlength=3) == counts["age"][0]).all()


def test_of_many_records_some_are_drawn_and_scaled_up():
    counts = example_counts(NETWORK, 10**9)
    assert counts["age"].sum() == np.float64(10**9)


def test_epsilons_are_short_exact_and_rise_evenly():
    values = [float(each) for each in EPSILONS]
    ratios = np.diff(np.log(values))
    assert values[0] == 0.01
    assert values[-1] == 10
    assert ratios.min() > 0.15
    assert ratios.max() < 0.35
    assert all(len(each) <= 5 for each in EPSILONS)
