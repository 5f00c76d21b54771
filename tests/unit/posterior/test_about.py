"""A question to a large network is answered by chains of what it needs, and by longer ones where these do not agree."""

from itertools import pairwise

import numpy as np
import pytest
from support.measurements import noisy_counts

from discreet import Effort, ModelError, Network, Variable
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.running import USUAL

QUICK = Effort(chains=4, warm_up=4, rounds=10)


def long_line(running=USUAL, effort=QUICK):
    """A release of a network that is too large for its chains to visit all tables for a question."""
    names = [f"n{number:02}" for number in range(50)]
    variables = [Variable(name, [str(level) for level in range(5)]) for name in names]
    network = Network(variables, {after: [before] for before, after in pairwise(names)})
    tables = {family.node: np.full((family.configurations, 5), 1000 // family.cells) for family in network.families}
    return NoiseAwarePosterior(network, released=noisy_counts(network, tables, 4, 1000), effort=effort, running=running)


def test_a_question_to_a_large_network_runs_chains_of_what_it_needs_alone():
    posterior = long_line()
    answer = posterior.query("n04", {"n03": "1"}, draws=40, generator=1)
    assert answer.lower is not None
    assert "_visits" not in posterior.__dict__
    part = posterior.about([f"n{number:02}" for number in range(5)])
    assert part is not posterior
    assert "_visits" in part.__dict__  # the chains of the question
    assert len(part.nodes) < 50
    assert part.about(["n00"]) is part
    np.testing.assert_array_equal(answer.probability, part.query("n04", {"n03": "1"}, interval=None).probability)
    with pytest.raises(ModelError, match="does not need 'n49'"):
        part.mean("n49")
    assert part.diagnostics.draws == part.chains * part.rounds
    assert set(part.draws(8, 1)) == part.nodes


def test_the_same_question_has_the_same_answer_whatever_was_asked_before():
    once, twice = long_line(), long_line()
    twice.query("n40", draws=40, generator=1)
    found = [each.query("n04", draws=40, generator=1) for each in (once, twice)]
    np.testing.assert_array_equal(found[0].lower, found[1].lower)


def test_chains_that_do_not_agree_on_an_answer_are_run_again_and_longer(monkeypatch):
    posterior = long_line(effort=None)
    short = Effort(4, 4, 8)
    monkeypatch.setattr(Effort, "of_question", classmethod(lambda cls, cells: short))
    part = posterior.about(["n00"])
    assert part.made_effort == short
    apart, together = np.tile([[0.0, 1.0, 2.0, 3.0]], (1, 50)), np.random.default_rng(1).random((1, 200))
    longer = part.longer([together, apart])
    assert longer.rounds > short.rounds
    assert longer.nodes == part.nodes
    assert part.longer([together, apart]) is longer
    assert part.longer([together]) is None
    assert posterior.longer([apart]) is None  # all of a large network
    assert long_line().about(["n00"]).longer([apart]) is None  # who asked for an effort has it
