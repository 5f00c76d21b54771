"""`discreet cache`: what commands keep of releases that were asked before, and how to be rid of it."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.options import AsJson
from discreet.cli.render import note, print_facts, print_json

__all__ = ["cache"]


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all that is kept.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say where results of questions to releases are kept, how many there are and how large they are; or remove them.

    Kept is what follows from a release file alone, never anything of records of your own.

    Example: discreet cache --clear
    """
    from discreet.cache.folder import VARIABLE, find_cache

    found = find_cache()
    removed = found.clear() if found is not None and clear else None
    sizes = [] if found is None else [state.st_size for _, state in found.entries()]
    folder, largest = (None, None) if found is None else (str(found.folder), found.largest)
    if as_json:
        print_json({"folder": folder, "entries": len(sizes), "bytes": sum(sizes), "largest": largest, "removed": removed})
        return
    if removed is not None:
        note(f"Removed: {removed:,}.")
    if folder is None or largest is None:
        note(f"Nothing is kept: {VARIABLE} says off, or there is no home folder. {VARIABLE}=FOLDER names a place.")
        return
    room = f"{sum(sizes) / 2**20:,.1f} MB of at most {largest / 2**20:,.0f} MB"
    print_facts([("folder", folder), ("entries", f"{len(sizes):,}"), ("size", room)])
    if found is not None and not found.usable:
        note(f"Nothing new is kept: this is no folder that you, and only you, can write to. {VARIABLE}=FOLDER names another.")
