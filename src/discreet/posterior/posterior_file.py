"""Files that hold a posterior: a release, or a network whose probabilities are written out."""

from __future__ import annotations

from pathlib import Path

from discreet.errors import FormatError, ModelError
from discreet.model.network_file import read_tables
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior
from discreet.posterior.release_file import FORMAT
from discreet.strict_json import parse_json, read_limited

__all__ = ["read_posterior"]


def read_posterior(path: str | Path) -> Posterior:
    """Read the posterior of a release file, or a network with its probabilities (BIF or JSON), told by the content."""
    from discreet.posterior.release_reader import release_from_json

    content = read_limited(path)
    if not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return PointPosterior(*read_tables(path))
    try:
        parsed = parse_json(content)
        if isinstance(parsed, dict) and parsed.get("format") == FORMAT:
            return _of_a_network(release_from_json(parsed).value)
    except (FormatError, ModelError) as error:
        raise FormatError(f"{path}: {error}") from None
    return PointPosterior(*read_tables(path))


def _of_a_network(value: object) -> Posterior:
    if not isinstance(value, Posterior):
        raise FormatError("the release is not about a network; load it with discreet.load.")
    return value
