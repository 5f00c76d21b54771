from __future__ import annotations

import warnings

import numpy as np
import pytest
from support.optional import need

from discreet.errors import FormatError, ModelError
from discreet.model import Network, Variable, as_network, from_networkx, from_pgmpy, naive_bayes, write_network

LEVELS = {"a": ["x", "y"], "b": ["p", "q", "r"], "c": ["no", "yes"]}
NETWORK = Network([Variable(name, levels) for name, levels in LEVELS.items()], {"c": ["b", "a"]})


class Cpd:
    """What is used of a pgmpy TabularCPD."""

    def __init__(self, variables, values, state_names):
        self.variable, self.variables = variables[0], variables
        self.values, self.state_names = np.asarray(values), state_names


class Model:
    """What is used of a pgmpy model."""

    def __init__(self, parents, cpds):
        self._parents, self._cpds = parents, cpds

    def nodes(self):
        return list(self._parents)

    def predecessors(self, node):
        return iter(self._parents[node])

    def get_cpds(self):
        return self._cpds


def three_nodes():
    given = np.arange(1, 7).reshape(3, 2) / 10
    return Model(
        {"a": [], "b": [], "c": ["a", "b"]},
        [
            Cpd(["a"], [0.3, 0.7], {"a": ["x", "y"]}),
            Cpd(["b"], [0.2, 0.3, 0.5], {"b": ["p", "q", "r"]}),
            Cpd(["c", "b", "a"], [given, 1 - given], {**LEVELS}),
        ],
    )


def test_a_model_keeps_the_parent_order_of_its_cpds():
    network, tables = from_pgmpy(three_nodes())
    assert network == NETWORK
    assert tables["a"].tolist() == [[0.3, 0.7]]
    assert tables["c"][:, 0] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_a_cpd_may_order_the_states_of_a_parent_differently():
    model = three_nodes()
    cpd = model.get_cpds()[2]
    model.get_cpds()[2] = Cpd(cpd.variables, cpd.values[:, ::-1, :], {**LEVELS, "b": ["r", "q", "p"]})
    assert from_pgmpy(model)[1]["c"][:, 0] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_a_model_without_cpds_is_refused_with_advice():
    with pytest.raises(ModelError, match=r"no CPD for 'a'.*add CPDs"):
        from_pgmpy(Model({"a": []}, []))


def test_a_model_that_is_not_discrete_is_refused():
    class Gaussian:
        variable = "a"

    with pytest.raises(ModelError, match="Only discrete models"):
        from_pgmpy(Model({"a": []}, [Gaussian()]))


def test_cpds_that_contradict_the_edges_are_refused():
    model = three_nodes()
    model._parents["c"] = ["a"]
    with pytest.raises(ModelError, match="edges of 'c' disagree"):
        from_pgmpy(model)


def test_cpds_that_contradict_each_other_are_refused():
    model = three_nodes()
    model.get_cpds()[2].state_names["b"] = ["p", "q", "s"]
    with pytest.raises(ModelError, match="CPD of 'c' has other states for 'b'"):
        from_pgmpy(model)


def test_cpds_that_do_not_sum_to_one_are_refused():
    model = three_nodes()
    model.get_cpds()[2].values[0, 2, 1] = 0.9
    with pytest.raises(ModelError, match=r"'c' in configuration \(b=r, a=y\)"):
        from_pgmpy(model)


def graph():
    networkx = need("networkx")
    made = networkx.DiGraph()
    made.add_nodes_from("abc")
    made.add_edges_from([("b", "c"), ("a", "c")])
    return made


def test_a_graph_takes_levels_from_a_mapping():
    assert from_networkx(graph(), LEVELS) == NETWORK


def test_a_graph_takes_levels_from_its_nodes():
    made = graph()
    for node, levels in LEVELS.items():
        made.nodes[node]["levels"] = levels
    assert from_networkx(made) == as_network(made) == NETWORK


