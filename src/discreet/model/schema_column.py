"""A column of a schema: what its values are, which levels or bounds it has, and how raw values are read as levels.

A column may be open: its name and type are known, its levels are not yet. It says what to add, and nothing is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from discreet.checks import chosen_mode, items_of
from discreet.errors import ModelError
from discreet.model.exact_values import day_number, decimal_fraction
from discreet.model.files.strict_json import show_text
from discreet.model.reading import CUT_LIMIT, Includes, Reading, ValueKind, bin_names
from discreet.model.variable import LENGTH_LIMIT, Column, Variable

__all__ = ["FALSE_VALUES", "TRUE_VALUES", "Category", "ColumnType", "SchemaColumn"]

_LEVEL_LIMIT = 10_000
"""Most levels of a column."""
TRUE_VALUES = ("true", "True", "TRUE", "1")
FALSE_VALUES = ("false", "False", "FALSE", "0")
"""How Table Schema writes booleans, unless a column says otherwise."""


class ColumnType(StrEnum):
    """What the values of a column are, in the words of Table Schema."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"


_KINDS = {ColumnType.INTEGER: ValueKind.NUMBER, ColumnType.NUMBER: ValueKind.NUMBER, ColumnType.DATE: ValueKind.DATE}


@dataclass(frozen=True, slots=True)
class Category:
    """One level of a column: the value that is its name, a label for people, and further spellings of the value."""

    value: str
    label: str | None = None
    spellings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A declared column. ``categories`` are levels, or Category(value, label, spellings); ``cuts`` make levels of numbers.

    ``other`` is the level of whatever is not declared and ``missing`` that of missing values; each is added to the levels if
    it is not among the categories. ``fold`` reads texts without regard to capitals and outer blanks. ``column`` is what
    tables call the column, if not by its name.
    """

    name: str
    type: str = ColumnType.STRING
    _: KW_ONLY
    categories: Sequence[Any] = ()
    ordered: bool = False
    minimum: str | None = None
    maximum: str | None = None
    cuts: Sequence[str] = ()
    includes: str = Includes.LOWER
    """Which end belongs to a bin between cuts, ``"lower"`` or ``"upper"``."""
    bins: Sequence[str] = ()
    """Names of the bins, one more than there are cuts; left out, they say their ends."""
    receipt: str | None = None
    """Which charge paid for the cuts, where they were chosen from records."""
    other: str | None = None
    missing: str | None = None
    missing_values: Sequence[str] = ("",)
    fold: bool = False
    column: str | None = None
    true_values: Sequence[str] = TRUE_VALUES
    false_values: Sequence[str] = FALSE_VALUES
    title: str | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        shown = _check_name(self.name)
        kind = chosen_mode(ColumnType, self.type, f"The type of {shown} is string, integer, number, boolean or date")
        ends = chosen_mode(Includes, self.includes, f"A bin of {shown} includes its 'lower' or its 'upper' end")
        checked: dict[str, object] = {"type": kind, "includes": ends, "categories": _categories(shown, kind, self.categories)}
        for what in ("cuts", "bins", "missing_values", "true_values", "false_values"):
            checked[what] = _texts(getattr(self, what), f"{what} of {shown} is a list of texts, such as ['25', '35'].")
        for what in ("minimum", "maximum"):
            checked[what] = None if getattr(self, what) is None else str(getattr(self, what))
        for what, value in checked.items():
            object.__setattr__(self, what, value)
        for what in ("other", "missing", "column", "title", "description", "receipt"):
            _check_word(getattr(self, what), what, shown)
        if not isinstance(self.ordered, bool) or not isinstance(self.fold, bool):
            raise ModelError(f"ordered and fold of {shown} must be true or false.")
        if self.receipt is not None and not self.cuts:
            raise ModelError(f"{shown} has a receipt and no cuts that it could have paid for; leave it out.")
        _check(self, shown)
        if self.unfinished is None and not self.is_numeric:
            self.variable()

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels, in their order; none where the column has none yet."""
        own = tuple(category.value for category in self.categories)
        if self.type == ColumnType.BOOLEAN:
            own = ("false", "true")
        elif self.cuts:
            own = tuple(self.bins) or bin_names(self.cuts, Includes(self.includes), self.minimum, self.maximum)
        further = dict.fromkeys(level for level in (self.other, self.missing) if level is not None and level not in own)
        return (*own, *further) if own else ()

    @property
    def is_numeric(self) -> bool:
        """Whether the column has bounds and no levels, as the columns of linear models have."""
        bounded = self.minimum is not None and self.maximum is not None
        return bounded and not self.levels and _KINDS.get(ColumnType(self.type)) is ValueKind.NUMBER

    @property
    def unfinished(self) -> str | None:
        """The sentence that says what to add; None for a column of which everything is declared."""
        if self.is_numeric or len(self.levels) > 1:
            return None
        shown = show_text(self.name)
        if self.levels:
            return f"{shown} has one level; add another category, or a level for others or for missing values."
        if self.type == ColumnType.DATE:
            return f'{shown} has no levels: add cuts, such as "cuts": ["2020-01-01", "2021-01-01"].'
        if self.type == ColumnType.STRING:
            return f'{shown} has no levels: add categories, such as "categories": ["no", "yes"], or leave the column out.'
        return (
            f'{shown} has neither levels nor bounds: add cuts, such as "cuts": ["25", "35"], or categories, or, for a linear '
            'model, constraints: {"minimum": 0, "maximum": 100}.'
        )

    def variable(self) -> Variable:
        """The column as a node of a network."""
        if self.unfinished is not None:
            raise ModelError(f"The schema is unfinished: {self.unfinished}")
        if self.is_numeric:
            raise ModelError(
                f'{show_text(self.name)} has bounds and no levels: add cuts, such as "cuts": ["25", "35"], or leave the '
                "column out: schema.select([...]) keeps some columns."
            )
        return Variable(self.name, self.levels, self._reading())

    def bounds(self) -> tuple[float, ...]:
        """The bounds of the column, for a linear model."""
        shown = show_text(self.name)
        if self.minimum is None or self.maximum is None or self.type not in (ColumnType.INTEGER, ColumnType.NUMBER):
            raise ModelError(f'{shown} has no bounds: add constraints, such as {{"minimum": 0, "maximum": 100}}.')
        if self.column is not None or any(decimal_fraction(text) is not None for text in self.missing_values):
            raise ModelError(
                f"{shown} declares another name for its column, or numbers that mean missing. A linear model reads numbers as "
                "they are: rename the column in the table, put a number in place of what is missing, and leave both out."
            )
        return _floats(self.minimum, self.maximum)

    def _reading(self) -> Reading:
        spellings = [(text, category.value) for category in self.categories for text in category.spellings]
        if self.type == ColumnType.BOOLEAN:
            spellings = [(text, word) for word, texts in self._words.items() for text in texts if text != word]
        return Reading(
            kind=_KINDS.get(ColumnType(self.type), ValueKind.TEXT),
            column=None if self.column == self.name else self.column,
            spellings=tuple(dict.fromkeys(spellings)),
            cuts=tuple(self.cuts),
            includes=Includes(self.includes),
            minimum=self.minimum if self.cuts else None,
            maximum=self.maximum if self.cuts else None,
            fold=self.fold,
            other=self.other,
            missing=self.missing,
            missing_values=tuple(self.missing_values),
            receipt=self.receipt,
            title=self.title,
            labels=tuple((each.value, each.label) for each in self.categories if each.label is not None),
        )

    @property
    def _words(self) -> dict[str, Sequence[str]]:
        return {"false": self.false_values, "true": self.true_values}


