"""Scripted random bits: tests only. The release path has no seed, so tests replace the source of bytes itself."""

import random
import sqlite3
from contextlib import closing


class ScriptedBits:
    """Returns the given bytes in order and fails when they run out."""

    def __init__(self, script: bytes) -> None:
        self.script = script
        self.used = 0

    def read(self, count: int) -> bytes:
        assert self.used + count <= len(self.script), "the script of random bytes is too short"
        self.used += count
        return self.script[self.used - count : self.used]


class SeededBits:
    """Reproducible bytes for statistical tests, so that a failure can be replayed."""

    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)

    def read(self, count: int) -> bytes:
        return self.generator.randbytes(count)


class WatchingBits(SeededBits):
    """Notes before each read how many charges of a ledger another connection sees: only what is committed."""

    def __init__(self, ledger) -> None:
        super().__init__(1)
        self.ledger = ledger
        self.seen = []

    def read(self, count: int) -> bytes:
        with closing(sqlite3.connect(self.ledger)) as other:
            self.seen.append(other.execute("SELECT count(*) FROM charges").fetchone()[0])
        return super().read(count)


class FailingBits:
    """A source that must never be asked."""

    def read(self, count: int) -> bytes:
        raise AssertionError("random bytes were drawn")
