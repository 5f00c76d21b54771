"""Exact inference equals pgmpy's and pyAgrum's, on networks from the literature and on random ones."""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.optional import need

from discreet.model.files.network_file import read_tables
from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.posterior import PointPosterior

TOLERANCE = 1e-9


def quietly(module):
    """Peers warn on import, about themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return need(module)


@cache
def published(name):
    pgmpy = quietly("pgmpy")
    path = Path(pgmpy.__file__).parent / "utils" / "example_models" / f"{name}.bif.gz"
    if not path.exists():
        pytest.skip(f"this pgmpy does not ship {name}")
    return PointPosterior(*read_tables(path))


@cache
def random_posterior(seed, nodes, max_parents=3):
    generator = np.random.default_rng(seed)
    variables = [Variable(f"n{i}", [f"l{k}" for k in range(generator.integers(2, 5))]) for i in range(nodes)]
    parents = {}
    for index in range(1, nodes):
        near = np.arange(max(0, index - 8), index)
        count = generator.integers(0, min(max_parents, near.size) + 1)
        parents[f"n{index}"] = [f"n{i}" for i in generator.permutation(near)[:count]]
    network = Network(variables, parents)
    tables = {f.node: generator.dirichlet(np.ones(f.levels), f.configurations) for f in network.families}
    return PointPosterior(network, tables)


def questions(posterior, seed, count):
    """Targets, single and joint, with possible evidence on none to almost all of the other nodes."""
    generator = np.random.default_rng(seed)
    nodes = posterior.network.nodes
    for number in range(count):
        shuffled = [str(node) for node in generator.permutation(nodes)]
        targets = shuffled[: 1 + number % 2]
        observed = len(nodes) - 3 if number % 4 == 3 else int(generator.integers(0, len(nodes) - 2))
        record = posterior.sample(1, generator).row(0, named=True)
        yield targets, {node: record[node] for node in shuffled[2 : 2 + observed]}


def pyagrum_network(posterior):
    gum = quietly("pyagrum")
    network = gum.BayesNet()
    for variable in posterior.network.variables:
        network.add(gum.LabelizedVariable(variable.name, variable.name, list(variable.levels)))
    for family in posterior.network.families:
        for parent in family.parents:
            network.addArc(parent, family.node)
        table = network.cpt(family.node)
        axes = [family.members.index(name) for name in reversed(table.names)]
        table[:] = np.ascontiguousarray(posterior.mean(family.node).reshape(family.shape).transpose(axes))
    return network


def pgmpy_network(posterior):
    models, factors = quietly("pgmpy.models"), quietly("pgmpy.factors.discrete")
    model = models.DiscreteBayesianNetwork()
    model.add_nodes_from(posterior.network.nodes)
    for family in posterior.network.families:
        model.add_edges_from((parent, family.node) for parent in family.parents)
    for family in posterior.network.families:
        names = {member: list(posterior.network.variable(member).levels) for member in family.members}
        table = posterior.mean(family.node).T
        model.add_cpds(
            factors.TabularCPD(
                family.node, family.levels, table, list(family.parents), list(family.shape[:-1]), state_names=names
            )
        )
    return model


def pyagrum_answer(network, targets, given):
    gum = quietly("pyagrum")
    inference = gum.LazyPropagation(network)
    inference.setEvidence(given)
    inference.addJointTarget(set(targets))
    inference.makeInference()
    table = inference.jointPosterior(set(targets))
    axes = list(reversed(table.names))
    return table.toarray().transpose([axes.index(target) for target in targets])


def pgmpy_answer(inference, targets, given):
    table = inference.query(targets, given, show_progress=False)
    return table.values.transpose([table.variables.index(target) for target in targets])


def compare_with_pyagrum(posterior, seed, count):
    network = pyagrum_network(posterior)
    for targets, given in questions(posterior, seed, count):
        answer = posterior.query(targets, given, interval=None)
        np.testing.assert_allclose(answer.probability, pyagrum_answer(network, targets, given), atol=TOLERANCE, rtol=0)


@pytest.mark.fast("asia", "alarm")
@pytest.mark.parametrize("name", ["asia", "alarm", "win95pts", "hailfinder"])
def test_published_networks_answer_as_in_pyagrum(name):
    compare_with_pyagrum(published(name), seed=11, count=16)


@pytest.mark.slow
def test_a_network_of_223_nodes_with_hundreds_observed_answers_as_in_pyagrum():
    compare_with_pyagrum(published("andes"), seed=12, count=8)


@pytest.mark.parametrize(("seed", "nodes"), [(1, 6), (2, 12), (3, 25), (4, 40)])
def test_random_networks_answer_as_in_pyagrum(seed, nodes):
    compare_with_pyagrum(random_posterior(seed, nodes), seed=seed, count=12)


@pytest.mark.fast("asia", "alarm")
@pytest.mark.parametrize("name", ["asia", "alarm", "win95pts"])
def test_published_networks_answer_as_in_pgmpy(name):
    posterior = published(name)
    inference = quietly("pgmpy.inference").VariableElimination(pgmpy_network(posterior))
    for targets, given in questions(posterior, 13, 8):
        expected = pgmpy_answer(inference, targets, given)
        answer = posterior.query(targets, given, interval=None)
        np.testing.assert_allclose(answer.probability, expected, atol=TOLERANCE, rtol=0)


def test_the_comparison_notices_a_table_with_swapped_levels():
    right = random_posterior(3, 25)
    swapped = {node: right.mean(node) for node in right.network.nodes}
    swapped["n5"] = swapped["n5"][:, ::-1]
    network = pyagrum_network(PointPosterior(right.network, swapped))
    answers = [
        (right.query(targets, given, interval=None).probability, pyagrum_answer(network, targets, given))
        for targets, given in questions(right, 3, 6)
    ]
    assert any(np.abs(ours - theirs).max() > 1e-3 for ours, theirs in answers)
