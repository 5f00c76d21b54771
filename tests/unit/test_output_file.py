"""Files are written whole or not at all; what would stop them is found before; nothing is left beside them."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from discreet import output_file
from discreet.errors import FormatError
from discreet.output_file import OutputFile, write_atomically

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and locks are those of POSIX")


def test_writing_replaces_the_file_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "file.json"
    write_atomically(path, "old")
    write_atomically(str(path), "néw\n")
    assert path.read_bytes() == "néw\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file.json"
    write_atomically(path, "old")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FormatError, match=r"cannot be written \(No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_a_written_file_may_be_read_by_others_and_a_link_stays_a_link(tmp_path):
    write_atomically(tmp_path / "file", "old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    (tmp_path / "ordinary").write_text("")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == stat.S_IMODE((tmp_path / "ordinary").stat().st_mode)


@pytest.mark.parametrize("name", ["no/such/folder/file.json", "a\0b"])
def test_a_place_that_cannot_be_written_is_a_format_error(tmp_path, name):
    with pytest.raises(FormatError, match="cannot be written"):
        write_atomically(f"{tmp_path}/{name}", "text")


def test_text_that_cannot_be_encoded_is_a_format_error(tmp_path):
    with pytest.raises(FormatError, match="not valid Unicode"):
        write_atomically(tmp_path / "file", "half \ud800")
    assert list(tmp_path.iterdir()) == []


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@posix
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    write_atomically(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o600)


@posix
def test_a_draft_is_never_open_to_more_than_the_file_that_it_replaces(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    with OutputFile(path, overwrite=True, room=100):
        assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}


@posix
def test_a_draft_is_closed_to_others_from_its_first_moment(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    opened, lock = [], output_file._lock

    def look_and_lock(descriptor):
        opened.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return lock(descriptor)

    monkeypatch.setattr(output_file, "_lock", look_and_lock)
    write_atomically(path, "new")
    assert opened == [0o600]


@posix
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_file_that_exists_stays_unless_it_is_to_be_overwritten(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(FormatError, match="overwrite=True"):
        write_atomically(path, "new", overwrite=False)
    assert path.read_text() == "old"
    write_atomically(tmp_path / "other", "new", overwrite=False)
    assert names(tmp_path) == ["file", "other"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_in_the_meantime_stays(tmp_path, links, monkeypatch):
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EPERM, "no links here")))
    path = tmp_path / "file"
    with OutputFile(path, overwrite=False) as file:
        path.write_text("of somebody else")
        with pytest.raises(FormatError, match="exists"):
            file.write(b"new")
    assert path.read_text() == "of somebody else"
    assert names(tmp_path) == ["file"]
    with OutputFile(tmp_path / "other", overwrite=False) as file:
        file.write(b"new")
    assert (tmp_path / "other").read_text() == "new"


@posix
def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="not a file"):
        write_atomically(tmp_path / "pipe", "new")
    with pytest.raises(FormatError, match="is a folder"):
        write_atomically(tmp_path, "new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_room_that_was_made_is_given_back(tmp_path):
    path = tmp_path / "file"
    with OutputFile(path, overwrite=False, room=100_000) as file:
        (draft,) = tmp_path.iterdir()
        assert draft.stat().st_size == 100_000
        assert draft.stat().st_blocks * 512 >= 100_000
        file.write(b"short")
    assert path.read_bytes() == b"short"
    assert names(tmp_path) == ["file"]


def test_a_file_may_be_longer_than_its_room(tmp_path):
    with OutputFile(tmp_path / "file", overwrite=False, room=10) as file:
        file.write(b"x" * 1000)
    assert (tmp_path / "file").read_bytes() == b"x" * 1000


def test_a_file_system_that_cannot_allocate_gets_zeros(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", unsupported, raising=False)
    with OutputFile(tmp_path / "file", overwrite=False, room=3 * 2**20 + 5) as file:
        (draft,) = tmp_path.iterdir()
        assert draft.read_bytes() == bytes(3 * 2**20 + 5)
        file.write(b"short")
    assert (tmp_path / "file").read_bytes() == b"short"


def test_a_disk_without_room_is_found_before_anything_is_written(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(FormatError, match=r"cannot be written \(No space left.*free space"):
        OutputFile(tmp_path / "file", overwrite=False, room=10)
    assert names(tmp_path) == []


def test_a_name_as_long_as_names_can_be_is_written(tmp_path):
    name = "\N{GREEK SMALL LETTER BETA}" * 125 + ".json"
    write_atomically(tmp_path / name, "new")
    assert names(tmp_path) == [name]


HOLDER = """
import sys, time
from discreet.output_file import OutputFile
file = OutputFile(sys.argv[1], overwrite=True, room=10)
print("held", flush=True)
time.sleep(60)
"""


def holder(path):
    """A process that is about to write a file, and never does."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


@posix
def test_the_draft_of_a_killed_process_is_removed_by_the_next_and_that_of_a_living_one_is_not(tmp_path):
    killed, living = holder(tmp_path / "file"), holder(tmp_path / "file")
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    try:
        assert len(names(tmp_path)) == 2
        write_atomically(tmp_path / "another", "new")
        kept = names(tmp_path)
        assert len(kept) == 2
        assert f".{living.pid}-" in kept[0]
        assert kept[1] == "another"
    finally:
        living.kill()
        living.communicate()
    write_atomically(tmp_path / "another", "newer")
    assert names(tmp_path) == ["another"]


@posix
def test_files_of_other_kinds_are_never_removed(tmp_path):
    others = [".file.tmp", ".file.1-2.tmp", "file.1-2.discreet-draft", ".file.discreet-draft", ".file.1-x.discreet-draft"]
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    (tmp_path / ".file.1-2.discreet-draft").mkdir()
    (tmp_path / ".file.1-3.discreet-draft").symlink_to(tmp_path / ".file.tmp")
    os.mkfifo(tmp_path / ".file.1-4.discreet-draft")
    before = names(tmp_path)
    write_atomically(tmp_path / "file", "new")
    assert names(tmp_path) == sorted([*before, "file"])


@posix
def test_processes_that_write_one_file_at_once_leave_one_of_their_contents(tmp_path):
    script = """
import sys
from discreet.output_file import write_atomically
for number in range(60):
    write_atomically(sys.argv[1], sys.argv[2] * 1000)
"""
    path = tmp_path / "file"
    writers = [subprocess.Popen([sys.executable, "-c", script, str(path), mark]) for mark in "abc"]
    end = time.monotonic() + 60
    while any(writer.poll() is None for writer in writers) and time.monotonic() < end:
        if path.exists():
            assert path.read_text() in {"a" * 1000, "b" * 1000, "c" * 1000}
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert names(tmp_path) == ["file"]
