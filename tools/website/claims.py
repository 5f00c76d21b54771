"""The claims of the source: what is true, why, what it requires, where it comes from and which tests hold it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from check_claims import PARTS, ROOT, SOURCE, TEST

__all__ = ["Claim", "Test", "find_claims", "read_claim"]

_PART = re.compile(rf"^({'|'.join(PARTS)})", re.MULTILINE)
# Works in brackets: the paper, authors with a year, or GUARANTEES, the numbered statements of docs/guarantees.md.
_SOURCE = re.compile(r"\s*\[([^\[\]]*(?:Paper|GUARANTEES|\b(?:19|20)\d\d\b)[^\[\]]*)\]")
_FILE = re.compile(r"tests/[\w/]+\.py(?:::\w+)?")


@dataclass(frozen=True)
class Test:
    """A test that a claim names, or a whole file of them, then without code."""

    name: str
    code: str | None


@dataclass(frozen=True)
class Claim:
    """One claim. ``file`` is the path in the package; ``proof`` and ``sources`` may be empty."""

    file: str
    name: str
    about: str
    claim: str
    proof: str
    requires: str
    sources: tuple[str, ...]
    tests: tuple[Test, ...]


def find_claims(source: Path = SOURCE) -> Iterator[Claim]:
    """All claims of the package, file by file, in the order in which they stand there."""
    for path in sorted(source.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, node in _documented(tree):
            text = ast.get_docstring(node) or ""
            if PARTS[0] in text:
                yield read_claim(path.relative_to(source).as_posix(), name, text)


def read_claim(file: str, name: str, text: str) -> Claim:
    """Take a docstring apart."""
    about, *rest = _PART.split(text)
    parts = {rest[place]: " ".join(rest[place + 1].split()) for place in range(0, len(rest), 2)}
    said, requires, checked = (parts[part] for part in PARTS)
    claim, _, proof = _SOURCE.sub("", said).partition("Proof:")
    tests = tuple(Test(test, _code(test)) for test in _FILE.findall(checked))
    return Claim(file, name, about.strip(), claim.strip(), proof.strip(), requires, tuple(_sources(said)), tests)


def _documented(tree: ast.Module) -> Iterator[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef]]:
    """The module, its classes and functions, and the methods of its classes, by their names."""
    yield "", tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{part.name}", part) for part in node.body if isinstance(part, ast.FunctionDef))


def _sources(said: str) -> Iterator[str]:
    """Works in the brackets of a claim."""
    for bracket in _SOURCE.findall(" ".join(said.split())):
        yield from (work.strip() for work in bracket.split(";"))


def _code(test: str) -> str | None:
    found = TEST.fullmatch(test)
    return _functions(ROOT / found[1])[found[2]] if found else None


@cache
def _functions(path: Path) -> dict[str, str]:
    """The code of each function of a file of tests, with its decorators."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    starts = {node.name: min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) for node in functions}
    return {node.name: "\n".join(lines[starts[node.name] - 1 : node.end_lineno]) for node in functions}
