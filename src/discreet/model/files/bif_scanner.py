"""Words and punctuation of a BIF text, one at a time, with the line for messages."""

from __future__ import annotations

import re
from typing import NoReturn, final

from discreet.errors import FormatError
from discreet.model.files.strict_json import show_text
from discreet.model.variable import LENGTH_LIMIT

__all__ = ["Scanner"]

# The bounds are beyond any word that is accepted: the regular expression engine keeps a note for every repetition.
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<mark>[{}\[\]()|,;])
    |"(?P<quoted>[^"\\\n]*(?:\\[^\n][^"\\\n]*){0,1001})"
    |(?P<word>(?:[^\s{}\[\]()|,;"/]+|/(?![/*])){1,1001})
    )""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r'\\(["\\])')
_PLAIN = re.compile(r'[^{}"/]*')
_NUMBERS = re.compile(r"[\s0-9.eE+,-]*;")
_NUMBER = re.compile(r"[0-9.eE+-]+")


@final
class Scanner:
    """Stands on one token: ``kind`` is ``"word"``, ``"quoted"``, ``"end"`` or the punctuation mark itself."""

    __slots__ = ("_after", "_text", "kind", "start", "value")

    def __init__(self, text: str, start: int = 0) -> None:
        self._text = text
        self._after = start
        self.start = start
        self.kind = "end"
        self.value = ""
        self.advance()

    def advance(self) -> None:
        """Step to the next token, over white space and comments."""
        while True:
            match = _TOKEN.match(self._text, self._after)
            if match is None:
                self._stop()
                return
            self._after = match.end()
            if match.lastgroup != "comment":
                break
        kind = str(match.lastgroup)
        self.start = match.start(kind)
        self.value = match[kind]
        self.kind = self.value if kind == "mark" else kind
        if kind == "quoted":  # a backslash protects a quote or a backslash, and is itself everywhere else
            self.value = _ESCAPE.sub(r"\1", self.value)

    def _stop(self) -> None:
        rest = self._text[self._after :].lstrip()
        self.start = len(self._text) - len(rest)
        self.kind, self.value = "end", ""
        if rest:  # everything else is a token, so this is a quote or a comment
            self.fail("the end of the quoted name on the same line" if rest[0] == '"' else "the end of the comment, */")

    def fail(self, expected: str) -> NoReturn:
        """Refuse the text because of this token: say on which line, what was expected and what stands there."""
        found = "the end of the text" if self.kind == "end" else show_text(self.value)
        self.refuse(f"expected {expected}, found {found}.", self.start)

    def refuse(self, message: str, at: int) -> NoReturn:
        """Refuse the text because of what stands at a position."""
        line = self._text.count("\n", 0, at) + 1
        raise FormatError(f"line {line}: {message}") from None

    def at(self, keyword: str) -> bool:
        """Whether the token is this keyword or mark (a quoted word is a name, never a keyword)."""
        return self.value == keyword and self.kind not in ("quoted", "end")

    def take(self, keyword: str) -> bool:
        """Step over a keyword or mark if it stands here."""
        if not self.at(keyword):
            return False
        self.advance()
        return True

    def expect(self, keyword: str, why: str) -> None:
        """Step over a keyword or mark that must stand here."""
        if not self.take(keyword):
            self.fail(f"{keyword!r} {why}")

    def groups(self, closing: str, why: str) -> list[list[str]]:
        """Read words and stop on one of the closing marks. Commas part groups, white space parts words of a group."""
        found: list[list[str]] = [[]]
        while self.kind not in closing:
            if self.kind in ("word", "quoted"):
                if len(self.value) > LENGTH_LIMIT:
                    self.fail(f"a name of at most {LENGTH_LIMIT:,} characters")
                found[-1].append(self.value)
            elif self.kind == ",":
                if found[-1]:
                    found.append([])
            else:
                self.fail(f"{closing[0]!r} {why}")
            self.advance()
        return [group for group in found if group]

    def numbers(self, expected: int, why: str) -> list[float]:
        """Read exactly so many numbers and the semicolon behind them. Stands on what is before them."""
        start = self.start
        plain = _NUMBERS.match(self._text, self._after)
        if plain:  # the usual case, many times faster than token by token
            words = plain[0][:-1].replace(",", " ").split(None, expected)
            self._after = plain.end()
        else:
            words = self._number_words(expected)
        if len(words) != expected:
            self.refuse(f"expected {expected} probabilities {why}.", start)
        self.advance()
        try:
            return [float(word) for word in words]
        except ValueError:
            self.refuse(f"expected only numbers {why}.", start)

    def _number_words(self, expected: int) -> list[str]:
        """Numbers with comments between them: stops on the semicolon."""
        words: list[str] = []
        self.advance()
        while not self.at(";"):
            if self.kind == "word" and _NUMBER.fullmatch(self.value) and len(words) <= expected:
                words.append(self.value)
            elif self.kind != ",":
                self.fail("a number or ';'")
            self.advance()
        return words

    def skip_property(self) -> None:
        """Step over ``property ... ;``, whose content is anybody's."""
        while not self.at(";"):
            if self.kind in ("end", "}"):
                self.fail("';' after the property")
            self.advance()
        self.advance()

    def skip_block(self) -> None:
        """Step over the rest of a block and its closing brace, without looking at its content."""
        while not self.at("}"):
            if self.kind in ("end", "{"):
                self.fail("'}' at the end of the block")
            plain = _PLAIN.match(self._text, self._after)
            self._after = plain.end() if plain else self._after
            self.advance()
        self.advance()
