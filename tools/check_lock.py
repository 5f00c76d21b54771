"""Check the lock: it pins what pyproject.toml asks for, and what is installed here is what it pins."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "constraints.txt"


def pinned(lock: str) -> dict[str, str]:
    """The version of each package that the lock names for the Python that runs this."""
    versions: dict[str, str] = {}
    for line in filter(None, (line.partition("#")[0].strip() for line in lock.splitlines())):
        pin = Requirement(line)
        (only,) = pin.specifier
        if only.operator != "==" or "*" in only.version:
            raise ValueError(f"the lock has {line!r}, which allows more than one version")
        if pin.marker is None or pin.marker.evaluate():
            versions[canonicalize_name(pin.name)] = only.version
    return versions


def required(project: Mapping[str, Any]) -> Iterator[Requirement]:
    """Every requirement of pyproject.toml: to build, to run, of each extra and of each group."""
    about = project["project"]
    lists = [
        project["build-system"]["requires"],
        about["dependencies"],
        *about["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    asked = (Requirement(text) for texts in lists for text in texts)
    return (requirement for requirement in asked if requirement.name != about["name"])


def unlocked(project: Mapping[str, Any], versions: Mapping[str, str]) -> Iterator[str]:
    """Requirements that the lock leaves open or contradicts."""
    for requirement in required(project):
        version = versions.get(canonicalize_name(requirement.name))
        if version is None:
            yield f"{requirement} is not in the lock"
        elif version not in requirement.specifier:
            yield f"{requirement} is not met by the lock, which has {version}"


def strangers(project: Mapping[str, Any], versions: Mapping[str, str], installed: Mapping[str, str]) -> Iterator[str]:
    """Installed packages other than the project itself that the lock does not name, or not in this version."""
    for name, version in sorted(installed.items()):
        locked = versions.get(name)
        if name != project["project"]["name"] and (locked is None or Version(locked) != Version(version)):
            yield f"{name} {version} is installed, and the lock has {locked or 'no such package'}"


def main() -> int:
    """Print all offences; the exit code says whether there are any."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    versions = pinned(LOCK.read_text(encoding="utf-8"))
    installed = {canonicalize_name(found.metadata["Name"]): found.version for found in distributions()}
    missing, others = list(unlocked(project, versions)), list(strangers(project, versions, installed))
    if missing:
        print(*missing, "Bring the lock up to date with: make lock", sep="\n")
    if others:
        print(*others, "Install what the lock says with: make clean, and the same command again", sep="\n")
    if not missing and not others:
        print("lock: ok")
    return 1 if missing or others else 0


if __name__ == "__main__":
    sys.exit(main())
