"""What is kept of the holder's own records: counts or moments, as values that posteriors take in and files carry.

They are made in ``own_records``, the one file that reads the records. Here are no records, so everybody may import this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.arrays import Integers

__all__ = ["OwnMoments", "OwnRecords"]


@dataclass(frozen=True, slots=True, eq=False)
class OwnRecords:
    """Counts of records that the holder of a posterior added: exact, protected by nothing."""

    tables: Mapping[str, Integers] = field(repr=False)
    rows: int

    def plus(self, other: OwnRecords | None) -> OwnRecords:
        """Both sets of records together."""
        if other is None:
            return self
        summed = {node: table + other.tables[node] for node, table in self.tables.items()}
        return OwnRecords(summed, self.rows + other.rows)


@dataclass(frozen=True, slots=True)
class OwnMoments:
    """Moments of records that the holder of a posterior added, in steps of 4^-resolution: exact, protected by nothing."""

    rows: int
    products: tuple[tuple[int, ...], ...] = field(repr=False)

    def plus(self, other: OwnMoments | None) -> OwnMoments:
        """Both sets of records together."""
        if other is None:
            return self
        both = zip(self.products, other.products, strict=True)
        summed = tuple(tuple(left + right for left, right in zip(*rows, strict=True)) for rows in both)
        return OwnMoments(self.rows + other.rows, summed)
