"""The release file: JSON that the steward publishes and the third party reads, on another machine, perhaps years later.

Reading validates everything and executes nothing. Counts are integers and budgets are exact text; the numbers of the
posterior follow from them when the file is read. A digest finds edits and damage; it is no signature.

What every file says is declared here: guarantee, receipts, mechanism, caveats. What else it holds, its kind says.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import FormatError, ModelError
from discreet.guarantee import Caveat, Neighbours
from discreet.model.files.network_file import read_tables
from discreet.model.files.plain_shapes import Constant, Integer, OneOf, Text
from discreet.model.files.shape import Entry, ListOf, MapOf, Object
from discreet.model.files.strict_json import SIZE_LIMIT, json_list, json_object, parse_json, read_limited
from discreet.output_file import write_atomically
from discreet.posterior.given_prior import PriorLike
from discreet.posterior.point import PointPosterior
from discreet.posterior.posterior import Posterior
from discreet.posterior.running import Running
from discreet.release_file.kind import FileTerms, Kind
from discreet.release_file.kinds import kind_named, kind_of, makes, mechanism_names
from discreet.release_file.payment import GUARANTEE, RECEIPTS, check_payment, divide_payment
from discreet.release_file.units import guarantee_for_one, read_unit, unit_to_json
from discreet.releases import MechanismRecord, Release

if TYPE_CHECKING:
    from discreet.posterior import ReleasedPosterior

__all__ = ["FORMAT", "ROWS", "VERSION", "common_shape", "digest", "load", "read_posterior", "read_source"]
__all__ += ["read_value", "release_from_json", "release_text", "release_to_json", "save"]

FORMAT = "discreet-release"
VERSION = 1
_WORD = "[a-z][a-z0-9-]{0,99}"
"""What a mechanism is called, as a pattern."""

_CAVEAT = Object({"name": Text(), "text": Text()}, Caveat)
ROWS = Entry(Integer(1), "The number of rows", "The public number of private records, or of persons.")


def common_shape() -> Object:
    """The entries of every release, by the names that they have there, but for its value."""
    return Object(
        {
            "software": Entry(Text(), "The software", "Name and version of the program that made the release."),
            "guarantee": Entry(GUARANTEE, "The guarantee"),
            "neighbours": Entry(
                OneOf.of(Neighbours),
                says="Neighbouring data sets differ in one replaced record, or as the unit says; their number is public.",
                refusal="The release file names a notion of neighbouring data that is not known.",
            ),
            "mechanism": Entry(_mechanism(), "The mechanism"),
            "caveats": Entry(ListOf(Entry(_CAVEAT, "A caveat")), "The caveats"),
            "receipts": Entry(RECEIPTS, "The receipts"),
        },
        constants={
            "format": Constant(
                FORMAT, "This is not a release file of discreet: its format entry says otherwise. read_network reads networks."
            ),
            "version": Constant(VERSION, f"This release file has another version than {VERSION}. Update discreet to read it."),
        },
    )


def _mechanism() -> Object:
    """Any mechanism. Which there are, and which parameters each has, the kind of the statistics says."""
    word = Entry(Text(100), "The mechanism", also={"pattern": f"^{_WORD}$"})
    return Object({"name": word, "parameters": MapOf(Text())}, MechanismRecord)


def save(release: Release[Any], path: Path, *, overwrite: bool = False) -> None:
    """Write a release so that readers see the whole file or none."""
    write_atomically(path, release_text(release), overwrite=overwrite)


def release_text(release: Release[Any]) -> bytes:
    """What the file of a release holds. What could not be read again is refused here."""
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in release_to_json(release).items()]
    try:
        text = ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")
    except UnicodeError:
        raise FormatError("A name in the release is not valid Unicode text.") from None
    if len(text) > SIZE_LIMIT:
        raise FormatError(f"The release file would have more than {SIZE_LIMIT:,} bytes. Choose a smaller network.")
    release_from_json(parse_json(text))
    return text


def load(
    path: str | os.PathLike[str], *, prior: PriorLike | None = None, cache: bool = False, progress: bool = True
) -> Release[ReleasedPosterior]:
    """Read a release file and check every part of it. ``prior`` is one of your own, in the place of the one in the file.

    With ``cache`` what chains find out about the release is kept in the user's cache, as the command keeps it, and the next
    process answers at once. Without ``progress`` nobody is shown how far the chains are.
    """
    running = Running(cache, progress)
    content = _parse(path)
    if content is None:
        raise FormatError(f"{path}: this is not a release file, which is JSON. read_network reads networks.")
    return replace(_build(path, content, prior), running=running)


def _parse(path: str | os.PathLike[str]) -> object:
    """What a JSON file holds; None for a file of another kind."""
    content = read_limited(path)
    if not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return None
    try:
        return parse_json(content)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def _build(path: str | os.PathLike[str], content: object, prior: PriorLike | None) -> Release[Any]:
    """The release that a file describes, perhaps with another prior; messages name the file where it is to blame."""
    try:
        release = release_from_json(content)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    except ModelError as error:
        raise FormatError(f"{path}: the file describes an impossible model: {error}") from None
    return release if prior is None else release.with_prior(prior)


def release_to_json(release: Release[Any]) -> dict[str, Any]:
    """The content of the file, with the digest as its last entry."""
    kind = kind_of(release)
    release = release.with_own_caveat()
    parts = {"parts": [release_to_json(each) for each in release.parts]} if release.parts else {}
    content = {**common_shape().write(release), **unit_to_json(release.unit), **kind.write(release.value), **parts}
    return {**content, "digest": digest(content)}


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content without the digest itself, in a canonical spelling."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    except RecursionError:
        raise FormatError("The release file is nested too deeply.") from None
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def release_from_json(content: object) -> Release[Any]:
    """Check the content of a release file and build the release."""
    common = common_shape()
    given = content if isinstance(content, dict) else {}
    for name, constant in common.constants.items():  # before anything else: other formats have other entries
        constant.read(given.get(name), "The release")
    required = (*common.constants, *common.entries, "rows", "statistics", "digest")
    json_object(given, "The release", required, given)
    if given["digest"] != digest(given):
        raise FormatError("The release file was damaged or edited: its digest does not fit. Ask the steward for it again.")
    kind = _kind(given["statistics"])
    entries = json_object(given, "The release", (*required, *kind.entries), (*kind.optional, "unit"))
    said = {name: shape.read(entries[name], "The release") for name, shape in common.entries.items()}
    unit = read_unit(entries, said["neighbours"])
    _check_mechanism(said["mechanism"], kind)
    rows = ROWS.read(entries["rows"], "The release")
    parts = tuple(_read_part(*each) for each in enumerate(json_list(entries.get("parts", []), "The parts"), 1))
    own, before = divide_payment(said, "learning" in entries)
    earlier = None if before is None else guarantee_for_one(before, unit)
    value = kind.read(entries, FileTerms(guarantee_for_one(own, unit), said["mechanism"], rows, parts, earlier))
    check_payment(said["receipts"], said["guarantee"], parts)
    return Release(value, **said, unit=unit, parts=parts)


def _read_part(number: int, content: object) -> Release[Any]:
    """One of the releases that a file was fused from: a release file of its own, with its own digest."""
    if isinstance(content, dict) and "parts" in content:  # before it is read: no file can nest without end
        raise FormatError("A part of the release file has parts itself, which fusing never writes.")
    try:
        return release_from_json(content)
    except FormatError as error:
        raise FormatError(f"Part {number}: {error}") from None


def _kind(content: object) -> Kind:
    return kind_named(content.get("kind") if isinstance(content, dict) else None)


def _check_mechanism(mechanism: MechanismRecord, kind: Kind) -> None:
    """It makes releases of this kind, and has the parameters that it has."""
    if not kind.further and mechanism.name not in mechanism_names():
        raise FormatError("The mechanism in the release file is not known to this version. Update discreet to read it.")
    if not makes(mechanism.name, kind):
        raise FormatError(
            "The statistics in the release file are not those of its mechanism. Do not rely on it; ask the steward."
        )
    if mechanism.name in kind.mechanisms:
        json_object(mechanism.parameters, "The mechanism", kind.mechanisms[mechanism.name])
    elif not all(re.fullmatch(_WORD, word) for word in (mechanism.name, *mechanism.parameters)):
        raise FormatError("The mechanism must have a name, and names of parameters, of small letters, digits and hyphens.")


def read_posterior(
    path: str | Path, *, plugin: bool = False, prior: PriorLike | None = None, cache: bool = False
) -> Posterior:
    """Read the posterior of a network from a release file or a file with its probabilities (BIF or JSON)."""
    value = read_value(path, plugin=plugin, prior=prior, cache=cache)
    if not isinstance(value, Posterior):
        raise FormatError(f"{path}: the release is not about a network; load it with discreet.load.")
    return value


def read_value(path: str | Path, *, plugin: bool = False, prior: PriorLike | None = None, cache: bool = False) -> Any:
    """Read the posterior of a release, with ``plugin`` the one that takes noisy statistics for exact ones; or a network's."""
    found = read_source(path, prior=prior, cache=cache)
    if isinstance(found, Release):
        return found.plugin if plugin else found.posterior
    return found


def read_source(path: str | Path, *, prior: PriorLike | None = None, cache: bool = False) -> Release[Any] | PointPosterior:
    """Read a release, or a network with its probabilities, told by the content. ``cache`` is as for ``load``."""
    content = _parse(path)
    if isinstance(content, dict) and content.get("format") == FORMAT:
        return replace(_build(path, content, prior), running=Running(cache))
    if prior is not None:
        raise ModelError(f"{path}: this is a network with its probabilities, which has no prior. Leave prior=... out.")
    return PointPosterior(*read_tables(path))
