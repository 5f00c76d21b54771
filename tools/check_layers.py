"""Check that the packages of discreet import one another in one direction only, and that randomness has one door.

Post-processing cannot reach private data because it cannot import the code that reads, counts or perturbs it. Run without
arguments on the source tree; exits 1 and names each offence.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "discreet"

PRIVATE = {"data", "counts", "kernel", "mechanisms"}
FORBIDDEN = {
    "model": PRIVATE | {"posterior", "queries", "bounds"},
    "data": PRIVATE - {"data"} | {"posterior", "queries"},
    "counts": {"kernel", "mechanisms", "posterior", "queries"},
    "posterior": PRIVATE,
    "bounds": PRIVATE | {"posterior", "queries"},
    "queries": PRIVATE,
    "interop": PRIVATE,
    "plots": PRIVATE,
    "mechanisms": {"queries", "plots"},
}
KERNEL_MAY_IMPORT = {"balls", "conversion", "errors", "guarantee", "kernel"}
KERNEL_THIRD_PARTY = {"numpy", "flint"}
# The third party reads records of his own with the same code as the steward: through this one file.
OWN_RECORDS = ("queries/own_records.py", {"data", "counts"})

BITS = "kernel/bits.py"
RANDOM_ALLOWED = {"bounds", "posterior", "queries", "experiments", "audit", "plots", "cli"}
"""Packages that may draw from a generator: all of them work on what is already public."""

LAZY = {
    "matplotlib", "sklearn", "pandas", "polars", "narwhals", "scipy", "flint", "pyarrow", "pgmpy", "typer", "rich", "ibis",
    "duckdb", "pyspark",
}  # fmt: skip
"""Heavy packages: imported inside the functions that use them, so that `import discreet` stays fast."""


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every module that a tree imports, wherever the statement stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, "relative." + (node.module or "")
            else:
                yield node.lineno, node.module or ""
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def random_uses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Uses of numpy.random that are spelled as attributes: np.random.anything, annotations aside."""
    annotations = {
        id(inner)
        for node in ast.walk(tree)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if annotation is not None
        for inner in ast.walk(annotation)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "random" and id(node) not in annotations:
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            yield from [(node.lineno, "numpy.random")] if owner in {"np", "numpy"} else []


def top_level_imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports that run when the module is imported (type-checking blocks do not)."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)


def offences(path: Path, source: Path = SOURCE) -> Iterator[str]:
    """What is wrong with the imports of one file."""
    name = path.relative_to(source).as_posix()
    package = name.split("/")[0] if "/" in name else ""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for line, module in imported(tree):
        yield from (f"{name}:{line}: {reason}" for reason in import_offences(name, package, module))
    if name != BITS and package not in RANDOM_ALLOWED:
        yield from (f"{name}:{line}: {module} on the release path" for line, module in random_uses(tree))
    if package not in {"cli", "plots"}:
        for line, module in top_level_imports(tree):
            if module.split(".")[0] in LAZY:
                yield f"{name}:{line}: import {module.split('.')[0]} inside the function that uses it"


def import_offences(name: str, package: str, module: str) -> Iterator[str]:
    """What is wrong with one import."""
    parts = module.split(".")
    if parts[0] == "relative":
        yield "write imports in full"
    if parts[0] == "discreet" and len(parts) > 1:
        target = parts[1]
        forbidden = FORBIDDEN.get(package, set()) - (OWN_RECORDS[1] if name == OWN_RECORDS[0] else set())
        if target in forbidden:
            yield f"{package} may not import {target}"
        if package == "kernel" and target not in KERNEL_MAY_IMPORT:
            yield f"the kernel may not import {target}"
        if target == "cli" and package != "cli":
            yield "nothing may import the command"
    elif package == "kernel" and parts[0] not in KERNEL_THIRD_PARTY | sys.stdlib_module_names | {"relative"}:
        yield f"the kernel may not import {parts[0]}"
    bare = parts[0] in {"random", "secrets"}
    if name != BITS and (bare or (module.startswith("numpy.random") and package not in RANDOM_ALLOWED)):
        yield f"{parts[0]} may be imported in {BITS} only"


def main() -> int:
    """Print all offences; the exit code says whether there are any."""
    found = [offence for path in sorted(SOURCE.rglob("*.py")) for offence in offences(path)]
    print("\n".join(found) if found else "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
