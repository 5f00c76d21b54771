"""Check that the parts of discreet import one another in one direction only, and that randomness has one door.

Post-processing cannot reach private data because it cannot import the code that reads, counts or perturbs it, neither directly
nor through others. Run without arguments on the source tree; exits 1 and names each offence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from names_used import UNREADABLE, Names, names_used

SOURCE = Path(__file__).resolve().parent.parent / "src" / "discreet"

# A room is a folder, or a file beside the folders. The front door `__init__.py` is a room of its own, and so are two places
# within other rooms: the file through which the holder's own records come in, and the estimators for scikit-learn. These are
# the steward's tool: `fit` takes her records and releases them through the front door, as she would herself. So they stand
# above everything but the command, and nothing of the third party's may import them.
FRONT_DOOR = "__init__"
OWN_RECORDS = "inference/own_records.py"
ESTIMATORS = "interop/sklearn"
PUBLIC_FILES = {
    "errors", "version", "arrays", "checks", "balls", "conversion", "guarantee", "unit", "meaning", "display", "output_file",
    "progress",
}  # fmt: skip
# Guarantees say what they mean and show themselves, so whoever imports guarantees reaches these words, too.
GUARANTEES = {"errors", "balls", "conversion", "guarantee", "unit", "meaning", "display"}
PRIVATE = {"data", "counts", "kernel", "mechanisms", "learning"}
THIRD_PARTY = {
    "cache",
    "model",
    "measure",
    "planning",
    "theorems",
    "chains",
    "inference",
    "posterior",
    "releases",
    "learned",
    "release_file",
    "plots",
    "page",
    "interop",
}

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    "arrays": set(),
    "balls": set(),
    "checks": {"errors"},
    "conversion": {"errors", "balls"},
    "guarantee": {"errors", "conversion", "meaning", "display"},
    "unit": {"errors", "guarantee"},
    "meaning": {"guarantee", "unit"},
    "display": {"guarantee"},
    "output_file": {"errors"},
    "progress": set(),
    "cache": {"errors", "version", "arrays", "output_file"},
    "kernel": {"errors", "guarantee", "unit", "conversion", "balls", "arrays"},
    "model": PUBLIC_FILES,
    "data": PUBLIC_FILES | {"model"},
    "measure": PUBLIC_FILES | {"model"},
    "counts": PUBLIC_FILES | {"model", "measure", "data"},
    "theorems": PUBLIC_FILES | {"model", "measure"},
    "planning": PUBLIC_FILES | {"model", "measure", "theorems", "inference", "page"},
    "chains": PUBLIC_FILES | {"model", "measure"},
    "inference": PUBLIC_FILES | {"model", "plots", OWN_RECORDS},
    OWN_RECORDS: PUBLIC_FILES | {"model", "inference", "data", "counts"},
    "posterior": PUBLIC_FILES | {"cache", "model", "measure", "chains", "inference"},
    "releases": PUBLIC_FILES | {"posterior", "release_file", "page"},
    "learned": PUBLIC_FILES | {"model", "measure", "posterior", "releases", "release_file"},
    "release_file": PUBLIC_FILES | {"model", "measure", "planning", "inference", "posterior", "releases", "learned"},
    "plots": PUBLIC_FILES | {"model", "planning", "posterior", "inference", "page"},
    "page": PUBLIC_FILES | {"model", "chains", "inference", "planning", "posterior", "releases", "release_file"},
    "mechanisms": PUBLIC_FILES
    | {"model", "measure", "planning", "theorems", "posterior", "releases", "learned", "release_file", "counts", "kernel"},
    "learning": PUBLIC_FILES
    | {"model", "measure", "planning", "inference", "posterior", "releases", "learned", "release_file", "counts", "kernel"}
    | {"mechanisms"},
    "interop": PUBLIC_FILES | {"model", "measure", "inference", "posterior", "releases", "release_file"},
}
"""What each room may import. An import inside a function, or for the sake of a type, is an import."""
EVERYTHING = {*MAY_IMPORT, "experiments", FRONT_DOOR}
MAY_IMPORT |= {FRONT_DOOR: EVERYTHING, "experiments": EVERYTHING - {FRONT_DOOR}, "cli": EVERYTHING | {"cli"}}
MAY_IMPORT["__main__"] = {"cli"}
# They use what the front door offers, and stand in for nothing behind it.
MAY_IMPORT[ESTIMATORS] = PUBLIC_FILES | {
    FRONT_DOOR,
    "model",
    "mechanisms",
    "learning",
    "kernel",
    "inference",
    "posterior",
    "releases",
    "release_file",
}

OWN_RECORDS_IN = ("posterior", "update")
"""In this room, only a function of this name may ask for the holder's own records."""

