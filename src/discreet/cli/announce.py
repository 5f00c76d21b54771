"""Make room for a release file, pay for the release, write it, and say what it cost and what to beware of."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.render import note, print_json
from discreet.cli.summary import summary
from discreet.errors import FormatError

if TYPE_CHECKING:
    from discreet.kernel.ledger import Ledger
    from discreet.mechanisms.prepared import Prepared
    from discreet.output_file import OutputFile
    from discreet.releases import Release

__all__ = ["publish_and_announce"]


def publish_and_announce(prepared: Prepared[Any, Any], output: Path, *, force: bool, as_json: bool) -> None:
    """Remarks go to stderr; stdout has the summary if it is wanted as JSON, else nothing."""
    from discreet.kernel.after_charge import perhaps_charged

    with _reserve(output, force, prepared.room) as file, perhaps_charged(prepared.ledger):
        made = prepared.publish()
        _write(made, prepared, file)
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
    from discreet.kernel.after_charge import mention_charge

    try:
        print_json({"output": str(output), **summary(made)})
    except BaseException as error:
        outcome = f"The release is whole in {str(output)!r}; only its summary could not be printed."
        mention_charge(error, made.receipts[0], ledger, outcome)
        raise


def _reserve(output: Path, force: bool, room: int) -> OutputFile:
    """The output file with room for all of the release: a disk that is full must not be found so after the charge."""
    from discreet.output_file import OutputFile

    try:
        return OutputFile(output, overwrite=force, room=room)
    except FormatError as error:
        raise FormatError(f"{error} The release may need {room:,} bytes. Nothing was charged.") from None


def _write(made: Release[Any], prepared: Prepared[Any, Any], file: OutputFile) -> None:
    """Write what is paid for; where that fails after all, to another place, and say where."""
    from discreet.kernel.after_charge import mention_charge
    from discreet.release_file.writer import release_text

    text = b""
    try:
        text = release_text(made)
        file.write(text)
    except BaseException as error:
        mention_charge(error, made.receipts[0], prepared.ledger, _rescue(text, made, prepared.ledger))
        raise


def _rescue(text: bytes, made: Release[Any], ledger: Ledger) -> str:
    """Keep a release that could not be put where it belongs, closed to others, and say what became of it."""
    from discreet.output_file import write_atomically
    from discreet.release_file.writer import release_text

    with suppress(FormatError):
        text = text or release_text(made)  # an interruption may have come while the text was made
    beside = [] if ledger.path is None else [ledger.path.parent]
    for folder in (*beside, Path(tempfile.gettempdir())) if text else ():
        kept = folder / f"discreet-release-{time.time_ns()}.json"
        with suppress(FormatError):
            write_atomically(kept, text, overwrite=False, mode=0o600)
            return f"The release is whole in {str(kept)!r}: move it to where it belongs."
    return "The release is lost: trying again is charged again."
