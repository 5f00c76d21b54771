"""Check the shape of the code: claims with tests behind them, files and functions of a readable size.

Every public function and class of the packages that carry theorems says what is true, what it requires and which test
would fail if it were false; that test must exist.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "discreet"
THEOREMS = ("kernel", "counts", "measure/strategies", "mechanisms", "learning", "theorems")
PARTS = ("Claim:", "Requires:", "Checked by:")
TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
LONGEST_FILE, LONGEST_FUNCTION = 300, 40


def public_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Functions that a module exports in ``__all__``: what other packages may call."""
    exported: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            exported = set(ast.literal_eval(node.value))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in exported and not _is_overload(node):
            yield node


def _is_overload(function: ast.FunctionDef) -> bool:
    """Whether this is one of several signatures; the function itself follows and carries the claim."""
    return any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in function.decorator_list)


def claim_offences(path: Path) -> Iterator[str]:
    """Public functions without a claim, and claims whose test does not exist."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(SOURCE).as_posix()
    for function in public_functions(tree):
        text = ast.get_docstring(function) or ""
        yield from (f"{name}:{function.lineno}: {function.name} lacks {part!r}" for part in PARTS if part not in text)
    for file, test in TEST.findall(path.read_text(encoding="utf-8")):
        if not (ROOT / file).is_file() or f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8"):
            yield f"{name}: there is no test {file}::{test}"


def size_offences(path: Path) -> Iterator[str]:
    """Files and functions that are too long to be read at a glance. A docstring does not count against a function."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(SOURCE).as_posix()
    if text.count("\n") > LONGEST_FILE:
        yield f"{name}: more than {LONGEST_FILE} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if length > LONGEST_FUNCTION:
                yield f"{name}:{node.lineno}: {node.name} has {length} lines, more than {LONGEST_FUNCTION}"


def main() -> int:
    """Print all offences; the exit code says whether there are any."""
    found: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        found += size_offences(path)
        if path.relative_to(SOURCE).as_posix().startswith(THEOREMS):
            found += claim_offences(path)
    print("\n".join(found) if found else "claims and sizes: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
