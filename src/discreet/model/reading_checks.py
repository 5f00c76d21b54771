"""What a reading must be: it contradicts neither itself nor the levels of its variable."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from discreet.errors import ModelError
from discreet.model.exact_values import decimal_fraction, is_exact
from discreet.model.files.strict_json import show_text
from discreet.model.reading import CUT_LIMIT, SPELLING_LIMIT, Reading, ValueKind, fold_text

__all__ = ["check_reading_of"]


def check_reading_of(name: str, levels: tuple[str, ...], reading: object) -> None:
    """Refuse a reading that contradicts itself, or the levels of its variable."""
    if not isinstance(reading, Reading):
        raise ModelError(f"The reading of {show_text(name)} is made by a schema, or by Reading(...).")
    _check_levels(name, levels, reading)
    if len(reading.spellings) + len(reading.missing_values) > SPELLING_LIMIT:
        raise ModelError(
            f"{show_text(name)} declares more than {SPELLING_LIMIT:,} spellings; declare fewer, and a level for others."
        )
    if reading.cuts or reading.minimum is not None or reading.maximum is not None:
        _check_cuts(name, levels, reading)
    elif reading.kind is ValueKind.DATE:
        raise ModelError(f"{show_text(name)} holds dates; declare cuts, such as ['2020-01-01', '2021-01-01'].")
    elif reading.kind is ValueKind.NUMBER:
        _check_points(name, levels, reading)
    if reading.receipt is not None and not reading.cuts:
        raise ModelError(f"{show_text(name)} has a receipt and no cuts that it could have paid for; leave it out.")
    if reading.kind is ValueKind.TEXT:
        _check_texts(name, levels, reading)
    elif reading.spellings:
        raise ModelError(f"{show_text(name)} holds {reading.kind.value}s, which have no spellings; declare it as a string.")


def _check_levels(name: str, levels: tuple[str, ...], reading: Reading) -> None:
    labelled = [level for level, _ in reading.labels]
    if len(set(labelled)) < len(labelled):
        raise ModelError(f"A level of {show_text(name)} has two labels; keep one.")
    for level in (reading.other, reading.missing, *labelled, *(level for _, level in reading.spellings)):
        if level is not None and level not in levels:
            raise ModelError(
                f"{show_text(name)} reads some values as {show_text(level)}, which is no level; declare that level."
            )
    if reading.column is not None and not reading.column.strip():
        raise ModelError(f"The other name of {show_text(name)} is empty; leave it out, or say what tables call the column.")


def _check_cuts(name: str, levels: tuple[str, ...], reading: Reading) -> None:
    shown = show_text(name)
    if reading.kind is ValueKind.TEXT:
        raise ModelError(f"{shown} holds texts, which cannot be cut; declare it as a number or a date.")
    if not reading.cuts:
        raise ModelError(f"{shown} has bounds and no cuts, so it has no levels; add cuts.")
    if len(reading.cuts) > CUT_LIMIT:
        raise ModelError(f"{shown} has {len(reading.cuts):,} cuts; declare at most {CUT_LIMIT:,}.")
    inner = _places(shown, reading, reading.cuts)
    low, high = (_places(shown, reading, () if end is None else (end,)) for end in (reading.minimum, reading.maximum))
    if any(first >= second for first, second in pairwise(inner)):
        raise ModelError(f"The cuts of {shown} are out of order; write each once, the smallest first.")
    if any(first >= second for first, second in pairwise([*low, inner[0], *([inner[-1]] if inner[1:] else []), *high])):
        raise ModelError(f"A cut of {shown} does not lie between its minimum and its maximum; remove it, or widen the bounds.")
    _check_bins(shown, levels, reading)


def _places(shown: str, reading: Reading, texts: Iterable[str]) -> list[Fraction]:
    """Cuts or bounds as exact numbers. Each is one that a double can mean, so that no two are the same to a double."""
    found = []
    for text in texts:
        place = reading.place(text)
        if place is None:
            example = "'2020-01-01'" if reading.kind is ValueKind.DATE else "'25' or '0.5'"
            raise ModelError(
                f"{shown} has a cut or a bound that is no {reading.kind.value}; write each as a text such as {example}."
            )
        if not is_exact(place):
            raise ModelError(f"A cut or a bound of {shown} has too many digits; use at most 15.")
        found.append(place)
    return found


def _check_bins(shown: str, levels: tuple[str, ...], reading: Reading) -> None:
    bins = len(reading.cuts) + 1
    further = {level for level in (reading.other, reading.missing) if level is not None}
    if len(levels) < bins or not set(levels[bins:]) <= further:
        raise ModelError(f"{shown} has {bins - 1} cuts, so it needs {bins} bins, and after them levels for what is in none.")
    if reading.other in levels[:bins]:
        raise ModelError(f"The level for other values of {shown} is one of its bins; give it a name of its own.")


def _check_points(name: str, levels: tuple[str, ...], reading: Reading) -> None:
    """Levels that are numbers: each is one that a float can mean, and a different one. Other levels stand for what is none."""
    seen: dict[Fraction, str] = {}
    for level in levels:
        number = decimal_fraction(level)
        if number is None and level not in (reading.other, reading.missing):
            raise ModelError(
                f"{show_text(name)} holds numbers, and its level {show_text(level)} is none; declare it as a string."
            )
        if number is not None and not is_exact(number):
            raise ModelError(f"The level {show_text(level)} of {show_text(name)} has too many digits; use at most 15.")
        if number is not None and number in seen:
            raise ModelError(f"The levels {seen[number]!r} and {level!r} of {show_text(name)} are the same number; keep one.")
        if number is not None:
            seen[number] = level
    for text in reading.missing_values:
        if (number := decimal_fraction(text)) is not None and seen.get(number, reading.missing) != reading.missing:
            raise ModelError(_both(name, seen[number]))


def _check_texts(name: str, levels: tuple[str, ...], reading: Reading) -> None:
    put = fold_text if reading.fold else str
    meant: dict[str, str | None] = {}
    pairs: Iterable[tuple[str, str | None]] = (
        *((level, level) for level in levels),
        *reading.spellings,
        *((text, reading.missing) for text in reading.missing_values),
    )
    for text, level in pairs:
        if put(text) in meant and meant[put(text)] != level:
            if level is None or meant[put(text)] is None:
                raise ModelError(_both(name, str(level or meant[put(text)])))
            raise ModelError(
                f"{show_text(name)} reads {show_text(text)} as {show_text(level)} and as {show_text(str(meant[put(text)]))}; "
                "keep one of them, and look at capitals and outer blanks where these are folded."
            )
        meant[put(text)] = level


def _both(name: str, level: str) -> str:
    return f"{show_text(name)} declares a value of the level {show_text(level)} as missing, too; remove one of both."
