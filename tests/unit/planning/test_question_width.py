"""Widths of intervals that are predicted before anything is spent, against posteriors; and the smallest epsilon."""

import numpy as np
import pytest

import discreet as dc
from discreet.inference.question import check_question
from discreet.planning import question_width as widths

BITS = ["no", "yes"]
NETWORK = dc.Network(
    [dc.Variable(name, BITS) for name in ("smoke", "dust", "lung", "xray")], {"lung": ["smoke", "dust"], "xray": ["lung"]}
)
ROWS = 2000


def truths():
    """The networks that the plan is made for."""
    generator = np.random.default_rng(widths._SEED)
    drawn = {family.node: widths._draw(family, dc.UNIFORM, generator) for family in NETWORK.families}
    return [
        dc.PointPosterior(NETWORK, {node: table[world] for node, table in drawn.items()}) for world in range(widths._WORLDS)
    ]


def shown(posterior, target, given, seed):
    answer = posterior.query(target, given, generator=seed)
    return (answer.upper - answer.lower).max()


@pytest.mark.fast("down")
@pytest.mark.parametrize(
    ("target", "given"), [("lung", {"smoke": "yes"}), ("xray", {}), ("smoke", {"xray": "yes"})], ids=["down", "alone", "up"]
)
def test_the_width_is_what_posteriors_of_exact_counts_show(target, given):
    predicted = widths.question_worlds(check_question(NETWORK, target, given)).width(ROWS, {})
    exact = dc.DirichletPosterior(NETWORK)
    found = [shown(exact.update(truth.sample(ROWS, seed)), target, given, seed) for seed, truth in enumerate(truths())]
    assert predicted == pytest.approx(np.median(found), rel=0.1)


@pytest.mark.slow
def test_the_width_is_what_releases_show():
    """Medians of few worlds; benchmarks of all of them take minutes."""
    mechanism, target, given = dc.KNorm("0.2"), "smoke", {"xray": "yes"}
    worlds = widths.question_worlds(check_question(NETWORK, target, given))
    found = []
    for seed, truth in enumerate(truths()[:8]):
        made = dc.release(truth.sample(ROWS, seed), NETWORK, mechanism, ledger=dc.Ledger.unlimited(), prior=dc.UNIFORM)
        found.append(shown(made.posterior, target, given, seed))
    few = widths.QuestionWorlds(
        "few",
        {
            node: widths._Rows(t.chance[:8], t.spread[:8], t.square[:8], t.mean[:8], t.prior, t.levels)
            for node, t in worlds.tables.items()
        },
    )
    predicted = few.width(ROWS, mechanism.posterior_noise(NETWORK))
    assert predicted == pytest.approx(np.median(found), rel=0.1)
    assert few.width(ROWS, {}) < 0.8 * predicted  # noise matters here


@pytest.mark.slow
def test_the_smallest_epsilon_is_the_smallest():
    found = dc.plan(NETWORK, rows=ROWS, question=("lung", {"smoke": "yes"}), width=0.1)
    enough = float(found.smallest_epsilon)
    at = [
        dc.plan(NETWORK, rows=ROWS, epsilon=f"{each:.4g}", question=("lung", {"smoke": "yes"}), width=0.1)
        for each in (enough, 0.93 * enough)
    ]
    assert at[0].width_at_epsilon <= 0.1 < at[1].width_at_epsilon
    assert at[0].rows_at_epsilon <= ROWS * 1.01
    assert at[1].rows_at_epsilon > ROWS
    assert f"takes about epsilon {found.smallest_epsilon}" in repr(found)
    assert found.to_dict()["smallest_epsilon"] == found.smallest_epsilon
    wide = [width for _, width in found.curve]
    assert wide == sorted(wide, reverse=True)


def test_where_sampling_alone_is_wider_no_epsilon_will_do():
    found = dc.plan(NETWORK, rows=50, question="lung", width=0.01)
    assert found.smallest_epsilon is None
    assert "not to be had at any epsilon: 50 records leave it" in found.verdict
    assert found.sampling > 0.01


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"question": "lung"}, "go together"),
        ({"width": 0.1}, "go together"),
        ({}, "Give the epsilon to plan for"),
        ({"question": "lung", "width": 5}, "such as 0.05"),
        ({"question": "lang", "width": 0.1}, "no node 'lang'"),
        ({"question": ("lung", {"smoke": "often"}), "width": 0.1}, "no level 'often'"),
    ],
)
def test_misuse_is_explained(words, said):
    with pytest.raises(dc.DiscreetError, match=said):
        dc.plan(NETWORK, rows=ROWS, **words)
