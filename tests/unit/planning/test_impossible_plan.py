"""Plans of networks that declare combinations impossible."""

import numpy as np
from support.impossible import FREE, IMPOSSIBLE, NETWORK, PARENTS, VARIABLES

import discreet as dc
from discreet.planning.edge_costs import edge_costs
from discreet.planning.parameter_error import parameter_error
from discreet.planning.worlds import prior_marginals, simulated_worlds


def costly(network):
    return {(cost.parent, cost.child) for cost in edge_costs(network, 100, dc.Laplace("1").node_noise)}


def test_an_edge_that_a_combination_needs_is_not_said_to_cost_anything():
    edges = {("sex", "pregnant"), ("sex", "ward"), ("pregnant", "ward")}
    assert costly(FREE) == edges
    assert costly(NETWORK) == set()  # both combinations together need all of them
    assert costly(dc.Network(VARIABLES, PARENTS, impossible=IMPOSSIBLE[:1])) == edges - {("sex", "pregnant")}
    assert costly(dc.Network(VARIABLES, PARENTS, impossible=IMPOSSIBLE[1:])) == {("sex", "pregnant")}
    assert "sex -> pregnant" not in str(dc.plan(NETWORK, rows=200, epsilon="1"))


def test_a_row_that_only_the_parents_make_impossible_has_a_plan():
    """Without a -> b the first combination would have no place, and c no level where both others are 0."""
    variables = [dc.Variable(name, ["0", "1"]) for name in "abc"]
    combinations = [{"a": "0", "b": "0"}, {"a": "0", "c": "0"}, {"b": "0", "c": "1"}]
    network = dc.Network(variables, {"b": ["a"], "c": ["a", "b"]}, impossible=combinations)
    assert dc.plan(network, rows=100, epsilon="1").recommendation is not None


def test_all_mechanisms_are_compared():
    listed = dc.plan(NETWORK, rows=200, epsilon="1")
    assert {"laplace", "laplace-consistent", "knorm", "fourier"} <= {plan.mechanism for plan in listed}


def test_imagined_records_are_possible_ones():
    marginals = prior_marginals(NETWORK, dc.UNIFORM)
    worlds = simulated_worlds(NETWORK.family("pregnant"), 100, marginals, 2000)
    men = (worlds.concentration == [1, 0]).all(axis=1)
    assert 0.4 < men.mean() < 0.6
    assert (worlds.counts[men, 1] == 0).all()
    assert np.allclose(marginals["pregnant"].mean(axis=0), [0.75, 0.25], atol=0.06)
    rows = simulated_worlds(NETWORK.family("ward"), 100, marginals, 2000).concentration
    assert (rows[:, 1] == 0).mean() > 0.25  # one of three rows that are possible lacks a level


def test_a_probability_that_is_known_has_no_error():
    """A table that is known but for one row errs less than one of which nothing is known, at the same noise."""
    noise = dc.KNorm("1").posterior_noise(FREE)
    known, free = (parameter_error(network, 10**6, noise).nodes["pregnant"] for network in (NETWORK, FREE))
    assert known.released < 0.7 * free.released
