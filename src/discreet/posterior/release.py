"""A release: a value with everything that must be said about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from discreet.errors import FormatError, ModelError
from discreet.guarantee import Caveat, Guarantee, Neighbours, Receipt

__all__ = ["MechanismRecord", "Release", "software"]

P = TypeVar("P")
Q = TypeVar("Q")


def software() -> str:
    """Name and version of this package, as releases carry it."""
    from discreet import __version__

    return f"discreet {__version__}"


@dataclass(frozen=True, slots=True)
class MechanismRecord:
    """Which mechanism made a release, with its inputs as exact text."""

    name: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Release(Generic[P]):
    """A value made from private records, with its guarantee, how it was made, what to beware of and the proof of payment."""

    value: P
    guarantee: Guarantee
    neighbours: Neighbours
    mechanism: MechanismRecord
    caveats: tuple[Caveat, ...]
    receipts: tuple[Receipt, ...]
    software: str

    @cached_property
    def posterior(self) -> Any:
        """The posterior to ask: one that knows about the noise, where statistics were released with noise; else the value."""
        from discreet.posterior.noise_aware import aware_of

        return aware_of(self.value)

    @property
    def plugin(self) -> P:
        """The released posterior that takes noisy statistics, repaired, for exact ones, as the paper does."""
        return self.value

    def map(self, function: Callable[[P], Q]) -> Release[Q]:
        """Post-processing: apply a function that does not see the private records. The guarantee stays as it is."""
        return cast("Release[Q]", replace(cast("Any", self), value=function(self.value)))

    def combine(self, other: Release[Q]) -> Release[tuple[P, Q]]:
        """Composition: both results together. The guarantees add, whether or not the records were the same."""
        if self.neighbours is not other.neighbours:
            raise ModelError("Releases under different notions of neighbouring data cannot be combined; keep them apart.")
        return Release(
            value=(self.value, other.value),
            guarantee=self.guarantee.compose(other.guarantee),
            neighbours=self.neighbours,
            mechanism=MechanismRecord("combination", {"first": self.mechanism.name, "second": other.mechanism.name}),
            caveats=tuple(dict.fromkeys(self.caveats + other.caveats)),
            receipts=self.receipts + other.receipts,
            software=self.software,
        )

    def update(self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None) -> Release[P]:
        """The release with records of one's own added, exactly, to be asked or saved like any other.

        It keeps guarantee and receipts, which are about the steward's records, and says how many nothing protects.
        """
        from discreet.posterior.update import update_release

        return cast("Release[P]", update_release(cast("Any", self), data, missing=missing, progress=progress))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the release file, whole or not at all; a file that exists stays, unless it is to be overwritten.

        The release was charged when it was made. Where it cannot be saved it is still here: save it to another place.
        """
        from discreet.posterior.release_file import save

        try:
            save(cast("Any", self), Path(path), overwrite=overwrite)
        except FormatError as error:
            error.add_note("The release itself is still in memory: save it to another place, it was charged when it was made.")
            raise
