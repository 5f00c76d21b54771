"""A release that goes into a file: room for it is made before the charge, and what is paid for is kept somewhere."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from discreet.checks import check_path
from discreet.errors import FormatError
from discreet.kernel.ledger import Ledger
from discreet.kernel.publish import mention_charge, perhaps_charged
from discreet.mechanisms.prepared import Prepared
from discreet.output_file import BESIDE_DATABASES, OutputFile, write_atomically
from discreet.release_file.document import release_text
from discreet.releases import Release

__all__ = ["check_free", "publish_and_save"]

P = TypeVar("P")


def check_free(path: str | os.PathLike[str]) -> Path:
    """The path of a file that is not there yet and can be written, to be asked before any record is read.

    Claim:      nothing is left at the path.
    Requires:   nothing; a file that exists, a folder, and what cannot be written are refused.
    Checked by: tests/unit/mechanisms/test_saving.py::test_a_release_into_a_file_that_exists_costs_nothing
    """
    free = Path(check_path(path))
    if free.is_file():
        raise FormatError(f"{str(path)!r} exists, so nothing was charged. Choose another name, or move that file away first.")
    OutputFile(free, overwrite=False).close()
    return free


def publish_and_save(prepared: Prepared[Any, P], path: Path, *, overwrite: bool = False) -> Release[P]:
    """Take the room that the file needs, charge, draw, and write the file.

    Claim:      what would keep the release from its file is refused before the charge. Where the file fails to be written all
                the same, the release is kept in another place, and the error names the charge and the place.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_saving.py::test_a_release_into_a_file_that_exists_costs_nothing
                tests/unit/mechanisms/test_saving.py::test_what_is_paid_for_and_cannot_be_put_in_its_place_is_kept
    """
    _check_not_of(path, prepared.ledger)
    with _reserved(path, overwrite, prepared.room) as file, perhaps_charged(prepared.ledger):
        made = prepared.publish()
        _write(made, prepared.ledger, file)
    return made


def _reserved(path: Path, overwrite: bool, room: int) -> OutputFile:
    """The file with room for all of the release: a disk that is full must not be found so after the charge."""
    try:
        return OutputFile(path, overwrite=overwrite, room=room)
    except FormatError as error:
        raise FormatError(f"{error} The release may need {room:,} bytes. Nothing was charged.") from None


def _check_not_of(path: Path, ledger: Ledger) -> None:
    """Refuse the names of files that a ledger keeps beside itself: it would remove the release with its next charge."""
    if ledger.path is not None:
        own = os.path.realpath(ledger.path)
        if os.path.realpath(path) in (own, *(own + ending for ending in BESIDE_DATABASES)):
            raise FormatError(f"{str(path)!r} belongs to the ledger; choose another name. Nothing was charged.")


def _write(made: Release[Any], ledger: Ledger, file: OutputFile) -> None:
    """Write what is paid for; where that fails after all, to another place, and say where."""
    text = b""
    try:
        text = release_text(made)
        file.write(text)
    except BaseException as error:
        mention_charge(error, made.receipts[0], ledger, _rescue(text, made, ledger))
        raise


def _rescue(text: bytes, made: Release[Any], ledger: Ledger) -> str:
    """Keep a release that could not be put where it belongs, closed to others, and say what became of it."""
    with suppress(FormatError):
        text = text or release_text(made)  # an interruption may have come while the text was made
    beside = [] if ledger.path is None else [ledger.path.parent]
    for folder in (*beside, Path(tempfile.gettempdir())) if text else ():
        kept = folder / f"discreet-release-{time.time_ns()}.json"
        with suppress(FormatError):
            write_atomically(kept, text, overwrite=False, mode=0o600)
            return f"The release is whole in {str(kept)!r}: move it to where it belongs."
    return "The release is lost: trying again is charged again."
