"""A question to a large network is answered by chains of what it needs, and by longer ones where these do not agree."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.measurements import noisy_counts

from discreet import Effort, ModelError, Network, Variable
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.parts import pass_on
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


def test_chains_that_do_not_agree_on_an_answer_go_on(monkeypatch):
    posterior, short = long_line(effort=None), Effort(4, 4, 8)
    monkeypatch.setattr(Effort, "of_question", classmethod(lambda cls, *_: short))
    part = posterior.about(["n00"])
    assert part.made_effort == short
    asked = []

    def differ(beliefs, count, generator):
        """Chains that are apart on one of two answers."""
        asked.append((beliefs, count, generator.random()))
        return [np.zeros((1, count)), np.tile([[0.0, 1.0, 2.0, 3.0]], (1, count // 4))]

    longer = part.longer(differ)
    assert longer.rounds > short.rounds
    assert longer.nodes == part.nodes
    assert part.longer(differ) is longer
    assert asked == [asked[0]] * 2  # by the same draws every time
    assert asked[0][:2] == (part, 32)
    assert part.longer(lambda _, count, __: [np.repeat(np.tile(np.arange(4.0), count // 16), 4)[None]]) is None  # they agree
    assert part.longer(lambda _, count, __: [np.tile([[0.0, 1.0, 2.0, 3.0]], (1, count // 8))]) is None  # draws were left out
    assert long_line().about(["n00"]).longer(differ) is None  # who asked for an effort has it


@pytest.mark.parametrize(
    ("nodes", "levels", "most", "at_worst"),
    [(20, 2, 2650, 6500), (200, 2, 6800, 6800), (200, 16, 28_000, 28_000), (200, 17, 28_000, 28_000)],
)
def test_chains_run_as_long_as_they_need_and_no_longer_than_people_wait(nodes, levels, most, at_worst):
    network = Network([Variable(f"n{number}", [str(level) for level in range(levels)]) for number in range(nodes)])
    for cells in (10, 1000, 3000):
        cost = (4.5 + 19.2e-3 * cells) * (1.5 if levels > 16 else 1)
        first = Effort.of_question(network, cells, cells)
        assert first.further(network, cells, cells, 1.04) is None
        little, much = (first.further(network, cells, cells, r_hat) for r_hat in (1.07, 5.0))
        assert much is not None
        assert little is None or first.total < little.total <= much.total
        if little is not None:
            assert cost * little.total <= most
        assert cost * much.total <= at_worst
        assert much.learning == first.warm_up
        assert much.warm_up / much.total == pytest.approx(first.warm_up / first.total, abs=0.02)
    assert Effort.of_question(network, 10**6, 10**6).total == 60


@pytest.mark.parametrize("first", [Effort(4, 0, 4), Effort(4, 1, 4), Effort(4, 1, 30), Effort(4, 24, 70)])
def test_chains_go_on_until_nobody_would_wait_any_longer(first):
    network = Network([Variable("a", ["0", "1"])])
    effort, rounds = first, []
    while (longer := effort.further(network, 300, 100, np.inf)) is not None:
        assert effort.total < longer.total <= 2 * effort.total
        assert longer.warm_up >= effort.warm_up
        assert longer.learning == first.warm_up
        effort = longer
        rounds.append(effort.total)
    assert 6500 / 8.58 / 1.25 <= effort.total <= 6500 / 8.58
    assert Effort(4, 10, 80).further(network, 2**25 // 320, 100, np.inf) is None  # the memory is full


def test_longer_chains_go_on_where_the_first_ones_ended(monkeypatch):
    short = Effort(4, 4, 12)
    monkeypatch.setattr(Effort, "of_question", classmethod(lambda cls, *_: short))
    going, anew = (long_line(effort=None).about(["n00"]) for _ in range(2))
    began = going._visits
    longer = replace(short, warm_up=8, rounds=24, learning=4)
    from_scratch = replace(anew, effort=longer)._visits
    rounds = []
    monkeypatch.setattr("discreet.posterior.noise_aware.GoingVisits", lambda *given: pytest.fail("from the start"))
    further = pass_on(going, replace(going, effort=longer))
    further.prepare(rounds.append)
    assert rounds == list(range(17, 33))
    assert "_going" in further.__dict__  # they may go on again
    for node, table in further._visits.counts.items():
        np.testing.assert_array_equal(table, from_scratch.counts[node])
        np.testing.assert_array_equal(further._visits.parameters[node], from_scratch.parameters[node])
        np.testing.assert_array_equal(table[: 4 * 8], began.counts[node][4 * 4 :])
    assert "_going" not in pickle.loads(pickle.dumps(further)).__dict__


def test_chains_that_were_interrupted_do_not_go_on(monkeypatch):
    monkeypatch.setattr(Effort, "of_question", classmethod(lambda cls, *_: Effort(4, 4, 12)))
    longer = Effort(4, 8, 24, 4)
    part = long_line(effort=None).about(["n00"])
    further = pass_on(part.prepare(), replace(part, effort=longer))

    def interrupt(done):
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        further.prepare(interrupt)
    rounds = []
    further.prepare(rounds.append)
    assert rounds == list(range(1, 33))
    wanted = replace(part, effort=longer)._visits.counts
    for node, table in further._visits.counts.items():
        np.testing.assert_array_equal(table, wanted[node])


def test_chains_of_the_latest_questions_are_kept_in_memory_and_none_in_copies(monkeypatch):
    posterior = long_line()
    monkeypatch.setattr("discreet.posterior.parts._MOST", 2)
    first, second = (posterior.about([node]) for node in ("n00", "n24"))
    assert posterior.about(["n00"]) is first
    posterior.about(["n49"])
    assert posterior.about(["n00"]) is first
    assert posterior.about(["n24"]) is not second
    assert "_parts" not in pickle.loads(pickle.dumps(posterior)).__dict__


def test_an_answer_too_large_to_be_kept_for_every_visit_is_not_judged(monkeypatch):
    monkeypatch.setattr("discreet.inference.query.KEPT_CELLS", 30)
    posterior = long_line(effort=None)
    monkeypatch.setattr(Effort, "of_question", classmethod(lambda cls, *_: QUICK))
    posterior.query("n00", draws=5, generator=1)
    assert "_parts" not in posterior.about(["n00"]).__dict__  # no longer ones either


def test_rounds_that_were_asked_for_have_a_warm_up_of_their_own():
    assert long_line(effort=None).with_rounds(1000).made_effort.warm_up == 200
    assert long_line(effort=None).with_rounds(20).made_effort.warm_up == long_line(effort=None).made_effort.warm_up


def test_the_posterior_of_no_nodes_is_that_of_all():
    posterior = long_line()
    assert posterior.about([]) is posterior
