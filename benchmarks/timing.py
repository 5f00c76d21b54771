"""Taking times in turn, and memory in processes of their own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from .results import OURS, Goal, Row

__all__ = ["Contenders", "measured", "peak_megabytes", "seconds", "separately", "told_apart"]

Contenders: TypeAlias = Mapping[str, Callable[[], Callable[[], Any]]]
"""Name -> what sets a contender up, outside the clock, and gives back the work to be timed."""

_ROOT = Path(__file__).parents[1]
REPEATS = 5


def seconds(work: Callable[[], Any]) -> float:
    """How long one call takes; what it returns is kept until the clock has stopped."""
    start = time.perf_counter()
    kept = work()
    taken = time.perf_counter() - start
    del kept
    return taken


def measured(
    benchmark: str, case: str, contenders: Contenders, goals: Mapping[str, Goal], repeats: int = REPEATS
) -> list[Row]:
    """Time contenders in turn. One that fails gets a row with the reason instead.

    A turn is two calls, and the second is timed: what the contender before it pushed out of the caches, or handed back to
    the system, must not be charged to the one whose turn comes next.
    """
    works, reasons = {}, {}
    for name, set_up in contenders.items():
        try:
            works[name] = set_up()
            works[name]()  # also what is imported or planned once
        except Exception as error:
            if name == OURS:
                raise
            works.pop(name, None)
            reasons[name] = _first_line(error)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            work()
            before = time.process_time()
            times[name].append((seconds(work), time.process_time() - before))
    return [
        Row(benchmark, case, name, goal=goals.get(name), reason=reasons.get(name, ""), **_milliseconds(times.get(name, [])))
        for name in contenders
    ]


def _milliseconds(turns: list[tuple[float, float]]) -> dict[str, float]:
    """The median and the fastest of some turns, and the least time of the processor."""
    if not turns:
        return {}
    taken, processor = zip(*turns, strict=True)
    found = {"milliseconds": statistics.median(taken), "fastest": min(taken), "processor": min(processor)}
    return {name: value * 1e3 for name, value in found.items()}


def separately(work: str, *arguments: str | Path) -> tuple[float, float, float]:
    """Run one of the works of ``alone.py`` in a fresh process.

    Its milliseconds by the clock, imports left out, its peak megabytes, and its milliseconds of the processor.
    """
    answer = told_apart("alone", [work, *map(str, arguments)])
    return answer["milliseconds"], answer["megabytes"], answer["processor"]


def told_apart(
    module: str, arguments: Sequence[str], settings: Mapping[str, str] | None = None, longest: float | None = None
) -> dict[str, Any]:
    """What one of the files here prints last, in a fresh process. One that fails, or takes too long, is a RuntimeError."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    environment = os.environ | dict(settings or {})
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, text=True, check=False, env=environment, timeout=longest
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no answer in {longest:g} s") from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
        raise RuntimeError(f"{arguments[0]} failed: {said}"[:200].replace("|", "/"))
    return json.loads(done.stdout.splitlines()[-1])


def peak_megabytes() -> float:
    """The most memory that this process has held.

    Linux hands the peak of the starting process down to what ``getrusage`` says of the started one, so ask the kernel for
    the peak of this address space where it can be asked.
    """
    import resource

    status = Path("/proc/self/status")
    if status.exists():
        line = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM:")), None)
        if line is not None:
            return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024


def _first_line(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {text}"[:120].replace("|", "/")
