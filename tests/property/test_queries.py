import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.networks import networks

from discreet.errors import QueryError
from discreet.inference import elimination, gaps
from discreet.posterior import DirichletPosterior, PointPosterior


@st.composite
def posteriors(draw, max_nodes=6, zeros=False):
    """Random probabilities on a random network of few nodes; with ``zeros`` some combinations are impossible."""
    network = draw(networks(max_nodes=max_nodes))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tables = {}
    for family in network.families:
        table = generator.dirichlet(np.full(family.levels, draw(st.sampled_from([0.3, 1.0, 20.0]))), family.configurations)
        if zeros:
            table[generator.random(table.shape) < 0.3] = 0
            table[table.sum(axis=1) == 0, 0] = 1
            table /= table.sum(axis=1, keepdims=True)
        tables[family.node] = table
    return PointPosterior(network, tables)


@st.composite
def partial_records(draw, network, max_rows=12):
    """Records in which anything may be missing."""
    row = st.fixed_dictionaries(
        {variable.name: st.none() | st.sampled_from(variable.levels) for variable in network.variables}
    )
    return draw(st.lists(row, min_size=1, max_size=max_rows))


def frame(rows, network):
    return pl.DataFrame(rows, schema=dict.fromkeys(network.nodes, pl.String))


def joint_table(posterior):
    """The probability of every possible record, an axis for each node: the plainest form of inference."""
    network = posterior.network
    result = np.ones([variable.size for variable in network.variables])
    for family in network.families:
        axes = [network.nodes.index(member) for member in family.members]
        table = posterior.mean(family.node).reshape(family.shape).transpose(np.argsort(axes))
        result *= np.expand_dims(table, [axis for axis in range(result.ndim) if axis not in axes])
    return result


def enumerated(posterior, targets, evidence):
    """Joint probability of the targets and the evidence, by summing over all records."""
    network = posterior.network
    kept = [node for node in network.nodes if node not in evidence]
    index = tuple(network.level_index(node, evidence[node]) if node in evidence else slice(None) for node in network.nodes)
    summed = joint_table(posterior)[index].sum(axis=tuple(axis for axis, node in enumerate(kept) if node not in targets))
    left = [node for node in kept if node in targets]
    return np.transpose(summed, [left.index(node) for node in targets])


def draw_question(data, network):
    shuffled = data.draw(st.permutations(network.nodes))
    targets = shuffled[: data.draw(st.integers(1, min(3, len(shuffled))))]
    observed = shuffled[len(targets) : len(targets) + data.draw(st.integers(0, len(shuffled)))]
    return targets, {node: data.draw(st.sampled_from(network.variable(node).levels)) for node in observed}


@given(st.data())
def test_elimination_equals_summing_over_every_record(data):
    posterior = data.draw(posteriors())
    targets, evidence = draw_question(data, posterior.network)
    expected = enumerated(posterior, targets, evidence)
    assume(expected.sum() > 1e-200)
    answer = posterior.query(targets, evidence, interval=None)
    np.testing.assert_allclose(answer.probability, expected / expected.sum(), atol=1e-9, rtol=0)
    assert math.isclose(answer.probability.sum(), 1, abs_tol=1e-12)


@given(st.data())
def test_impossible_evidence_is_refused_and_possible_evidence_is_not(data):
    posterior = data.draw(posteriors(zeros=True))
    targets, evidence = draw_question(data, posterior.network)
    expected = enumerated(posterior, targets, evidence)
    if expected.sum() > 0:
        answer = posterior.query(targets, evidence, interval=None)
        np.testing.assert_allclose(answer.probability, expected / expected.sum(), atol=1e-9, rtol=0)
    else:
        with pytest.raises(QueryError, match="probability zero"):
            posterior.query(targets, evidence, interval=None)


@given(st.data())
def test_the_interval_ends_are_the_quantiles_of_queries_at_each_draw(data):
    network = data.draw(networks(max_nodes=4))
    posterior = DirichletPosterior(network)
    targets, evidence = draw_question(data, network)
    seed = data.draw(st.integers(0, 2**32 - 1))
    answer = posterior.query(targets, evidence, interval=0.8, draws=7, generator=np.random.default_rng(seed))
    drawn = posterior.draws(7, np.random.default_rng(seed))
    each = [
        PointPosterior(network, {node: table[number] for node, table in drawn.items()})
        .query(targets, evidence, interval=None)
        .probability
        for number in range(7)
    ]
    np.testing.assert_allclose(answer.lower, np.quantile(each, 0.1, axis=0), atol=1e-9)
    np.testing.assert_allclose(answer.upper, np.quantile(each, 0.9, axis=0), atol=1e-9)


@pytest.mark.fast("262144")
@pytest.mark.parametrize("plan_cost", [0, 2**18, 2**60])  # a plan for each pattern of gaps; what is cheaper; one for all
@given(st.data())
def test_prediction_equals_a_query_for_each_record(plan_cost, data):
    posterior = data.draw(posteriors())
    network = posterior.network
    rows = data.draw(partial_records(network))
    target = data.draw(st.sampled_from(network.nodes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaps, "_PLAN_COST", plan_cost)
        predicted = posterior.predict_proba(frame(rows, network), target)
    assert predicted.shape == (len(rows), network.variable(target).size)
    for row, probabilities in zip(rows, predicted, strict=True):
        evidence = {node: level for node, level in row.items() if level is not None and node != target}
        expected = posterior.query(target, evidence, interval=None).probability
        np.testing.assert_allclose(probabilities, expected, atol=1e-9)


@pytest.mark.fast("262144")
@pytest.mark.parametrize("plan_cost", [0, 2**18, 2**60])
@given(st.data())
def test_the_log_likelihood_equals_summing_over_what_each_record_leaves_out(plan_cost, data):
    posterior = data.draw(posteriors(max_nodes=5))
    rows = data.draw(partial_records(posterior.network))
    expected = 0.0
    for row in rows:
        evidence = {node: level for node, level in row.items() if level is not None}
        probability = float(enumerated(posterior, (), evidence))
        assume(probability > 1e-250)
        expected += math.log(probability)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaps, "_PLAN_COST", plan_cost)
        assert math.isclose(posterior.log_likelihood(frame(rows, posterior.network)), expected, abs_tol=1e-9, rel_tol=1e-9)


@given(st.data())
def test_the_log_scale_gives_the_same_answers(data):
    posterior = data.draw(posteriors(zeros=True))
    targets, evidence = draw_question(data, posterior.network)
    assume(enumerated(posterior, targets, evidence).sum() > 0)
    plain = posterior.query(targets, evidence, interval=None).probability

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "_SAFE", np.inf)
        np.testing.assert_allclose(posterior.query(targets, evidence, interval=None).probability, plain, atol=1e-12)
