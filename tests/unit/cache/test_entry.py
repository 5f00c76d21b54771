"""A file of the cache: what is read is what was written, bit by bit, or nothing at all."""

import hashlib
import json
import os

import numpy as np
import pytest

from discreet.cache.entry import DamagedError, open_entry, pack

KEY = "ab" * 32
ARRAYS = {
    "small": np.array([[0.0, 255.0]]),
    "middle": np.array([0.0, 256.0, 65535.0]),
    "large": np.array([65536.0, 2.0**32 - 1]),
    "huge": np.array([2.0**32, 1.0]),
    "broken": np.array([0.1, 1 / 3, 5e-324, -2.0]),
    "minus zero": np.array([-0.0, 1.0]),
    "endless": np.array([np.inf, 1.0]),
    "empty": np.empty((0, 3)),
}


def write(path, content, mode=0o600):
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.fixture
def entry(tmp_path):
    return write(tmp_path / "entry", pack(KEY, ARRAYS))


def read_all(path):
    found = open_entry(path, KEY)
    return [found.read(name, array.shape) for name, array in ARRAYS.items()]


def with_header(change):
    """An entry with another header, whose digest is right: what somebody would write who knows the format."""
    content = pack(KEY, {"a": np.arange(6.0).reshape(2, 3)})
    magic = content.index(b"\n") + 1
    length = int.from_bytes(content[magic : magic + 8], "little")
    header = json.loads(content[magic + 40 : magic + 40 + length])
    header = change(header)
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    start = content[:magic] + len(text).to_bytes(8, "little") + hashlib.sha256(text).digest()
    return start + text + content[magic + 40 + length :]


def test_every_number_comes_back_bit_by_bit(entry):
    found = open_entry(entry, KEY)
    for name, array in ARRAYS.items():
        back = found.read(name, array.shape)
        assert (back.dtype, back.shape, back.tobytes()) == (np.float64, array.shape, array.tobytes())


def test_whole_numbers_take_the_fewest_bytes_that_hold_them():
    counts = np.arange(10_000.0)
    assert len(pack(KEY, {"a": counts % 256})) < 1.1 * 10_000
    assert len(pack(KEY, {"a": counts})) < 2.1 * 10_000
    assert len(pack(KEY, {"a": counts + 2**16})) < 4.1 * 10_000
    assert len(pack(KEY, {"a": counts + 0.5})) < 8.1 * 10_000


def test_a_file_that_was_cut_or_grew_is_no_entry(tmp_path, entry):
    content = entry.read_bytes()
    for length in (*range(0, len(content), 7), len(content) - 1):
        with pytest.raises(DamagedError):
            open_entry(write(tmp_path / "cut", content[:length]), KEY)
    with pytest.raises(DamagedError):
        open_entry(write(tmp_path / "grown", content + b"\0"), KEY)


def test_every_changed_byte_is_noticed_before_it_is_used(tmp_path, entry):
    content = entry.read_bytes()
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        path = write(tmp_path / "changed", changed)
        with pytest.raises(DamagedError):
            read_all(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: {**header, "key": "cd" * 32},
        lambda header: {"arrays": header["arrays"]},
        lambda header: {**header, "arrays": []},
        lambda header: {**header, "arrays": {"a": ["|O", [6], 0, "0"]}},
        lambda header: {**header, "arrays": {"a": ["<f8", [2, 3], 0, "0"]}},
        lambda header: {**header, "arrays": {"a": ["|u1", [2, 3], 1, "0"]}},
        lambda header: {**header, "arrays": {"a": ["|u1", [-2, -3], 0, "0"]}},
        lambda header: {**header, "arrays": {"a": ["|u1", [2.0, 3.0], 0, "0"]}},
        lambda header: {**header, "arrays": {"a": ["|u1", [10**30, 10**30], 0, "0"]}},
        lambda header: {**header, "arrays": {"a": ["|u1", "23", 0, "0"]}},
        lambda header: {**header, "arrays": {"a": [["|u1"], [6], 0, "0"]}},
        lambda header: {**header, "arrays": {"a": ["|u1"]}},
        lambda header: b"[" * 200_000,
        lambda header: b"\xff\xfe",
        lambda header: b"null",
    ],
)
def test_a_header_that_is_not_as_it_should_be_is_refused(tmp_path, change):
    with pytest.raises(DamagedError):
        open_entry(write(tmp_path / "entry", with_header(change)), KEY)


def test_the_same_header_unchanged_is_taken(tmp_path):
    found = open_entry(write(tmp_path / "entry", with_header(lambda header: header)), KEY)
    assert found.read("a", (2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_array_of_another_shape_or_of_impossible_numbers_is_refused(entry):
    found = open_entry(entry, KEY)
    assert found.read("broken", (7,), (4,), least=-2.0).shape == (4,)
    for name, shape, least in (("small", (2, 1), None), ("none", (1,), None), ("broken", (4,), 0.0), ("endless", (2,), 0.0)):
        with pytest.raises(DamagedError):
            found.read(name, shape, least=least)


def test_a_file_that_others_could_have_written_is_not_read(tmp_path, entry, monkeypatch):
    content = entry.read_bytes()
    for mode in (0o620, 0o602):
        with pytest.raises(DamagedError):
            open_entry(write(tmp_path / "open", content, mode), KEY)
    (tmp_path / "link").symlink_to(entry)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "folder", "pipe", "absent"):
        with pytest.raises(DamagedError):
            open_entry(tmp_path / name, KEY)
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    with pytest.raises(DamagedError):
        open_entry(entry, KEY)


def test_an_entry_that_vanishes_or_changes_after_it_was_opened_is_noticed(entry):
    found = open_entry(entry, KEY)
    content = entry.read_bytes()
    entry.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert found.read("small", (1, 2)).tolist() == [[0, 255]]
    with pytest.raises(DamagedError):
        found.read("endless", (2,))
    entry.unlink()
    with pytest.raises(DamagedError):
        found.read("small", (1, 2))
