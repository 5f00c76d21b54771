"""Counting inside engines: few statements that count many groups of families, against one statement for each group."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import discreet as dc
from discreet.counts import family_counts
from discreet.data import groupings

from .files import texts_file
from .networks import point
from .results import OURS, Goal, Kind, Row
from .timing import measured

_CASES = {"alarm": (1_000_000, 5), "andes": (100_000, 5), "munin": (20_000, 5)}
"""Rows and repeats. The three have 9, 41 and 500 groups."""
_GOALS = {"alarm": Goal(Kind.SLOWER, 1.1), "andes": Goal(Kind.SLOWER, 1.1), "munin": Goal(Kind.FASTER, 2)}
_MOST_SCANS = {"alarm": Goal(Kind.AT_MOST, 4), "munin": Goal(Kind.AT_MOST, 12)}
APART, SCANS = "one statement for each group", "scans of the table"
_SCAN = re.compile(r"┐\n│ +(?:[A-Z]+_SCAN|READ_PARQUET) ")
"""The name of an operator that reads a table, in the first line of its box."""


def run() -> list[Row]:
    """Texts in Parquet and in a table on disk, both in DuckDB on two threads."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for network_name, (size, repeats) in _CASES.items():
            file = texts_file(size, Path(name), network_name)
            for holder, connection, relation in _holders(file):
                with connection:
                    case = f"DuckDB, {holder}, {network_name}, {size:,} rows"
                    goals = _GOALS[network_name], _MOST_SCANS.get(network_name)
                    rows += _case(case, relation, point(network_name).network, *goals, repeats)
    return rows


def _holders(file: Path) -> Iterator[tuple[str, Any, Any]]:
    import duckdb

    settings = {"threads": 2}
    connection = duckdb.connect(config=settings)
    yield "Parquet", connection, connection.read_parquet(str(file))
    database = file.with_suffix(".duckdb")
    with duckdb.connect(str(database), config=settings) as filling:
        filling.execute(f"CREATE TABLE held AS SELECT * FROM '{file}'")
    connection = duckdb.connect(str(database), read_only=True, config=settings)
    yield "table on disk", connection, connection.table("held")


def _case(case: str, relation: Any, network: dc.Network, goal: Goal, most: Goal | None, repeats: int) -> list[Row]:
    shared = partial(family_counts, relation, network)
    apart = partial(_one_group_each, shared)
    contenders = {OURS: lambda: shared, APART: lambda: apart}
    rows = measured("scans", case, contenders, {APART: goal}, repeats)
    told = Row("scans", case, SCANS, value=scans(shared), goal=most)
    return [*rows, told, Row("scans", case, f"{SCANS}, {APART}", value=scans(apart))]


def scans(work: Callable[[], Any]) -> int:
    """How many times DuckDB reads the table for all statements of a work, by its own plans."""
    plans: list[str] = []
    fetch = groupings.fetch

    def explain_and_fetch(native: Any, levels: Any) -> Any:
        plans.append(native.explain())
        return fetch(native, levels)

    with _replaced("fetch", explain_and_fetch):
        work()
    return sum(len(_SCAN.findall(plan)) for plan in plans)


def _one_group_each(work: Callable[[], Any]) -> Any:
    with _replaced("_MOST_GROUPINGS", 1):
        return work()


@contextmanager
def _replaced(name: str, value: Any) -> Iterator[None]:
    before = getattr(groupings, name)
    setattr(groupings, name, value)
    try:
        yield
    finally:
        setattr(groupings, name, before)
