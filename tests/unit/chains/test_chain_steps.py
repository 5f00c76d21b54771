"""Each kind of step by itself: chains that start at draws of the exact law stay at it.

A wrong ratio of proposals can hide behind steps that are right; here no other step mends what one does.
"""

from dataclasses import fields

import numpy as np
import pytest
from support.measurements import counts, part_noise
from support.true_tables import (
    LARGEST_Z,
    draw_parameters,
    draw_together,
    drift,
    exact_law,
    lay_out,
)

from discreet import Network, Variable
from discreet.chains.family_chain import FamilyChain
from discreet.chains.family_state import FamilyState, begin
from discreet.chains.margin_shifts import MarginShifts
from discreet.chains.row_margins import CLOSED
from discreet.chains.row_pairs import row_pairs
from discreet.chains.row_priors import FixedRows, LearnedRows
from discreet.chains.sum_forms import SumForms
from discreet.measure.laws import GaussianNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.model.prior import Hierarchical

CHAINS, LEARNERS = 1 << 13, 1 << 12
PRIOR = Hierarchical(1.5, 0.6, 0.8)
STAR = Network([Variable("y", list("01")), Variable("a", list("01")), Variable("b", list("012"))], {"a": ["y"], "b": ["y"]})
CROSSED = Network([Variable(name, list("01")) for name in "abcd"], {"c": ["a", "b"], "d": ["a", "b"]})

LINE = Network([Variable(name, list("01")) for name in "abc"], {"b": ["a"], "c": ["b"]})
"""A node that is a child of one family and a parent of another."""


def noisy(generator, *shape):
    return generator.integers(-2, 4, shape).astype(float)


def contrast(nodes, law, numbers):
    return Measurement(tuple(nodes), Statistic.CONTRAST, law, numbers)


def world(name):
    """Three families that share a node, or two that share two: the measurements, and how many records there are."""
    generator = np.random.default_rng(6)
    star = lambda law: [counts(nodes, law, noisy(generator, *shape)) for nodes, shape in STARS]  # noqa: E731
    together = [counts(nodes, part_noise(2, 2, 2), noisy(generator, 2, 2, 2)) for nodes in ("abc", "bad")]
    worlds = {
        "Laplace": (STAR, star(LaplaceNoise(0.8)), 3),
        "Gaussian": (STAR, star(GaussianNoise(3.0)), 3),
        "K-norm of contrasts": (
            CROSSED,
            [contrast(nodes, part_noise(3, 1), noisy(generator, 2, 2)) for nodes in ("abc", "abd")],
            2,
        ),
        "K-norm of rows": (CROSSED, together, 2),
        "K-norm of cells": (
            CROSSED,
            [counts(nodes, part_noise(2, 2), noisy(generator, 2, 2, 2)) for nodes in ("abc", "abd")],
            2,
        ),
        "line": (LINE, [counts(nodes, LaplaceNoise(0.8), noisy(generator, 2, 2)) for nodes in ("ab", "bc")], 3),
        "tight": (CROSSED, [counts(nodes, LaplaceNoise(0.7), noisy(generator, 2, 2, 2)) for nodes in ("abc", "abd")], 2),
        "told": (
            CROSSED,
            [
                counts("abc", LaplaceNoise(2.0), noisy(generator, 2, 2, 2)),
                counts("ca", LaplaceNoise(1.0), noisy(generator, 2, 2)),
                Measurement(("b", "d"), Statistic.PARITY, LaplaceNoise(0.7), np.array(1.0)),
                contrast("da", LaplaceNoise(1.5), noisy(generator, 2)),
            ],
            2,
        ),
    }
    return worlds[name]


STARS = (("y", (2,)), (("y", "a"), (2, 2)), (("b", "y"), (3, 2)))
WORLDS = ["Laplace", "Gaussian", "K-norm of contrasts", "K-norm of rows", "K-norm of cells", "tight", "told", "line"]


