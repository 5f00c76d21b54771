"""`discreet learn` and `discreet release --learn`: from a table and a schema to a graph that was paid for, and its release."""

import json

import pytest

import discreet as dc
from tests.support.graphs import chain_records, edges_of

SCHEMA = {"fields": [{"name": f"x{number}", "categories": ["0", "1"]} for number in range(4)]}
WORDS = ("records.csv", "--schema", "records.schema.json", "--ledger", "records.ledger", "--one-row-per-person")


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "records.schema.json").write_text(json.dumps(SCHEMA))
    chain_records(4, 3000).write_csv("records.csv")
    return tmp_path


def test_a_graph_is_learned_and_a_release_goes_on_from_it(discreet, records):
    done = discreet("learn", *WORDS, "--form", "tree", "--epsilon", "2", "--cap", 5, "-o", "graph.json", "--json")
    assert done.code == 0
    told = json.loads(done.out)
    assert told["form"] == "tree"
    assert len(told["edges"]) == 3
    assert "conditional on the graph" in done.err
    words = ("--network", "graph.json", "--epsilon", "1", "--ledger", "records.ledger", "--one-row-per-person")
    made = discreet("release", "records.csv", *words, "-o", "release.json")
    assert made.code == 0
    release = dc.load("release.json")
    assert release.guarantee == dc.PureDP("3")
    assert edges_of(release.value.network) == {frozenset(edge) for edge in told["edges"]}


@pytest.mark.parametrize("form", ["dag", "tree"])
def test_one_budget_pays_for_graph_and_release(discreet, records, form):
    done = discreet("release", *WORDS, "--learn", form, "--epsilon", "1", "--cap", 1, "-o", "release.json")
    assert done.code == 0
    assert dc.load("release.json").guarantee == dc.PureDP("1")
    assert dc.Ledger("records.ledger").remaining == 0


def test_wrong_usage_costs_nothing(discreet, records):
    more = ("--epsilon", "1", "--cap", 1, "-o", "out.json")
    assert discreet("learn", *WORDS, *more, "--form", "ring").code == 2
    assert discreet("learn", *WORDS, *more, "--required", "x0").code == 2
    assert discreet("release", *WORDS, *more, "--learn", "tree", "--mechanism", "map").code == 2
    assert discreet("release", *WORDS, *more, "--learn", "tree", "--prior", "uniform").code == 2
    assert dc.Ledger("records.ledger", cap="1").history() == []
