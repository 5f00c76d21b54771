"""Text files that an engine is to read. In Spark every line is one record, whatever stands in it; other readers are refused.

DuckDB and Spark leave out blank lines of CSV and JSON files, also those of white space alone, take several lines for one
record where a quotation mark is not closed, and read what is not well formed in ways of their own. The number of records is
published: one person's record could change it. So Spark reads lines of text here, and each line is taken apart by expressions
of Spark. The meaning is that of ``text_files``; what that reader understands and a single line cannot hold is refused, and so
is a table that an engine reads from such a file by itself.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from discreet.data.text_files import header_fields
from discreet.errors import DataError, FormatError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["ALL_FILES", "check_no_text_reader", "open_lines", "records_of_lines"]

_LINE, _FILE, _BLOCK, _NUMBER, _FIELDS = "line", "file", "block", "number", "fields"

ALL_FILES = {"ignoreCorruptFiles": False, "ignoreMissingFiles": False}
"""Whoever runs a session may have told it to pass over files that it cannot read: their records would be missing."""

_NO_HEADER = "A file of the table is empty, or its first line is. Each file needs a header line."
_BAD_HEADER = (
    "The header line of the table cannot be read: its quotation marks are out of place, or its columns are not separated by "
    "commas. Write the table with a CSV writer, or convert it to Parquet."
)
_OTHER_HEADER = "The files of the table have different header lines. Give all files the same columns in the same order."
_HEADER_AGAIN = (
    "A line of the table reads like its header line a second time, and Spark cannot tell the two apart. Remove it if it is a "
    "header line that was copied with the records; otherwise give the file without Spark, or convert it to Parquet."
)
_ILL_FORMED = (
    "A line of the table cannot be read as one record: it has more fields than the header line, a quotation mark out of "
    "place, a line break inside quotation marks, a lone carriage return or a zero byte, or is not UTF-8 text. With Spark a "
    "line is one record. Convert the table to Parquet, or write it with a CSV writer and without line breaks inside a field."
)
_DUCKDB = re.compile(r"READ_(ND)?(CSV|JSON)")
_SPARK = re.compile(r"\bRelation(V2)?\b.*\] (csv|json)\b")
_REFUSED = (
    "The table is read from a CSV or JSON file by the engine itself, which leaves out blank lines: the number of records, "
    "which is published, would depend on what is in them. Give the path of the file instead, use spark_table(path) for Spark, "
    "or convert the file to Parquet with a program that keeps every record."
)


def open_lines(session: Any, place: str) -> DataFrame:
    """The lines of all files, as text. A line ends at a line feed and nowhere else."""
    lines: DataFrame = session.read.options(lineSep="\n", **ALL_FILES).text(place)
    return lines


def records_of_lines(lines: DataFrame) -> DataFrame:
    """Records with the columns that the header line names. All lines are read once, to refuse what is ill formed."""
    from pyspark.sql import functions as F  # noqa: N812 - the name that Spark's users know

    folders = [f"folder_{place}" for place in range(len(lines.columns) - 1)]  # columns that the names of folders make
    names = lines.columns[1:]
    text = lines.toDF(_LINE, *folders).withColumn(_LINE, _without_return(F.col(_LINE)))
    header = _header(text)
    columns = header_fields(header)
    if not columns:
        raise FormatError(_BAD_HEADER)
    _check(text, header, len(columns), files=len(lines.inputFiles()))
    split = text.where(F.col(_LINE) != header).withColumn(_FIELDS, _fields(F.col(_LINE)))
    values = [_value(F.get(_FIELDS, F.lit(place))) for place in range(len(columns))]
    return split.select(*(value.alias(f"field_{place}") for place, value in enumerate(values)), *folders).toDF(
        *columns, *names
    )


def _without_return(line: Column) -> Column:
    """A line without the carriage return before its line feed. One that is not UTF-8 stays as it is, to be refused."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.when(F.is_valid_utf8(line) & F.endswith(line, F.lit("\r")), F.left(line, F.length(line) - 1)).otherwise(line)


def _header(text: DataFrame) -> str:
    """The first line of some file: the first that is met of a block that begins a file."""
    from pyspark.sql import functions as F  # noqa: N812

    found = text.where(F.input_file_block_start() == 0).select(_LINE).head(1)
    if not found or not found[0][0]:
        raise DataError(_NO_HEADER)
    return str(found[0][0])


def _check(text: DataFrame, header: str, width: int, files: int) -> None:
    """Every file begins with the header line and has it once, and every line is well formed on its own."""
    from pyspark.sql import functions as F  # noqa: N812

    placed = text.select(
        F.col(_LINE),
        F.input_file_name().alias(_FILE),
        F.input_file_block_start().alias(_BLOCK),
        F.monotonically_increasing_id().alias(_NUMBER),  # grows with the lines of a block
    )
    starts = F.when(F.col(_BLOCK) == 0, F.struct(_NUMBER, F.col(_LINE) == header))
    answers = placed.groupBy(_FILE).agg(
        F.min(starts).getField("col2"), F.count_if(F.col(_LINE) == header), F.count_if(_is_ill_formed(F.col(_LINE), width))
    )
    found = [tuple(answer)[1:] for answer in answers.collect()]
    if len(found) != files:
        raise DataError(_NO_HEADER)
    if not all(begins for begins, _, _ in found):
        raise DataError(_OTHER_HEADER)
    if any(headers > 1 for _, headers, _ in found):
        raise DataError(_HEADER_AGAIN)
    if any(ill_formed for _, _, ill_formed in found):
        raise FormatError(_ILL_FORMED)


def _zero() -> Column:
    """The character that takes the place of a comma between fields. Lines that have it are refused."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.chr(F.lit(0))


def _fields(line: Column) -> Column:
    """The fields of a line, with their quotation marks: cut at each comma before which the number of marks is even."""
    from pyspark.sql import functions as F  # noqa: N812

    def cut(part: Column, at: Column) -> Column:
        return F.when(at % 2 == 0, F.replace(part, F.lit(","), _zero())).otherwise(part)

    parts = F.transform(F.split(line, '"'), cut)
    return F.when(F.contains(line, F.lit('"')), F.split(F.concat_ws('"', parts), _zero())).otherwise(F.split(line, ","))


def _inner(field: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.substr(field, F.lit(2), F.length(field) - 2)


def _value(field: Column) -> Column:
    """What a field means: nothing at all is missing, nothing in quotation marks is the empty text."""
    from pyspark.sql import functions as F  # noqa: N812

    plain = F.replace(_inner(field), F.lit('""'), F.lit('"'))
    return F.when(F.startswith(field, F.lit('"')), plain).otherwise(F.nullif(field, F.lit("")))


def _is_ill_formed(line: Column, width: int) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    mark = F.lit('"')
    parts = F.split(line, '"')
    loose = F.exists(F.transform(parts, lambda part, at: (at % 2 == 0) & F.contains(part, F.lit("\r"))), lambda found: found)
    fields = _fields(line)

    def misquoted(field: Column) -> Column:  # what is left of a mark without its partner is found here too
        whole = F.startswith(field, mark) & F.endswith(field, mark) & (F.length(field) >= 2)
        return F.contains(field, mark) & (~whole | F.contains(F.replace(_inner(field), F.lit('""'), F.lit("")), mark))

    return ~F.is_valid_utf8(line) | F.contains(line, _zero()) | loose | (F.size(fields) > width) | F.exists(fields, misquoted)


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
