"""The folder of the cache: where it is, who can read it, how it grows, and that nothing that is wrong with it is an error."""

import errno
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from discreet.cache import folder as folder_module
from discreet.cache.folder import Cache, find_cache

KEYS = [f"{number:064x}" for number in range(6)]
THOUSAND = {"a": np.full(1000, 0.5)}


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "kept")


def held(cache):
    return [path.name[:64] for path, _ in cache.entries()]


def test_the_folder_and_its_files_are_for_their_owner_alone(cache):
    old = os.umask(0)
    try:
        cache.write(KEYS[0], THOUSAND)
    finally:
        os.umask(old)
    ((path, state),) = cache.entries()
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(state.st_mode) == 0o600
    assert cache.read(KEYS[0]).read("a", (1000,)).tolist() == [0.5] * 1000
    assert [each.name for each in cache.folder.iterdir()] == [path.name]


def test_an_entry_with_the_name_of_another_is_not_taken_for_it(cache):
    cache.write(KEYS[0], THOUSAND)
    ((path, _),) = cache.entries()
    path.rename(path.with_name(path.name.replace(KEYS[0], KEYS[1])))
    assert cache.read(KEYS[1]) is None


def test_what_was_not_used_for_the_longest_time_goes_first(tmp_path):
    cache = Cache(tmp_path / "kept", largest=28_000)
    for age, key in enumerate(KEYS[:3]):
        cache.write(key, THOUSAND)
        past = 10**9 + age
        os.utime(cache.folder / f"{key}.discreet-cache", (past, past))
    assert cache.read(KEYS[0]) is not None  # used just now
    cache.write(KEYS[3], THOUSAND)
    assert held(cache) == [KEYS[2], KEYS[0], KEYS[3]]
    cache.write(KEYS[3], THOUSAND)  # an entry is not in its own way
    assert held(cache) == [KEYS[2], KEYS[0], KEYS[3]]
    cache.write(KEYS[4], {"a": np.full(4000, 0.5)})  # larger than all that may be kept
    assert held(cache) == [KEYS[2], KEYS[0], KEYS[3]]


def test_clearing_removes_entries_and_nothing_else(cache):
    for key in KEYS:
        cache.write(key, THOUSAND)
    others = ["notes.txt", "0" * 64, f"{'x' * 64}.discreet-cache"]
    for name in others:
        (cache.folder / name).write_text("mine")
    (cache.folder / ".entry.1-1.discreet-draft").write_text("of a process that was killed")
    assert cache.clear() == 6
    assert sorted(path.name for path in cache.folder.iterdir()) == sorted(others)
    assert Cache(cache.folder / "absent").clear() == 0


def test_a_link_in_the_place_of_an_entry_is_replaced_and_not_written_through(cache, tmp_path):
    cache.write(KEYS[0], THOUSAND)
    ((path, _),) = cache.entries()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path.unlink()
    path.symlink_to(victim)
    cache.write(KEYS[0], THOUSAND)
    assert victim.read_text() == "mine"
    assert cache.read(KEYS[0]) is not None


def test_a_folder_that_others_can_write_to_is_not_used(cache):
    cache.folder.mkdir()
    assert cache.usable
    cache.folder.chmod(0o777)
    cache.write(KEYS[0], THOUSAND)
    assert list(cache.folder.iterdir()) == []
    assert not cache.usable


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_full_or_read_only_disk_keeps_nothing_and_is_no_error(cache, monkeypatch, code):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    cache.write(KEYS[0], THOUSAND)
    monkeypatch.setattr(os, "fsync", fail)
    cache.write(KEYS[1], THOUSAND)
    monkeypatch.setattr(os, "utime", fail)
    assert cache.read(KEYS[0]) is not None
    assert cache.read(KEYS[1]) is None
    assert [path.name[:64] for path in cache.folder.iterdir()] == [KEYS[0]]


def test_a_place_where_no_folder_can_be_is_no_error(tmp_path):
    (tmp_path / "file").write_text("mine")
    cache = Cache(tmp_path / "file" / "kept")
    cache.write(KEYS[0], THOUSAND)
    assert (cache.read(KEYS[0]), cache.entries(), cache.clear()) == (None, [], 0)
    assert not cache.usable
    assert not Cache(tmp_path / "file").usable
    assert not Cache(tmp_path / ("x" * 5000)).usable
    assert Cache(tmp_path / "new" / "kept").usable
    assert not (tmp_path / "new").exists()  # asking makes nothing


WRITER = """
import sys
import numpy as np
from pathlib import Path
from discreet.cache.folder import Cache
cache = Cache(Path(sys.argv[1]))
for _ in range(60):
    cache.write("7" * 64, {"a": np.arange(20_000.0)})
    found = cache.read("7" * 64)
    assert found is not None
    assert found.read("a", (20_000,)).sum() == 199_990_000
"""


def test_two_processes_write_and_read_the_same_entry_at_once(tmp_path):
    command = [sys.executable, "-c", WRITER, tmp_path / "kept"]
    workers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [(worker.communicate()[1], worker.returncode) for worker in workers] == [("", 0)] * 2
    assert len(list((tmp_path / "kept").iterdir())) == 1


@pytest.fixture
def nowhere(monkeypatch):
    for name in ("DISCREET_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_folder_is_where_the_operating_system_wants_it(nowhere, tmp_path):
    nowhere.setenv("HOME", str(tmp_path))
    nowhere.setattr(sys, "platform", "linux")
    assert find_cache().folder == tmp_path / ".cache/discreet"
    nowhere.setenv("XDG_CACHE_HOME", "relative")
    assert find_cache().folder == tmp_path / ".cache/discreet"
    nowhere.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert find_cache().folder == tmp_path / "xdg/discreet"
    nowhere.setattr(sys, "platform", "darwin")
    assert find_cache().folder == tmp_path / "Library/Caches/discreet"
    nowhere.setattr(sys, "platform", "win32")
    assert find_cache() is None
    nowhere.setenv("LOCALAPPDATA", str(tmp_path))
    assert find_cache().folder == tmp_path / "discreet"


def test_a_variable_puts_it_elsewhere_or_switches_it_off(nowhere, tmp_path):
    nowhere.chdir(tmp_path)
    nowhere.setenv("DISCREET_CACHE", "kept")
    assert find_cache().folder == tmp_path / "kept"
    for word in ("off", " OFF ", "0", "no", "False"):
        nowhere.setenv("DISCREET_CACHE", word)
        assert find_cache() is None


def test_without_a_home_there_is_no_cache_and_no_home_is_made(nowhere, tmp_path):
    nowhere.setattr(sys, "platform", "linux")
    nowhere.setenv("HOME", str(tmp_path / "absent"))
    assert find_cache() is None
    assert not (tmp_path / "absent").exists()

    def unknown():
        raise RuntimeError("Could not determine home directory.")

    nowhere.setattr(folder_module.Path, "home", staticmethod(unknown))
    assert find_cache() is None
