"""`discreet learn`: spend a part of the budget on a graph, and write it with all that was measured on the way."""

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
    Missing,
    Output,
    Spark,
    Sql,
    checked_model_file,
    whole,
)
from discreet.cli.render import note, print_json
from discreet.cli.tables import Decimal, Delimiter, Encoding, Records, Sheet, named_files, table_of
from discreet.cli.units import AverageOf, OneRow, Person, RowsAtMost, RowsEach, ask_whom, declare_unit
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.learned import Learned

__all__ = ["learn"]

_Parents = Annotated[
    int | None,
    typer.Option(
        "--parents", metavar="K", parser=whole(1),
        help="Most parents of a node of a dag; 3 if not given, and up to 6 while its table has at most 128 cells.",
    ),
]  # fmt: skip
_Required = Annotated[
    list[str] | None, typer.Option("--required", metavar="PARENT:CHILD", help="An arrow that the graph has in any case.")
]
_Forbidden = Annotated[
    list[str] | None, typer.Option("--forbidden", metavar="A:B", help="Two columns between which there is no edge.")
]


def learn(
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", callback=checked_model_file, help="Schema of the columns, .json.")
    ],
    epsilon: Epsilon,
    ledger: LedgerFile,
    output: Output,
    data: Records = None,
    form: Annotated[str, typer.Option("--form", metavar="WORD", help="auto, tree, forest, tan or dag.")] = "auto",
    target: Annotated[
        str | None, typer.Option("--target", metavar="COLUMN", help="The column that is to be predicted, for tan.")
    ] = None,
    parents: _Parents = None,
    required: _Required = None,
    forbidden: _Forbidden = None,
    zero_concentrated: Annotated[
        bool, typer.Option("--zcdp", help="Spend rho that keeps epsilon at the delta of the ledger, in place of pure epsilon.")
    ] = False,
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
    missing: Missing = None,
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
    """Learn a graph from private records: charge the ledger, choose or measure with noise, write the graph.

    `discreet release --network` goes on from the file, and uses what was measured.

    Example: discreet learn people.csv --schema people.schema.json --epsilon 0.3 --ledger people.ledger -o people.graph.json
    """
    import discreet
    from discreet.data import estimated_rows
    from discreet.learning.graphs import prepare_graph
    from discreet.model import read_schema

    table = table_of(data, delimiter, encoding, decimal, sheet)
    check_one(table, sql, connection, spark)
    check_output(output, force=force, inputs=places(*named_files(data), spark, schema, ledger, connection=connection))
    unit = declare_unit(person, rows_per_person, average_of, rows_at_most, one_row_per_person)
    account = discreet.Ledger(ledger, cap, delta=delta, dataset=dataset)
    shown = unit.noun == "record"  # how many records persons have is nobody's business
    counting = progress("Counting", lambda: estimated_rows(table), wanted=shown)
    with counting as advance, open_records(table, sql, connection, spark) as records:
        prepared = prepare_graph(
            records, read_schema(schema), epsilon=epsilon, ledger=account, form=form, target=target, parents=parents,
            required=_arrows_of(required, "--required"), forbidden=_arrows_of(forbidden, "--forbidden"), missing=missing,
            delta=account.delta if zero_concentrated else None, rows=rows, unit=unit, progress=advance,
        )  # fmt: skip
    ask_whom(unit, one_row_per_person)
    _announce(prepared.save(output, overwrite=force), output, as_json=as_json)


def _arrows_of(given: list[str] | None, option: str) -> list[tuple[str, str]]:
    """Pairs of columns, from texts such as smoke:lung."""
    found = []
    for text in given or []:
        one, colon, two = text.partition(":")
        if not (one and colon and two):
            raise typer.BadParameter("Write two columns with a colon between them, such as smoke:lung.", param_hint=option)
        found.append((one, two))
    return found


def _announce(made: Learned, output: Path, *, as_json: bool) -> None:
    """Remarks go to stderr; stdout has the graph if it is wanted as JSON, else nothing."""
    edges = [[parent, node] for node, listed in made.network.parents.items() for parent in listed]
    note(f"The graph is in {output}: {made.learning.form} with {len(edges)} edges.")
    for receipt in made.receipts:
        note(str(receipt))
    for caveat in made.caveats:
        note(f"{caveat.label.capitalize()}: {caveat.text}")
    note("Go on with discreet release --network, which uses what was measured and costs its own epsilon besides.")
    if as_json:
        paid = [str(receipt) for receipt in made.receipts]
        print_json({"output": str(output), "form": made.learning.form, "edges": edges, "receipts": paid})
