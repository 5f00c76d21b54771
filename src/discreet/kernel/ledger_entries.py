"""What the entries of a ledger say, and how each is tied to the one before.

After every charge the file keeps the exact sums so far and a digest of the entry, of the terms (data set, cap, delta) and of
the digest before it. An entry is believed only if its sums are those of the entry before it plus its own charge and its
digest is what it must be; so whoever knows the last entry to be sound need not add up all of the others.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.guarantee import Guarantee
from discreet.kernel.total import Total

__all__ = ["Account", "Charge", "Standing", "Terms", "begin", "follow", "known_spent"]

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


@dataclass(frozen=True, slots=True)
class Terms:
    """What was fixed when a dataset was first named; no cap when unlimited."""

    dataset: str
    cap: Fraction | None
    delta: Fraction | None


@dataclass(frozen=True, slots=True)
class Charge:
    """One line of a ledger; ``spent`` is the dataset's total after it, which only an unlimited ledger may be unable to say."""

    number: int
    guarantee: Guarantee
    purpose: str
    spent: Fraction | None
    at: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a dataset stands after so many charges."""

    number: int
    total: Total
    spent: Fraction | None
    """The epsilon that the last receipt told; never less than those before."""
    digest: str


@dataclass(frozen=True, slots=True)
class Account:
    """All that a ledger knows of one dataset."""

    dataset: str
    cap: Fraction
    delta: Fraction | None
    """The delta at which the cap holds; None where it is a cap on pure epsilon."""
    charges: Sequence[Charge]

    @property
    def spent(self) -> Fraction:
        """The epsilon of all charges together, at the dataset's delta."""
        return (self.charges[-1].spent if self.charges else None) or Fraction(0)

    @property
    def remaining(self) -> Fraction:
        """What may still be charged; not positive when nothing may be."""
        return self.cap - self.spent


def begin(terms: Terms) -> Standing:
    """Where a dataset stands before its first charge.

    Claim:      nothing is spent, and the digest is that of the terms.
    Requires:   nothing.
    Checked by: tests/unit/kernel/test_ledger_entries.py::test_the_digest_covers_every_word_of_the_terms_and_of_the_entry
    """
    return Standing(0, Total(), Fraction(0), _digest("a ledger of discreet", *_words(terms)))


def follow(terms: Terms, before: Standing, charge: Charge) -> Standing:
    """Where a dataset stands after one charge more.

    Claim:      the sums are those before plus the charge, exactly as ``Total`` adds; the digest changes with any word of the
                terms, of the charge, of the sums, or of the digest before.
    Requires:   nothing: what the charge may be is decided by ``Ledger.charge``, and by the file's reader.
    Checked by: tests/unit/kernel/test_ledger_entries.py::test_the_digest_covers_every_word_of_the_terms_and_of_the_entry
    """
    total = before.total.plus(charge.guarantee)
    amounts = [written(getattr(charge.guarantee, name, None)) for name in ("epsilon", "rho", "delta")]
    entry = (*amounts, charge.purpose, charge.at, *map(written, total.sums), written(charge.spent))
    return Standing(charge.number, total, charge.spent, _digest(before.digest, *_words(terms), str(charge.number), *entry))


def known_spent(terms: Terms, standing: Standing) -> Fraction | None:
    """The epsilon spent; None where the sums have none under these terms.

    Claim:      at least what the sums come to, whatever epsilon was written beside them: another machine may round up further.
    Requires:   a standing whose sums are sound.
    Checked by: tests/unit/kernel/test_ledger_entries.py::test_an_epsilon_written_too_small_is_not_believed
    """
    least = standing.total.spent(terms.delta)
    return None if least is None or standing.spent is None else max(least, standing.spent)


def is_label(text: object) -> bool:
    """Whether this can name a dataset or a purpose: one printable line that does not differ from another by outer spaces."""
    return isinstance(text, str) and 0 < len(text) <= 200 and text.isprintable() and text == text.strip()


def is_moment(text: object) -> bool:
    """Whether this is the time of a charge, such as 2030-01-01T00:00:00Z."""
    return isinstance(text, str) and _MOMENT.fullmatch(text) is not None


def written(value: Fraction | None) -> str | None:
    """A fraction as the file keeps it, exactly."""
    return None if value is None else f"{value.numerator}/{value.denominator}"


def _words(terms: Terms) -> tuple[str | None, ...]:
    return terms.dataset, written(terms.cap), written(terms.delta)


def _digest(*words: str | None) -> str:
    """SHA-256 of the words, written so that no two lists of words look the same."""
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()
