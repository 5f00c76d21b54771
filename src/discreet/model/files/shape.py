"""Shapes that are made of others: objects, lists, choices by kind. One declaration is the reader, the writer and the schema.

With ``RECEIPT = Object({"number": Integer(1), "spent": OrNull(FRACTION)}, Receipt)``, ``RECEIPT.read(content, "A receipt")``
is a Receipt or a FormatError that says what is wrong, ``RECEIPT.write(receipt)`` is what JSON can carry, and
``RECEIPT.schema(shared)`` is what the published schema says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.errors import FormatError
from discreet.model.files.plain_shapes import Constant, FractionText, Schema, Shape
from discreet.model.files.strict_json import json_list, json_object, json_text, show_text
from discreet.model.variable import LENGTH_LIMIT

__all__ = ["FRACTION", "Entry", "ListOf", "MapOf", "Object", "OrNull", "Shared", "Tagged"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A shape with its name in messages and its description in the schema."""

    shape: Shape
    what: str = ""
    """As messages call it, such as "The levels of {}" with a place for whose they are; empty: as they call what holds it."""
    says: str = ""
    """The description in the schema."""
    refusal: str = ""
    """The sentence for whatever is wrong, where there is a better one than the shape's."""
    also: Mapping[str, Any] = field(default_factory=dict)
    """What the schema says besides: it is checked by who makes something of the value, and can say better what is wrong."""

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """The value of the shape."""
        try:
            return self.shape.read(content, self.what.format(whose) or what, whose)
        except FormatError:
            if not self.refusal:
                raise
        raise FormatError(self.refusal)

    def write(self, value: Any) -> Any:
        """As the shape writes it."""
        return self.shape.write(value)

    def schema(self, shared: Schema) -> Schema:
        """The schema of the shape, described."""
        return {**self.shape.schema(shared), **self.also, **({"description": self.says} if self.says else {})}


@dataclass(frozen=True, slots=True)
class Shared:
    """A shape with a name in the schema, where it stands once."""

    name: str
    shape: Shape

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """The value of the shape."""
        return self.shape.read(content, what, whose)

    def write(self, value: Any) -> Any:
        """As the shape writes it."""
        return self.shape.write(value)

    def schema(self, shared: Schema) -> Schema:
        """A reference."""
        if self.name not in shared:
            shared[self.name] = self.shape.schema(shared)
        return {"$ref": f"#/$defs/{self.name}"}


