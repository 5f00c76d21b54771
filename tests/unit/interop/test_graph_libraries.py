"""Releases as models of other libraries, and back: nothing is lost but the intervals."""

import numpy as np
import pytest
from support.optional import need

import discreet as dc
from discreet.interop import graph_libraries as libraries

NETWORK = dc.Network(
    [dc.Variable("low pay", ["<=50K", ">50K"]), dc.Variable("b", ["u", "v", "w"]), dc.Variable("c", ["0", "1"])],
    {"c": ["b", "low pay"], "b": ["low pay"]},  # parents in another order than the nodes
)
TABLES = {
    each.node: np.random.default_rng(3).dirichlet(np.ones(each.levels), each.configurations) for each in NETWORK.families
}
POINT = dc.PointPosterior(NETWORK, TABLES)
BELIEFS = dc.DirichletPosterior(NETWORK)


def by_members(network, node, table):
    """A table with its axes in the order of the names of the family, since libraries may reorder parents."""
    family = network.family(node)
    return np.transpose(np.reshape(table, family.shape), np.argsort(family.members))


def check_same(network, tables):
    assert {each.name: each.levels for each in network.variables} == {each.name: each.levels for each in NETWORK.variables}
    assert {node: set(parents) for node, parents in network.parents.items()} == {
        node: set(parents) for node, parents in NETWORK.parents.items()
    }
    for node in NETWORK.nodes:
        np.testing.assert_allclose(
            by_members(network, node, tables[node]), by_members(NETWORK, node, TABLES[node]), atol=1e-12
        )


def test_pgmpy_and_back():
    need("pgmpy")
    model = libraries.to_pgmpy(POINT)
    assert model.check_model()
    check_same(*libraries.from_pgmpy(model))


def test_pyagrum_and_back():
    need("pyagrum")
    model = libraries.to_pyagrum(POINT)
    check_same(*libraries.from_pyagrum(model))


def test_pyagrum_answers_as_we_do():
    gum = need("pyagrum")
    model = libraries.to_pyagrum(POINT)  # pyAgrum's engines do not keep their model alive
    engine = gum.LazyPropagation(model)
    engine.setEvidence({"c": "1"})
    ours = POINT.query("low pay", {"c": "1"}, interval=None)
    np.testing.assert_allclose(engine.posterior("low pay").toarray(), ours.probability, atol=1e-12)


def test_a_pyagrum_model_is_taken_wherever_a_network_is():
    gum = need("pyagrum")
    model = gum.fastBN("a{x|y}->b{u|v|w}")
    plans = dc.plan(model, rows=100, epsilon="1")
    assert len(plans) > 0
    from discreet.model import as_network

    assert as_network(model).variable("b").levels == ("u", "v", "w")


def test_networkx_and_back():
    need("networkx")
    graph = libraries.to_networkx(POINT)
    assert libraries.from_networkx(graph) == NETWORK  # also the order of parents
    for node in NETWORK.nodes:
        np.testing.assert_allclose(graph.nodes[node]["probabilities"], TABLES[node], atol=1e-15)
    assert "probabilities" not in libraries.to_networkx(NETWORK).nodes["c"]


def test_a_credal_network_has_the_ends_of_the_intervals():
    gum = need("pyagrum")
    credal = libraries.to_credal(BELIEFS, interval=0.8)
    node = credal.current_bn().idFromName("low pay")
    vertices = np.array(credal.credalNet_currentCpt()[node][0])
    lower, upper = BELIEFS.interval("low pay", 0.8)
    np.testing.assert_allclose(vertices.min(axis=0), lower[0], atol=1e-6)
    np.testing.assert_allclose(vertices.max(axis=0), upper[0], atol=1e-6)
    assert isinstance(credal, gum.CredalNet)


def test_a_credal_network_of_two_levels_can_be_asked_at_once():
    gum = need("pyagrum")
    network = dc.Network([dc.Variable(name, ["no", "yes"]) for name in ("a", "b")], {"b": ["a"]})
    beliefs = dc.DirichletPosterior(network)
    asked = gum.CNLoopyPropagation(libraries.to_credal(beliefs))
    asked.addEvidence("a", [0, 1])
    asked.makeInference()
    lower, upper = beliefs.interval("b", 0.9)
    np.testing.assert_allclose(asked.marginalMin("b").tolist(), lower[1], atol=1e-5)
    np.testing.assert_allclose(asked.marginalMax("b").tolist(), upper[1], atol=1e-5)


def test_without_spread_there_is_no_credal_network():
    need("pyagrum")
    with pytest.raises(dc.QueryError, match="needs intervals"):
        libraries.to_credal(POINT)


@pytest.mark.parametrize("wrong", [3, None, "model", {}])
@pytest.mark.parametrize("read", [libraries.from_pgmpy, libraries.from_pyagrum, libraries.from_networkx])
def test_what_is_no_model_of_a_library_is_refused(read, wrong):
    with pytest.raises(dc.ModelError, match=r"is no (model|graph)"):
        read(wrong)
