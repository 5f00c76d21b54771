"""Declaring a table: a schema from the names and types of its columns, filled in from a codebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from discreet.data.codebooks import read_codebook
from discreet.data.physical_columns import physical_columns
from discreet.model.schema import Schema
from discreet.model.schema_column import ColumnType, SchemaColumn

__all__ = ["Declared", "declare", "declare_table"]


@dataclass(frozen=True, slots=True)
class Declared:
    """A schema, the variables of the codebook that the table has no column for, and the columns whose categories it took."""

    schema: Schema
    unused: tuple[str, ...]
    trusted: tuple[str, ...]


def declare(table: Any, codebook: Any = None, *, trust_categories: bool = False) -> Schema:
    """A schema of the table's columns, open where nothing is declared: ``schema.unfinished`` says what to add.

    It is made of names and physical types alone: no value is read. ``codebook`` fills in levels and labels: a table with
    variable, value and label (.csv, .tsv, .xlsx), the labels of a .sav or .dta file or of a .sas7bcat, or another schema. With
    ``trust_categories`` the categories of pandas columns and the Enum of Polars are taken for levels: say so only if they
    were declared. Categories that were collected from the records are private, and the schema is published.
    """
    return declare_table(table, codebook, trust_categories=trust_categories).schema


def declare_table(table: Any, codebook: Any = None, *, trust_categories: bool = False) -> Declared:
    """The same, with what the codebook says about other columns than the table's."""
    columns = physical_columns(table, trust_categories)
    trusted = tuple(column.name for column in columns if column.categories)
    if codebook is None:
        return Declared(Schema(columns), (), trusted)
    known = read_codebook(codebook, {column.name: column.type for column in columns}, table)
    names = {column.name: _find(column.name, known) for column in columns}
    filled = [_fill(column, names[column.name], known) for column in columns]
    used = set(names.values())
    return Declared(Schema(filled), tuple(name for name in known if name not in used), trusted)


def _find(name: str, known: Mapping[str, SchemaColumn]) -> str | None:
    """The variable of the codebook that is meant: one of this name, or the only one that differs in capitals alone."""
    if name in known:
        return name
    alike = [each for each in known if each.strip().casefold() == name.strip().casefold()]
    return alike[0] if len(alike) == 1 else None


def _fill(column: SchemaColumn, found: str | None, known: Mapping[str, SchemaColumn]) -> SchemaColumn:
    """What the codebook says, under the table's name for the column; the table's type where it says nothing but a title."""
    if found is None:
        return column
    said = known[found]
    if said.column is not None and said.column == column.name:
        return said
    if not said.levels and not said.is_numeric and said.type == ColumnType.STRING:
        return replace(column, title=said.title)
    return replace(said, name=column.name)
