"""Run all benchmarks, print the tables, and write results.json and docs/performance.md; or only print those that are named.
With ``--renew`` those that are named take the place of their older rows in both files.

Each benchmark runs in a process of its own, so one that fails, or a peer that takes it down, costs its rows and no others.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .page import TITLES, page, table
from .results import OURS, Results, Row, read_results, renewed, write_results

_FOLDER = Path(__file__).parent
_RESULTS, _PAGE = _FOLDER / "results.json", _FOLDER.parent / "docs" / "performance.md"
CROWDED = " They are more than its cores: times are longer than they would be alone, and ratios are rough."
_PACKAGES = ("discreet", "numpy", "polars", "pgmpy", "pyAgrum", "mbi", "scikit-learn", "opendp")


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(TITLES)}; all when none is named")
    parser.add_argument("--into", type=Path, help="where to write the rows of one benchmark that runs in this process")
    parser.add_argument("--renew", action="store_true", help="put what is measured now into the files, in place of the older")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in TITLES]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(TITLES)}")
    if arguments.into is not None:
        _here(arguments.names[0], arguments.into)
        return 0
    note = _note()
    rows = [row for name in arguments.names or TITLES for row in _apart(name)]
    if arguments.renew or not arguments.names:
        made = _results(rows)
        write_results(renewed(read_results(_RESULTS), made, note) if arguments.names else made, _RESULTS)
        _PAGE.write_text(page(read_results(_RESULTS)), encoding="utf-8")
        print(f"wrote {_RESULTS.relative_to(_FOLDER.parent)} and {_PAGE.relative_to(_FOLDER.parent)}")
    return 0


def _here(name: str, into: Path) -> None:
    logging.disable()
    warnings.simplefilter("ignore")  # peers warn about themselves
    rows = import_module(f"benchmarks.{name}").run()
    write_results(Results("", {}, tuple(rows)), into)


def _apart(name: str) -> list[Row]:
    """Run one benchmark in a process of its own and print its table."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "rows.json"
        done = subprocess.run([sys.executable, "-m", "benchmarks", name, "--into", str(into)], check=False)
        if into.exists():
            rows = list(read_results(into).rows)
        else:
            rows = [Row(name, "all", OURS, reason=f"the benchmark failed with status {done.returncode}")]
    print(f"\n{TITLES[name]} ({time.perf_counter() - start:.0f} s)\n")
    print("\n".join(table(rows, _results(rows), aligned=True)), flush=True)
    return rows


def _note() -> str:
    """When and with what some benchmarks are measured again, and how busy the machine is before they begin."""
    versions = ", ".join(f"{name} {version}" for name, version in _results([]).versions.items() if version != "not installed")
    load, cores = os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0, os.cpu_count() or 1
    busy = f" Before it began, {load:.1f} processes were at work on the machine."
    said = busy + (CROWDED if load > cores else "") if load else ""
    return f"Measured apart from the rest, on {time.strftime('%Y-%m-%d')}.{said} Versions: {versions}."


def _results(rows: list[Row]) -> Results:
    versions = {"Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return Results(f"{os.cpu_count()} cores, {_processor()}", versions, tuple(rows))


def _processor() -> str:
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


if __name__ == "__main__":
    sys.exit(main())
