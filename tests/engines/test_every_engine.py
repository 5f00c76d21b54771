"""What must hold in every engine that holds records: the same tables as in memory, and the same silence about values."""

import random
import traceback
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.optional import need

from discreet.counts import family_counts
from discreet.counts.push_down import family_counts_in_engine
from discreet.data import groupings
from discreet.data.engines import engine_frame
from discreet.errors import DataError, DiscreetError, DomainError
from discreet.model import read_network
from discreet.model.network import Network
from discreet.model.variable import Variable

SECRET = "Sapphire-4711"
ODD_NAMES = [
    "plain",
    "two words",
    "d.o.t",
    'qu"ote',
    "it's",
    "`tick`",
    "semi;colon",
    "Ünïcode",
    "select",
    "percent%s",
    "{brace}",
]
KINDS = ("text", "integer", "boolean", "float", "gaps")
NETWORK = Network([Variable("smoke", ["no", "yes"]), Variable("visits", ["0", "1", "2"])], {"visits": ["smoke"]})


def counted(table, network, **options):
    return family_counts_in_engine(engine_frame(table), network, **options)


def assert_equal(found, expected):
    assert list(found) == list(expected)
    for node, table in expected.items():
        assert found[node].dtype == np.int64
        np.testing.assert_array_equal(found[node], table, err_msg=node)


def shown(error):
    """Everything that a user could see of an error: its message and its whole traceback, chained ones included."""
    return "".join(traceback.format_exception(error)) + repr(error.__context__) + repr(error.__cause__)


def column(chance, kind, levels, rows):
    values = [chance.choice(levels) for _ in range(rows)]
    if kind == "boolean":
        return pl.Series([value == "true" for value in values])
    if kind == "integer":
        return pl.Series([int(value) for value in values])
    if kind == "float":
        return pl.Series([None if value == "?" else float(value) for value in values], dtype=pl.Float64)
    if kind == "gaps":
        return pl.Series([chance.choice([None, value]) if value == "?" else value for value in values], dtype=pl.String)
    return pl.Series(values)


def random_world(seed, nodes=8, rows=300):
    """A random network with oddly named nodes, and records with columns of every type."""
    chance = random.Random(seed)
    names = chance.sample(ODD_NAMES, nodes)
    kinds = {name: chance.choice(KINDS) for name in names}
    levels = {
        "text": ["low", "middling", "high", 'it\'s; "odd" %s'],
        "integer": ["-1", "0", "17"],
        "boolean": ["false", "true"],
        "float": ["0", "2.5", "?"],
        "gaps": ["seen", "?"],
    }
    variables = [Variable(name, levels[kinds[name]]) for name in names]
    parents = {name: chance.sample(names[:place], chance.randint(0, min(3, place))) for place, name in enumerate(names)}
    columns = {name: column(chance, kinds[name], levels[kinds[name]], rows) for name in chance.sample(names, nodes)}
    frame = pl.DataFrame({"name of the patient": [f"{SECRET}-{row}" for row in range(rows)], **columns})
    missing = "?" if any("?" in variable.levels for variable in variables) else None
    return Network(variables, parents), frame, missing


@pytest.mark.fast("spark_engine-0", "postgres_engine-0", "sqlite_engine-*", "duckdb_engine-*", "ibis_duckdb_engine-0")
@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_those_in_memory_on_random_networks(engine, seed):
    network, frame, missing = random_world(seed)
    assert_equal(counted(engine.hold(frame), network, missing=missing), family_counts(frame, network, missing=missing))


