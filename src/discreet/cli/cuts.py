"""`discreet cuts`: spend a little budget on where to cut a column of numbers, and write the schema with these cuts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import check_one, check_output, open_records, places
from discreet.cli.options import (
    AsJson,
    Cap,
    Connection,
    Dataset,
    Delta,
    Epsilon,
    Force,
    LedgerFile,
    Output,
    Spark,
    Sql,
    checked_model_file,
    whole,
)
from discreet.cli.render import note, print_json
from discreet.cli.tables import Decimal, Delimiter, Encoding, Records, Sheet, named_files, table_of
from discreet.cli.units import AverageOf, OneRow, Person, RowsAtMost, RowsEach, declare_unit
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.model import Schema

__all__ = ["cuts"]


def cuts(
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", callback=checked_model_file, help="Schema of the columns, .json.")
    ],
    column: Annotated[str, typer.Option("--column", metavar="NAME", help="The column of numbers that is to be cut.")],
    parts: Annotated[int, typer.Option("--parts", metavar="K", parser=whole(2), help="Into how many parts.")],
    epsilon: Epsilon,
    ledger: LedgerFile,
    output: Output,
    data: Records = None,
    grid: Annotated[
        str | None,
        typer.Option(
            "--grid",
            metavar="STEP",
            show_default="a round step",
            help="Where cuts may be: multiples of a step between the declared bounds, or a list such as 18,25,40,65.",
        ),
    ] = None,
    sql: Sql = None,
    connection: Connection = None,
    spark: Spark = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    cap: Cap = None,
    delta: Delta = None,
    dataset: Dataset = "default",
    rows: Annotated[
        int | None,
        typer.Option("--rows", metavar="N", parser=whole(1), help="Refuse any other number of records, or persons."),
    ] = None,
    person: Person = None,
    rows_per_person: RowsEach = None,
    average_of: AverageOf = None,
    rows_at_most: RowsAtMost = None,
    one_row_per_person: OneRow = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Choose cuts of a column from private records: charge the ledger, draw the cuts, write the schema with them.

    The parts hold about equally many records. The column has a type and bounds in the schema, and no levels yet.

    Example: discreet cuts people.csv --schema people.schema.json --column age --parts 5 --epsilon 0.05 --ledger people.ledger
    -o people-cut.schema.json
    """
    import discreet
    from discreet.data import estimated_rows
    from discreet.learning.cuts import prepare_cuts
    from discreet.model import read_schema

    table = table_of(data, delimiter, encoding, decimal, sheet)
    check_one(table, sql, connection, spark)
    check_output(output, force=force, inputs=places(*named_files(data), spark, schema, ledger, connection=connection))
    declared = read_schema(schema)
    unit = declare_unit(person, rows_per_person, average_of, rows_at_most, one_row_per_person)
    account = discreet.Ledger(ledger, cap, delta=delta, dataset=dataset)
    shown = unit.noun == "record"  # how many records persons have is nobody's business
    counting = progress("Counting", lambda: estimated_rows(table), wanted=shown)
    with counting as advance, open_records(table, sql, connection, spark) as records:
        prepared = prepare_cuts(
            records, declared, column, parts=parts, epsilon=epsilon, ledger=account, grid=_grid(grid), rows=rows, unit=unit,
            progress=advance,
        )  # fmt: skip
    _announce(prepared.save(output, overwrite=force), column, output, as_json=as_json)


def _grid(given: str | None) -> str | list[str] | None:
    return [each.strip() for each in given.split(",")] if given is not None and "," in given else given


def _announce(made: Schema, column: str, output: Path, *, as_json: bool) -> None:
    """Remarks go to stderr; stdout has the cuts if they are wanted as JSON, else nothing."""
    chosen = made.column(column)
    note(f"The schema is in {output}. Cuts of {column}: {', '.join(chosen.cuts)}.")
    note(f"Paid: {chosen.receipt}.")
    note("The cuts follow from the records and are public now. A release with this schema costs its own epsilon besides.")
    if as_json:
        said = {"column": column, "cuts": list(chosen.cuts), "levels": list(chosen.levels), "receipt": chosen.receipt}
        print_json({"output": str(output), **said})
