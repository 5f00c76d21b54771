"""Schema files: Table Schema 2.0 in JSON, read strictly and written, with further properties for what the standard lacks.

Of the standard: names, types, titles, categories with labels and order, bounds and lists of values among the constraints, and
missing values. Beyond it: ``cuts``, ``includes``, ``bins``, ``other``, ``missing``, ``fold``, ``column``, ``receipt``, and
``spellings`` of a category. What would change the meaning of a value and is not understood here is refused, never passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from discreet.checks import check_path
from discreet.errors import FormatError, ModelError, of_kind
from discreet.model.files.strict_json import (
    decode_text,
    json_list,
    json_object,
    json_text,
    parse_json,
    read_limited,
    show_text,
)
from discreet.model.reading import Includes
from discreet.model.schema import Schema
from discreet.model.schema_column import FALSE_VALUES, TRUE_VALUES, Category, ColumnType, SchemaColumn
from discreet.model.variable import LENGTH_LIMIT
from discreet.output_file import write_atomically

__all__ = [
    "SCHEMA_ENDING", "check_schema_path", "parse_schema", "read_schema", "schema_text", "schema_to_json", "write_schema",
]  # fmt: skip

SCHEMA_ENDING = ".schema.json"
"""How the name of a schema file ends where a file may also be a network's."""
STANDARD = "https://datapackage.org/profiles/2.0/tableschema.json"
_SCHEMA_WORDS = ("$schema", "name", "title", "description", "missingValues", "primaryKey", "fieldsMatch")
_FIELD_WORDS = (
    "type", "title", "description", "categories", "categoriesOrdered", "constraints", "missingValues", "trueValues",
    "falseValues", "cuts", "includes", "bins", "other", "missing", "fold", "column", "format", "example", "rdfType",
    "open", "receipt",
)  # fmt: skip
_CONSTRAINTS = ("minimum", "maximum", "enum", "required", "unique")
_PLAIN = {
    "title": "title", "description": "description", "categoriesOrdered": "ordered", "includes": "includes", "other": "other",
    "missing": "missing", "fold": "fold", "column": "column", "receipt": "receipt",
}  # fmt: skip
"""Properties that a column holds as they are, with the name that it has for them."""
_LISTS = {"trueValues": "true_values", "falseValues": "false_values", "bins": "bins"}


def read_schema(path: str | os.PathLike[str]) -> Schema:
    """Read the declaration of columns from a Table Schema file (JSON, plain or gzip)."""
    content = read_limited(path)
    try:
        return parse_schema(decode_text(content))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def write_schema(schema: Schema, path: str | os.PathLike[str]) -> None:
    """Write a Table Schema file. Never leaves half a file."""
    if not isinstance(schema, Schema):
        raise ModelError(f"{of_kind(schema)} is not a schema. Write write_schema(schema, path).")
    check_schema_path(path)
    write_atomically(path, schema_text(schema))


