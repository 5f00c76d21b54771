import math
import warnings
from itertools import pairwise

import numpy as np
import pytest

from discreet.errors import QueryError
from discreet.inference import elimination
from discreet.inference import elimination_order as plan
from discreet.inference.elimination import eliminate, mixed_radix
from discreet.inference.elimination_order import make_plan
from discreet.model.min_fill import min_fill
from discreet.model.network import Network
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable
from discreet.posterior import DirichletPosterior, PointPosterior


def chain(length, levels=2):
    names = [f"n{i}" for i in range(length)]
    variables = [Variable(name, range(levels)) for name in names]
    return Network(variables, {child: [parent] for parent, child in pairwise(names)})


def grid(side):
    """Every node depends on its neighbours above and to the left: as wide as the side."""
    variables = [Variable(f"{row},{column}", [0, 1]) for row in range(side) for column in range(side)]
    parents = {}
    for row in range(side):
        for column in range(side):
            above = [f"{row - 1},{column}"] if row else []
            left = [f"{row},{column - 1}"] if column else []
            parents[f"{row},{column}"] = above + left
    return Network(variables, parents)


def test_nodes_below_target_and_evidence_are_left_out():
    made = make_plan(chain(10), ("n2",), frozenset({"n4"}))
    assert {family.node for family in made.families} == {"n0", "n1", "n2", "n3", "n4"}


def test_what_the_evidence_cuts_off_is_left_out_of_a_connected_plan():
    made = make_plan(chain(10), ("n6",), frozenset({"n4", "n8"}), connected=True)
    assert {family.node for family in made.families} == {"n5", "n6", "n7", "n8"}


def test_a_chain_needs_no_table_larger_than_a_pair():
    assert make_plan(chain(50, levels=3), ("n49",), frozenset()).largest == 9


def test_the_order_does_not_depend_on_hashes_but_on_the_declaration():
    sizes = dict.fromkeys("abcd", 2)
    scopes = [frozenset(pair) for pair in ("ab", "bc", "cd", "da")]
    order, largest, cells = min_fill(scopes, (), sizes)
    assert order == ("a", "b", "c", "d")
    assert largest == 2**3  # summing a out joins b and d
    assert cells == (2**3 + 2**3 + 2**2 + 2) + largest


def test_of_equal_fill_the_smaller_product_goes_first():
    order, _, _ = min_fill([frozenset("ab"), frozenset("cd")], (), {"a": 9, "b": 9, "c": 2, "d": 2})
    assert set(order[:2]) == {"c", "d"}


def test_a_hopeless_question_is_refused_with_its_size_before_any_work(monkeypatch):
    monkeypatch.setattr(plan, "FACTOR_LIMIT", 2**6)
    posterior = DirichletPosterior(grid(7))
    with pytest.raises(QueryError, match=r"a table of 1,024 cells, more than 64"):
        posterior.query("6,6", interval=None)
    observed = {f"3,{column}": 0 for column in range(7)} | {f"5,{column}": 0 for column in range(7)}
    make_plan.cache_clear()
    assert sum(posterior.query("6,6", observed, interval=None).probability) == pytest.approx(1)
    make_plan.cache_clear()


def test_a_part_that_is_too_wide_is_left_aside_where_the_evidence_cuts_it_off(monkeypatch):
    monkeypatch.setattr(plan, "FACTOR_LIMIT", 2**4)
    make_plan.cache_clear()
    posterior = DirichletPosterior(grid(7))
    observed = {f"5,{column}": 0 for column in range(7)}
    with pytest.raises(QueryError, match="more than 16"):
        make_plan(posterior.network, ("6,6",), frozenset(observed))
    assert sum(posterior.query("6,6", observed, draws=3).probability) == pytest.approx(1)
    make_plan.cache_clear()


def test_a_joint_of_too_many_nodes_is_refused():
    network = Network([Variable(f"n{i}", [0, 1]) for i in range(27)])
    with pytest.raises(QueryError, match="134,217,728 cells"):
        DirichletPosterior(network).query(list(network.nodes), interval=None)


def test_more_nodes_than_letters_in_a_subscript_are_no_obstacle():
    posterior = DirichletPosterior(naive_bayes("label", [f"x{i}" for i in range(300)]))
    given = {f"x{i}": "1" for i in range(299)}
    assert posterior.query("x299", given, interval=None)["1"] == pytest.approx(0.5)


