"""Encodings of text files that can be read: those in which one record cannot change how the next one is decoded."""

from __future__ import annotations

import codecs
from contextlib import suppress

from discreet.errors import FormatError, suggestion

__all__ = ["ENCODINGS", "UTF8", "check_encoding", "to_utf8"]

UTF8 = "utf-8"
_WESTERN = (
    *(f"iso8859-{number}" for number in (*range(1, 12), *range(13, 17))),
    *(f"cp{number}" for number in range(1250, 1259)),
)
_OLDER = ("cp437", "cp850", "cp852", "cp858", "cp866", "mac-roman", "koi8-r", "koi8-u", "ascii")
_EASTERN = ("shift_jis", "cp932", "euc_jp", "gb2312", "gbk", "gb18030", "big5", "euc_kr", "cp949")
ENCODINGS = (UTF8, "utf-16", "utf-16-le", "utf-16-be", *_WESTERN, *_OLDER, *_EASTERN)
"""By the names that Python has for them.

In each of them a line feed is a line feed whatever stands before it. Not so where an escape sequence or a shift in one record
holds on into the next, as in UTF-7 and ISO-2022: these are refused.
"""
_KNOWN = {codecs.lookup(name).name: name for name in ENCODINGS}


def check_encoding(given: object) -> str:
    """The name of an encoding as Python has it; a byte order mark is read as one in any case."""
    found = None
    with suppress(LookupError, ValueError):
        found = codecs.lookup(given).name if isinstance(given, str) else None
    if found == "utf-8-sig":
        return UTF8
    if found not in _KNOWN:
        hint = suggestion(given, ("utf-8", "utf-16", "latin-1", "windows-1252", "cp850", "mac-roman"))
        raise FormatError(
            f"This encoding cannot be read.{hint} Or convert the file: iconv -f ENCODING -t UTF-8 FILE > NEW.csv"
        )
    return found


def to_utf8(content: bytes, encoding: str) -> bytes | None:
    """The same text in UTF-8; None if it is not text in this encoding."""
    if encoding == UTF8:
        return content
    with suppress(UnicodeError):  # not shown: the error holds the text
        return content.decode(encoding).encode()
    return None
