"""Whom a release protects: the options that say it, and the question that is asked where nobody has."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.options import whole
from discreet.cli.render import note
from discreet.unit import AVERAGE_OF, RECORD, RowsPerPerson, Unit, choose_unit

__all__ = ["AverageOf", "OneRow", "Person", "RowsAtMost", "RowsEach", "ask_whom", "declare_unit"]

_REMARK = (
    "Remark: the guarantee is for one record. If every record is of another person, say so with --one-row-per-person; if not, "
    "name the column that tells persons apart with --person COLUMN, which protects all records of a person."
)


def _checked_rows(value: str | None) -> str | None:
    if value is not None and value not in {each.value for each in RowsPerPerson}:
        raise typer.BadParameter("It is one or average.")
    return value


Person = Annotated[
    str | None,
    typer.Option("--person", metavar="COLUMN", help="Protect whole persons: the column that says whose a record is."),
]
RowsEach = Annotated[
    str | None,
    typer.Option(
        "--rows-per-person",
        metavar="HOW",
        show_default="one",
        callback=_checked_rows,
        help="one: a random record of each person; average: each of a person's r records counts 1/r.",
    ),
]
AverageOf = Annotated[
    int | None,
    typer.Option(
        "--average-of",
        metavar="R",
        show_default=str(AVERAGE_OF),
        parser=whole(2),
        help="Most records of a person in the average; of more, R random ones count.",
    ),
]
RowsAtMost = Annotated[
    int | None,
    typer.Option(
        "--rows-at-most",
        metavar="K",
        parser=whole(2),
        help="Without such a column: charge for persons with up to K records, K times epsilon or K^2 times rho.",
    ),
]
OneRow = Annotated[bool, typer.Option("--one-row-per-person", help="Confirm that every record is of another person.")]


def declare_unit(
    person: str | None, rows_per_person: str | None, average_of: int | None, rows_at_most: int | None, one_row: bool
) -> Unit:
    """The unit that the options declare. Where they say nothing, it is one record."""
    if one_row and (person is not None or rows_at_most is not None):
        raise typer.BadParameter("--one-row-per-person says that no person has two records. Leave out one of the options.")
    return choose_unit(person, rows_per_person, average_of, rows_at_most)


def ask_whom(unit: Unit, one_row: bool) -> None:
    """Say what is not known where nobody has said whom to protect. The release goes on."""
    if unit == RECORD and not one_row:
        note(_REMARK)
