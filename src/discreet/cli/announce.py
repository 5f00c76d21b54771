"""Pay for a release, write it, and say what it cost and what to beware of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.render import note, print_json
from discreet.cli.summary import summary

if TYPE_CHECKING:
    from discreet.kernel.ledger import Ledger
    from discreet.mechanisms.prepared import Prepared
    from discreet.releases import Release

__all__ = ["publish_and_announce"]


def publish_and_announce(prepared: Prepared[Any, Any], output: Path, *, force: bool, as_json: bool) -> None:
    """Remarks go to stderr; stdout has the summary if it is wanted as JSON, else nothing."""
    from discreet.mechanisms.saving import publish_and_save

    made = publish_and_save(prepared, output, overwrite=force)
    note(f"The release is in {output}.")
    for receipt in made.receipts:
        note(str(receipt))
    note(made.guarantee.meaning)
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
        mention_charge(error, made.receipts[0], ledger, outcome)
        raise
