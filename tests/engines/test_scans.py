"""How often engines read a table, by their own plans, and what a statement that counts many groupings must not mix up."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.optional import need

from discreet.counts import family_counts
from discreet.data import groupings
from discreet.data.groupings import Grouping
from discreet.errors import DomainError
from discreet.model import read_network
from discreet.model.network import Network
from discreet.model.variable import Variable

ROWS = 200
SECRET = "Sapphire-4711"
# Seven groups: each pair of neighbours has 33 x 33 cells, over the limit of a merged table.
LEVELS = [str(level) for level in range(33)]
NODES = [f"x{place}" for place in range(8)]
CHAIN = Network([Variable(node, LEVELS) for node in NODES], {node: [NODES[place]] for place, node in enumerate(NODES[1:])})


def shipped(name):
    return read_network(Path(need("pgmpy").__file__).parent / "utils" / "example_models" / f"{name}.bif.gz")


def random_codes(network, rows=ROWS):
    """Numbers of levels as short texts: PostgreSQL has no room for more in a record of a thousand columns."""
    chance = np.random.default_rng(7)
    return pl.DataFrame({one.name: chance.integers(0, one.size, rows).astype(str) for one in network.variables})


def numbered(network):
    return Network(
        [Variable(one.name, [str(level) for level in range(one.size)]) for one in network.variables], network.parents
    )


@pytest.fixture
def statements(monkeypatch):
    """What the engines are asked, before they are run."""
    asked = []
    fetch = groupings.fetch
    monkeypatch.setattr(groupings, "fetch", lambda native, levels: asked.append(native) or fetch(native, levels))
    return asked


def scans(engine, native):
    """How many times the engine reads the table for a statement, as its plan says."""
    if engine.name == "duckdb":
        return native.explain().count("SEQ_SCAN")
    if engine.name == "spark":
        return native._jdf.queryExecution().optimizedPlan().collectLeaves().size()
    backend = native.get_backend()
    query = str(backend.compile(native))
    if engine.name == "ibis on duckdb":  # which tells how many records it has read
        [(_, plan)] = backend.con.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}").fetchall()
        return json.loads(plan)["cumulative_rows_scanned"] / ROWS
    if engine.name == "ibis on sqlite":
        return sum(row[3].startswith("SCAN ") for row in backend.con.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())
    [(plan,)] = backend.con.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}").fetchall()
    return sum(node["Actual Loops"] for node in nodes_of(plan[0]["Plan"]) if "Relation Name" in node)


def nodes_of(plan):
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes_of(part)


# SQLite and Spark read the table once for each group: the first cannot do better, the second takes longer.
ALARM = {"duckdb": 1, "ibis on duckdb": 1, "ibis on postgresql": 1, "ibis on sqlite": 9, "spark": 9}


@pytest.mark.fast("ibis*", "sqlite*", "duckdb*")
def test_the_engine_reads_the_records_of_alarm_as_often_as_is_said(engine, statements):
    network = numbered(shipped("alarm"))
    frame = random_codes(network)
    found = family_counts(engine.hold(frame), network)
    assert sum(scans(engine, native) for native in statements) == ALARM[engine.name]
    for node, table in family_counts(frame, network).items():
        np.testing.assert_array_equal(found[node], table)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duckdb_engine", pytest.param("postgres_engine", marks=pytest.mark.slow)])
def test_the_500_groups_of_munin_are_counted_while_the_records_are_read_eleven_times(request, name, statements):
    engine = request.getfixturevalue(name)
    network = numbered(shipped("munin"))
    frame = random_codes(network)
    found = family_counts(engine.hold(frame), network)
    assert sum(scans(engine, native) for native in statements) == 11
    for node, table in family_counts(frame, network).items():
        np.testing.assert_array_equal(found[node], table)


@pytest.mark.fast("ibis*", "sqlite*", "postgres*", "duckdb*")
def test_a_column_of_names_among_many_groups_is_refused_by_its_name(engine, statements):
    """The answer is cut short, and the groups that lost rows by that are not taken for an empty or a changed table."""
    rows = 8000
    frame = random_codes(CHAIN, rows).with_columns(x4=pl.Series([f"{SECRET}-{row}" for row in range(rows)]))
    with pytest.raises(DomainError, match="'x4' holds a value that is not declared") as caught:
        family_counts(engine.hold(frame), CHAIN)
    assert SECRET not in str(caught.value)


@pytest.mark.fast("ibis*", "sqlite*", "postgres*", "duckdb*")
def test_a_null_is_a_value_in_its_own_groups_and_nothing_in_the_others(engine):
    network = Network([Variable(one.name, [*one.levels, "?"]) for one in CHAIN.variables], CHAIN.parents)
    frame = random_codes(CHAIN).with_columns(pl.when(pl.all() == "3").then(None).otherwise(pl.all()).name.keep())
    found = family_counts(engine.hold(frame), network, missing="?")
    for node, table in family_counts(frame, network, missing="?").items():
        np.testing.assert_array_equal(found[node], table)


@pytest.mark.fast("ibis*", "sqlite*", "postgres*", "duckdb*")
def test_one_column_under_two_names_is_counted_under_both(engine):
    narwhals = need("narwhals")
    frame = random_codes(CHAIN)
    held = narwhals.from_native(engine.hold(frame)).with_columns(x1=narwhals.col("x0"), x7=narwhals.col("x0"))
    found = family_counts(narwhals.to_native(held), CHAIN)
    for node, table in family_counts(frame.with_columns(x1="x0", x7="x0"), CHAIN).items():
        np.testing.assert_array_equal(found[node], table)


def test_a_table_that_ibis_keeps_in_memory_is_counted():
    ibis = need("ibis")
    frame = random_codes(CHAIN)
    found = family_counts(ibis.memtable(frame), CHAIN)
    for node, table in family_counts(frame, CHAIN).items():
        np.testing.assert_array_equal(found[node], table)


def test_statements_share_groupings_up_to_a_number_of_them_and_of_their_columns(duckdb_engine, monkeypatch):
    narwhals = need("narwhals")
    records = narwhals.from_native(duckdb_engine.hold(random_codes(CHAIN)))
    pairs = [Grouping((f"column_{place}", f"column_{place + 1}"), 4) for place in range(39)]
    assert [len(shared) for shared in groupings.share_statements(records, pairs)] == [39]
    monkeypatch.setattr(groupings, "_MOST_GROUPINGS", 20)
    assert [len(shared) for shared in groupings.share_statements(records, pairs)] == [20, 19]
    monkeypatch.setattr(groupings, "_MOST_COLUMNS", 11)
    parts = list(groupings.share_statements(records, pairs))
    assert [len(shared) for shared in parts] == [10, 10, 10, 9]
    assert [grouping for shared in parts for grouping in shared] == pairs
