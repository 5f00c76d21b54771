"""What a rehearsal is made of: it goes the whole way on made-up records, so that nothing fails after the first charge."""

from __future__ import annotations

import hashlib

import numpy as np

from discreet.arrays import Integers

__all__ = ["CountingBytes", "even_table"]


def even_table(cells: int, records: int, levels: int) -> Integers:
    """A made-up table with as many records as there are, as evenly spread as can be.

    Claim:      depends on public numbers alone.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_graphs.py::test_a_rehearsal_does_not_look_at_the_records
    """
    each, rest = divmod(records, cells)
    return (np.full(cells, each, dtype=np.int64) + (np.arange(cells) < rest)).reshape(-1, levels)


class CountingBytes:
    """Bytes for a rehearsal, which publishes nothing: they need not be random, only as varied as random ones."""

    def __init__(self) -> None:
        self._number, self._spare = 0, b""

    def read(self, count: int) -> bytes:
        """The next bytes, always the same."""
        while len(self._spare) < count:
            self._number += 1
            self._spare += hashlib.sha256(self._number.to_bytes(8, "little")).digest()
        found, self._spare = self._spare[:count], self._spare[count:]
        return found
