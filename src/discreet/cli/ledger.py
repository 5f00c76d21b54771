"""`discreet ledger`: what was spent, on what, and what remains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import AsJson
from discreet.cli.render import print_json, print_table, write_text
from discreet.cli.show import promise

if TYPE_CHECKING:
    from discreet.kernel.ledger import Account

__all__ = ["ledger"]


def ledger(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ledger file.")],
    as_json: AsJson = False,
) -> None:
    """Verify a ledger, and show the privacy budget of every data set in it and every charge so far.

    Example: discreet ledger clinic.ledger
    """
    import discreet

    accounts = [_account(each) for each in discreet.Ledger.datasets(file)]
    if as_json:
        print_json({"datasets": accounts})
        return
    names = ("dataset", "cap", "delta", "spent", "remaining")
    rows = [[each[name] or "-" for name in names] for each in accounts]
    print_table("", ("data set", *names[1:]), rows, numbers=4)
    charges = [(each["dataset"], charge) for each in accounts for charge in each["charges"]]
    if charges:
        write_text("\n")
        rows = [[name, str(charge["number"]), charge["at"], charge["purpose"], _cost(charge)] for name, charge in charges]
        print_table("", ("data set", "charge", "at", "purpose", "cost"), rows, numbers=1)


def _cost(charge: dict[str, Any]) -> str:
    return ", ".join(f"{name} {amount}" for name, amount in charge["guarantee"].items() if name != "kind")


def _account(account: Account) -> dict[str, Any]:
    from discreet.guarantee import decimal

    return {
        "dataset": account.dataset,
        "cap": decimal(account.cap),
        "delta": None if account.delta is None else decimal(account.delta),
        "spent": decimal(account.spent),
        "remaining": decimal(account.remaining),
        "charges": [
            {
                "number": charge.number,
                "guarantee": promise(charge.guarantee),
                "purpose": charge.purpose,
                "spent": decimal(charge.spent or account.spent),
                "at": charge.at,
            }
            for charge in account.charges
        ],
    }
