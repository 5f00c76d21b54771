"""Whom a release protects, as its file says it. A file that says nothing protects one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import BudgetError, FormatError, ModelError
from discreet.guarantee import Guarantee, Neighbours
from discreet.model.files.plain_shapes import Constant, Integer, OneOf, Text
from discreet.model.files.shape import Entry, Object, Tagged
from discreet.unit import LARGEST_AVERAGE, RECORD, RowsPerPerson, Unit, UnitKind

__all__ = ["UNIT", "guarantee_for_one", "read_unit", "unit_to_json"]

_COLUMN = Entry(Text(), says="The column that tells persons apart; its values are in no file.")
_ROWS = OneOf.of(RowsPerPerson)
_MOST = Entry(Integer(1, LARGEST_AVERAGE), says="How many records of a person count at the most.")


def _person(column: str, rows: RowsPerPerson, most: int) -> Unit:
    if not column or (rows is RowsPerPerson.ONE) != (most == 1):
        raise FormatError("The unit of the release file contradicts itself. Do not rely on it; ask the steward.")
    return Unit(UnitKind.PERSON, column, most)


def _rows_at_most(most: int) -> Unit:
    try:
        return Unit.rows_at_most(most)
    except ModelError as error:
        raise FormatError(f"The unit of the release file is none: {error}") from None


_PERSON = Object({"column": _COLUMN, "rows": _ROWS, "most": _MOST}, _person, {"kind": Constant(UnitKind.PERSON.value)})
_GROUP = Object({"most": Entry(Integer(2))}, _rows_at_most, {"kind": Constant(UnitKind.ROWS_AT_MOST.value)})
UNIT = Entry(
    Tagged("kind", (_PERSON, _GROUP), "{} is of a kind that is not known to this version. Update discreet."),
    "The unit",
    "Whom the guarantee protects: one person with all records, or somebody with at most so many. Left out: one record.",
)


def unit_to_json(unit: Unit) -> dict[str, Any]:
    """The entry that names the unit; none for one record, so that such files are as they always were."""
    if unit == RECORD:
        return {}
    return {"unit": (_PERSON if unit.kind is UnitKind.PERSON else _GROUP).write(unit)}


def read_unit(content: Mapping[str, Any], neighbours: Neighbours) -> Unit:
    """The unit that a file names, which must fit its notion of neighbouring data."""
    unit: Unit = UNIT.read(content["unit"], "The release") if "unit" in content else RECORD
    if unit.neighbours is not neighbours:
        raise FormatError("The unit of the release file does not fit its neighbours. Do not rely on it; ask the steward.")
    return unit


def guarantee_for_one(guarantee: Guarantee, unit: Unit) -> Guarantee:
    """What the noise was made for: one contribution, where the guarantee is for several."""
    try:
        return unit.protect_one(guarantee)
    except BudgetError:
        pass
    raise FormatError("The guarantee in the release file does not fit its unit. Do not rely on it; ask the steward.")