def test_evidence_of_vanishing_probability_is_not_taken_for_impossible():
    network = naive_bayes("label", [f"x{i}" for i in range(1999)])
    tables = {node: [[0.999, 0.001], [0.001, 0.999]] for node in network.nodes[1:]}
    posterior = PointPosterior(network, {**tables, "label": [[0.5, 0.5]]})
    # A thousand features say 0 and all but one of as many say 1: each side's product is far below the smallest float.
    given = {node: "0" if number < 1000 else "1" for number, node in enumerate(network.nodes[1:])}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert posterior.query("label", given, interval=None)["0"] == pytest.approx(0.999, abs=1e-9)


def test_evidence_at_the_edge_of_floating_point_keeps_its_precision():
    network = naive_bayes("label", [f"x{i}" for i in range(108)])
    tables = {node: [[0.999, 0.001], [0.999, 0.001]] for node in network.nodes[1:]}
    posterior = PointPosterior(network, {**tables, "label": [[0.5, 0.5]], "x107": [[0.7, 0.3], [0.3, 0.7]]})
    given = dict.fromkeys(network.nodes[1:], "1")  # about 1e-322: floats that small have two digits
    assert posterior.query("label", given, interval=None)["1"] == pytest.approx(0.7, abs=1e-9)


def test_the_log_probability_of_the_evidence_survives_underflow():
    network = naive_bayes("label", [f"x{i}" for i in range(500)])
    tables = {node: np.array([[0.99, 0.01], [0.99, 0.01]]) for node in network.nodes[1:]} | {"label": np.array([[0.5, 0.5]])}
    made = make_plan(network, (), frozenset(network.nodes[1:]))
    result = eliminate(made, tables, dict.fromkeys(network.nodes[1:], 1))
    assert result.log_evidence[0] == pytest.approx(500 * math.log(0.01))


def test_products_that_vanish_beside_others_need_no_logarithms(monkeypatch):
    network = chain(6)
    tables = {node: np.array([[1 - 1e-200, 1e-200], [0.25, 0.75]]) for node in network.nodes[1:]}
    made = make_plan(network, ("n5",), frozenset())
    asked = {**tables, "n0": np.array([[1 - 1e-200, 1e-200]])}
    with monkeypatch.context() as patch:
        patch.setattr(elimination, "_SAFE", np.inf)
        expected = eliminate(made, asked, {})
    with monkeypatch.context() as patch:
        patch.setattr(elimination, "_log_sum", None)
        found = eliminate(made, asked, {})
    np.testing.assert_allclose(found.probability, expected.probability, rtol=1e-12)
    np.testing.assert_allclose(found.log_evidence, expected.log_evidence, atol=1e-12)


def test_batches_cover_every_record_once(monkeypatch):
    monkeypatch.setattr(elimination, "PIECE_CELLS", 100)
    made = make_plan(chain(5), ("n2",), frozenset({"n4"}))
    pieces = list(elimination.batches(made, 1003))
    covered = np.concatenate([np.arange(1003)[piece] for piece in pieces])
    np.testing.assert_array_equal(covered, np.arange(1003))
    assert max(piece.stop - piece.start for piece in pieces) == 100 // made.largest


def test_records_and_single_queries_agree():
    network = chain(4, levels=3)
    generator = np.random.default_rng(0)
    tables = {f.node: generator.dirichlet(np.ones(3), f.configurations) for f in network.families}
    made = make_plan(network, ("n1",), frozenset({"n0", "n3"}))
    codes = {node: generator.integers(0, 3, 20).astype(np.uint8) for node in ("n0", "n3")}
    together = eliminate(made, tables, codes)
    for record in range(20):
        alone = eliminate(made, tables, {node: int(column[record]) for node, column in codes.items()})
        np.testing.assert_allclose(together.probability[:, record], alone.probability[:, 0])
        assert together.log_evidence[record] == pytest.approx(alone.log_evidence[0])


@pytest.mark.parametrize("sizes", [(2, 3), (128, 2), (16, 16), (20, 20), (300, 200), (300, 300), (2,) * 20])
def test_codes_are_numbered_as_numpy_numbers_cells(sizes):
    generator = np.random.default_rng(1)
    codes = [generator.integers(0, size, 50).astype(np.uint8 if size <= 256 else np.uint32) for size in sizes]
    for column, size in zip(codes, sizes, strict=True):
        column[0] = size - 1
    np.testing.assert_array_equal(mixed_radix(codes, sizes), np.ravel_multi_index([c.astype(int) for c in codes], sizes))
