"""`discreet confidence`: spend a little budget on how far the probabilities of a release can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.files import check_one, check_output, open_records, places
from discreet.cli.options import (
    AsJson,
    Connection,
    Epsilon,
    Force,
    LedgerFile,
    Missing,
    NoCache,
    Output,
    ReleaseFile,
    Spark,
    Sql,
)
from discreet.cli.release import publish_and_announce
from discreet.cli.render import note, ready
from discreet.cli.tables import Decimal, Delimiter, Encoding, Records, Sheet, named_files, table_of
from discreet.errors import FormatError
from discreet.progress import progress

if TYPE_CHECKING:
    from discreet.guarantee import Caveat, Receipt
    from discreet.kernel.ledger import Ledger
    from discreet.kernel.ledger_entries import Charge
    from discreet.releases import Release

__all__ = ["check_about", "confidence"]

_ABOUT = "confidence-of"
_LONGEST_NAME = 1000
"""Of a node, as it is quoted: a release that cannot be saved would have been charged for nothing."""


def confidence(
    file: ReleaseFile,
    target: Annotated[str, typer.Option("--target", metavar="NODE", help="Node that is predicted, of two levels.")],
    epsilon: Epsilon,
    ledger: LedgerFile,
    output: Output,
    data: Records = None,
    sql: Sql = None,
    connection: Connection = None,
    spark: Spark = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    missing: Missing = None,
    force: Force = False,
    as_json: AsJson = False,
    no_cache: NoCache = False,
) -> None:
    """Release how far predictions of a node can be trusted, for predict --confidence. Charges the ledger.

    The records are those of the release, all of them, and the ledger is the one that paid for it: the budgets add up.

    The records are files, DATA, or stay where they are: --sql with --connection, or --spark. They are read record by record.

    Example: discreet confidence clinic.json patients.csv --target lung --epsilon 0.1 --ledger clinic.ledger -o trust.json
    """
    import discreet
    from discreet.inference.confidence import check_judge, confidence_network, confidence_table
    from discreet.inference.own_records import encode_complete
    from discreet.mechanisms.pipeline import prepare
    from discreet.model.prior import UNIFORM
    from discreet.posterior import Posterior
    from discreet.release_file.kinds import kind_of

    table = table_of(data, delimiter, encoding, decimal, sheet)
    check_one(table, sql, connection, spark)
    check_output(output, force=force, inputs=places(*named_files(data), spark, file, ledger, connection=connection))
    judged = discreet.load(file, cache=not no_cache)
    posterior = judged.posterior
    if not isinstance(posterior, Posterior):
        raise FormatError(f"{file}: the release is not about a network.")
    check_judge(posterior, target)
    account, network = _account(judged, ledger), confidence_network()
    mechanism = discreet.Auto(epsilon, account.delta)
    for cost in mechanism.costs(network):
        account.check(cost)  # before the long work; the binding check is the charge
    with open_records(table, sql, connection, spark) as records:
        next(encode_complete(records, posterior.network, missing))  # what cannot be read should not have to wait for the chain
        ready(posterior, advise=False)
        with progress("Judging"):
            table = confidence_table(posterior, records, target, missing=missing)
    rows = kind_of(judged).describe(judged.value)["rows"]
    prepared = prepare(table, network, mechanism, ledger=account, rows=rows, prior=UNIFORM).beware(_about(target, judged))
    publish_and_announce(prepared, output, force=force, as_json=as_json)


def check_about(made: Release[Any], target: str, file: Path) -> None:
    """Refuse a confidence table of another node, and warn about one of another release."""
    from discreet.model.files.strict_json import read_limited

    said = next((caveat.text for caveat in made.caveats if caveat.name == _ABOUT), None)
    if said is None:  # made without the command
        return
    if not said.startswith(_beginning(target)):
        raise typer.BadParameter(f"The confidence file is not about {target!r}: {said}", param_hint="--confidence")
    if said.split()[-1].encode() not in read_limited(file):
        note("Beware: the confidence file is about another release than this one, or about the one before an update.")


def _account(judged: Release[Any], path: Path) -> Ledger:
    """The account that paid for the release: another one would hide that both releases are about the same records.

    Both protect the same unit, so that their budgets add up. A table of persons there is not: it is made record by record.
    """
    import discreet
    from discreet.unit import UnitKind

    if judged.unit.kind is UnitKind.PERSON:
        raise FormatError("A confidence table is about records, and this release protects persons. Nothing was charged.")
    (receipt,) = judged.receipts
    for account in discreet.Ledger.datasets(path):
        if account.dataset == receipt.dataset and any(_pays(charge, receipt) for charge in account.charges):
            return discreet.Ledger(path, dataset=receipt.dataset).for_unit(judged.unit)
    raise typer.BadParameter("This ledger did not pay for the release. Give the one that did.", param_hint="--ledger")


def _pays(charge: Charge, receipt: Receipt) -> bool:
    return (charge.number, charge.guarantee, charge.at) == (receipt.number, receipt.guarantee, receipt.at)


def _about(target: str, judged: Release[Any]) -> Caveat:
    from discreet.guarantee import Caveat
    from discreet.release_file.document import release_to_json

    return Caveat(_ABOUT, f"{_beginning(target)}the release with the digest {release_to_json(judged)['digest']}")


def _beginning(target: str) -> str:
    return f"This file corrects predictions of {repr(target)[:_LONGEST_NAME]}, and only those that are made with "
