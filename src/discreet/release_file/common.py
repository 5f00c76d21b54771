"""What every release file says, whatever its kind: the entries around the statistics."""

from __future__ import annotations

from discreet.guarantee import Caveat, Neighbours
from discreet.model.files.plain_shapes import Choice, Constant, Integer, Text
from discreet.model.files.shape import Entry, ListOf, MapOf, Object
from discreet.release_file.guarantees import GUARANTEE, RECEIPTS
from discreet.release_file.writer import FORMAT, VERSION
from discreet.releases import MechanismRecord

__all__ = ["ROWS", "WORD", "common_shape"]

WORD = "[a-z][a-z0-9-]{0,99}"
"""What a mechanism is called, as a pattern."""

_CAVEAT = Object({"name": Text(), "text": Text()}, Caveat)
ROWS = Entry(Integer(1), "The number of rows", "The public number of private records.")


def common_shape() -> Object:
    """The entries of every release, by the names that they have there, but for its value."""
    return Object(
        {
            "software": Entry(Text(), "The software", "Name and version of the program that made the release."),
            "guarantee": Entry(GUARANTEE, "The guarantee"),
            "neighbours": Entry(
                Choice.of(Neighbours),
                says="Neighbouring data sets differ in one replaced record; the number of records is public.",
                refusal="The release file names a notion of neighbouring data that is not known.",
            ),
            "mechanism": Entry(_mechanism(), "The mechanism"),
            "caveats": Entry(ListOf(Entry(_CAVEAT, "A caveat")), "The caveats"),
            "receipts": Entry(RECEIPTS, "The receipts"),
        },
        constants={
            "format": Constant(
                FORMAT, "This is not a release file of discreet: its format entry says otherwise. read_network reads networks."
            ),
            "version": Constant(VERSION, f"This release file has another version than {VERSION}. Update discreet to read it."),
        },
    )


def _mechanism() -> Object:
    """Any mechanism. Which there are, and which parameters each has, the kind of the statistics says."""
    word = Entry(Text(100), "The mechanism", also={"pattern": f"^{WORD}$"})
    return Object({"name": word, "parameters": MapOf(Text())}, MechanismRecord)
