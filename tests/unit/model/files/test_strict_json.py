from __future__ import annotations

import gzip

import pytest

from discreet.errors import FormatError
from discreet.model.files import strict_json
from discreet.model.files.strict_json import parse_json, read_limited


def test_json_is_parsed():
    assert parse_json('{"a": [1, 2.5, "x", null, true]}') == {"a": [1, 2.5, "x", None, True]}


def test_bytes_with_or_without_a_byte_order_mark_are_utf8():
    assert parse_json('"é"'.encode()) == "é"
    assert parse_json(b"\xef\xbb\xbf[1]") == [1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1, column 1"),
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ("[1] 2", "Extra data"),
        ("NaN", "contains NaN"),
        ("[Infinity]", "contains Infinity"),
        ("[-Infinity]", "contains -Infinity"),
        ("[1e999]", "too large"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "the key 'c' twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        ("[" + "9" * 10_000 + "]", "too many digits"),
        (b'"\xff"', "not UTF-8"),
        (b"\x00\x01\x02", "not JSON"),
        ('"half \ud800"', "not UTF-8"),
        (r'["half \ud800"]', "surrogate"),
        (r'{"\udc00": 1}', "surrogate"),
    ],
)
def test_what_is_not_strict_json_is_a_format_error(content, message):
    with pytest.raises(FormatError, match=message):
        parse_json(content)


def test_a_whole_surrogate_pair_is_one_character():
    assert parse_json(r'"\ud83d\ude00"') == "😀"


def test_a_message_shows_at_most_the_beginning_of_a_long_key():
    key = "k" * 100_000
    with pytest.raises(FormatError) as caught:
        parse_json(f'{{"{key}": 1, "{key}": 2}}')
    assert len(str(caught.value)) < 300


def test_a_file_is_read_plain_or_packed(tmp_path):
    (tmp_path / "plain").write_bytes(b"content")
    (tmp_path / "packed").write_bytes(gzip.compress(b"content"))
    assert read_limited(tmp_path / "plain") == read_limited(str(tmp_path / "packed")) == b"content"


def test_a_file_that_cannot_be_read_is_a_format_error(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_limited(tmp_path / "missing")
    with pytest.raises(FormatError, match="cannot be read"):
        read_limited(tmp_path)
    with pytest.raises(FormatError, match="null character"):
        read_limited("a\0b")


@pytest.mark.parametrize("damage", [lambda data: data[:-6], lambda data: data[:4], lambda data: data[:12] + b"??" + data[14:]])
def test_a_damaged_packed_file_is_a_format_error(tmp_path, damage):
    path = tmp_path / "file.gz"
    path.write_bytes(damage(gzip.compress(b"some content that is long enough to be packed" * 9)))
    with pytest.raises(FormatError, match="damaged"):
        read_limited(path)


def test_a_small_file_that_unfolds_to_a_huge_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(strict_json, "SIZE_LIMIT", 10_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(10_001)))
    with pytest.raises(FormatError, match="more than 10,000 bytes"):
        read_limited(path)
    path.write_bytes(gzip.compress(bytes(10_000)))
    assert len(read_limited(path)) == 10_000


def test_a_large_plain_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(strict_json, "SIZE_LIMIT", 100)
    path = tmp_path / "large"
    path.write_bytes(bytes(101))
    with pytest.raises(FormatError, match="more than 100 bytes"):
        read_limited(path)
