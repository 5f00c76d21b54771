"""The release file: JSON that the steward publishes and the third party reads, on another machine, perhaps years later.

Reading validates everything and executes nothing. Counts are integers and budgets are exact text; the numbers of the
posterior follow from them when the file is read. A digest finds edits and damage; it is no signature.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import FormatError, ModelError
from discreet.model.files.strict_json import SIZE_LIMIT, parse_json, read_limited
from discreet.output_file import write_atomically
from discreet.releases import Release

if TYPE_CHECKING:
    from discreet.posterior.released import ReleasedPosterior

__all__ = ["FORMAT", "VERSION", "digest", "load", "release_text", "release_to_json", "save"]

FORMAT = "discreet-release"
VERSION = 1


def save(release: Release[Any], path: Path, *, overwrite: bool = False) -> None:
    """Write a release so that readers see the whole file or none."""
    write_atomically(path, release_text(release), overwrite=overwrite)


def release_text(release: Release[Any]) -> bytes:
    """What the file of a release holds. What could not be read again is refused here."""
    from discreet.release_file.reader import release_from_json

    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in release_to_json(release).items()]
    try:
        text = ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")
    except UnicodeError:
        raise FormatError("A name in the release is not valid Unicode text.") from None
    if len(text) > SIZE_LIMIT:
        raise FormatError(f"The release file would have more than {SIZE_LIMIT:,} bytes. Choose a smaller network.")
    release_from_json(parse_json(text))
    return text


def load(path: str | os.PathLike[str]) -> Release[ReleasedPosterior]:
    """Read a release file and check every part of it."""
    from discreet.release_file.reader import release_from_json

    content = read_limited(path)
    if not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        raise FormatError(f"{path}: this is not a release file, which is JSON. read_network reads networks.")
    try:
        return release_from_json(parse_json(content))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    except ModelError as error:
        raise FormatError(f"{path}: the file describes an impossible model: {error}") from None


def release_to_json(release: Release[Any]) -> dict[str, Any]:
    """The content of the file, with the digest as its last entry."""
    from discreet.release_file.common import common_shape
    from discreet.release_file.kinds import kind_of

    kind = kind_of(release)
    release = release.with_own_caveat()
    content = {**common_shape().write(release), **kind.write(release.value)}
    return {**content, "digest": digest(content)}


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content without the digest itself, in a canonical spelling."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    except RecursionError:
        raise FormatError("The release file is nested too deeply.") from None
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
