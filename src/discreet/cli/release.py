"""`discreet release`: spend budget once and write the release file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import check_output
from discreet.cli.options import (
    AsJson,
    Cap,
    Data,
    Epsilon,
    Force,
    MechanismWord,
    Missing,
    NetworkOption,
    Output,
    PriorWord,
    make_mechanism,
    make_prior,
)
from discreet.cli.progress import progress
from discreet.cli.render import note, print_json
from discreet.cli.summary import receipt_line, summary

__all__ = ["release"]


def release(
    data: Data,
    network: NetworkOption,
    epsilon: Epsilon,
    ledger: Annotated[Path, typer.Option("--ledger", metavar="FILE", help="Ledger of the privacy budget; made with --cap.")],
    output: Output,
    mechanism: MechanismWord = "laplace",
    cap: Cap = None,
    dataset: Annotated[str, typer.Option("--dataset", metavar="NAME", help="Data set in the ledger.")] = "default",
    missing: Missing = None,
    prior: PriorWord = "uniform",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Release the posterior of private records: charge the ledger, add noise, write the release file.

    Example: discreet release patients.csv --network clinic.bif --epsilon 0.5 --ledger clinic.ledger --cap 1 -o clinic.json
    """
    import discreet

    check_output(output, force=force, inputs=(data, network, ledger))
    declared, belief, chosen = discreet.read_network(network), make_prior(prior), make_mechanism(mechanism, epsilon)
    account = discreet.Ledger(ledger, cap, dataset)
    with progress("Counting") as advance:
        made = discreet.release(data, declared, chosen, ledger=account, prior=belief, missing=missing, progress=advance)
    made.save(output)
    note(f"The release is in {output}.")
    for receipt in made.receipts:
        note(receipt_line(receipt))
    for caveat in made.caveats:
        note(f"Beware: {caveat.text}")
    if as_json:
        print_json({"output": str(output), **summary(made)})
