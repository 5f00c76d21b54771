"""The predicted error of released probabilities, against releases of records from networks drawn from the prior."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import betaln, xlogy
from support.bits import SeededBits

from discreet import UNIFORM, Fourier, KNorm, Laplace, Ledger, Network, TablePrior, Variable, naive_bayes, release
from discreet.chains.family_chain import Effort
from discreet.measure.needs import CellNoise
from discreet.planning.parameter_error import node_error, parameter_error
from discreet.planning.worlds import shared_worlds

BAYES = naive_bayes("y", ["a", "b", "c"])
MIXED = Network(
    [Variable("a", list("012")), Variable("b", list("01")), Variable("c", list("012")), Variable("d", list("01"))],
    {"c": ["a", "b"], "d": ["c"]},
)


def consistent(epsilon):
    return Laplace(epsilon, tables="maximal", consistent=True)


def from_the_prior(network, rows, generator, prior=UNIFORM):
    """A network drawn from the prior, and records from it."""
    truth = {
        family.node: np.array([generator.dirichlet(row) for row in prior.concentration(family)]) for family in network.families
    }
    columns = {}
    for node in network.topological_order:
        place = np.zeros(rows, dtype=int)
        for parent in network.parents[node]:
            place = place * network.variable(parent).size + columns[parent]
        passed = generator.random(rows)[:, None] > truth[node][place].cumsum(axis=1)[:, :-1]
        columns[node] = passed.sum(axis=1)
    return truth, pl.DataFrame({node: np.array(network.variable(node).levels)[columns[node]] for node in network.nodes})


def measured(network, mechanism, rows, repeats, seed, prior=UNIFORM):
    """The mean absolute error of every node, over releases of networks drawn from the prior."""
    generator, errors = np.random.default_rng(seed), {node: [] for node in network.nodes}
    for _ in range(repeats):
        truth, records = from_the_prior(network, rows, generator, prior)
        bits = SeededBits(int(generator.integers(2**30)))
        made = release(records, network, mechanism, ledger=Ledger.unlimited(), prior=prior, _bits=bits).posterior
        made = replace(made, effort=Effort(8, 10, 10))
        for node in network.nodes:
            errors[node].append(np.abs(made.mean(node) - truth[node]).mean())
    return {node: float(np.mean(values)) for node, values in errors.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "mechanism", "rows"),
    [
        (BAYES, Laplace("1/2"), 600),
        (BAYES, KNorm("1/4"), 200),
        (BAYES, Fourier("1/2"), 600),
        (BAYES, consistent("1/2"), 600),
        (MIXED, consistent("1"), 150),
        (MIXED, Laplace("1/2", tables="maximal"), 600),
    ],
    ids=lambda value: getattr(value, "name", None) or repr(value),
)
def test_the_prediction_is_what_happens(network, mechanism, rows):
    predicted = mechanism.plan(network, rows).parameter_error
    happened = measured(network, mechanism, rows, 80, 3)
    cells = {family.node: family.cells for family in network.families}
    mean = sum(cells[node] * error for node, error in happened.items()) / network.cells
    assert predicted.mean == pytest.approx(mean, rel=0.15)
    assert {node: predicted.nodes[node].released for node in network.nodes} == pytest.approx(happened, rel=0.3)
    # Half or twice the noise would be seen.
    for factor in (0.25, 4):
        known = mechanism.posterior_noise(network)
        noise = {node: CellNoise(factor * each.cell, factor * each.total) for node, each in known.items()}
        assert parameter_error(network, rows, noise).mean != pytest.approx(mean, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("weights", [(2.0, 8.0), pytest.param((0.1, 0.15), marks=pytest.mark.slow)])
def test_the_prediction_knows_the_prior(weights):
    prior = TablePrior(BAYES, {family.node: [weights] * family.configurations for family in BAYES.families})
    mechanism = KNorm("1/4")
    happened = np.mean(list(measured(BAYES, mechanism, 200, 40, 4, prior).values()))
    noise = mechanism.posterior_noise(BAYES)
    errors = [parameter_error(BAYES, 200, noise, each) for each in (prior, UNIFORM)]
    right, wrong = (np.mean([node.released for node in error.nodes.values()]) for error in errors)
    assert right == pytest.approx(happened, rel=0.2)
    assert wrong != pytest.approx(happened, rel=0.2)


def test_without_noise_it_is_the_deviation_of_the_posterior():
    """Of a Beta(a, b): 2 a^a b^b / (B(a, b) (a + b)^(a + b + 1)); under a uniform prior all counts are equally likely."""
    rows = 30
    a = 1.0 + np.arange(rows + 1)
    b = rows + 2 - a
    deviation = 2 * np.exp(xlogy(a, a) + xlogy(b, b) - betaln(a, b) - (rows + 3) * np.log(rows + 2))
    found = parameter_error(Network([Variable("a", ["0", "1"])]), rows, {"a": CellNoise(0, 0)})
    assert found.nodes["a"].released == found.nodes["a"].sampling == pytest.approx(deviation.mean(), rel=0.05)


@pytest.mark.parametrize("node", BAYES.nodes)
def test_more_noise_never_looks_better(node):
    worlds = shared_worlds(BAYES, 1000, UNIFORM)[node]
    errors = [
        node_error(worlds, 1000, CellNoise(variance, 2 * variance)).released
        for variance in (0.0, 1.0, 10.0, 100.0, 1e4, 1e6, 1e8)
    ]
    assert errors == sorted(errors)
    assert errors[-1] < 0.5


def test_noise_that_spares_the_total_is_told_from_noise_that_does_not():
    shared, apart = CellNoise(400.0, 0.0), CellNoise(400.0, 800.0)
    worlds = shared_worlds(BAYES, 1000, UNIFORM)["a"]
    errors = [node_error(worlds, 1000, noise).released for noise in (shared, apart)]
    assert errors[0] != pytest.approx(errors[1], rel=0.02)


def test_the_worst_node_and_the_mean_are_those_of_the_nodes():
    found = Laplace("1").plan(MIXED, 500).parameter_error
    errors = {node: each.released for node, each in found.nodes.items()}
    assert found.worst == max(errors.values()) == errors[found.worst_node]
    assert found.worst_node == "c"
    assert found.mean == pytest.approx(sum(MIXED.family(node).cells * error for node, error in errors.items()) / MIXED.cells)
    assert found.sampling < found.mean