def test_nodes_that_are_numbers_are_named_by_their_text():
    networkx = need("networkx")
    network = from_networkx(networkx.DiGraph([(1, 2)]), {1: [0, 1], 2: [0, 1]})
    assert network.parents["2"] == ("1",)


def test_a_graph_without_levels_is_refused_with_advice():
    with pytest.raises(ModelError, match=r"levels of 'c' are not known; pass levels=\{'c'"):
        from_networkx(graph(), {"a": LEVELS["a"], "b": LEVELS["b"]})


def test_levels_of_an_unknown_node_are_refused():
    with pytest.raises(ModelError, match="Levels are given for 'd', which is not a node"):
        from_networkx(graph(), {**LEVELS, "d": [0, 1]})


def test_a_graph_without_directions_is_refused():
    with pytest.raises(ModelError, match="no directions"):
        from_networkx(graph().to_undirected(), LEVELS)


def test_anything_that_is_a_network_becomes_one(tmp_path):
    write_network(NETWORK, tmp_path / "net.json")
    assert as_network(NETWORK) is NETWORK
    assert as_network(tmp_path / "net.json") == as_network(str(tmp_path / "net.json")) == NETWORK
    assert as_network(three_nodes()) == NETWORK


@pytest.mark.parametrize("thing", [None, 3, {"a": ["x", "y"]}, [NETWORK]])
def test_anything_else_is_refused_with_what_may_be_given(thing):
    with pytest.raises(ModelError, match=r"is not a network\. Give a Network, the path"):
        as_network(thing)


def test_a_missing_file_is_a_format_error():
    with pytest.raises(FormatError, match="cannot be read"):
        as_network("no such file.bif")


def test_a_real_pgmpy_model_is_converted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        need("pgmpy")
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        model = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
        given = np.arange(1, 7) / 10
        names = {"c": LEVELS["c"], "b": LEVELS["b"], "a": LEVELS["a"]}
        model.add_cpds(
            TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": LEVELS["a"]}),
            TabularCPD("b", 3, [[0.2], [0.3], [0.5]], state_names={"b": LEVELS["b"]}),
            TabularCPD("c", 2, [given, 1 - given], ["b", "a"], [3, 2], state_names=names),
        )
        network, tables = from_pgmpy(model)
        assert as_network(model) == network
        with pytest.raises(ModelError, match="no CPD for"):
            as_network(DiscreteBayesianNetwork([("a", "c")]))
    assert network.parents["c"] == ("b", "a")
    assert tables["c"][:, 0] == pytest.approx(given)


def test_the_label_is_the_only_parent_of_every_feature():
    network = naive_bayes("spam", ["offer", "urgent"])
    assert network.nodes == ("spam", "offer", "urgent")
    assert dict(network.parents) == {"spam": (), "offer": ("spam",), "urgent": ("spam",)}
    assert all(variable.levels == ("0", "1") for variable in network.variables)


def test_features_may_have_their_own_levels():
    network = naive_bayes("spam", {"size": ["s", "m", "l"]}, levels=["no", "yes"])
    assert network.variable("size").levels == ("s", "m", "l")
    assert network.variable("spam").levels == ("no", "yes")
    assert network.family("size").shape == (2, 3)


def test_levels_from_a_generator_serve_all_variables():
    network = naive_bayes("y", ["a", "b"], levels=(level for level in ["n", "p"]))
    assert all(variable.levels == ("n", "p") for variable in network.variables)


def test_features_given_as_one_text_are_refused():
    with pytest.raises(ModelError, match="one text"):
        naive_bayes("y", "abc")


def test_levels_given_as_one_text_are_refused():
    with pytest.raises(ModelError, match="one text"):
        naive_bayes("y", ["a"], levels="01")


def test_the_label_cannot_be_a_feature():
    with pytest.raises(ModelError, match="'y' is the label and a feature"):
        naive_bayes("y", ["a", "y"])


def test_a_feature_named_twice_is_refused():
    with pytest.raises(ModelError, match="Two variables are called 'a'"):
        naive_bayes("y", ["a", "a"])
