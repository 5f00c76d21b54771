"""Kinds of release: what a file of each kind holds, how it is written and how it is checked.

A kind lives in one file and is listed in ``kinds``; the rest of a release file is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from discreet.model.files.shape import Object
from discreet.model.files.strict_json import json_fraction
from discreet.releases import MechanismRecord, Release

__all__ = ["NOISE_MISFIT", "Kind", "FileTerms", "approximate_budget", "pure_epsilon", "zcdp_rho"]

NOISE_MISFIT = "The noise in the release file does not fit its guarantee. Do not rely on it; ask the steward."


@dataclass(frozen=True, slots=True)
class FileTerms:
    """What the common part of a release file says, each for itself in order. A kind checks that its own part fits."""

    guarantee: Guarantee
    mechanism: MechanismRecord
    rows: int
    parts: tuple[Release[Any], ...] = ()
    """The releases that the file was fused from, each checked by itself."""
    learning: Guarantee | None = None
    """What was paid on the way to a learned graph; the guarantee is that of the release itself."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of release, named in the file's ``statistics``."""

    statistics: Object
    """The shape of what was released; its constant ``kind`` is the name."""
    mechanisms: Mapping[str, tuple[str, ...]]
    """Those that make such releases, with the names of all their parameters."""
    entries: tuple[str, ...]
    """What the file holds besides the common part, such as ``network`` and ``prior``."""
    holds: Callable[[object], bool]
    """Whether a release with this value is of this kind."""
    write: Callable[[Any], dict[str, Any]]
    """The entries of a value, with ``rows`` and ``statistics``, as JSON can carry them."""
    read: Callable[[Mapping[str, Any], FileTerms], Any]
    """The value from all entries of a file; a FormatError unless it is exactly as it should be and keeps the terms."""
    describe: Callable[[Any], dict[str, Any]]
    """Facts about a value, as JSON can carry them: ``rows`` and whatever a reader wants to know first."""
    optional: tuple[str, ...] = ()
    """Entries that the file may hold."""
    further: bool = False
    """Whether mechanisms that no kind lists make such releases, too: where ``read`` checks by the law of the noise alone that
    the guarantee was paid for, it need not know who chose what to measure."""

    @property
    def name(self) -> str:
        """The name by which a file tells its kind."""
        return str(self.statistics.constants["kind"].value)


def pure_epsilon(terms: FileTerms) -> Fraction:
    """The epsilon of a pure guarantee, which must be the one that the mechanism was given."""
    if not isinstance(terms.guarantee, PureDP) or _given(terms, "epsilon") != terms.guarantee.epsilon:
        raise _misfit()
    return terms.guarantee.epsilon


def zcdp_rho(terms: FileTerms) -> Fraction:
    """The rho of a zero-concentrated guarantee, which must be the one that the mechanism was given."""
    if not isinstance(terms.guarantee, ZCDP) or _given(terms, "rho") != terms.guarantee.rho:
        raise _misfit()
    return terms.guarantee.rho


def approximate_budget(terms: FileTerms) -> tuple[Fraction, Fraction]:
    """Epsilon and delta of an approximate guarantee, which must be those that the mechanism was given."""
    guarantee = terms.guarantee
    if not isinstance(guarantee, ApproxDP):
        raise _misfit()
    if (_given(terms, "epsilon"), _given(terms, "delta")) != (guarantee.epsilon, guarantee.delta):
        raise _misfit()
    return guarantee.epsilon, guarantee.delta


def _given(terms: FileTerms, name: str) -> Fraction:
    return json_fraction(terms.mechanism.parameters.get(name), "The mechanism")


def _misfit() -> FormatError:
    return FormatError("The mechanism in the release file does not fit its guarantee. Do not rely on it; ask the steward.")
