"""`discreet release`: spend budget once and write the release file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.declared import SchemaOption, TargetOption, read_declared
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
    MechanismWord,
    Missing,
    ModelOption,
    NetworkOption,
    Output,
    PriorWord,
    Spark,
    Sql,
    check_delta,
    check_fits,
    make_prior,
    whole,
)
from discreet.cli.render import note, print_json
from discreet.cli.show import summary
from discreet.cli.tables import Decimal, Delimiter, Encoding, Records, Sheet, named_files, table_of
from discreet.cli.units import AverageOf, OneRow, Person, RowsAtMost, RowsEach, ask_whom, declare_unit
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.kernel.ledger import Ledger
    from discreet.learning.together import PreparedWhole
    from discreet.mechanisms.prepared import Prepared
    from discreet.releases import Release

__all__ = ["publish_and_announce", "release"]


def release(
    epsilon: Epsilon,
    ledger: LedgerFile,
    output: Output,
    data: Records = None,
    network: NetworkOption = None,
    model: ModelOption = None,
    schema: SchemaOption = None,
    target: TargetOption = None,
    sql: Sql = None,
    connection: Connection = None,
    spark: Spark = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    mechanism: MechanismWord = None,
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
    prior: PriorWord = None,
    learn: Annotated[
        str | None,
        typer.Option("--learn", metavar="FORM", help="Learn the graph, too: auto, tree, forest, tan or dag; with --schema."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Release the posterior of private records: charge the ledger, add noise, write the release file.

    What is public about the records is a network, --network, or a linear model, --model; or a schema of the columns, --schema,
    with the column that is to be predicted, --target. With --learn one budget pays for a graph and its release.

    The records are files, DATA, or stay where they are: --sql with --connection, or --spark.

    Whom the guarantee protects is one record, or one person with all records: --person. Say which, or that it is the same:
    --one-row-per-person.

    Example: discreet release patients.csv --network clinic.bif --epsilon 0.5 --ledger clinic.ledger --cap 1 -o clinic.json
    """
    import discreet
    from discreet.data import estimated_rows
    from discreet.learned import is_learned
    from discreet.mechanisms.arguments import NETWORK_SUBJECT, named_mechanism, subject_of
    from discreet.mechanisms.pipeline import prepare
    from discreet.model.convert import as_model

    table = table_of(data, delimiter, encoding, decimal, sheet)
    check_one(table, sql, connection, spark)
    inputs = places(*named_files(data), spark, network, model, schema, ledger, connection=connection)
    check_output(output, force=force, inputs=inputs)
    declared = read_declared(network, model, schema, target, learning=learn is not None)
    subject = NETWORK_SUBJECT if learn or is_learned(declared) else subject_of(as_model(declared, target))
    check_fits(subject, mechanism, missing, prior)
    given: dict[str, Any] = {"prior": make_prior(prior), "missing": missing, "target": target, "rows": rows}
    if cap is not None:
        check_delta(mechanism, delta)  # before a ledger without a delta is made
    unit = declare_unit(person, rows_per_person, average_of, rows_at_most, one_row_per_person)
    account = discreet.Ledger(ledger, cap, delta=delta, dataset=dataset).for_unit(unit)
    check_delta(mechanism, account.delta)
    chosen = named_mechanism(mechanism, epsilon, account.delta, subject)
    shown = unit.noun == "record"  # how many records persons have is nobody's business
    counting = progress("Counting", lambda: estimated_rows(table), wanted=shown)
    with counting as advance, open_records(table, sql, connection, spark) as records:
        if learn is not None:
            settings = {"ledger": account, "target": target, "missing": missing, "rows": rows, "progress": advance}
            publish_learning = _prepare_learning(records, declared, learn, epsilon, mechanism, prior, settings)
        else:
            publish_learning = None
            prepared = prepare(records, declared, chosen, ledger=account, progress=advance, **given)
    ask_whom(unit, one_row_per_person)
    publish_and_announce(publish_learning or prepared, output, force=force, as_json=as_json)


def _prepare_learning(
    records: Any, schema: Any, form: str, epsilon: str, mechanism: str | None, prior: str | None, settings: dict[str, Any]
) -> PreparedWhole | Prepared[Any, Any]:
    """A graph and its release from one budget; with --mechanism gaussian a zero-concentrated one."""
    from discreet.learning.together import prepare_whole

    if mechanism not in (None, "auto", "gaussian") or prior is not None:
        said = "With --learn the mechanism is auto or gaussian, and the prior is the usual one."
        raise typer.BadParameter(said, param_hint="--learn")
    delta = settings["ledger"].delta if mechanism == "gaussian" else None
    return prepare_whole(records, schema, epsilon=epsilon, form=form, delta=delta, **settings)


def publish_and_announce(prepared: Prepared[Any, Any] | PreparedWhole, output: Path, *, force: bool, as_json: bool) -> None:
    """Remarks go to stderr; stdout has the summary if it is wanted as JSON, else nothing."""
    from discreet.mechanisms.prepared import Prepared, publish_and_save

    if isinstance(prepared, Prepared):
        made = publish_and_save(prepared, output, overwrite=force)
    else:
        made = prepared.save(output, overwrite=force)
    note(f"The release is in {output}.")
    for receipt in made.receipts:
        note(str(receipt))
    note(made.meaning)
    if made.guarantee.remark is not None:
        note(f"Beware: {made.guarantee.remark}")
    for caveat in made.caveats:
        note(f"{caveat.label.capitalize()}: {caveat.text}")
    if as_json:
        _print_summary(made, prepared.ledger, output)


def _print_summary(made: Release[Any], ledger: Ledger, output: Path) -> None:
    """Print the summary. Where nobody takes it, say that the release is there: a script that tries again would pay again."""
    from discreet.kernel.publish import mention_charge

    try:
        print_json({"output": str(output), **summary(made)})
    except BaseException as error:
        outcome = f"The release is whole in {str(output)!r}; only its summary could not be printed."
        mention_charge(error, made.receipts[-1], ledger, outcome)
        raise
