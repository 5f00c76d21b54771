"""`discreet confidence`: spend a little budget on how far the probabilities of a release can be trusted."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.announce import save_and_announce
from discreet.cli.files import check_output
from discreet.cli.options import AsJson, Data, Dataset, Epsilon, Force, LedgerFile, Missing, Output, ReleaseFile
from discreet.cli.posterior import ready
from discreet.cli.progress import progress

__all__ = ["confidence"]


def confidence(
    file: ReleaseFile,
    data: Data,
    target: Annotated[str, typer.Option("--target", metavar="NODE", help="Node that is predicted, of two levels.")],
    epsilon: Epsilon,
    ledger: LedgerFile,
    output: Output,
    dataset: Dataset = "default",
    missing: Missing = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Release how often predictions of which confidence are right, for predict --confidence. Charges the ledger.

    The records are those of the release, all of them, and so is their data set in the ledger: the budgets add up.

    Example: discreet confidence clinic.json patients.csv --target lung --epsilon 0.1 --ledger clinic.ledger -o trust.json
    """
    import discreet
    from discreet.queries.confidence import check_judge, confidence_network, confidence_table

    check_output(output, force=force, inputs=(file, data, ledger))
    posterior = discreet.load(file).posterior
    check_judge(posterior, target)
    account, network = discreet.Ledger(ledger, dataset=dataset), confidence_network()
    mechanism = discreet.Auto(epsilon, account.delta)
    for cost in mechanism.costs(network):
        account.check(cost)  # before the long work; the binding check is the charge
    ready(posterior)
    with progress("Judging"):
        table = confidence_table(posterior, data, target, missing=missing)
    save_and_announce(discreet.release(table, network, mechanism, ledger=account), output, as_json=as_json)
