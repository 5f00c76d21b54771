"""Shapes of single values in a file: texts, numbers, words, and tables of numbers. What is made of them stands in ``shape``.

A shape is said once: ``read`` checks what a parsed file holds and gives the value, ``write`` turns the value into what JSON
can carry, and ``schema`` is the same in the words of JSON Schema. ``what`` is how a message calls the thing, and ``whose`` the
quoted name of what it belongs to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np

from discreet.errors import FormatError
from discreet.model.files.strict_json import (
    FRACTION_PATTERN,
    LARGEST_INTEGER,
    LONGEST_FRACTION,
    json_fraction,
    json_list,
    json_text,
)

__all__ = ["OneOf", "Constant", "FractionText", "Integer", "Number", "Schema", "Shape", "Table", "Text", "Truth"]

Schema: TypeAlias = dict[str, Any]


class Shape(Protocol):
    """Anything that can be read from a file, written to one, and described."""

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """The value, or a FormatError."""
        ...

    def write(self, value: Any) -> Any:
        """The value as JSON can carry it."""
        ...

    def schema(self, shared: Schema) -> Schema:
        """The JSON Schema. Parts that have a name go into ``shared``, and are referred to."""
        ...


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is not too long."""

    longest: int = 2000

    def read(self, content: object, what: str, whose: str = "") -> str:
        """The text."""
        return json_text(content, what, self.longest)

    def write(self, value: str) -> str:
        """The text."""
        return value

    def schema(self, shared: Schema) -> Schema:
        """A string with a largest length."""
        return {"type": "string", "maxLength": self.longest}


@dataclass(frozen=True, slots=True)
class FractionText:
    """An exact positive number as text, such as 1/2."""

    def read(self, content: object, what: str, whose: str = "") -> Fraction:
        """The number, exactly."""
        return json_fraction(content, what)

    def write(self, value: Fraction) -> str:
        """The number in lowest terms."""
        return str(value)

    def schema(self, shared: Schema) -> Schema:
        """A string of digits, perhaps with a stroke."""
        return {"type": "string", "maxLength": LONGEST_FRACTION, "pattern": f"^{FRACTION_PATTERN}$"}


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number within bounds; by itself no more than 64 bits hold. True and 1.0 are none."""

    smallest: int
    largest: int = LARGEST_INTEGER - 1
    called: str = "whole numbers"
    """What a message calls many of them."""

    def holds(self, values: list[Any]) -> bool:
        """Whether all of them are such numbers: asked once for a whole table, which may have millions."""
        return not values or (set(map(type, values)) == {int} and self.smallest <= min(values) and max(values) <= self.largest)

    def read(self, content: object, what: str, whose: str = "") -> int:
        """The number."""
        if not self.holds([content]):
            open_ended = self.largest == LARGEST_INTEGER - 1
            bounds = f"of at least {self.smallest}" if open_ended else f"from {self.smallest} to {self.largest}"
            raise FormatError(f"{what} must be a whole number {bounds}.")
        return content  # type: ignore[return-value]

    def write(self, value: int) -> int:
        """The number."""
        return int(value)

    def schema(self, shared: Schema) -> Schema:
        """An integer with its bounds."""
        return {"type": "integer", "minimum": self.smallest, "maximum": self.largest}


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number that a float can hold, perhaps only a positive one."""

    positive: bool = False

    @property
    def called(self) -> str:
        """What a message calls many of them."""
        return "numbers greater than zero" if self.positive else "numbers"

    def holds(self, values: list[Any]) -> bool:
        """Whether all of them are such numbers."""
        most = sys.float_info.max  # compared, not converted: an integer may be larger than any float
        if not set(map(type, values)) <= {int, float} or not all(-most <= value <= most for value in values):
            return False
        return not self.positive or all(value > 0 for value in values)

    def read(self, content: object, what: str, whose: str = "") -> float:
        """The number."""
        if not self.holds([content]):
            raise FormatError(f"{what} must be a number{' greater than zero' if self.positive else ''}.")
        return float(content)  # type: ignore[arg-type]

    def write(self, value: float) -> float:
        """The number."""
        return float(value)

    def schema(self, shared: Schema) -> Schema:
        """A number."""
        return {"type": "number", "exclusiveMinimum": 0} if self.positive else {"type": "number"}


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    def read(self, content: object, what: str, whose: str = "") -> bool:
        """Which of both."""
        if type(content) is not bool:
            raise FormatError(f"{what} must be true or false.")
        return content

    def write(self, value: bool) -> bool:
        """Which of both."""
        return value

    def schema(self, shared: Schema) -> Schema:
        """A truth value."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Constant:
    """What always says the same, such as the version. Anything else is refused with this sentence."""

    value: str | int
    refusal: str = ""
    says: str = ""
    """The description in the schema."""

    def read(self, content: object, what: str, whose: str = "") -> str | int:
        """The one value there is; true is not 1, and 1.0 neither."""
        if type(content) is not type(self.value) or content != self.value:
            raise FormatError(self.refusal or f"{what} must say {self.value!r} there; a newer discreet may have written it.")
        return self.value

    def write(self, value: Any = None) -> str | int:
        """The one value there is."""
        return self.value

    def schema(self, shared: Schema) -> Schema:
        """The one value there is."""
        return {"const": self.value, **({"description": self.says} if self.says else {})}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several words, or the member of an Enum that a word stands for."""

    words: tuple[str, ...]
    make: Callable[[str], Any] = str

    @classmethod
    def of(cls, members: type[Enum]) -> OneOf:
        """The members of an Enum, by their values."""
        return cls(tuple(member.value for member in members), members)

    def read(self, content: object, what: str, whose: str = "") -> Any:
        """What the word stands for."""
        if not isinstance(content, str) or content not in self.words:
            raise FormatError(f"{what} must be one of: {', '.join(self.words)}.")
        return self.make(content)

    def write(self, value: Any) -> str:
        """The word."""
        return str(value.value if isinstance(value, Enum) else value)

    def schema(self, shared: Schema) -> Schema:
        """The words."""
        return {"enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in lists in lists, so many lists deep: the bulk of a file, so they are looked at all at once, and stay lists.

    Whether rows are as long as they should be depends on what the table is about: who knows that checks it.
    """

    item: Integer | Number
    depth: int
    least: int = 0
    """Fewest items of every list."""
    too_few: str = ""
    """What is said of a list with fewer, with a place for whose it is."""

    def read(self, content: object, what: str, whose: str = "") -> list[Any]:
        """The lists as they are."""
        level: list[Any] = [content]
        for _ in range(self.depth):
            for items in level:
                if len(json_list(items, what)) < self.least:
                    raise FormatError(self.too_few.format(whose) or f"{what} must have at least {self.least} numbers.")
            level = list(chain.from_iterable(level))
        if not self.item.holds(level):
            raise FormatError(f"{what} must be {self.item.called}.")
        return content  # type: ignore[return-value]

    def write(self, value: Any) -> Any:
        """Lists, from an array or from tuples."""
        if isinstance(value, np.ndarray):
            return value.tolist()
        return [self.write(each) for each in value] if isinstance(value, list | tuple) else value

    def schema(self, shared: Schema) -> Schema:
        """Arrays of arrays."""
        found = self.item.schema(shared)
        for _ in range(self.depth):
            found = {"type": "array", **({"minItems": self.least} if self.least else {}), "items": found}
        return found
