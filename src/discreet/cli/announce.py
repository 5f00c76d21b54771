"""Write a new release file and say what it cost and what to beware of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.render import note, print_json
from discreet.cli.summary import summary

if TYPE_CHECKING:
    from discreet.posterior import Release

__all__ = ["save_and_announce"]


def save_and_announce(made: Release[Any], output: Path, *, as_json: bool) -> None:
    """Remarks go to stderr; stdout has the summary if it is wanted as JSON, else nothing."""
    made.save(output)
    note(f"The release is in {output}.")
    for receipt in made.receipts:
        note(str(receipt))
    note(made.guarantee.meaning)
    if made.guarantee.remark is not None:
        note(f"Beware: {made.guarantee.remark}")
    for caveat in made.caveats:
        note(f"{caveat.label.capitalize()}: {caveat.text}")
    if as_json:
        print_json({"output": str(output), **summary(made)})
