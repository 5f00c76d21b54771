"""How the values of a column are read: which raw value means which level. Public, so it is a part of the declaration.

A table has ages and codes; a network has levels. A reading says, once and for every engine, how one becomes the other: as
texts with several spellings, as numbers or dates that lie between cuts, with a level for whatever else there is and one for
what is missing. It depends on the value alone and never on other records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from discreet.model.exact_values import day_number, decimal_fraction

__all__ = [
    "BLANKS", "CUT_LIMIT", "SPELLING_LIMIT", "Includes", "Reading", "ValueKind", "bin_names", "capitals_of",
    "codes_of_texts", "fold_text",
]  # fmt: skip

CUT_LIMIT = 1000
"""Most cuts of a column."""
SPELLING_LIMIT = 20_000
"""Most texts that are read as some level of a column, or as missing."""
BLANKS = " \t\r\n"
"""What is taken off at both ends of a text where outer blanks are folded."""


class ValueKind(Enum):
    """What the values of a column are: texts that are compared as they are, numbers, or dates."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"


class Includes(StrEnum):
    """Which of its two ends belongs to a bin: 25 is in [25, 35) or in (15, 25]."""

    LOWER = "lower"
    UPPER = "upper"


@dataclass(frozen=True, slots=True)
class Reading:
    """How raw values become levels of a variable. What is read as none is refused, unless there is a level for it.

    With ``cuts`` the first levels of the variable are the bins, in their order; otherwise a value is read as the level that
    it is, or as the one that ``spellings`` (text, level) names. Cuts and bounds are exact: decimals, or dates, as texts.
    """

    kind: ValueKind = ValueKind.TEXT
    column: str | None = None
    """What tables call the column, where that is not the name of the variable."""
    spellings: tuple[tuple[str, str], ...] = ()
    cuts: tuple[str, ...] = ()
    includes: Includes = Includes.LOWER
    minimum: str | None = None
    maximum: str | None = None
    fold: bool = False
    """Whether capitals and outer blanks of a text count for nothing."""
    other: str | None = None
    """The level of whatever is read as no other."""
    missing: str | None = None
    """The level of missing values."""
    missing_values: tuple[str, ...] = ()
    """Texts, or numbers, that mean that a value is missing."""
    receipt: str | None = None
    """Which charge paid for the cuts, where they were chosen from records."""
    title: str | None = field(default=None, compare=False)
    """What people call the variable. Like the labels it changes no reading, so declarations that differ in it are equal."""
    labels: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """Level, and what people call it; the level is what counts."""

    def place(self, text: str) -> Fraction | None:
        """The number that a text of this declaration is, or that of its day; None if it is neither."""
        day = day_number(text) if self.kind is ValueKind.DATE else None
        return decimal_fraction(text) if self.kind is ValueKind.NUMBER else None if day is None else Fraction(day)


def fold_text(text: str) -> str:
    """A text without outer blanks, its capitals as small letters."""
    return "".join(small if letter in capitals_of(small := letter.lower()) else letter for letter in text.strip(BLANKS))


def capitals_of(small: str) -> set[str]:
    """The capitals of a small letter; none for what has no single one, since engines do not agree about those."""
    if len(small) != 1:
        return set()
    return {letter for letter in (small.upper(), small.title()) if len(letter) == 1 and letter != small == letter.lower()}


def bin_names(cuts: Sequence[str], includes: Includes, minimum: str | None, maximum: str | None) -> tuple[str, ...]:
    """Names of the bins between cuts that say which end belongs to them: <25, [25, 35), >=35."""
    lower = includes is Includes.LOWER
    first = f"<{'' if lower else '='}{cuts[0]}" if minimum is None else f"[{minimum}, {cuts[0]}{')' if lower else ']'}"
    last = f">{'=' if lower else ''}{cuts[-1]}" if maximum is None else f"{'[' if lower else '('}{cuts[-1]}, {maximum}]"
    open_, close = ("[", ")") if lower else ("(", "]")
    return (first, *(f"{open_}{low}, {high}{close}" for low, high in pairwise(cuts)), last)


@lru_cache(maxsize=4096)
def codes_of_texts(reading: Reading, levels: tuple[str, ...]) -> dict[str, int | None]:
    """Text -> number of its level: the levels themselves, further spellings, and codes of what is missing, perhaps None."""
    put = fold_text if reading.fold else str
    places = {level: place for place, level in enumerate(levels)}
    found: dict[str, int | None] = {put(level): place for place, level in enumerate(levels)}
    found |= {put(text): places[level] for text, level in reading.spellings}
    missing = None if reading.missing is None else places[reading.missing]
    return found | dict.fromkeys(map(put, reading.missing_values), missing)
