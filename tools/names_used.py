"""Every outside name that a file of Python mentions, spelled in full, wherever and however it is mentioned.

Read from the text, without running it: ``import a.b as c``, ``from a import b``, relative imports, ``import_module("a.b")``,
and what is then written as ``c.d`` or ``getattr(c, "d")``; also devices, such as "/dev/null". Imports inside functions and for
type checking count like all others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["UNREADABLE", "Names", "Use", "names_used"]

UNREADABLE = "?"
"""Stands for a module whose name is computed: nobody who reads the file can say which it is."""

_LOADERS = {"importlib.import_module", "importlib.__import__", "builtins.__import__", "__import__"}
_OTHER_LOADERS = ("importlib.util.module_from_spec", "importlib.machinery", "runpy", "pkgutil", "sys.modules.")


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of a name."""

    line: int
    name: str
    function: str = ""
    """The function in which it stands; empty outside of functions."""
    loads: bool = False
    """Whether this is an import that runs as soon as the file is imported."""
    relative: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """All names that one file mentions, and what its own short names stand for."""

    uses: list[Use]
    aliases: dict[str, str]


def names_used(text: str, module: str, *, is_package: bool = False) -> Names:
    """All mentions in the text of a module, which has the given name."""
    tree = ast.parse(text)
    reader = _Reader(module if is_package else module.rpartition(".")[0])
    reader.learn_aliases(tree)
    reader.visit(tree)
    return Names(reader.found, reader.aliases)


class _Reader(ast.NodeVisitor):
    """Walks through a file with two things in mind: what its short names stand for, and when a line runs."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.aliases = {"__import__": "__import__"}
        self.functions: list[str] = []
        self.for_types_only = False
        self.found: list[Use] = []

    def learn_aliases(self, tree: ast.AST) -> None:
        """Note what short names stand for. A name has one meaning in a whole file; two would only hide something."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.aliases.update(self._bound(node))
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                meant = self._in_full(node.value)
                if meant is not None:
                    self.aliases.setdefault(node.targets[0].id, meant)

    def visit_Import(self, node: ast.Import) -> None:
        """``import a.b``: loads a.b."""
        for alias in node.names:
            self._note(node, alias.name, is_import=True)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """``from a import b``: loads a, and a.b where that is a module."""
        for alias in node.names:
            self._note(node, f"{self._source(node)}.{alias.name}", is_import=True, relative=node.level > 0)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """``a.b.c``, where a was imported."""
        self._note_expression(node)

    def visit_Call(self, node: ast.Call) -> None:
        """``import_module("a.b")`` and ``getattr(a, "b")``."""
        if self._in_full(node.func) in _LOADERS:
            self._note(node, self._literal(node.args[0] if node.args else None), is_import=True)
            self.generic_visit(node)
        else:
            self._note_expression(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """``sys.modules["a.b"]``."""
        self._note_expression(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A text that stands alone is a docstring, which does nothing."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """The path of a device."""
        if isinstance(node.value, str) and node.value.startswith("/dev/"):
            self._note(node, node.value)

    def visit_If(self, node: ast.If) -> None:
        """What stands under TYPE_CHECKING never runs."""
        test, negated = node.test, False
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, negated = test.operand, True
        typing = self._in_full(test) == "typing.TYPE_CHECKING"
        before = self.for_types_only
        for part, skipped in ((node.body, typing and not negated), (node.orelse, typing and negated)):
            self.for_types_only = before or skipped
            for statement in part:
                self.visit(statement)
        self.for_types_only = before
        self.visit(node.test)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """What stands in a function runs when it is called."""
        self.functions.append(node.name)
        self.generic_visit(node)
        self.functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """The same for a function without a name."""
        self.functions.append("lambda")
        self.generic_visit(node)
        self.functions.pop()

    def _note(self, node: ast.stmt | ast.expr, name: str, *, is_import: bool = False, relative: bool = False) -> None:
        loads = is_import and not self.functions and not self.for_types_only
        self.found.append(Use(node.lineno, name, self.functions[-1] if self.functions else "", loads, relative))
        if name.startswith(_OTHER_LOADERS):
            self.found.append(Use(node.lineno, UNREADABLE))

    def _note_expression(self, node: ast.Attribute | ast.Call | ast.Subscript) -> None:
        meant = self._in_full(node)
        if meant is not None:
            self._note(node, meant)
        else:
            self.generic_visit(node)

    def _in_full(self, node: ast.expr) -> str | None:
        """What an expression stands for, if it is an imported name or an attribute of one."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._in_full(node.value)
            return owner and f"{owner}.{node.attr}"
        if isinstance(node, ast.Subscript):
            return self._literal(node.slice) if self._in_full(node.value) == "sys.modules" else None
        return self._result(node) if isinstance(node, ast.Call) else None

    def _result(self, node: ast.Call) -> str | None:
        """What a call returns, if it looks up a name."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            owner = self._in_full(node.args[0])
            return owner and f"{owner}.{self._literal(node.args[1])}"
        if self._in_full(node.func) in _LOADERS:
            return self._literal(node.args[0] if node.args else None)
        return None

    def _literal(self, node: ast.expr | None) -> str:
        value = node.value if isinstance(node, ast.Constant) else None
        return value if isinstance(value, str) and not value.startswith(".") else UNREADABLE

    def _bound(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                yield alias.asname or alias.name, f"{self._source(node)}.{alias.name}"
            elif alias.asname:
                yield alias.asname, alias.name
            else:
                first = alias.name.split(".")[0]
                yield first, first

    def _source(self, node: ast.ImportFrom) -> str:
        """The module of ``from ... import``, relative ones too."""
        if not node.level:
            return node.module or ""
        above = self.package.split(".")[: len(self.package.split(".")) - node.level + 1]
        return ".".join([*above, *([node.module] if node.module else [])])
