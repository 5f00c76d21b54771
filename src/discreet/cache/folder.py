"""The folder in which entries are kept: where it is, how large it may grow, and how it is emptied.

A cache is a convenience. Whatever is wrong with it, a folder that cannot be made or written, a full disk, a damaged file, only
means that something is computed again; it is never an error.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from discreet.cache.entry import DamagedError, Entry, open_entry, pack
from discreet.errors import DiscreetError
from discreet.output_file import remove_abandoned, write_atomically

__all__ = ["VARIABLE", "Cache", "find_cache"]

VARIABLE = "DISCREET_CACHE"
"""Environment variable: another folder, or ``off``."""
_OFF = ("off", "0", "no", "false")
_LARGEST = 2**30
"""Bytes of all entries together; beyond that those go that were not used for the longest time."""
_NAME = re.compile(r"[0-9a-f]{64}\.discreet-cache")


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries by their keys, each a file that only its owner can read."""

    folder: Path
    largest: int = _LARGEST

    def read(self, key: str) -> Entry | None:
        """The entry with this key, as the one that was used last; None where there is none that can be relied on."""
        try:
            return open_entry(self._path(key), key)
        except DamagedError:
            return None

    def write(self, key: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep arrays by a key, if that is possible: what was there is replaced as a whole, or stays as a whole."""
        content = pack(key, arrays)
        if len(content) > self.largest:
            return
        with suppress(DiscreetError, OSError):
            self._make_folder()
            self._trim(self.largest - len(content), spare=self._path(key))
            _clear_the_way(self._path(key))
            write_atomically(self._path(key), content, mode=0o600)

    def entries(self) -> list[tuple[Path, os.stat_result]]:
        """All entries and how large they are, those first that were not used for the longest time."""
        found = []
        with suppress(OSError):
            for path in self.folder.iterdir():
                with suppress(OSError):  # another process may remove it at this moment
                    if _NAME.fullmatch(path.name) and stat.S_ISREG((state := path.lstat()).st_mode):
                        found.append((path, state))
        return sorted(found, key=lambda each: each[1].st_mtime_ns)

    @property
    def usable(self) -> bool:
        """Whether something could be kept there: in a folder of one's own, or one that can be made."""
        with suppress(OSError):
            if self.folder.exists():
                return self.folder.is_dir() and _belongs_to_us(self.folder) and os.access(self.folder, os.W_OK)
            above = next(each for each in self.folder.parents if each.exists())
            return above.is_dir() and os.access(above, os.W_OK)
        return False

    def clear(self) -> int:
        """Remove all entries, and drafts that nobody writes any more; nothing else that is in the folder. How many it was."""
        removed = 0
        for path, _ in self.entries():
            with suppress(FileNotFoundError):
                path.unlink()
                removed += 1
        remove_abandoned(self.folder)
        return removed

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.discreet-cache"

    def _make_folder(self) -> None:
        """Make the folder for its owner alone. One that others can write to is not used: they could plant answers there."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _belongs_to_us(self.folder):
            raise PermissionError

    def _trim(self, room: int, spare: Path) -> None:
        """Remove what was not used for the longest time, until the rest is small enough."""
        entries = [(path, state.st_size) for path, state in self.entries() if path != spare]
        total = sum(size for _, size in entries)
        for path, size in entries:
            if total <= room:
                return
            path.unlink(missing_ok=True)
            total -= size


def _belongs_to_us(folder: Path) -> bool:
    state = folder.stat()
    return os.name != "posix" or (state.st_uid == os.geteuid() and not state.st_mode & 0o022)


def _clear_the_way(path: Path) -> None:
    """Remove what has the name of an entry and is none: a link would be written through, and a file keeps its mode."""
    with suppress(FileNotFoundError):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) or (os.name == "posix" and stat.S_IMODE(mode) != 0o600):
            path.unlink()


def find_cache() -> Cache | None:
    """The user's cache, by the rules of the operating system; None where it is switched off or there is no place for it."""
    said = os.environ.get(VARIABLE, "").strip()
    if said.casefold() in _OFF:
        return None
    if said:
        return Cache(Path(said).absolute())
    home = _home_of_caches()
    return None if home is None else Cache(home / "discreet")


def _home_of_caches() -> Path | None:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", "")
        return Path(local) if Path(local).is_absolute() and Path(local).is_dir() else None
    given = os.environ.get("XDG_CACHE_HOME", "")
    if sys.platform != "darwin" and given.startswith("/"):  # a relative one is invalid, and ignored
        return Path(given)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if not home.is_dir():  # a service without a home is not given one
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