@pytest.mark.fast("ibis*", "sqlite*", "postgres*", "duckdb*")
def test_a_network_of_37_nodes_is_counted_in_one_statement_and_only_counts_come_back(engine, monkeypatch):
    network = read_network(Path(need("pgmpy").__file__).parent / "utils" / "example_models" / "alarm.bif.gz")
    chance = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            variable.name: pl.Series(list(variable.levels)).gather(chance.integers(0, variable.size, 2000))
            for variable in network.variables
        }
    )
    fetched = []
    fetch = groupings.fetch
    monkeypatch.setattr(groupings, "fetch", lambda *words: fetched.append(fetch(*words)) or fetched[-1])
    assert_equal(counted(engine.hold(frame), network), family_counts(frame, network))
    assert len(fetched) == (9 if engine.name == "spark" else 1)  # Spark takes longer for all of them at once
    assert sum(answer.height for answer in fetched) <= 9 * 1024
    assert all(sum(answer["records"].cast(pl.Int64)) == frame.height * 9 // len(fetched) for answer in fetched)


def test_an_undeclared_value_is_an_error_that_names_the_column_and_not_the_value(engine):
    table = engine.hold(pl.DataFrame({"smoke": ["no", SECRET], "visits": [0, 1]}))
    with pytest.raises(
        DomainError, match=r"'smoke' holds a value that is not declared\. Declared levels: 'no', 'yes'"
    ) as caught:
        counted(table, NETWORK)
    assert SECRET not in shown(caught.value)
    table = engine.hold(pl.DataFrame({"smoke": ["no", "no"], "visits": [0, 4711]}))
    with pytest.raises(DomainError, match="'visits' holds a value that is not declared") as caught:
        counted(table, NETWORK)
    assert "4711" not in shown(caught.value)


def test_a_column_of_names_is_refused_after_fetching_a_handful(engine, monkeypatch):
    fetched = []
    fetch = groupings.fetch
    monkeypatch.setattr(groupings, "fetch", lambda *words: fetched.append(fetch(*words)) or fetched[-1])
    rows = 20_000
    names = [f"{SECRET}-{row}" for row in range(rows)]
    with pytest.raises(DomainError, match="'smoke' holds a value that is not declared") as caught:
        counted(engine.hold(pl.DataFrame({"smoke": names, "visits": [1] * rows})), NETWORK)
    assert SECRET not in shown(caught.value)
    assert [answer.height for answer in fetched] == [7]


def test_a_null_without_a_level_for_it_is_an_error(engine):
    table = engine.hold(pl.DataFrame({"smoke": ["no", None], "visits": [0, 1]}))
    with pytest.raises(DomainError, match="'smoke' has missing values"):
        counted(table, NETWORK)


def test_a_missing_column_is_named_and_the_others_are_not_listed(engine):
    with pytest.raises(DataError, match="no column 'visits'") as caught:
        counted(engine.hold(pl.DataFrame({"smoke": ["no"], SECRET: [1]})), NETWORK)
    assert SECRET not in shown(caught.value)


def test_a_table_without_records_is_refused(engine):
    empty = pl.DataFrame({"smoke": ["no"], "visits": [0]}).clear()
    with pytest.raises(DataError, match="no records"):
        counted(engine.hold(empty), NETWORK)


def test_an_error_of_the_engine_is_replaced_and_shows_no_record(engine, capfd):
    """Making a number of a word fails, with a message that quotes the word, in all but SQLite, which makes it zero."""
    if engine.name == "ibis on sqlite":
        return
    narwhals = need("narwhals")
    frame = engine_frame(engine.hold(pl.DataFrame({"smoke": ["no", "yes"], "visits": [SECRET, "1"]})))
    broken = frame.with_columns(visits=narwhals.col("visits").cast(narwhals.Int64))
    with pytest.raises(DiscreetError) as caught:
        family_counts_in_engine(broken, NETWORK)
    assert SECRET not in shown(caught.value)
    assert caught.value.__context__ is None
    output = capfd.readouterr()
    assert SECRET not in output.out + output.err


def test_progress_ends_at_the_number_of_records(engine):
    seen = []
    network, frame, missing = random_world(1)
    counted(engine.hold(frame), network, missing=missing, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == frame.height


def test_a_record_that_is_declared_impossible_is_refused_without_telling_which(engine):
    network = Network(NETWORK.variables, NETWORK.parents, impossible=[{"smoke": "no", "visits": "2"}, {"visits": "1"}])
    assert_equal(
        family_counts(engine.hold(pl.DataFrame({"smoke": ["yes", "no"], "visits": [2, 0]})), network),
        {"smoke": np.array([[1, 1]]), "visits": np.array([[1, 0, 0], [0, 0, 1]])},
    )
    told = set()
    for visits in (2, 1):
        table = engine.hold(pl.DataFrame({"smoke": ["no", "no"], "visits": [0, visits]}))
        with pytest.raises(DomainError, match="declared impossible") as caught:
            family_counts(table, network)
        told.add(str(caught.value))
    assert len(told) == 1
