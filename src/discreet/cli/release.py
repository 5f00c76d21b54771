"""`discreet release`: spend budget once and write the release file."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.announce import publish_and_announce
from discreet.cli.files import check_output
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
    Records,
    Spark,
    Sql,
    check_declared,
    check_delta,
    check_fits,
    make_prior,
    whole,
)
from discreet.cli.progress import progress
from discreet.cli.records import check_one, open_records, places

__all__ = ["release"]


def release(
    epsilon: Epsilon,
    ledger: LedgerFile,
    output: Output,
    data: Records = None,
    network: NetworkOption = None,
    model: ModelOption = None,
    sql: Sql = None,
    connection: Connection = None,
    spark: Spark = None,
    mechanism: MechanismWord = None,
    cap: Cap = None,
    delta: Delta = None,
    dataset: Dataset = "default",
    missing: Missing = None,
    rows: Annotated[
        int | None, typer.Option("--rows", metavar="N", parser=whole(1), help="Refuse any other number of records.")
    ] = None,
    prior: PriorWord = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Release the posterior of private records: charge the ledger, add noise, write the release file.

    What is public about the records is a network, --network, or a linear model, --model.

    The records are a file, DATA, or stay where they are: --sql with --connection, or --spark.

    Example: discreet release patients.csv --network clinic.bif --epsilon 0.5 --ledger clinic.ledger --cap 1 -o clinic.json
    """
    import discreet
    from discreet.data import estimated_rows
    from discreet.mechanisms.arguments import named_mechanism, subject_of
    from discreet.mechanisms.pipeline import prepare

    check_one(data, sql, connection, spark)
    check_output(output, force=force, inputs=places(data, spark, network, model, ledger, connection=connection))
    check_declared(network, model)
    declared = discreet.read_network(str(network)) if model is None else discreet.read_linear_model(model)
    subject = subject_of(declared)
    check_fits(subject, mechanism, missing, prior)
    belief = make_prior(prior)
    if cap is not None:
        check_delta(mechanism, delta)  # before a ledger without a delta is made
    account = discreet.Ledger(ledger, cap, delta=delta, dataset=dataset)
    check_delta(mechanism, account.delta)
    chosen = named_mechanism(mechanism, epsilon, account.delta, subject)
    with progress("Counting", lambda: estimated_rows(data)) as advance, open_records(data, sql, connection, spark) as records:
        prepared = prepare(
            records, declared, chosen, ledger=account, prior=belief, missing=missing, rows=rows, progress=advance
        )
    publish_and_announce(prepared, output, force=force, as_json=as_json)