NEVER_REACHES: dict[str, set[str]] = {
    "kernel": {*MAY_IMPORT} - GUARANTEES - {"kernel", "arrays"},
    "data": PRIVATE - {"data"},
    "counts": PRIVATE - {"data", "counts"},
    "mechanisms": {"learning"},
    **dict.fromkeys(PUBLIC_FILES | THIRD_PARTY, PRIVATE),
}
"""What a room may not import through others either, however the table above is changed. Nobody looks behind own records."""

KERNEL_THIRD_PARTY = {"numpy", "flint"}

BITS = "kernel/bits.py"
RANDOMNESS = (
    "random", "_random", "secrets", "uuid", "os.urandom", "os.getrandom", "posix.urandom", "posix.getrandom", "ssl.RAND_bytes",
    "/dev/urandom", "/dev/random", "/dev/hwrng",
)  # fmt: skip
"""Sources of random bits, which nothing but the kernel's file of bits may touch."""
NUMPY_GENERATOR = {
    "chains", "posterior", "inference", "experiments", "cli",
    # Predictions by simulation, from public quantities alone. What a guarantee is computed from stands in other files.
    "planning", "measure/strategies/stealth.py", "theorems/of_true_counts.py",
    # Synthetic records of a graph that grows from what was published: post-processing, with a fixed seed.
    "learning/directed.py",
}  # fmt: skip
"""Rooms and files that may mention NumPy's generator: what they compute is no part of a release."""

LAZY = {
    "matplotlib", "sklearn", "pandas", "polars", "narwhals", "scipy", "flint", "pyarrow", "pgmpy", "typer", "rich", "ibis",
    "duckdb", "pyspark", "fastexcel", "pyreadstat", "xarray", "arviz", "pyagrum", "networkx",
}  # fmt: skip
"""Heavy packages: imported inside the functions that use them, so that `import discreet` stays fast."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path below the package, its room, and the names that it uses."""

    path: str
    room: str
    names: Names


Tree: TypeAlias = dict[str, Source]
"""All files of the package, by the names of their modules."""


def read_tree(source: Path = SOURCE) -> Tree:
    """The package as it is on disk."""
    paths = sorted(source.rglob("*.py"))
    return dict(read_source(path.relative_to(source).as_posix(), path.read_text(encoding="utf-8")) for path in paths)


def read_source(path: str, text: str) -> tuple[str, Source]:
    """One file of the package, and the name of its module."""
    parts = ["discreet", *path.removesuffix(".py").split("/")]
    is_package = parts[-1] == "__init__"
    module = ".".join(parts[:-1] if is_package else parts)
    return module, Source(path, room_of(path), names_used(text, module, is_package=is_package))


def room_of(path: str) -> str:
    """The room in which a file stands."""
    within = next((place for place in (OWN_RECORDS, ESTIMATORS) if path == place or path.startswith(f"{place}/")), None)
    return within or path.split("/")[0].removesuffix(".py")


def target(name: str, tree: Tree) -> str | None:
    """The module of ours that a name belongs to: the longest part of the name that is one, planted or not."""
    parts = name.split(".")
    if parts[0] != "discreet":
        return None
    for length in range(len(parts), 1, -1):
        if ".".join(parts[:length]) in tree:
            return ".".join(parts[:length])
    missing_room = len(parts) > 1 and parts[1] in MAY_IMPORT
    return ".".join(parts[:2]) if missing_room else "discreet"


def origins(name: str, tree: Tree) -> Iterator[str]:
    """The modules behind a name: the one it is asked of, and those from which that one has it itself."""
    seen: set[str] = set()
    while (module := target(name, tree)) is not None and module not in seen:
        seen.add(module)
        yield module
        first = name.removeprefix(module).strip(".").split(".")[0]
        name = tree[module].names.aliases.get(first, "") if module in tree else ""


def room_of_module(module: str, tree: Tree) -> str:
    """The room of a module, also of one that is not in the tree."""
    if module == "discreet":
        return FRONT_DOOR
    return tree[module].room if module in tree else module.split(".")[1]


def import_offences(file: Source, tree: Tree) -> Iterator[tuple[int, str]]:
    """Rooms that a file may not import."""
    if file.room not in MAY_IMPORT:
        yield 1, f"say in tools/check_layers.py what {file.room} may import"
        return
    for use in file.names.uses:
        if use.relative:
            yield use.line, "write imports in full"
        if use.name.endswith(".*"):
            yield use.line, "name what is imported; a star cannot be checked"
        if use.name == UNREADABLE and file.room != FRONT_DOOR:
            yield use.line, "write out the name of the module; a computed one cannot be checked"
        for module in origins(use.name, tree):
            room = room_of_module(module, tree)
            own_records = room == OWN_RECORDS and (file.room, use.function) == OWN_RECORDS_IN
            if room != file.room and room not in MAY_IMPORT[file.room] and not own_records:
                yield use.line, f"{file.room} may not import {room}"
        if file.room == FRONT_DOOR and use.loads and use.name.startswith("discreet."):
            yield use.line, "the front door loads nothing of ours before it is asked"