def schema_text(schema: Schema) -> str:
    """The text of a schema file."""
    return json.dumps(schema_to_json(schema), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def check_schema_path(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not one of a schema file."""
    if not check_path(path).lower().endswith(".json"):
        raise FormatError(f"{str(path)!r}: the name of a schema file ends in .json, such as adult{SCHEMA_ENDING}.")


def parse_schema(text: str) -> Schema:
    """Check the text of a schema file and build what it declares; whatever is wrong is a FormatError."""
    if not text.lstrip().startswith("{"):  # perhaps somebody's records: no parser may quote from them
        raise FormatError("this is no schema; that is a JSON object with 'fields', in the words of Table Schema.")
    content = parse_json(text)
    if isinstance(content, dict) and ("resources" in content or "format" in content):
        raise FormatError("this is another kind of file, not a schema; of a data package give the schema of its table.")
    given = json_object(content, "The schema", ("fields",), _SCHEMA_WORDS)
    missing = _missing_values(given.get("missingValues", [""]), "The missing values of the schema")
    columns = [_column(field, missing) for field in json_list(given["fields"], "The fields of the schema")]
    try:
        return Schema(columns, title=given.get("title"), description=given.get("description"))
    except ModelError as error:
        raise FormatError(str(error)) from None


def _column(field: object, missing: tuple[str, ...]) -> SchemaColumn:
    name = json_text(field["name"], "The name of a field", LENGTH_LIMIT) if isinstance(field, dict) and "name" in field else ""
    whose = f"The field {show_text(name)}"
    given = json_object(field, whose, ("name",), _FIELD_WORDS)
    if given.get("format", "default") != "default":
        raise FormatError(f"{whose} has a format of its own, which is not read; write values in the default format.")
    constraints = json_object(given.get("constraints", {}), f"The constraints of {show_text(name)}", (), _CONSTRAINTS)
    if "categories" in given and "enum" in constraints:
        raise FormatError(f"{whose} has categories and an enum among its constraints; keep one of them.")
    values = given.get("categories", constraints.get("enum", []))
    own = (
        _missing_values(given["missingValues"], f"The missing values of {show_text(name)}")
        if "missingValues" in given
        else missing
    )
    said = {known: given[word] for word, known in _PLAIN.items() if word in given}
    said |= {known: [_value(each, whose) for each in json_list(given[word], f"{word} of {show_text(name)}")]
             for word, known in _LISTS.items() if word in given}  # fmt: skip
    try:
        return SchemaColumn(
            name,
            json_text(given.get("type", "string"), f"The type of {show_text(name)}", 100),
            categories=_categories([] if _is_all_booleans(given, values) else values, name),
            minimum=_bound(constraints, "minimum", name),
            maximum=_bound(constraints, "maximum", name),
            cuts=[
                _value(cut, f"A cut of {show_text(name)}")
                for cut in json_list(given.get("cuts", []), f"The cuts of {show_text(name)}")
            ],
            missing_values=own,
            **said,
        )
    except ModelError as error:
        raise FormatError(str(error)) from None


def _is_all_booleans(given: Mapping[str, Any], values: object) -> bool:
    """Whether an enum says of a boolean what it is anyway."""
    return given.get("type") == "boolean" and "categories" not in given and values in ([True, False], [False, True])


def _categories(content: object, name: str) -> list[Category]:
    found = []
    for item in json_list(content, f"The categories of {show_text(name)}"):
        what = f"A category of {show_text(name)}"
        given = json_object(item, what, ("value",), ("label", "spellings")) if isinstance(item, dict) else {"value": item}
        label = (
            None
            if given.get("label") is None
            else json_text(given["label"], f"The label of a category of {show_text(name)}", LENGTH_LIMIT)
        )
        further = json_list(given.get("spellings", []), f"The spellings of a category of {show_text(name)}")
        found.append(Category(_value(given["value"], what), label, tuple(_value(each, what) for each in further)))
    return found


def _missing_values(content: object, what: str) -> tuple[str, ...]:
    items = json_list(content, what)
    plain = (json_object(item, what, ("value",), ("label",))["value"] if isinstance(item, dict) else item for item in items)
    return tuple(_value(each, what) for each in plain)


def _bound(constraints: Mapping[str, Any], end: str, name: str) -> str | None:
    return _value(constraints[end], f"The {end} of {show_text(name)}") if end in constraints else None


def _value(content: object, what: str) -> str:
    """A value as text: a number as the decimal that it is written as, as long as a float holds it."""
    if isinstance(content, bool) or not isinstance(content, str | int | float):
        raise FormatError(f"{what} must be a text or a number.")
    return json_text(str(content), what, LENGTH_LIMIT)


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """The schema in the words of Table Schema. The missing values stand with each field that has others than the default."""
    head = {word: said for word, said in (("title", schema.title), ("description", schema.description)) if said is not None}
    return {"$schema": STANDARD, **head, "fields": [_field(column) | _mark(column) for column in schema.columns]}


def _mark(column: SchemaColumn) -> dict[str, str]:
    """What is to be added to a column that is open. It is for people: a reader passes over it."""
    return {} if column.unfinished is None else {"open": column.unfinished}


def _field(column: SchemaColumn) -> dict[str, Any]:
    said: dict[str, Any] = {"name": column.name, "type": str(column.type)}
    said |= {word: each for word in ("title", "description") if (each := getattr(column, word)) is not None}
    if column.categories or column.unfinished is not None:
        said["categories"] = [_category(each, column.type) for each in column.categories]
    if column.unfinished is not None and column.type in (ColumnType.DATE, ColumnType.BOOLEAN):
        del said["categories"]
    if column.ordered:
        said["categoriesOrdered"] = True
    ends = {word: _number(each, column.type) for word in ("minimum", "maximum") if (each := getattr(column, word)) is not None}
    if ends:
        said["constraints"] = ends
    said |= _bins(column)
    said |= {word: each for word in ("other", "missing", "column") if (each := getattr(column, word)) is not None}
    if column.fold:
        said["fold"] = True
    defaults = {"missing_values": ("",), "true_values": TRUE_VALUES, "false_values": FALSE_VALUES}
    words = {"missing_values": "missingValues", "true_values": "trueValues", "false_values": "falseValues"}
    said |= {words[key]: list(own) for key, usual in defaults.items() if (own := getattr(column, key)) != usual}
    return said


def _bins(column: SchemaColumn) -> dict[str, Any]:
    """Where numbers are cut, which end belongs to a bin, what the bins are called, and which charge paid for the cuts."""
    said: dict[str, Any] = {"cuts": list(column.cuts)} if column.cuts else {}
    if column.cuts or column.includes != Includes.LOWER:  # of cuts it is always said
        said["includes"] = str(column.includes)
    said |= {"bins": list(column.bins)} if column.bins else {}
    return said | ({"receipt": column.receipt} if column.receipt is not None else {})


def _category(category: Category, kind: str) -> Any:
    value = _number(category.value, kind)
    if category.label is None and not category.spellings:
        return value
    label = {} if category.label is None else {"label": category.label}
    return {"value": value, **label, **({"spellings": list(category.spellings)} if category.spellings else {})}


def _number(text: str, kind: str) -> str | int:
    """Whole numbers as JSON has them; other numbers as texts, which no reader rounds."""
    plain = kind in (ColumnType.INTEGER, ColumnType.NUMBER) and len(text) <= 16 and text.removeprefix("-").isdigit()
    return int(text) if plain and str(int(text)) == text else text
