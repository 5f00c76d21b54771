"""Plans: comparisons, recommendations, what edges cost. All of it from public quantities."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from discreet import Laplace, ModelError, Network, Sampler, Variable, naive_bayes, plan
from discreet.guarantee import ZCDP, Neighbours, PureDP
from discreet.planning.edge_costs import EdgeCost, edge_costs
from discreet.planning.parameter_error import NodeError, ParameterError, parameter_error
from discreet.planning.plan import Plan, Plans
from discreet.planning.recommendation import recommend
from discreet.planning.worlds import divergence_at_even_counts
from discreet.theorems.of_true_counts import expected_divergence_bound

NETWORK = Network([Variable(name, ["0", "1"]) for name in "abcd"], {"b": ["a"], "c": ["a", "b"], "d": ["a", "b", "c"]})
EPSILON = PureDP(Fraction(1))


def made(name, mean, sampling=0.01, guarantee=EPSILON):
    error = ParameterError({"a": NodeError(mean, sampling)}, mean, sampling, "a")
    return Plan(name, guarantee, Neighbours.REPLACE_ONE, 100, parameter_error=error)


def test_the_smallest_error_is_recommended():
    advice = recommend([made("one", 0.02), made("two", 0.015)])
    assert advice.mechanism == "two"
    assert "0.0150" in advice.reason
    assert "25% less than with one" in advice.reason
    assert "0.0100 would remain" in advice.reason


def test_of_errors_that_are_close_the_one_with_less_noise_is_recommended():
    assert recommend([made("one", 0.0151), made("two", 0.015)]).mechanism == "one"  # of equals the first
    assert recommend([made("one", 0.0154), made("two", 0.015)]).mechanism == "two"
    assert recommend([noisy("one", 0.015, 9.0), noisy("two", 0.0151, 3.0)]).mechanism == "two"
    assert recommend([noisy("one", 0.015, 9.0), noisy("two", 0.0154, 3.0)]).mechanism == "one"
    assert "as little as with one" in recommend([noisy("one", 0.015, 9.0), noisy("two", 0.0151, 3.0)]).reason


def noisy(name, mean, noise):
    plan = made(name, mean)
    return replace(plan, parameter_error=replace(plan.parameter_error, noise=noise))


def test_where_another_has_the_smaller_number_in_the_table_the_reason_says_what_decided():
    reason = recommend([noisy("one", 0.015, 9.0), noisy("two", 0.0151, 3.0), noisy("three", 0.0152, 4.0)]).reason
    assert "taken as equal" in reason
    assert "3 records (root mean square), against 4 with three" in reason
    assert "taken as equal" not in recommend([noisy("one", 0.015, 9.0), noisy("two", 0.02, 3.0)]).reason


def test_noise_that_makes_no_difference_is_told_without_its_digits():
    reason = recommend([noisy("one", 0.015, 2e-26), noisy("two", 0.0151, 4e-26)]).reason
    assert reason.endswith("the noise of these mechanisms is far below one record and makes no difference.")
    reason = recommend([noisy("one", 0.015, 2e-26), noisy("two", 0.0151, 3.0)]).reason
    assert "less than 0.01 records (root mean square), against 3 with two" in reason


def test_the_worst_nodes_are_named():
    one, two = made("one", 0.02), made("two", 0.02)
    error = replace(two.parameter_error, nodes={"b": NodeError(0.02, 0.01)}, worst_node="b")
    other = replace(two, parameter_error=error)
    assert f"The worst node is {one.parameter_error.worst_node}.\n" in f"{Plans((one, two))}\n"
    assert f"The worst node is {one.parameter_error.worst_node} with one; b with two." in str(Plans((one, other)))


def test_edges_that_are_not_shown_are_counted_and_another_mechanism_than_the_recommended_is_explained():
    edges = tuple(EdgeCost("a", f"b{number}", 0.03, 0.02) for number in range(13))
    shown = str(Plans((made("one", 0.02),), edges=edges, edges_of="one"))
    assert "... and 3 more edges" in shown
    assert "compared alike" not in shown
    assert "more edge" not in str(Plans((made("one", 0.02),), edges=edges[:10], edges_of="one"))
    shown = " ".join(str(Plans((made("one", 0.02),), edges=edges[:1], edges_of="two")).split())
    assert "What edges cost with two, by which all graphs are compared alike, in expected error" in shown


def test_draws_which_have_no_noise_in_cells_do_not_win_by_having_none():
    assert recommend([noisy("noise", 0.015, 9.0), made("draws", 0.015)]).mechanism == "noise"
    assert Sampler("1").plan(NETWORK, 100).parameter_error.noise > Laplace("1").plan(NETWORK, 100).parameter_error.noise


def test_a_guarantee_of_another_kind_is_compared_where_it_keeps_the_same_budget():
    plans = [made("one", 0.02), made("two", 0.01, guarantee=ZCDP(Fraction(1)))]
    assert recommend(plans).mechanism == "one"
    assert recommend(plans, [ZCDP(Fraction(1))]).mechanism == "two"


def test_noise_that_drowns_the_data_is_mentioned():
    assert "larger epsilon" in recommend([made("one", 0.2)]).reason
    assert "larger epsilon" not in recommend([made("one", 0.02)]).reason


def test_a_release_that_says_no_more_than_the_prior_is_called_that():
    plans = plan(NETWORK, rows=50, epsilon="1/100")
    unread = plans["laplace"].parameter_error.unread
    assert unread == pytest.approx(0.25, rel=0.02)  # uniform probabilities of two levels: E |p - 1/2| = 1/4
    drowned = plans.recommendation.reason
    assert f"The prior alone is off by {unread:.4f}" in drowned
    assert "next to nothing" in drowned
    assert "larger epsilon" in drowned
    assert "next to nothing" not in plan(NETWORK, rows=50_000, epsilon="1").recommendation.reason


def test_edges_whose_absence_changes_no_digit_are_not_listed():
    hidden, small, grows = (
        EdgeCost("a", child, 0.0341, without) for child, without in (("b", 0.03412), ("c", 0.03), ("d", 0.04))
    )
    assert str(hidden) == "without a -> b the error of b stays 0.0341"
    assert str(grows) == "without a -> d the error of d grows from 0.0341 to 0.0400"
    shown = str(Plans((made("one", 0.02),), edges=(small, hidden, grows), edges_of="laplace"))
    assert "falls from 0.0341 to 0.0300" in shown
    assert "-> b" not in shown
    assert "-> d" not in shown
    nothing = str(Plans((made("one", 0.02),), edges=(hidden, grows), edges_of="laplace"))
    assert "no error falls in the digits shown here" in " ".join(str(nothing).split())


def test_what_cannot_be_compared_is_not_recommended():
    silent = Plan("silent", EPSILON, Neighbours.REPLACE_ONE, 100)
    cheap = made("cheap", 0.001, guarantee=PureDP(Fraction(100)))
    assert recommend([made("one", 0.02), cheap, silent]).mechanism == "one"
    assert recommend([silent]) is None
    assert recommend([]) is None
    shown = str(Plans((silent,)))
    assert "silent" in shown
    assert "Recommended" not in shown
    assert silent.to_dict()["parameter_error"] is None


def test_an_edge_costs_what_the_plan_without_it_saves():
    for mechanism in (Laplace("1"), Laplace("1", tables="maximal", consistent=True)):
        costs = {(cost.parent, cost.child): cost for cost in edge_costs(NETWORK, 2000, mechanism.node_noise)}
        assert len(costs) == NETWORK.edges
        fewer = Network(NETWORK.variables, dict(NETWORK.parents) | {"d": ["a", "c"]})
        whole, without = (parameter_error(each, 2000, mechanism.posterior_noise(each)).nodes["d"] for each in (NETWORK, fewer))
        cost = costs["b", "d"]
        assert cost.error == pytest.approx(whole.released, rel=1e-12)
        assert cost.without == pytest.approx(without.released, rel=0.05)  # its parents' marginals are drawn anew
        assert cost.without < 0.8 * cost.error
    gains = [cost.error - cost.without for cost in costs.values()]
    assert gains == sorted(gains, reverse=True)
    assert edge_costs(Network(NETWORK.variables), 100, Laplace("1").node_noise) == ()


def test_the_divergence_of_even_counts_is_that_of_the_steward():
    scale = Fraction(3)
    even = [[500, 500], *[[250, 250]] * 2, *[[125, 125]] * 4, *[[62, 62]] * 8]
    expected = expected_divergence_bound((1, 1), even, scale, 1000)
    assert divergence_at_even_counts(NETWORK, 1000, scale) == pytest.approx(expected)


def test_plans_are_the_same_every_time():
    one, two = (plan(NETWORK, rows=300, epsilon="1/3").to_dict() for _ in range(2))
    assert json.dumps(one) == json.dumps(two)


def test_a_plan_says_all_of_it():
    plans = plan(NETWORK, rows=1000, epsilon="1")
    document = json.loads(json.dumps(plans.to_dict(), allow_nan=False))
    names = ["laplace", "laplace-consistent", "fourier", "knorm", "sampler", "map"]
    assert [each["mechanism"] for each in document["plans"]] == names
    assert document["recommendation"]["mechanism"] == plans.recommendation.mechanism
    assert {edge["child"] for edge in document["edges"]["costs"]} == set("bcd")
    assert document["plans"][0]["bounds"][0]["name"] == "theorem-1"
    assert document["plans"][2]["bounds"][0]["name"] == "theorem-3"
    assert set(document["plans"][0]["parameter_error"]["nodes"]) == set("abcd")
    recommended = plans[plans.recommendation.mechanism].parameter_error
    assert document["plans"][names.index(plans.recommendation.mechanism)]["parameter_error"]["noise"] == recommended.noise
    assert [each["parameter_error"]["noise"] is None for each in document["plans"]] == [False] * 4 + [True] * 2
    assert document["left_out"] == []
    text = str(plans)
    assert f"Recommended: {plans.recommendation.mechanism}." in text
    assert "without a -> b the error of b falls from" in text
    assert all(len(line) <= 100 for line in text.splitlines() if not line.startswith(("Recommended", "Left out")))


def test_a_mechanism_that_the_network_does_not_allow_says_why():
    plans = plan(Network([Variable("a", list("012"))]), rows=10, epsilon="1")
    assert [each.mechanism for each in plans.left_out] == ["fourier"]
    assert "two levels" in plans.left_out[0].reason
    assert "Left out: fourier." in str(plans)
    wide = [Variable(f"x{i}", ["0", "1"]) for i in range(18)]
    many = Network(wide, {"x17": [f"x{i}" for i in range(17)]})
    reasons = {each.mechanism: each.reason for each in plan(many, rows=10, epsilon="1").left_out}
    assert "at most 15 parents" in reasons["laplace-consistent"]
    assert "at most 12 nodes" in reasons["fourier"]


def test_a_larger_epsilon_and_more_rows_bring_smaller_errors():
    errors = [
        plan(naive_bayes("y", ["a", "b"]), rows=rows, epsilon=epsilon)["laplace"].parameter_error.mean
        for rows, epsilon in ((100, "1/10"), (100, "1"), (10_000, "1"), (10_000, "10"))
    ]
    assert errors == sorted(errors, reverse=True)


def test_only_a_network_can_leave_a_mechanism_out(monkeypatch):
    def broken(self, network, rows, interval=0.95):
        raise KeyError("a defect")

    monkeypatch.setattr(Laplace, "plan", broken)
    with pytest.raises(KeyError):
        plan(NETWORK, rows=10, epsilon="1")
    with pytest.raises(ModelError):
        plan(NETWORK, rows=0, epsilon="1")


def test_optional_parts_of_a_plan_leave_their_places_empty():
    whole = plan(NETWORK, rows=1000, epsilon="1")["laplace"]
    bare = replace(
        whole, released_numbers=None, noise_scale=None, expected_error=None, largest_error=None, parameter_error=None
    )
    assert bare.cells()[2:] == ("",) * 6
    assert bare.relative_error is None
