"""The pages of the library: the public names of `import discreet`, in their order, from their docstrings."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import discreet
from website.markdown import cell, join_lines

__all__ = ["CHAPTERS", "names_of", "write_chapter"]

# Pages of docs/reference and the first name of each. What is new in `__all__` is on the page of the name before it.
CHAPTERS = {
    "declare": "Schema",
    "records-and-budget": "Csv",
    "mechanisms": "Laplace",
    "release": "release",
    "posteriors": "Posterior",
    "answers": "Answer",
    "errors": "DiscreetError",
}


def names_of(page: str) -> list[str]:
    """The public names of one page."""
    names = discreet.__all__
    starts = [names.index(first) for first in CHAPTERS.values()]
    if starts != sorted(starts) or starts[0] != 0:
        raise ValueError(
            "CHAPTERS in tools/website/names.py must follow the order of discreet.__all__ from its first name on."
        )
    place = list(CHAPTERS).index(page)
    return names[starts[place] : [*starts, len(names)][place + 1]]


def write_chapter(page: str) -> str:
    """The names of a page as Markdown: which there are, and each from its docstring."""
    names = names_of(page)
    lines = ["| name | |", "|---|---|", *(f"| {{py:obj}}`~discreet.{name}` | {_first_sentence(name)} |" for name in names), ""]
    return "\n".join([*lines, "```{eval-rst}", *(line for name in names for line in _write_name(name)), "```", ""])


def _write_name(name: str) -> Iterator[str]:
    """What tells autodoc to show one name."""
    value = getattr(discreet, name)
    if isinstance(value, type) and issubclass(value, Exception):
        yield from (f".. autoexception:: discreet.{name}", "   :show-inheritance:", "")
    elif isinstance(value, type):
        yield from (f".. autoclass:: discreet.{name}", "   :members:", "")
    elif inspect.isfunction(value):
        yield from (f".. autofunction:: discreet.{name}", "")
    else:
        shown = re.sub(r"discreet\.[\w.]*\.", "", str(value))
        yield from (f".. py:data:: {name}", "   :module: discreet", f"   :value: {shown}", "", f"   {_constants()[name]}", "")


def _first_sentence(name: str) -> str:
    """What the table at the top of a page says about a name."""
    value = getattr(discreet, name)
    is_documented = isinstance(value, type) or inspect.isfunction(value)
    text = inspect.getdoc(value) or "" if is_documented else _constants()[name]
    return cell(text.split("\n\n")[0])


@cache
def _constants() -> dict[str, str]:
    """What is said below the public names that are neither classes nor functions, in the files that make them."""
    told = {}
    for path in Path(inspect.getfile(discreet)).parent.rglob("*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node, after in pairwise(body):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if getattr(target, "id", None) in discreet.__all__ and isinstance(after, ast.Expr):
                told[target.id] = join_lines(ast.literal_eval(after.value))  # type: ignore[union-attr]
    return told
