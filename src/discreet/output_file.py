"""Files that are written whole or not at all, and with room made for them before anything is spent on them.

What is written goes into a draft beside its target and takes the target's place when it is on the disk. Whoever writes a draft
holds a lock on it, which ends with the process; a draft that nobody holds was left by one that was killed, and is removed by
the next that writes into the same folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import final

from discreet.errors import FormatError

try:
    import fcntl
except ImportError:  # not on Windows, where drafts of killed processes stay
    fcntl = None  # type: ignore[assignment]

__all__ = ["BESIDE_DATABASES", "OutputFile", "remove_abandoned", "write_atomically"]

BESIDE_DATABASES = ("-journal", "-wal", "-shm", ".wal")
"""How SQLite and DuckDB call what they note beside a file. They remove such files, whatever they hold."""
_DRAFT = re.compile(r"\..{0,40}\.[0-9]+-[0-9]+\.discreet-draft", re.DOTALL)
_ATTEMPTS = 100
_ZEROS = bytes(2**20)
_CANNOT_ALLOCATE = (None, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
"""Where a file system, or Python on it, cannot allocate: zeros are written instead."""


def write_atomically(path: str | os.PathLike[str], content: str | bytes, *, overwrite: bool = True, mode: int = 0o666) -> None:
    """Write a file so that a reader, or a crash at any moment, finds the old content or the new one, never a part."""
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
    except UnicodeError:
        raise FormatError(f"{str(path)!r}: the content is not valid Unicode text and cannot be written.") from None
    with OutputFile(path, overwrite=overwrite, mode=mode) as file:
        file.write(data)


@final
class OutputFile:
    """A file that is about to be written: ``write`` it once within a ``with`` block, or nothing changes.

    What would keep it from being written is found when it is made: a folder that does not allow it, a file that is not to be
    overwritten, a disk that has no room for ``room`` bytes.
    """

    __slots__ = ("_descriptor", "_draft", "_overwrite", "_path", "_target")

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool, room: int = 0, mode: int = 0o666) -> None:
        self._path, self._overwrite = path, overwrite
        try:
            self._target = Path(os.path.realpath(path))  # through a symbolic link, which stays
            _check_target(path, self._target, overwrite)
            remove_abandoned(self._target.parent)
            kept = _mode_of(self._target)
            self._draft, self._descriptor = _create_beside(self._target, mode if kept is None else kept)
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from None
        try:
            if kept is not None:  # the mask of the process may have taken something away
                self._draft.chmod(kept)
            _make_room(self._descriptor, room)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise _unwritable(path, error) from None
            raise

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def write(self, content: bytes) -> None:
        """Write all of the file, wait until it is on the disk, and put it in its place."""
        try:
            with os.fdopen(os.dup(self._descriptor), "wb") as stream:
                stream.seek(0)
                stream.write(content)
                stream.flush()
                stream.truncate()
                os.fsync(stream.fileno())
            self._move()
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def _move(self) -> None:
        """Give the draft the name of its target."""
        if os.name != "posix":  # an open file cannot be renamed there
            self._release()
        if self._overwrite or not _link(self._draft, self._target):
            _check_target(self._path, self._target, self._overwrite)
            self._draft.replace(self._target)
        with suppress(OSError):  # the file is there; a folder that cannot be synced loses it in a power cut at most
            _sync_folder(self._target.parent)

    def close(self) -> None:
        """Remove the draft, unless it became the file."""
        with suppress(OSError):
            self._draft.unlink()
        self._release()

    def _release(self) -> None:
        if self._descriptor >= 0:
            with suppress(OSError):  # what was written is on the disk already
                os.close(self._descriptor)
            self._descriptor = -1


def _check_target(path: str | os.PathLike[str], target: Path, overwrite: bool) -> None:
    """Refuse a place where something is that a file must not replace."""
    if target.is_dir():
        raise FormatError(f"{str(path)!r} is a folder; give the name of a file in it.")
    if os.path.lexists(target):
        if not target.is_file():
            raise FormatError(f"{str(path)!r} is not a file that can be replaced; choose another name.")
        if not overwrite:
            raise FormatError(f"{str(path)!r} exists. Choose another name, or replace it with overwrite=True.")


def _mode_of(target: Path) -> int | None:
    """The mode of a file that is to be replaced: what was closed to others stays so, from the draft on."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _create_beside(target: Path, mode: int) -> tuple[Path, int]:
    """A new, locked draft. Not by tempfile: it makes files that only their owner may read, and these are to be published."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for _ in range(_ATTEMPTS):
        draft = target.with_name(f".{target.name[:40]}.{os.getpid()}-{time.time_ns()}.discreet-draft")
        try:
            descriptor = os.open(draft, flags, mode)
        except FileExistsError:
            continue
        if _lock(descriptor) and os.fstat(descriptor).st_nlink:  # else another process took it for abandoned
            return draft, descriptor
        os.close(descriptor)
    raise FileExistsError("too many unfinished files in the folder")


def _lock(descriptor: int) -> bool:
    """Hold a file until the process ends; False if somebody else holds it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: then nobody removes drafts there either
        return True
    return True


def remove_abandoned(folder: Path) -> None:
    """Remove the drafts of processes that were killed."""
    if fcntl is None:
        return
    with suppress(OSError):  # a folder may allow writing and not reading
        for found in list(folder.iterdir()):
            if _DRAFT.fullmatch(found.name):
                with suppress(OSError):
                    _remove_unless_held(found)


def _remove_unless_held(draft: Path) -> None:
    descriptor = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails where somebody holds it, or nobody can
        state = os.fstat(descriptor)
        ours = stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()
        if ours and os.path.samestat(state, os.lstat(draft)):
            draft.unlink()
    finally:
        os.close(descriptor)


def _make_room(descriptor: int, size: int) -> None:
    """Take space on the disk, so that writing cannot fail for the lack of it."""
    if not size:
        return
    try:
        os.posix_fallocate(descriptor, 0, size)
    except (AttributeError, OSError) as error:
        if getattr(error, "errno", None) not in _CANNOT_ALLOCATE:
            raise
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            for start in range(0, size, len(_ZEROS)):
                stream.write(_ZEROS[: size - start])
    os.fsync(descriptor)


def _link(draft: Path, target: Path) -> bool:
    """Give the file its name only if nothing has that name; False where the file system cannot."""
    try:
        os.link(draft, target)
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(path: str | os.PathLike[str], error: Exception) -> FormatError:
    reason = getattr(error, "strerror", None) or "invalid path"
    return FormatError(f"{str(path)!r} cannot be written ({reason}); check the folder, its permissions and the free space.")