def _check_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > LENGTH_LIMIT:
        raise ModelError(f"A column needs a name: a text that is not empty, of at most {LENGTH_LIMIT} characters.")
    return show_text(name)


def _check(column: SchemaColumn, shown: str) -> None:
    """Refuse what contradicts itself, also in a column that is not finished."""
    is_number = column.type in (ColumnType.INTEGER, ColumnType.NUMBER)
    if len(column.levels) > _LEVEL_LIMIT or len(column.cuts) > CUT_LIMIT:
        raise ModelError(
            f"{shown} has more than {_LEVEL_LIMIT:,} levels, or {CUT_LIMIT:,} cuts; group rare ones, or add 'other'."
        )
    if column.categories and (column.cuts or column.type in (ColumnType.BOOLEAN, ColumnType.DATE)):
        raise ModelError(f"{shown} cannot have categories beside cuts, nor as a boolean or date; keep one of them.")
    if (column.cuts or column.minimum or column.maximum) and not (is_number or column.type == ColumnType.DATE):
        raise ModelError(f"{shown} has cuts or bounds and is a {column.type}; give it the type number, integer or date.")
    if column.bins and len(column.bins) != len(column.cuts) + 1:
        raise ModelError(f"{shown} has {len(column.cuts)} cuts, so it has {len(column.cuts) + 1} bins; name each, or none.")
    ends = [None if end is None else _place(column.type, end) for end in (column.minimum, column.maximum)]
    if [end is None for end in ends] != [column.minimum is None, column.maximum is None]:
        raise ModelError(f"{shown} has a bound that is no {'number' if is_number else 'date'}.")
    low, high = ends
    if low is not None and high is not None and low >= high:
        raise ModelError(f"The minimum of {shown} must be below its maximum.")
    if column.is_numeric:
        Column(column.name, _floats(column.minimum, column.maximum))
    values = {category.value for category in column.categories}
    if values and is_number and any(not _within(value, low, high) for value in values):
        raise ModelError(f"{shown} has a category outside its minimum and maximum; remove it, or widen the bounds.")


def _floats(*texts: str | None) -> tuple[float, ...]:
    return tuple(float(decimal_fraction(text or "") or 0) for text in texts)


def _within(value: str, low: Fraction | None, high: Fraction | None) -> bool:
    number = decimal_fraction(value)
    return number is None or ((low is None or low <= number) and (high is None or number <= high))


def _place(kind: str, text: str) -> Fraction | None:
    if kind != ColumnType.DATE:
        return decimal_fraction(text)
    day = day_number(text)
    return None if day is None else Fraction(day)


def _categories(shown: str, kind: ColumnType, given: Iterable[object]) -> tuple[Category, ...]:
    found = []
    for item in items_of(given, f"The categories of {shown} are a list such as ['no', 'yes']."):
        category = item if isinstance(item, Category) else Category(str(item))
        if kind is ColumnType.INTEGER and not _is_integer(category.value):
            raise ModelError(f"A category of {shown} is no {kind.value}; codes such as 01 are of the type string.")
        found.append(category)
    return tuple(found)


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 15 and str(int(text)) == text


def _texts(given: Iterable[Any], meaning: str) -> tuple[str, ...]:
    texts = tuple(str(each) for each in items_of(given, meaning))
    if any(len(text) > LENGTH_LIMIT for text in texts):
        raise ModelError(f"{meaning} Each has at most {LENGTH_LIMIT} characters.")
    return texts


def _check_word(given: object, what: str, shown: str) -> None:
    longest = 10 * LENGTH_LIMIT if what in ("title", "description") else LENGTH_LIMIT
    if given is not None and not (isinstance(given, str) and given.strip() and len(given) <= longest):
        raise ModelError(
            f"{what!r} of {shown} is a text that is not empty, of at most {longest:,} characters; or leave it out."
        )
