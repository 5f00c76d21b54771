"""A schema: the declaration of the columns of a table, from which networks and linear models are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from discreet.checks import items_of
from discreet.display import Display, Displayed, counted, listed
from discreet.errors import ModelError, suggestion
from discreet.model.files.strict_json import show_text
from discreet.model.schema_column import SchemaColumn
from discreet.model.variable import Variable

__all__ = ["Schema"]

COLUMN_LIMIT = 20_000
"""Most columns of a schema."""
_COLUMNS = "The columns of a schema are a list of SchemaColumn(name, type, ...)."


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Schema(Displayed):
    """Columns with their levels, cuts or bounds: public, and declared without looking at the records.

    A schema is to a network what a domain is to a graph: ``naive_bayes(schema, "income")`` or ``Network(schema, parents)``
    makes one of it. Columns may be open; ``unfinished`` says what to add before anything can be made of them.
    """

    columns: tuple[SchemaColumn, ...]
    title: str | None
    description: str | None

    def __init__(self, columns: Iterable[SchemaColumn], *, title: str | None = None, description: str | None = None) -> None:
        declared = items_of(columns, _COLUMNS)
        if not declared or not all(isinstance(column, SchemaColumn) for column in declared):
            raise ModelError(_COLUMNS if declared else "A schema needs at least one column.")
        if len(declared) > COLUMN_LIMIT:
            raise ModelError(f"A schema can have at most {COLUMN_LIMIT:,} columns.")
        checked = cast("tuple[SchemaColumn, ...]", declared)
        _check_different([column.name for column in checked], "declared")
        _check_different([column.column or column.name for column in checked], "read")
        for text in (title, description):
            if text is not None and (not isinstance(text, str) or len(text) > 10_000):
                raise ModelError("title and description are texts of at most 10,000 characters.")
        object.__setattr__(self, "columns", checked)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "description", description)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in declared order."""
        return tuple(column.name for column in self.columns)

    @property
    def unfinished(self) -> list[str]:
        """Sentences that say what is to be added to columns that are open; none where the schema is finished."""
        return [column.unfinished for column in self.columns if column.unfinished is not None]

    @property
    def to_add(self) -> list[str]:
        """The same in fewer sentences: one for all columns that lack the same."""
        lacking: dict[str, list[str]] = {}
        for column in self.columns:
            if column.unfinished is not None:
                shown = show_text(column.name)
                lacking.setdefault(column.unfinished.removeprefix(shown), []).append(shown)
        return [
            f"{names[0]}{what}" if len(names) == 1 else f"{listed(names, 12)}: each{what}" for what, names in lacking.items()
        ]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Every column as a node of a network."""
        self.check_finished()
        return tuple(column.variable() for column in self.columns)

    def check_finished(self) -> None:
        """Refuse an unfinished schema with the sentences that say what to add."""
        if self.unfinished:
            raise ModelError(f"The schema is unfinished: {' '.join(self.to_add)}")

    def column(self, name: str) -> SchemaColumn:
        """The column with this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ModelError(f"The schema has no column {show_text(str(name))}.{suggestion(name, self.names)}")

    def select(self, names: Iterable[str]) -> Schema:
        """The schema with these columns alone, in this order."""
        wanted = items_of(names, "select takes a list of names, such as ['age', 'income'].")
        return Schema([self.column(cast("str", name)) for name in wanted], title=self.title, description=self.description)

    def bounds(self, names: Iterable[str]) -> Mapping[str, tuple[float, ...]]:
        """The bounds of these columns, as linear models declare them."""
        wanted = items_of(names, "The features are a list of names, such as ['age', 'income'].")
        return {cast("str", name): self.column(cast("str", name)).bounds() for name in wanted}

    def _display(self) -> Display:
        rows = [(column.name, str(column.type), _declared(column)) for column in self.columns]
        facts = [("title", self.title)] if self.title else []
        return Display(f"Schema of {counted(len(self.columns), 'column')}", facts, ("column", "type", "declared"), rows)


def _declared(column: SchemaColumn) -> str:
    if column.is_numeric:
        return f"{column.minimum} to {column.maximum}"
    return listed(column.levels, 12) if column.levels else "open"


def _check_different(names: list[str], what: str) -> None:
    if len(set(names)) < len(names):
        twice = min(name for name, count in Counter(names).items() if count > 1)
        raise ModelError(f"The column {show_text(twice)} is {what} twice; keep one.")
