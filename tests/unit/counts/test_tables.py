"""Tables of any nodes are counted in one pass, in every way in which families are."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from discreet import Network, Variable
from discreet.counts.families import family_counts, table_counts
from discreet.counts.persons import person_family_counts, person_table_counts
from discreet.errors import ModelError
from discreet.model.tables import TableSet
from discreet.unit import Unit

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4}
VARIABLES = [Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items()]
SETS = [nodes for order in (1, 2, 3) for nodes in combinations(SIZES, order)]


def records(rows):
    generator = np.random.default_rng(rows)
    return pl.DataFrame({name: generator.integers(0, size, rows).astype(str) for name, size in SIZES.items()})


def as_family(nodes):
    """The table of these nodes, counted as the family of a network of nothing else."""
    chosen = [variable for variable in VARIABLES if variable.name in nodes]
    return Network(chosen, {nodes[-1]: nodes[:-1]})


@pytest.mark.parametrize("rows", [1, 50, 5000])
@pytest.mark.parametrize("source", ["frame", "lazy"])
def test_tables_of_any_nodes_equal_the_families_of_a_network(rows, source):
    frame = records(rows)
    tables = TableSet.of(VARIABLES, SETS)
    found = table_counts(frame if source == "frame" else frame.lazy(), tables)
    assert len(found) == len(SETS)
    for nodes, family in zip(SETS, tables.families, strict=True):
        np.testing.assert_array_equal(found[family.node], family_counts(frame, as_family(nodes))[nodes[-1]])


def test_an_engine_counts_the_same_tables():
    duckdb = pytest.importorskip("duckdb")
    frame = records(300)
    tables = TableSet.of(VARIABLES, SETS)
    there = table_counts(duckdb.sql("SELECT * FROM frame"), tables)
    for name, table in table_counts(frame, tables).items():
        np.testing.assert_array_equal(there[name], table)


def test_tables_of_persons_equal_the_families_of_a_network():
    frame = records(60).with_columns(person=pl.Series([str(number // 3) for number in range(60)]))
    unit = Unit.person("person", "average", 4)
    tables = TableSet.of(VARIABLES, SETS)
    found = person_table_counts(frame, tables, unit, bytes)
    for nodes, family in zip(SETS, tables.families, strict=True):
        alone = person_family_counts(frame, as_family(nodes), unit, bytes)[nodes[-1]]
        np.testing.assert_array_equal(found[family.node], alone)
        assert alone.sum() == 20 * unit.parts


def test_a_table_is_of_different_nodes():
    with pytest.raises(ModelError, match="different nodes"):
        TableSet.of(VARIABLES, [("a", "a")]).families  # noqa: B018
