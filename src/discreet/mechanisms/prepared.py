"""A release before it is paid for. All that can fail has been tried; what is left is to charge, to draw, to wrap and to save.

It is tried with a stand-in for what will be drawn: numbers that are public, and as long as drawn ones ever are. The stand-in
takes the whole way of the release, through the text of its file and back. So what cannot be saved costs nothing, and how much
room the file needs is known before the charge: that room is taken first, and what is paid for is kept somewhere.

What goes with every release: the guarantee that was paid for, the proof of payment, and what to beware of.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from discreet.checks import check_path
from discreet.errors import DataError, FormatError, ModelError
from discreet.guarantee import ZCDP, ApproxDP, Caveat, Guarantee, Receipt
from discreet.kernel.bits import Bits
from discreet.kernel.ledger import Ledger
from discreet.kernel.publish import after_charge, mention_charge, perhaps_charged
from discreet.learned import Learned, learned_caveats
from discreet.measure.published import Published
from discreet.model.files.strict_json import LARGEST_INTEGER
from discreet.output_file import BESIDE_DATABASES, OutputFile, write_atomically
from discreet.release_file.document import release_text
from discreet.releases import MechanismRecord, Release, software
from discreet.unit import Unit, UnitKind

__all__ = ["Prepared", "check_free", "check_not_of", "furthest", "publish_and_save", "standing_caveats", "write_paid"]

S = TypeVar("S")
P = TypeVar("P")

_RECEIPT_ROOM = 8192
"""Bytes by which a receipt can grow if others are charged in the meantime: its numbers have at most 2000 digits each."""
_PUBLIC_ROWS = Caveat("public-rows", "The number of records is published exactly; the guarantee does not hide it.")
_PUBLIC_PERSONS = Caveat("public-rows", "The number of persons is published exactly; the guarantee does not hide it.")
_RANDOM_RECORD = (
    "It is about a random record of a random person: of each person {} counts, so somebody with many records weighs as much "
    "as somebody with one."
)
_ROWS_AT_MOST = (
    "The guarantee protects somebody with at most {0} records, whatever is in them. How many these are is not protected, and "
    "somebody with more than {0} is protected less."
)
_ONE_RECORD = "The guarantee protects one record. Someone with several records is protected less: "
_UNLIMITED = Caveat(
    "unlimited-ledger",
    "Made without a cap on the privacy budget, as for experiments on public data. Do not rely on it for private data.",
)
_SCRIPTED = Caveat("scripted-bits", "Made with scripted random bits, as in tests. It protects nobody.")


@dataclass(frozen=True, eq=False, repr=False)
class Prepared(Generic[S, P]):
    """What is left to do for a release: ``charge_and_draw`` an S, ``make`` the posterior P of it, and wrap that.

    It holds the private counts, inside ``charge_and_draw``: never publish it, only what it publishes.

    Claim:      ``publish`` charges only after the same release, made of ``stand_in``, was written as a file's text and read
                again. After the charge nothing is read or looked up; what fails then names the charge.
    Requires:   ``charge_and_draw`` goes through the kernel, which charges before it draws; ``stand_in`` does not depend on the
                records, but for their number, and has the shape of what is drawn.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_what_cannot_be_written_costs_nothing
                tests/unit/mechanisms/test_prepared.py::test_nothing_is_looked_up_after_the_charge
                tests/unit/mechanisms/test_prepared.py::test_a_stand_in_does_not_depend_on_the_records
    """

    mechanism: MechanismRecord
    guarantee: Guarantee
    ledger: Ledger
    charge_and_draw: Callable[[], tuple[S, Receipt]]
    make: Callable[[S], P]
    stand_in: S
    scripted: Bits | None
    caveats: tuple[Caveat, ...] = ()
    learned: Learned | None = None
    """The graph that was learned before, for which there are receipts already."""
    software: str = field(default_factory=software)

    def beware(self, *caveats: Caveat) -> Prepared[S, P]:
        """The same release with more to be said about it, each thing once."""
        return replace(self, caveats=tuple(dict.fromkeys((*self.caveats, *caveats))))

    def follow(self, learned: Learned) -> Prepared[S, P]:
        """The same release as one of a learned graph: it keeps the graph's receipts, and its posterior what was measured.

        Claim:      the release states both guarantees together, and all receipts. What was measured before has noise that is
                    independent of this release's, so both belong to one posterior.
        Requires:   the graph was learned from the same records: as far as their number, the data set's name and the unit
                    tell, this is checked, as is that the release has counts with noise.
        Checked by: tests/unit/mechanisms/test_learned_release.py::test_a_release_goes_on_from_a_learned_graph
                    tests/unit/mechanisms/test_learned_release.py::test_what_does_not_belong_together_costs_nothing
        """
        released = getattr(self.make(self.stand_in), "released", None)
        if not isinstance(released, Published):
            raise ModelError(
                "A learned graph is released by a mechanism that adds noise to counts, which goes on from what was measured: "
                "auto, laplace, fourier, knorm or gaussian. Any other takes learned.network, and leaves that out. Nothing was "
                "charged."
            )
        if released.rows != learned.rows or self.ledger.dataset != learned.receipts[-1].dataset:
            raise DataError(
                "The graph was learned from other records than these: their number, or the name of the data set in the "
                "ledger, is another. Give the same table and ledger, or release learned.network. Nothing was charged."
            )
        kept = (caveat for caveat in learned.caveats if caveat.name in (_UNLIMITED.name, _SCRIPTED.name, "timing"))
        return replace(self, learned=learned).beware(*learned_caveats(learned.network, paid=True), *kept)

    @cached_property
    def room(self) -> int:
        """How many bytes a file needs at the most. Finds what would keep it from being written."""
        receipt = self.ledger.check(self.guarantee)
        try:
            text = release_text(self._wrap(self.make(self.stand_in), receipt))
        except (FormatError, ModelError) as error:
            raise FormatError(f"This release could not be saved, so nothing was charged. {error}") from None
        return len(text) + len(text) // 8 + _RECEIPT_ROOM

    def publish(self) -> Release[P]:
        """Charge the ledger, draw and wrap. Every call is a release of its own."""
        self.room  # noqa: B018 - what fails, fails here
        with perhaps_charged(self.ledger):
            drawn, receipt = self.charge_and_draw()
            with after_charge(receipt, self.ledger):
                return self._wrap(self.make(drawn), receipt)

    def _wrap(self, value: P, receipt: Receipt) -> Release[P]:
        """A value with all that must be said about it.

        Claim:      the release states the guarantee that the ledger was charged for, and no other. One without a cap, or with
                    noise that is not from the operating system, says so. Nothing is looked up: this happens after the charge.
        Requires:   the value was made under that guarantee, and ``scripted`` are the bits that it was made with, if not the
                    operating system's.
        Checked by: tests/unit/mechanisms/test_prepared.py::test_a_release_states_what_was_charged
                    tests/unit/mechanisms/test_pipeline.py::test_an_unlimited_ledger_is_mentioned_in_the_release
                    tests/unit/mechanisms/test_pipeline.py::test_scripted_bits_are_mentioned_in_the_release
        """
        before = () if self.learned is None else self.learned.receipts
        return Release(
            value=value if self.learned is None else _remember(value, self.learned),
            guarantee=receipt.guarantee if self.learned is None else self.learned.guarantee.compose(receipt.guarantee),
            neighbours=self.ledger.unit.neighbours,
            mechanism=self.mechanism,
            caveats=(*standing_caveats(receipt, self.ledger.unit, self.scripted), *self.caveats),
            receipts=(*before, receipt),
            software=self.software,
            unit=self.ledger.unit,
        )


def _remember(value: Any, learned: Learned) -> Any:
    """A posterior that knows what was measured on the way to its graph."""
    return replace(value, released=replace(value.released, learning=learned.learning))


def furthest(rows: int, scale: Fraction, dimension: int = 1) -> int:
    """A number as long as any that counts of so many records become with noise of this scale, and that 64 bits hold.

    Claim:      noise is further off with a probability below exp(-60) for Laplace and Gaussian noise, and for a coordinate of
                K-norm noise of this dimension: its radius r has P(r > x scale) <= 2^(dimension + 1) exp(-x / 2).
    Requires:   nothing; only the room for a file depends on it.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_no_file_is_longer_than_its_room
    """
    return -min(rows + math.ceil(scale * (128 + 2 * dimension)), LARGEST_INTEGER - 1)


def standing_caveats(receipt: Receipt, unit: Unit, scripted: Bits | None) -> tuple[Caveat, ...]:
    """What must be said about whatever was made from records: always, without a cap, and with scripted bits.

    Claim:      depends on public facts alone.
    Requires:   nothing.
    Checked by: tests/unit/mechanisms/test_pipeline.py::test_scripted_bits_are_mentioned_in_the_release
    """
    said = list(_unit_caveats(receipt.guarantee, unit))
    if receipt.unlimited:
        said.append(_UNLIMITED)
    if scripted is not None:
        said.append(_SCRIPTED)
    return tuple(said)


def _unit_caveats(guarantee: Guarantee, unit: Unit) -> tuple[Caveat, ...]:
    """Which number is public, and who is protected less than the guarantee says."""
    match unit.kind:
        case UnitKind.PERSON:
            each = "one record" if unit.most == 1 else f"the average of at most {unit.most} records"
            return _PUBLIC_PERSONS, Caveat("random-record", _RANDOM_RECORD.format(each))
        case UnitKind.ROWS_AT_MOST:
            return _PUBLIC_ROWS, Caveat("rows-at-most", _ROWS_AT_MOST.format(unit.most))
    return _PUBLIC_ROWS, Caveat("one-record", _ONE_RECORD + _less(guarantee))


def _less(guarantee: Guarantee) -> str:
    """What protects someone with several records."""
    match guarantee:
        case ZCDP():
            return "rho times the square of the number of their records."
        case ApproxDP():  # k records: delta (1 + exp(epsilon) + ... + exp((k - 1) epsilon))
            return (
                "epsilon times the number of their records, and delta grows faster still: k exp((k - 1) epsilon) times for "
                "k records."
            )
    return "epsilon times the number of their records."


def check_free(path: str | os.PathLike[str]) -> Path:
    """The path of a file that is not there yet and can be written, to be asked before any record is read.

    Claim:      nothing is left at the path.
    Requires:   nothing; a file that exists, a folder, and what cannot be written are refused.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_a_release_into_a_file_that_exists_costs_nothing
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
    Checked by: tests/unit/mechanisms/test_prepared.py::test_a_release_into_a_file_that_exists_costs_nothing
                tests/unit/mechanisms/test_prepared.py::test_what_is_paid_for_and_cannot_be_put_in_its_place_is_kept
    """
    check_not_of(path, prepared.ledger)
    with _reserved(path, overwrite, prepared.room) as file, perhaps_charged(prepared.ledger):
        made = prepared.publish()
        write_paid(made, prepared.ledger, file)
    return made


def _reserved(path: Path, overwrite: bool, room: int) -> OutputFile:
    """The file with room for all of the release: a disk that is full must not be found so after the charge."""
    try:
        return OutputFile(path, overwrite=overwrite, room=room)
    except FormatError as error:
        raise FormatError(f"{error} The release may need {room:,} bytes. Nothing was charged.") from None


def check_not_of(path: Path, ledger: Ledger) -> None:
    """Refuse the names of files that a ledger keeps beside itself: it would remove the release with its next charge.

    Claim:      no release is written where a ledger would remove it.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_together.py::test_a_path_that_cannot_be_written_costs_nothing
    """
    if ledger.path is not None:
        own = os.path.realpath(ledger.path)
        if os.path.realpath(path) in (own, *(own + ending for ending in BESIDE_DATABASES)):
            raise FormatError(f"{str(path)!r} belongs to the ledger; choose another name. Nothing was charged.")


def write_paid(made: Release[Any], ledger: Ledger, file: OutputFile) -> None:
    """Write what is paid for; where that fails after all, to another place, and say where.

    Claim:      an error names the charge, and where the release is kept.
    Requires:   a file that room was taken for.
    Checked by: tests/unit/mechanisms/test_prepared.py::test_what_is_paid_for_and_cannot_be_put_in_its_place_is_kept
    """
    text = b""
    try:
        text = release_text(made)
        file.write(text)
    except BaseException as error:
        mention_charge(error, made.receipts[-1], ledger, _rescue(text, made, ledger))
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
