"""Answers from what was kept are the answers of the chains, and nothing of one's own records is kept."""

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.measurements import noisy_counts
from support.regressions import line_records, line_release

from discreet import BDeu, Effort, ModelError, Network, TablePrior, Variable, load
from discreet.cache.folder import find_cache
from discreet.inference import query
from discreet.posterior import noise_aware
from discreet.posterior.linear import RegressionPosterior
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.running import Running

NETWORK = Network(
    [Variable(name, ["0", "1", "2"]) for name in "abcd"],
    {"b": ["a"], "c": ["a", "b"]},
)
QUICK = Effort(chains=4, warm_up=5, rounds=10)
KEPT = Running(cache=True)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "kept"))
    return find_cache()


def released(shift=0):
    generator = np.random.default_rng(5)
    tables = {
        family.node: generator.multinomial(400, np.full(family.cells, 1 / family.cells)).reshape(-1, 3) + shift
        for family in NETWORK.families
    }
    return noisy_counts(NETWORK, tables, 4, 400)


def make(running=KEPT, **more):
    return NoiseAwarePosterior(NETWORK, released=released(more.pop("shift", 0)), effort=QUICK, running=running, **more)


def answers(posterior):
    """All that can be asked, as bits."""
    found = [posterior.query("c", {"d": "1"}, draws=50, generator=3)]
    parts = [found[0].probability, found[0].lower, found[0].upper, found[0].noise]
    for node in NETWORK.nodes:
        parts += [posterior.mean(node), posterior.variance(node), *posterior.interval(node), posterior.concentrations(node)]
    parts += list(posterior.draws(20, 4).values())
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts), posterior.diagnostics


@pytest.fixture
def no_chain(monkeypatch):
    def forbid():
        def run(*_):
            raise AssertionError("the chain ran")

        for name in ("visit", "GoingVisits", "diagnose_tables"):
            monkeypatch.setattr(noise_aware, name, run)
        monkeypatch.setattr(RegressionPosterior, "_run", run)

    return forbid


@pytest.mark.fast("BDeu(3)")
@pytest.mark.parametrize("prior", ["hierarchical", "uniform", BDeu(3)], ids=str)
def test_answers_from_what_was_kept_are_the_same_bit_by_bit(prior, no_chain):
    without = answers(make(Running(), prior=prior))
    first = answers(make(prior=prior))
    no_chain()
    assert without == first == answers(make(prior=prior))


def test_a_regression_answers_from_what_was_kept_bit_by_bit(no_chain):
    released = line_release(bits=SeededBits(1)).posterior
    data = line_records(20)

    def told(posterior):
        line = posterior.predict(data)
        return posterior.summary(), posterior.spreads(), posterior.noise, posterior.diagnostics, line.mean.tobytes()

    found = [told(replace(released, running=running)) for running in (Running(), KEPT)]
    no_chain()
    assert told(replace(released, running=KEPT)) == found[0] == found[1]


def test_nothing_is_kept_unless_it_is_asked_for(cache):
    answers(make(Running()))
    assert not cache.folder.exists()


def test_a_question_reads_only_the_tables_that_it_needs():
    make().prepare()
    posterior = make()
    posterior.query("b", {"a": "0"}, draws=20, generator=1)
    posterior.query("d", draws=20, generator=1)
    assert set(posterior._visits.counts._found) == {"a", "b", "d"}


@pytest.mark.fast("{'shift': 1}")
@pytest.mark.parametrize(
    "other",
    [
        {"shift": 1},
        {"seed": 1},
        {"prior": "uniform"},
        {"prior": BDeu(2)},
    ],
    ids=str,
)
def test_another_release_prior_or_seed_is_computed_by_itself(other, cache):
    make().prepare()
    assert answers(make(**other)) == answers(make(Running(), **other))
    assert len(cache.entries()) == 3  # tables of both, and diagnostics of one


def test_another_effort_is_computed_by_itself():
    make().prepare()
    longer = replace(make(), effort=Effort(chains=4, warm_up=5, rounds=12))
    assert len(longer.concentrations("a")) == 48


def largest(cache):
    return max(cache.entries(), key=lambda each: each[1].st_size)[0]


@pytest.mark.fast("30")
@pytest.mark.parametrize("place", [0, 30, 100, -3000, -1])
def test_damage_is_mended_by_the_chains_and_replaced(cache, place, no_chain):
    expected = answers(make(Running()))
    make().prepare()
    path = largest(cache)
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert answers(make()) == expected
    no_chain()
    assert answers(make()) == expected


def test_damage_in_the_midst_of_questions_changes_no_answer(cache):
    expected = answers(make(Running()))
    make().prepare()
    posterior = make()
    posterior.mean("a")
    path = largest(cache)
    path.write_bytes(path.read_bytes()[:-1000])
    assert answers(posterior) == expected
    path.unlink()
    assert answers(posterior) == expected


