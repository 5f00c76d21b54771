"""Files that hold a posterior: a release, or a network whose probabilities are written out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discreet.errors import FormatError, ModelError
from discreet.model.files.network_file import read_tables
from discreet.model.files.strict_json import parse_json, read_limited
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior
from discreet.release_file.common import FORMAT

__all__ = ["read_posterior", "read_value"]


def read_posterior(path: str | Path, *, plugin: bool = False) -> Posterior:
    """Read the posterior of a network from a release file or a file with its probabilities (BIF or JSON)."""
    value = read_value(path, plugin=plugin)
    if not isinstance(value, Posterior):
        raise FormatError(f"{path}: the release is not about a network; load it with discreet.load.")
    return value


def read_value(path: str | Path, *, plugin: bool = False) -> Any:
    """Read what a release file holds, or a network with its probabilities (BIF or JSON), told by the content.

    The posterior of a release knows about its noise; with ``plugin`` it takes the noisy statistics for exact ones.
    """
    from discreet.release_file.document import release_from_json

    content = read_limited(path)
    if not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return PointPosterior(*read_tables(path))
    try:
        parsed = parse_json(content)
        if isinstance(parsed, dict) and parsed.get("format") == FORMAT:
            release = release_from_json(parsed)
            return release.plugin if plugin else release.posterior
    except (FormatError, ModelError) as error:
        raise FormatError(f"{path}: {error}") from None
    return PointPosterior(*read_tables(path))
