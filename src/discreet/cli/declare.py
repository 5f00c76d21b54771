"""`discreet declare`: a schema to fill in, from the names of a table's columns; and whether every record fits one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.failures import spell
from discreet.cli.files import check_one, check_output, open_records, places
from discreet.cli.options import AsJson, Connection, Force, Spark, Sql
from discreet.cli.render import note, print_json, print_table
from discreet.cli.tables import Decimal, Delimiter, Encoding, Records, Sheet, named_files, table_of
from discreet.display import counted, listed

if TYPE_CHECKING:
    from discreet.data.declare import Declared
    from discreet.data.misfits import Misfits

__all__ = ["declare"]

_TRUSTED = (
    "Beware: the categories of {} were taken for declared levels, because --trust-categories says that they were. If "
    "they were collected from the records, the schema tells who is among them: do not publish it, nor a release made with it."
)
_NOTHING_TRUSTED = (
    "No column has categories in its type, so --trust-categories changed nothing: of files only Parquet and Arrow by Polars "
    "have them, for an Enum. Those of a pandas frame are taken by dc.declare(frame, trust_categories=True)."
)
_IDENTITY = (
    "Leave out columns that are not to be published about. One that tells persons apart, such as the number of a patient, is "
    "no column of the schema: name it with --person when you release."
)
_FIRST_LINE = "The names are those in the first line of the table: if that is a record and no header line, delete the schema."
_NO_TYPES = 'Such a table has no types: for a column of numbers write "type": "number" into the schema, and cuts or bounds.'


def declare(
    data: Records = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Schema to write, .json; else it is printed.")
    ] = None,
    codebook: Annotated[
        Path | None,
        typer.Option(
            "--codebook",
            metavar="FILE",
            help="Levels and labels: .csv, .tsv or .xlsx with variable, value, label; .sav, .dta or .sas7bcat; a schema.",
        ),
    ] = None,
    trust_categories: Annotated[
        bool,
        typer.Option(
            "--trust-categories",
            help="Take categories of typed columns for levels: it means that they were declared, not collected from records.",
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say whether every record fits the schema, the last of DATA. For your eyes only.")
    ] = False,
    sql: Sql = None,
    connection: Connection = None,
    spark: Spark = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a schema to fill in: the names and types of a table's columns, never a value.

    With --check: does every record fit a schema?

    Example: discreet declare people.csv --codebook codebook.csv -o people.schema.json

    Example: discreet declare --check people.csv people.schema.json
    """
    from discreet.data.declare import declare_table
    from discreet.data.misfits import misfits
    from discreet.data.table_files import has_header_line
    from discreet.model import read_schema

    files = list(data or ())
    schema = read_schema(_last(files, output, codebook)) if check else None
    table = table_of(files, delimiter, encoding, decimal, sheet)
    check_one(table, sql, connection, spark)
    if output is not None:
        check_output(output, force=force, inputs=places(*named_files(files), codebook, spark, connection=connection))
    with open_records(table, sql, connection, spark) as records:
        if schema is not None:
            _announce_misfits(misfits(records, schema), as_json)
        else:
            declared = declare_table(records, codebook, trust_categories=trust_categories)
            _announce(declared, output)
            if trust_categories:
                note(_TRUSTED.format(listed(declared.trusted, most=12)) if declared.trusted else _NOTHING_TRUSTED)
            if declared.schema.unfinished:
                note(_IDENTITY)
            if has_header_line(table):
                note(f"{_FIRST_LINE} {_NO_TYPES}" if declared.schema.unfinished else _FIRST_LINE)


def _last(files: list[Path], output: Path | None, codebook: Path | None) -> Path:
    """The schema that is checked against: the last file, which is taken off the others."""
    if not files or files[-1].suffix.lower() != ".json" or output is not None or codebook is not None:
        raise typer.BadParameter("Write: discreet declare --check TABLE SCHEMA.json", param_hint="--check")
    return files.pop()


def _announce(declared: Declared, output: Path | None) -> None:
    """The schema in its file or on stdout; what is open, and what of the codebook found no column, on stderr."""
    from discreet.model.files.schema_file import schema_to_json, write_schema

    schema = declared.schema
    if output is None:
        print_json(schema_to_json(schema))
    else:
        write_schema(schema, output)
        note(f"The schema is in {output}: {counted(len(schema.columns), 'column')}, {len(schema.unfinished)} open.")
    for sentence in schema.to_add:
        note(f"Open: {sentence}")
    if declared.unused:
        note(f"The codebook has variables that the table has not: {listed(declared.unused, most=12)}.")


def _announce_misfits(found: Misfits, as_json: bool) -> None:
    from discreet.data.misfits import NOT_PUBLIC

    note(f"Beware: {NOT_PUBLIC}")
    for sentence in found.unfinished:
        note(f"Open: {sentence}")
    if as_json:
        print_json(found.to_dict())
    elif found.columns:
        print_table("", ("column", "what does not fit"), [(each.name, each.words()) for each in found.columns])
        for sentence in found.advice:
            note(spell(sentence))
    elif found.fits:
        note("Every record fits the schema.")
    if not found.fits:
        raise typer.Exit(4)