def exchange(chain, turn):
    chain.forms.pull(chain.state.counts)
    pairs = row_pairs(chain._tables.families)
    chain._exchanges.step(pairs[turn % len(pairs)], chain.state, chain.prior, 0.0)


def trade(chain, turn):
    chain.forms.pull(chain.state.counts)
    chain._trades.round(chain.state, chain.prior, 0.0)


def refill_rows(chain, turn):
    chain.forms.pull(chain.state.counts)
    chain.refill_rows()


def refill_tables(chain, turn):
    chain.forms.pull(chain.state.counts)
    chain.refill_tables()


def redraw_rare(chain, turn):
    """Rows of all families are in pairs, however few there are."""
    chain._rare._paired = np.flatnonzero(chain._tables.row_spread > CLOSED)
    chain.forms.pull(chain.state.counts)
    chain.redraw_rare()


def shift(chain, turn):
    chain._shifts.step(turn, chain.state, chain.prior, 0.0)


def learn(chain, turn):
    chain.forms.pull(chain.state.counts)
    chain.learn(chain.prior)


def whole_round(chain, turn):
    chain.round(turn, 0.0)


@pytest.fixture(scope="module", params=WORLDS)
def start(request):
    """The tables of a world, and draws of their exact law. The prior is not the same in any two cells."""
    network, measurements, rows = world(request.param)
    generator = np.random.default_rng(8)
    known = {family.node: generator.gamma(2, 0.5, (family.configurations, family.levels)) for family in network.families}
    tables = lay_out(network, measurements, rows, known, list("cd") if network is CROSSED else None)
    listed, weights = exact_law(tables, rows)
    return tables, listed[generator.choice(len(listed), CHAINS, p=weights)].T


def with_tension(tables, drawn):
    """Tables, and how far those that share nodes are from agreeing."""
    return np.concatenate([drawn, SumForms(tables, np.random.default_rng(0)).tension(drawn).sum(axis=0, keepdims=True)])


@pytest.mark.fast("Laplace-*", "K-norm of rows-*", "told-*")
@pytest.mark.parametrize("step", [exchange, trade, refill_rows, refill_tables, redraw_rare, shift])
def test_a_step_leaves_the_law_of_the_tables_as_it_is(start, step):
    tables, drawn = start
    chain = FamilyChain(tables, drawn.copy(), FixedRows(tables), np.random.default_rng(9))
    for turn in range(4):
        step(chain, turn)
    assert drift(with_tension(tables, drawn), with_tension(tables, chain.state.counts)) < LARGEST_Z


@pytest.fixture(scope="module", params=["Laplace", "K-norm of rows", "told"])
def learned(request):
    """Tables with parameters that are learned, some records of one's own, and draws of the law of both, with weights."""
    network, measurements, rows = world(request.param)
    rows -= network is STAR
    generator = np.random.default_rng(10)
    own = {family.node: generator.integers(0, 4, (family.configurations, family.levels)) for family in network.families}
    tables = lay_out(network, measurements, rows, own, list("cd") if network is CROSSED else None)
    parameters = draw_parameters(tables, PRIOR, LEARNERS, generator)
    drawn, weights = draw_together(tables, parameters, rows, generator)
    return tables, parameters, drawn, weights


def begin_learning(tables, parameters, drawn):
    generator = np.random.default_rng(11)
    prior = LearnedRows(tables, PRIOR, LEARNERS, generator)
    prior.take(parameters, np.ones((len(tables.families), LEARNERS), dtype=bool))
    return FamilyChain(tables, drawn.copy(), prior, generator)


def strengths(chain):
    """Logarithms of the parameters that are learned, and of their sums, around what they are before."""
    prior = chain.prior
    sums = np.array([np.exp(prior.log[prior.family_of_parameter == number]).sum(axis=0) for number in range(2)])
    several = np.array([family.configurations > 1 for family in chain._tables.families])
    return np.concatenate([prior.log[several[prior.family_of_parameter]], np.log(sums)]) / 3