def draws(name: str) -> bool:
    """Whether a name is NumPy's generator, or draws numbers with it or with one like it."""
    return f"{name}.".startswith("numpy.random.") or name.endswith(".rvs") or (name.startswith("flint.") and ".rand" in name)


def outside_offences(file: Source) -> Iterator[tuple[int, str]]:
    """Packages of others that a file may not use: random bits, what the kernel does not need, what is slow to load."""
    for use in file.names.uses:
        if file.path != BITS and any(use.name == source or use.name.startswith(f"{source}.") for source in RANDOMNESS):
            yield use.line, f"{use.name}: only {BITS} may touch a source of random bits"
        if draws(use.name) and not NUMPY_GENERATOR & {file.room, file.path}:
            yield use.line, f"{use.name}: a generator with a seed has no place on the way of a release"
        first = use.name.split(".")[0]
        if use.loads and first in LAZY and file.room not in {"cli", "plots", ESTIMATORS}:
            yield use.line, f"import {first} inside the function that uses it"
        known = KERNEL_THIRD_PARTY | sys.stdlib_module_names | {"discreet", "__import__", UNREADABLE}
        if file.room == "kernel" and first not in known and not first.startswith("/"):
            yield use.line, f"the kernel may not import {first}"


def edges(file: Source, tree: Tree) -> Iterator[str]:
    """Modules of ours that a file imports; a module's folders come with it, but for the front door, which loads nothing."""
    for use in file.names.uses:
        for module in origins(use.name, tree):
            parts = module.split(".")
            yield from (".".join(parts[:length]) for length in range(2, len(parts) + 1))


def reach_offences(tree: Tree) -> Iterator[str]:
    """For each room the shortest way to each room that it must not reach, through whatever files."""
    graph = {module: set(edges(file, tree)) for module, file in tree.items()}
    for room, forbidden in NEVER_REACHES.items():
        ways = {module: [tree[module].path] for module in tree if tree[module].room == room}
        waiting, told = list(ways), set()
        while waiting:
            module = waiting.pop(0)
            here = room_of_module(module, tree)
            if here in forbidden and here not in told:
                told.add(here)
                yield f"{room} reaches {here}: {' -> '.join(ways[module])}"
            if here == OWN_RECORDS or here in forbidden:
                continue
            for following in sorted(graph.get(module, set()) - ways.keys()):
                ways[following] = [*ways[module], tree[following].path if following in tree else following]
                waiting.append(following)


def loaded_with(module: str, tree: Tree) -> set[str]:
    """Modules of ours that a file needs before it has run itself, with their folders.

    The folder of the file itself is under way already: it counts only for who asks it for something.
    """
    asked = {target(use.name, tree) for use in tree[module].names.uses if use.loads} & tree.keys() - {"discreet", module}
    folders = {".".join(name.split(".")[:length]) for name in asked for length in range(2, name.count(".") + 1)}
    return asked | {folder for folder in folders & tree.keys() if not f"{module}.".startswith(f"{folder}.")}


def circle_offences(tree: Tree) -> Iterator[str]:
    """Files that load one another in a circle: whether they can be imported at all depends on which is asked for first."""
    waiting = {module: loaded_with(module, tree) for module in tree}
    while free := {module for module, before in waiting.items() if not before & waiting.keys()}:
        waiting = {module: before for module, before in waiting.items() if module not in free}
    if not waiting:
        return
    way = [min(waiting)]
    while way[-1] not in way[:-1]:
        way.append(min(waiting[way[-1]] & waiting.keys()))
    circle = way[way.index(way[-1]) :]
    yield f"files load one another in a circle: {' -> '.join(tree[module].path for module in circle)}"


def file_offences(file: Source, tree: Tree) -> list[str]:
    """All that is wrong with the imports of one file."""
    found = {*import_offences(file, tree), *outside_offences(file)}
    return [f"{file.path}:{line}: {reason}" for line, reason in sorted(found)]


def offences(tree: Tree) -> list[str]:
    """All that is wrong with the imports of a tree."""
    by_file = (offence for file in tree.values() for offence in file_offences(file, tree))
    return [*by_file, *reach_offences(tree), *circle_offences(tree)]


def main() -> int:
    """Print all offences; the exit code says whether there are any."""
    found = offences(read_tree())
    print("\n".join(found) if found else "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