@pytest.mark.slow
def test_damaged_diagnostics_and_draws_are_found_anew(cache):
    expected = answers(make())
    line = replace(line_release(bits=SeededBits(1)).posterior, running=KEPT)
    summary = line.summary()
    for path, _ in cache.entries():
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert answers(make()) == expected
    assert replace(line).summary() == summary


def test_nothing_of_ones_own_records_is_kept(cache):
    own = pl.DataFrame({name: ["1"] * 37 for name in "abcd"})
    updated = make().update(own)
    assert len(answers(updated)[0])
    assert not cache.folder.exists()
    line = replace(line_release(bits=SeededBits(1)).posterior, running=KEPT).update(line_records(30))
    line.summary()
    assert not cache.folder.exists()


def test_nothing_is_kept_under_a_prior_that_may_hold_ones_own_records(cache):
    own = pl.DataFrame({name: ["1"] * 37 for name in "abcd"})
    hidden = make(Running()).update(own).as_prior()
    assert isinstance(hidden, TablePrior)
    answers(make(prior=hidden))
    assert not cache.folder.exists()


def test_a_posterior_that_reads_what_was_kept_can_be_copied():
    make().prepare()
    posterior = make().prepare()
    assert answers(pickle.loads(pickle.dumps(posterior))) == answers(posterior)


def test_a_release_is_loaded_with_a_cache_only_on_demand(tmp_path, cache):
    line_release(bits=SeededBits(1)).save(tmp_path / "line.json")
    summary = load(tmp_path / "line.json").posterior.summary()
    assert not cache.folder.exists()
    assert load(tmp_path / "line.json", cache=True).posterior.summary() == summary
    assert len(cache.entries()) == 1
    with pytest.raises(ModelError, match="True or False"):
        load(tmp_path / "line.json", cache=str(tmp_path))


def test_an_answer_is_kept_by_its_question(monkeypatch):
    """The same question has the same answer again without draws; another one, or one of other chains, is asked."""
    first = make().query("c", {"d": "1"})
    asked = []
    original = query._find
    monkeypatch.setattr(query, "_find", lambda *how: asked.append(how) or original(*how))
    again = make().query("c", {"d": "1"})
    assert asked == []
    assert again.to_dict() == first.to_dict()
    assert again.noise is not None
    for other in (
        lambda: make().query("c", {"d": "2"}),
        lambda: make().query("b", {"d": "1"}),
        lambda: make().query("c", do={"d": "1"}, arrows_are_causes=True),
        lambda: make(prior="uniform").query("c", {"d": "1"}),
        lambda: make(seed=1).query("c", {"d": "1"}),
        lambda: replace(make(), effort=None).query("c", {"d": "1"}),
        lambda: replace(make(), effort=replace(make(), effort=None).made_effort).query("c", {"d": "1"}),
        lambda: make().query("c", {"d": "1"}, interval=0.8),
        lambda: make().query("c", {"d": "1"}, draws=400),
        lambda: make().query("c", {"d": "1"}, generator=1),  # whoever draws with a generator of their own wants these draws
        lambda: make(Running(cache=False)).query("c", {"d": "1"}),
        lambda: make(shift=1).query("c", {"d": "1"}),
        lambda: make().with_rounds(12).query("c", {"d": "1"}),
        lambda: make().update({name: ["0", "1"] for name in "abcd"}).query("c", {"d": "1"}),
    ):
        count = len(asked)
        other()
        assert len(asked) == count + 1


def test_a_caution_is_kept_with_its_answer(monkeypatch):
    said = "Chains do not agree \u2013 at all."
    with monkeypatch.context() as patch:
        patch.setattr(NoiseAwarePosterior, "doubt", lambda *_: said)
        assert make().query("c").caution == said
    assert make().query("c").caution == said


@pytest.mark.parametrize("spoilt", ["cut short", "other numbers"])
def test_a_damaged_answer_is_found_anew(cache, monkeypatch, spoilt):
    first = make().query("c")
    asked = []
    original = query._find
    monkeypatch.setattr(query, "_find", lambda *how: asked.append(how) or original(*how))
    (path,) = [path for path, _ in cache.entries() if b"caution" in path.read_bytes()]
    content = path.read_bytes()
    if spoilt == "cut short":
        path.write_bytes(content[:-5])
    else:
        parts = {"lower": first.lower, "upper": first.upper, "noise": first.noise, "caution": np.zeros(1024)}
        cache.write(path.name.split(".")[0], {"probability": np.full(3, 7.0), **parts})
    again = make().query("c")
    assert len(asked) == 1
    np.testing.assert_array_equal(again.probability, first.probability)
