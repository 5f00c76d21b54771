"""What people, programs and accidents put into CSV files, with the one meaning that every reader has to give it."""

from dataclasses import dataclass

WIDE, NARROW = b"a,b\n", b"a\n"
GAP = (None, None)


@dataclass(frozen=True)
class Oddity:
    """The records that a file means; None if it is refused. ``one_line``: whether a record of it is always one line."""

    name: str
    content: bytes
    records: list | None
    one_line: bool = True

    def __str__(self):
        return self.name


ODDITIES = [
    Oddity("nothing odd", WIDE + b"x,y\nx,y\n", [("x", "y"), ("x", "y")]),
    Oddity("blank line", WIDE + b"x,y\n\nx,y\n", [("x", "y"), GAP, ("x", "y")]),
    Oddity("blank lines at the end", WIDE + b"x,y\n\n\n", [("x", "y"), GAP, GAP]),
    Oddity("blank line after the header", WIDE + b"\nx,y\n", [GAP, ("x", "y")]),
    Oddity("nothing but a blank line", WIDE + b"\n", [GAP]),
    Oddity("line of spaces", WIDE + b"x,y\n  \nx,y\n", [("x", "y"), ("  ", None), ("x", "y")]),
    Oddity("last line of spaces", WIDE + b"x,y\n  ", [("x", "y"), ("  ", None)]),
    Oddity("line of tabs and controls", WIDE + b"\t\x01\x1a\nx,y\n", [("\t\x01\x1a", None), ("x", "y")]),
    Oddity("blank line of one column", NARROW + b"x\n\nx\n", [("x",), (None,), ("x",)]),
    Oddity("blank last line of one column", NARROW + b"x\n\n", [("x",), (None,)]),
    Oddity("line of spaces of one column", NARROW + b"x\n \nx\n", [("x",), (" ",), ("x",)]),
    Oddity("empty quotes of one column", NARROW + b'x\n""\nx\n', [("x",), ("",), ("x",)]),
    Oddity("comment-like line of one column", NARROW + b"#\nx\n", [("#",), ("x",)]),
    Oddity("windows line ends", b"a,b\r\nx,y\r\n\r\nx,\r\n", [("x", "y"), GAP, ("x", None)]),
    Oddity("mixed line ends", b"a,b\r\nx,y\nx,y\r\n", [("x", "y"), ("x", "y")]),
    Oddity("byte order mark", b"\xef\xbb\xbfa,b\nx,y\n", [("x", "y")]),
    Oddity("byte order mark in a record", WIDE + b"\xef\xbb\xbfx,y\n", [("\ufeffx", "y")]),
    Oddity("no final line break", WIDE + b"x,y\nx,z", [("x", "y"), ("x", "z")]),
    Oddity("comma at the end of the file", WIDE + b"x,y\nx,", [("x", "y"), ("x", None)]),
    Oddity("empty quotes", WIDE + b'x,""\n"",y\n', [("x", ""), ("", "y")]),
    Oddity("empty field", WIDE + b"x,\n,y\n,\n", [("x", None), (None, "y"), GAP]),
    Oddity("quoted fields", b'"a","b"\n"x","y"\n', [("x", "y")]),
    Oddity("quoted comma", WIDE + b'"x,y",y\n",",","\n', [("x,y", "y"), (",", ",")]),
    Oddity("doubled quotes", WIDE + b'"x""x",""""\n', [('x"x', '"')]),
    Oddity("quoted line break", WIDE + b'"x\nx",y\nx,y\n', [("x\nx", "y"), ("x", "y")], one_line=False),
    Oddity("quoted blank line", WIDE + b'x,"\n\n"\nx,y\n', [("x", "\n\n"), ("x", "y")], one_line=False),
    Oddity("quoted carriage return", WIDE + b'x,"y\rz"\n', [("x", "y\rz")]),
    Oddity("fewer fields", WIDE + b"x\nx,y\n", [("x", None), ("x", "y")]),
    Oddity("backslashes", WIDE + b'x\\,\\N\n"x\\",y\n', [("x\\", "\\N"), ("x\\", "y")]),
    Oddity("words for nothing", WIDE + b"NaN,null\nnan,NULL\nNA,None\n", [("NaN", "null"), ("nan", "NULL"), ("NA", "None")]),
    Oddity("spaces around fields", WIDE + b" x, y\nx ,\ty\n", [(" x", " y"), ("x ", "\ty")]),
    Oddity("comment-like lines", WIDE + b"#x,y\n//,y\n--,y\n", [("#x", "y"), ("//", "y"), ("--", "y")]),
    Oddity("other line breaks", WIDE + "x\u2028,y\x0b\nx\x0c,y\x85\n".encode(), [("x\u2028", "y\x0b"), ("x\x0c", "y\x85")]),
    Oddity("leading zeros and booleans", WIDE + b"007,TRUE\n1.0,1e3\n", [("007", "TRUE"), ("1.0", "1e3")]),
    Oddity("only a header", WIDE, []),
    Oddity("long field", WIDE + b"x" * 70_000 + b",y\n", [("x" * 70_000, "y")]),
    Oddity("comma after the last field", WIDE + b"x,y,\nx,y\n", None),
    Oddity("more fields", WIDE + b"x,y,z\n", None),
    Oddity("open quote", WIDE + b'"x,y\nx,y\n', None),
    Oddity("open quote before the last record", WIDE + b'x,"\nx,"y"', None),
    Oddity("quote in a field", WIDE + b'x"x,y\n', None),
    Oddity("quote at the end of a field", WIDE + b'x",y\n', None),
    Oddity("two quotes in a field", WIDE + b'x"x"x,y\n', None),
    Oddity("space before a quote", WIDE + b' "x",y\n', None),
    Oddity("space after a quote", WIDE + b'"x" ,y\n', None),
    Oddity("letter after a quote", WIDE + b'"x"z,y\n', None),
    Oddity("escaped quote", WIDE + b'"x\\"z",y\n', None),
    Oddity("three quotes", WIDE + b'""",y\n', None),
    Oddity("lone carriage return", WIDE + b"x\rx,y\n", None),
    Oddity("carriage return before a comma", WIDE + b"x\r,y\n", None),
    Oddity("two carriage returns", WIDE + b"x,y\r\r\n", None),
    Oddity("zero byte", WIDE + b"x\0,y\n", None),
    Oddity("line with a zero byte", WIDE + b"x,y\n\0\n", None),
    Oddity("not UTF-8", WIDE + b"x\xe9,y\r\n", None),
    Oddity("old line ends", b"a,b\rx,y\rx,y\r", None),
    Oddity("UTF-16", "a,b\nx,y\n".encode("utf-16"), None),
    Oddity("nothing", b"", None),
    Oddity("blank line before the header", b"\na,b\nx,y\n", None),
    Oddity("compressed under another name", b"\x1f\x8b\x08\x00\x00", None),
]
READ = [oddity for oddity in ODDITIES if oddity.records is not None]
REFUSED = [oddity for oddity in ODDITIES if oddity.records is None]
