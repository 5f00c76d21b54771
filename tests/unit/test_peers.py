"""Networks and linear models are peers: one way for both, and nobody asks first which of the two it has."""

import ast
from pathlib import Path

import polars as pl
import pytest
from support.mechanisms import DATA, EVERY, LINE, NETWORK
from support.regressions import line_records

import discreet as dc
from discreet.cli.show import View, view_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.pipeline import plan
from discreet.model import declaration
from discreet.model.declaration import ModelKind, kind_of_model
from discreet.posterior.added_records import add_records
from discreet.release_file.facts import declared_rows

SOURCE = Path(dc.__file__).parent
KINDS = [kind for kind in vars(declaration).values() if isinstance(kind, ModelKind)]
OF_LINES = {"LinearModel", "RegressionPosterior", "RegressionDraws", "RegressionMechanism", "RegressionMoments"}
OF_LINES |= {"RegressionSampler"}
READS_ITS_OWN_KIND = {"release_file/moments.py", "release_file/linear_draws.py"}
every_mechanism = pytest.mark.parametrize(("mechanism", "data", "model"), EVERY.values(), ids=EVERY)


def types_asked_for(text):
    """Names of the types that a file tests for, by isinstance, by a match, or by comparing a type."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            asked = node.args[1]
        elif isinstance(node, ast.MatchClass):
            asked = node.cls
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.Eq):
            asked = node.comparators[0]
        else:
            continue
        found |= {part.id for part in ast.walk(asked) if isinstance(part, ast.Name)}
        found |= {part.attr for part in ast.walk(asked) if isinstance(part, ast.Attribute)}
    return found


def test_nobody_asks_whether_it_has_a_regression():
    asking = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if types_asked_for(path.read_text()) & OF_LINES
    }
    assert asking <= READS_ITS_OWN_KIND


@pytest.mark.parametrize(
    "planted",
    [
        "if isinstance(model, Network | LinearModel): pass",
        "if isinstance(value, posterior.RegressionDraws): pass",
        "match value:\n    case RegressionPosterior(): pass",
        "if type(model) is LinearModel: pass",
    ],
)
def test_a_question_of_that_kind_is_found(planted):
    assert types_asked_for(planted) & OF_LINES


@every_mechanism
def test_every_mechanism_goes_through_the_one_frame(mechanism, data, model):
    for step in ("release", "prepare", "prepare_found"):
        assert getattr(type(mechanism), step) is getattr(Mechanism, step)
    assert mechanism.statistic.kind is kind_of_model(model)


@every_mechanism
def test_every_posterior_says_what_it_is_about(mechanism, data, model):
    made = dc.release(data, model, mechanism, ledger=dc.Ledger.unlimited())
    assert made.value.model == made.posterior.model == model
    kind = kind_of_model(model)
    assert declared_rows(made.value) == (kind.headings, kind.rows(model))
    assert isinstance(view_of(made.value), View)


def test_plans_of_lines_and_of_networks_are_of_one_shape():
    of_network, of_line = (plan(model, rows=100, epsilon="1") for model in (NETWORK, LINE))
    assert type(of_network) is type(of_line) is dc.Plans
    assert of_network.to_dict().keys() == of_line.to_dict().keys()
    for plans in (of_network, of_line):
        assert plans.legend
        assert {type(each) for each in plans} == {dc.Plan}
        assert all(each.to_dict().keys() == of_network["laplace"].to_dict().keys() for each in plans)
        assert all(len(each.cells()) == len(plans.headings) == len(each.headings) for each in plans)
        assert all(heading in str(plans) for heading in plans.headings)


def test_a_line_says_which_mechanism_it_does_not_allow_and_why():
    wide = dc.LinearModel({f"x{place}": (0, 1) for place in range(51)}, ("y", (0, 1)), radius=1, noise=1)
    reasons = {each.mechanism: each.reason for each in plan(wide, rows=10, epsilon="1", delta="1e-6").left_out}
    assert reasons.keys() == {"regression-moments", "regression-moments-gaussian"}
    assert all("at most 50 features" in reason for reason in reasons.values())
    assert "Left out: regression-moments. Noisy moments are for at most 50 features" in str(plan(wide, rows=10, epsilon="1"))


def test_every_kind_of_model_can_be_shown():
    for model, word in ((NETWORK, "nodes"), (LINE, "columns")):
        kind = kind_of_model(model)
        assert kind in KINDS
        assert {len(row) for row in kind.rows(model)} == {len(kind.headings)}
        assert [entry["name"] for entry in kind.to_dict(model)[word]] == [row[0] for row in kind.rows(model)]
    assert kind_of_model(DATA) is kind_of_model(None) is None


def test_whoever_takes_records_is_given_them():
    """A posterior of whatever kind that has its own part and an update; others are told."""

    class Counter:
        def __init__(self, own):
            self.own = own

        def update(self, data, *, missing=None, progress=None):
            return Counter((len(data), missing, progress))

    assert add_records(Counter(None), "abc", missing="?", progress=print).own == (3, "?", print)
    with pytest.raises(dc.QueryError, match="records of your own"):
        add_records({}, "abc")


def test_own_records_come_into_both_kinds_by_the_same_words():
    ledger = dc.Ledger.unlimited()
    network = dc.release(DATA, NETWORK, dc.Laplace("1"), ledger=ledger).update(DATA, missing="0")
    line = dc.release(line_records(20), LINE, dc.RegressionMoments("1"), ledger=ledger).update(line_records(4))
    assert [made.value.own.rows for made in (network, line)] == [4, 4]
    assert [made.caveats[-1].text for made in (network, line)] == [network.caveats[-1].text] * 2
    with pytest.raises(dc.QueryError, match="fill in missing ones first"):
        line.value.update(pl.DataFrame(), missing="0")
