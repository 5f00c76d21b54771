"""Docstrings for Sphinx: plain sentences in which only double backticks mean something, and the parts of claims as fields."""

from __future__ import annotations

import inspect
import re
from typing import Any

from check_claims import PARTS

from website.claims import read_claim

__all__ = ["escape", "rewrite_docstring", "rewrite_signature"]

_CODE = re.compile(r"(``.+?``)", re.DOTALL)
_MEANT_BY_RST = re.compile(r"([\\`*_|])")


def rewrite_docstring(_app: Any, _kind: str, name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring in place, as Sphinx wants it."""
    lines[:] = _write("\n".join(lines), name)


def rewrite_signature(_app: Any, _kind: str, _name: str, value: Any, _options: Any, signature: str, gives: str) -> Any:
    """Leave out what Python makes up for a class that nobody calls, and say types and defaults as people write them."""
    if signature == "(*args: Any, **kwargs: Any)":  # of a class whose base is another library's, which need not be there
        signature = _names_and_defaults(value)
    return ("", None) if signature == "(*args, **kwargs)" else (_plain(signature), _plain(gives))


def _names_and_defaults(made: type) -> str:
    """How a class is called, by its own ``__init__``."""
    given = inspect.signature(made.__init__).parameters  # type: ignore[misc]
    parts = [part.replace(annotation=inspect.Parameter.empty) for part in given.values()]
    return str(inspect.Signature(parts[1:]))


def _plain(said: str | None) -> str | None:
    """Types without the words by which Sphinx and dataclasses stand for others."""
    if said is None:
        return None
    named = re.sub(r"TypeAliasForwardRef\('([\w.]+)'\)", r"\1", said).replace("<factory>", "...")
    return re.sub(r"~(?:\w+\.)+(\w+)", r"\1", named)


def escape(text: str) -> str:
    """Text in which nothing but code has a meaning: ``2 * x`` and ``|x|`` are shown as they stand."""
    parts = _CODE.split(text)
    return "".join(part if place % 2 else _MEANT_BY_RST.sub(r"\\\1", part) for place, part in enumerate(parts))


def _write(text: str, name: str) -> list[str]:
    if not all(part in text for part in PARTS):
        return escape(text).splitlines()
    claim = read_claim("", name, text)
    fields = {"Claim": claim.claim, "Proof": claim.proof, "Requires": claim.requires}
    told = [f":{heading}: {escape(part)}" for heading, part in fields.items() if part]
    tests = ", ".join(f"``{test.name}``" for test in claim.tests)
    return [*escape(claim.about).splitlines(), "", *told, f":Checked by: {tests}", ""]