@pytest.mark.fast("Laplace-*")
@pytest.mark.parametrize("step", [exchange, trade, refill_rows, refill_tables, redraw_rare, shift, learn, whole_round])
def test_a_step_leaves_the_law_of_tables_and_learned_parameters_as_it_is(learned, step):
    tables, parameters, drawn, weights = learned
    chain = begin_learning(tables, parameters, drawn)
    before = np.concatenate([with_tension(tables, drawn), strengths(chain)])
    for turn in range(4):
        step(chain, turn)
    after = np.concatenate([with_tension(tables, chain.state.counts), strengths(chain)])
    assert drift(before, after, weights) < LARGEST_Z


@pytest.mark.fast("Laplace")
def test_parameters_are_learned_from_tables_without_looking_at_noise(learned):
    """The same for the parameters alone: given the tables they do not depend on what was published."""
    tables, parameters, drawn, weights = learned
    chain = begin_learning(tables, parameters, drawn)
    before = strengths(chain)
    log = chain.prior.learn(drawn, 0.0)
    chain.prior.take(log, np.ones((len(tables.families), LEARNERS), dtype=bool))
    assert drift(np.concatenate([drawn, before]), np.concatenate([drawn, strengths(chain)]), weights) < LARGEST_Z


@pytest.mark.slow
def test_tables_that_are_forgotten_and_learned_from_keep_the_law_of_both():
    """One table with more records and hardly any noise to hold it: what is filled in must fit what was learned."""
    network = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
    tables = lay_out(network, [counts("yx", LaplaceNoise(9.0), np.array([[4, 2], [0, 1]]))], 7, 0.0, ["x"])
    generator = np.random.default_rng(12)
    parameters = draw_parameters(tables, PRIOR, LEARNERS, generator)
    drawn, weights = draw_together(tables, parameters, 7, generator)
    chain = begin_learning(tables, parameters, drawn)
    chain._kept_of_table[:] = 0.1
    for turn in range(6):
        learn(chain, turn)
    before, after = together(drawn, parameters), together(chain.state.counts, chain.prior.log)
    assert drift(before, after, weights) < LARGEST_Z


def together(table, log):
    """Tables and parameters of two levels, and how far they lean to the same side."""
    return np.concatenate([table, log, (table[::2] - table[1::2]).sum(axis=0, keepdims=True) * (log[:1] - log[1:]) / 4])


def test_lines_are_chosen_in_proportion_however_large_those_of_other_nodes_are():
    network = Network([Variable(name, list("01")) for name in "yxzw"], {"x": ["y"], "w": ["z"]})
    tables = lay_out(network, [], 9, 1.0)
    shifts = MarginShifts(tables, SumForms(tables, np.random.default_rng(12)), np.random.default_rng(13))
    each = shifts._classes[0]
    assert len(each.levels) == 2
    weights = np.where(each.node_of_entry[each.entry_of_line] == 0, 1e18, 1.0) * np.arange(1.0, 1 + len(each.line))
    chosen = shifts._choose(np.repeat(weights[:, None], 20_000, axis=1), each)
    for entry, lines in enumerate(np.split(np.arange(len(weights)), each.starts[1:])):
        seen = np.array([(chosen[entry] == line).mean() for line in lines])
        np.testing.assert_allclose(seen, weights[lines] / weights[lines].sum(), atol=0.02)


def test_the_state_after_steps_is_that_of_a_start_at_the_same_tables(start):
    tables, drawn = start
    chain = FamilyChain(tables, drawn[:, :64].copy(), FixedRows(tables), np.random.default_rng(1))
    for turn in range(3):
        chain.round(turn, 0.5)
    direct = begin(tables, chain.state.counts)
    for part in fields(FamilyState):
        np.testing.assert_allclose(getattr(chain.state, part.name), getattr(direct, part.name), atol=1e-9, err_msg=part.name)