@dataclass(frozen=True, slots=True)
class OrNull:
    """A value that may be missing: null in the file, None here."""

    shape: Shape

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """The value of the shape, or None."""
        return None if content is None else self.shape.read(content, what, whose)

    def write(self, value: Any) -> Any:
        """As the shape writes it, or null."""
        return None if value is None else self.shape.write(value)

    def schema(self, shared: Schema) -> Schema:
        """Either of both."""
        return {"oneOf": [{"type": "null"}, self.shape.schema(shared)]}


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one shape; numbers have ``Table``."""

    item: Shape
    least: int = 0

    def read(self, content: object, what: str, whose: str = "") -> tuple[Any, ...]:
        """The values in their order."""
        items = json_list(content, what)
        if len(items) < self.least:
            raise FormatError(f"{what} must be at least {self.least}; the file is damaged.")
        return tuple(self.item.read(each, what, whose) for each in items)

    def write(self, value: Any) -> list[Any]:
        """A list."""
        return [self.item.write(each) for each in value]

    def schema(self, shared: Schema) -> Schema:
        """An array."""
        return {"type": "array", **({"minItems": self.least} if self.least else {}), "items": self.item.schema(shared)}


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object whose keys are names that the file itself declares, with values of one shape."""

    item: Shape
    least: int = 0
    key: str = "A name"
    """What messages call a key."""
    example: str = ""
    """What is in such an object, for who has written something else."""

    def read(self, content: object, what: str, whose: str = "") -> dict[str, Any]:
        """The values by their names."""
        if not isinstance(content, dict):
            raise FormatError(f"{what} must be an object{self.example and f': {self.example}'}.")
        if len(content) < self.least:
            raise FormatError(f"{what} must be at least {self.least}; the file is damaged.")
        names = (json_text(name, self.key, LENGTH_LIMIT) for name in content)
        return {name: self.item.read(content[name], what, show_text(name)) for name in names}

    def write(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """An object."""
        return {name: self.item.write(each) for name, each in value.items()}

    def schema(self, shared: Schema) -> Schema:
        """An object with any keys that are not too long."""
        least = {"minProperties": self.least} if self.least else {}
        names = {"propertyNames": {"maxLength": LENGTH_LIMIT}}
        return {"type": "object", **least, **names, "additionalProperties": self.item.schema(shared)}


@dataclass(frozen=True, slots=True)
class Object:
    """An object with exactly these entries. Where one is missing or is too many, the message names it."""

    entries: Mapping[str, Shape]
    make: Callable[..., Any] = dict
    """What the entries become, given by their names."""
    constants: Mapping[str, Constant] = field(default_factory=dict)
    """Entries that always say the same. They come first, are checked, and tell ``make`` nothing."""
    written_from: type | None = None
    """The type whose attributes the entries are, where it is not what ``make`` names."""
    named_by: str = ""
    """The entry that later ones are said to belong to in messages."""
    optional: Mapping[str, Shape] = field(default_factory=dict)
    """Entries that may be left out. They come last; ``make`` is not told of those that are not there."""

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """What ``make`` makes of the entries."""
        given = json_object(content, what, (*self.constants, *self.entries), self.optional)
        for name, constant in self.constants.items():
            constant.read(given[name], what)
        values: dict[str, Any] = {}
        for name, shape in self.entries.items():
            values[name] = shape.read(given[name], what, whose)
            if name == self.named_by:
                whose = show_text(str(values[name]))
        further = {name: shape.read(given[name], what, whose) for name, shape in self.optional.items() if name in given}
        return self.make(**values, **further)

    def write(self, value: Any) -> dict[str, Any]:
        """An object, from a mapping or from the attributes of a value."""
        said = {name: constant.write() for name, constant in self.constants.items()}
        for name, shape in self.entries.items():
            said[name] = shape.write(value[name] if isinstance(value, Mapping) else getattr(value, name))
        for name, shape in self.optional.items():
            if isinstance(value, Mapping) and name in value:
                said[name] = shape.write(value[name])
        return said

    def schema(self, shared: Schema) -> Schema:
        """An object with these properties and no others."""
        shapes: dict[str, Shape] = {**self.constants, **self.entries, **self.optional}
        properties = {name: shape.schema(shared) for name, shape in shapes.items()}
        required = [name for name in properties if name not in self.optional]
        return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


@dataclass(frozen=True, slots=True)
class Tagged:
    """One of several objects, told apart by a constant that all of them have."""

    tag: str
    options: tuple[Object, ...]
    unknown: str
    """The sentence for none of them, with a place for what it should have been."""

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """What the object with this tag is read as."""
        tag = content.get(self.tag) if isinstance(content, dict) else None
        for option in self.options:
            if tag == option.constants[self.tag].value:
                return option.read(content, what, whose)
        raise FormatError(self.unknown.format(what))

    def write(self, value: Any) -> dict[str, Any]:
        """As the object writes it that is made of such values."""
        for option in self.options:
            if type(value) is (option.written_from or option.make):
                return option.write(value)
        raise FormatError(f"A {type(value).__name__} cannot be saved: a release file has no shape for it.")

    def schema(self, shared: Schema) -> Schema:
        """Exactly one of them."""
        return {"oneOf": [option.schema(shared) for option in self.options]}


FRACTION = Shared("fraction", Entry(FractionText(), says="An exact positive number, such as 1/2."))
