"""Refusing tables that an engine reads from CSV or JSON by itself.

DuckDB and Spark leave out blank lines of such files, and take several lines for one record where a quotation mark is not
closed: what one person's record holds would change the number of records, which is published. Our own readers do not.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from discreet.errors import DataError

__all__ = ["check_no_text_reader"]

_DUCKDB = re.compile(r"READ_(ND)?(CSV|JSON)")
_SPARK = re.compile(r"\bRelation(V2)?\b.*\] (csv|json)\b")
_REFUSED = (
    "The table is read from a CSV or JSON file by the engine itself, which leaves out blank lines: the number of records, "
    "which is published, would depend on what is in them. Give the path of the file instead, use spark_table(path) for Spark, "
    "or convert the file to Parquet with a program that keeps every record."
)


def check_no_text_reader(native: Any, engine: str) -> None:
    """Look at how the engine would make the table. Found as far as the engine shows it: it cuts very wide plans."""
    if engine.startswith("pyspark"):
        found = hasattr(native, "_jdf") and _SPARK.search(native._jdf.queryExecution().analyzed().toString())
    else:
        found = _DUCKDB.search(_duckdb_plan(native))
    if found:
        raise DataError(_REFUSED)


def _duckdb_plan(native: Any) -> str:
    if not hasattr(native, "get_backend"):
        return str(native.explain())
    backend = native.get_backend()
    if backend.name != "duckdb":
        return ""
    with suppress(Exception):  # a table in memory, which Ibis hands over only when it is asked for
        return str(backend.con.execute(f"EXPLAIN (FORMAT JSON) {backend.compile(native)}").fetchall())
    return ""
