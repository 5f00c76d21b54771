"""Plans of graphs that are to be learned: what they say is what learning does, and no record is needed."""

import json

import pytest

import discreet as dc
from discreet.learning.together import prepare_whole
from tests.support.graphs import binary, chain_records, open_ledger


@pytest.mark.parametrize("delta", [None, "1e-6"])
@pytest.mark.parametrize(("form", "target"), [("tree", None), ("forest", None), ("dag", None), ("tan", "x0"), ("auto", "x0")])
def test_a_plan_of_learning_says_what_learning_does(tmp_path, form, target, delta):
    found = dc.plan(binary(5), 1500, "0.8", delta, target=target, learn=form)
    given = {"epsilon": "0.8", "form": form, "target": target, "delta": delta}
    prepared = prepare_whole(chain_records(5, 1500), binary(5), ledger=open_ledger(tmp_path, delta="1e-6"), **given)
    assert prepared.graph.wanted.form.value == found.form
    made = prepared.publish()
    assert found.automatic == (form == "auto")
    costs = [receipt.guarantee for receipt in made.receipts]
    whole = sum((getattr(each, "epsilon", None) or each.rho) for each in costs)
    first = getattr(costs[0], "epsilon", None) or costs[0].rho
    assert first == whole * found.share
    assert found.guarantee == made.guarantee


def test_more_budget_and_more_records_are_worth_more():
    def worth(rows, epsilon, form):
        plan = dc.plan(binary(8), rows, epsilon, learn=form)
        return plan.choice.taken.worth

    for form in ("dag", "tree", "forest"):
        assert worth(500, "0.1", form) < worth(500, "1", form) < worth(50_000, "1", form)


def test_auto_learns_where_it_pays_and_not_where_it_does_not():
    rich, poor = (dc.plan(binary(16), rows, "0.3", learn="auto") for rows in (50_000, 200))
    assert (rich.form, rich.pays) == ("dag", True)
    assert (poor.form, poor.pays, poor.share) == ("empty", False, 0)
    assert "not expected to pay" in poor.choice.reason
    wide = [dc.Variable(f"x{number}", [str(level) for level in range(20)]) for number in range(25)]
    assert dc.plan(wide, 100_000, "1", learn="auto").form in ("tree", "forest")
    assert dc.plan(binary(16), 200, "0.3", target="x0", learn="auto").form == "naive_bayes"


def test_a_form_that_was_asked_for_and_does_not_pay_is_told_so():
    found = dc.plan(binary(16), 200, "0.3", learn="dag")
    assert found.form == "dag"
    assert any("not expected to pay" in line for line in found.remarks())
    assert json.loads(json.dumps(found.to_dict()))["pays"] is False
    assert "dag" in str(found)


@pytest.mark.parametrize(
    ("network", "given", "said"),
    [
        (binary(3), {"learn": "auto", "target": "y"}, "no column 'y'"),
        (binary(3), {"learn": "tan"}, "target="),
        (binary(3), {"learn": "shrub"}, "no form 'shrub'"),
        (binary(3), {"learn": "auto", "question": ("x0", {}), "width": 0.1}, "Leave learn out"),
        (binary(3), {"learn": "auto", "epsilon": None}, "epsilon"),
        (dc.Network(binary(3)), {"learn": "auto"}, "a model already"),
        ("clinic.bif", {"learn": "auto"}, "a model already"),
    ],
)
def test_what_cannot_be_planned_is_told(network, given, said):
    with pytest.raises(dc.ModelError, match=said):
        dc.plan(network, **{"rows": 100, "epsilon": "1", **given})
