"""A release: a value with everything that must be said about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast, overload

from discreet.checks import check_path
from discreet.display import Display, Displayed, printable
from discreet.errors import FormatError, ModelError
from discreet.guarantee import Caveat, Guarantee, Neighbours, Receipt
from discreet.meaning import meaning
from discreet.posterior.added_records import OWN_RECORDS, add_records, own_caveat
from discreet.posterior.aware import aware_of
from discreet.posterior.dirichlet import DirichletPosterior
from discreet.posterior.given_prior import HOLDERS_PRIOR, PRIOR_RELEASE, PriorLike, change_prior, prior_caveats
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.posterior.running import USUAL, Running
from discreet.unit import RECORD, Unit
from discreet.version import __version__

__all__ = ["MechanismRecord", "Release", "software"]

P = TypeVar("P")
Q = TypeVar("Q")


def software() -> str:
    """Name and version of this package, as releases carry it."""
    return f"discreet {__version__}"


@dataclass(frozen=True, slots=True, repr=False)
class MechanismRecord:
    """Which mechanism made a release, with its inputs as exact text."""

    name: str
    parameters: Mapping[str, str]

    def __repr__(self) -> str:
        with_what = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        return f"<Mechanism {printable(f'{self.name}: {with_what}')}>"


class _PosteriorToAsk:
    """The posterior to ask: one that knows about the noise, where statistics were released with noise; else the value.

    Made when it is first asked for, and kept. A descriptor, because its type depends on what was released.
    """

    @overload
    def __get__(self, release: None, owner: object) -> Self: ...
    @overload
    def __get__(self, release: Release[DirichletPosterior], owner: object) -> NoiseAwarePosterior | DirichletPosterior: ...
    @overload
    def __get__(self, release: Release[P], owner: object) -> P: ...
    def __get__(self, release: Release[Any] | None, owner: object) -> Any:
        if release is None:
            return self
        release.__dict__["posterior"] = found = aware_of(release.value, release.running)
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Release(Displayed, Generic[P]):
    """A value made from private records, with its guarantee, how it was made, what to beware of and the proof of payment."""

    value: P
    guarantee: Guarantee
    neighbours: Neighbours
    mechanism: MechanismRecord
    caveats: tuple[Caveat, ...]
    receipts: tuple[Receipt, ...]
    software: str
    unit: Unit = RECORD
    """Whom the guarantee protects."""
    running: Running = USUAL
    """How the chains behind the posterior are run."""
    parts: tuple[Release[Any], ...] = ()
    """The releases that this one was fused from, as they were; none where it was made from records."""

    posterior = _PosteriorToAsk()

    if not TYPE_CHECKING:  # a type checker knows all attributes that there are

        def __getattr__(self, name: str) -> object:
            """Who asks a release for what its guarantee or its posterior knows is told so.

            Without a full stop at the end: Python may add a suggestion of its own, and begins that with one.
            """
            hint = ""
            if not name.startswith("_") and "value" in self.__dict__:
                if hasattr(self.guarantee, name):
                    hint = f". Ask its guarantee: release.guarantee.{name}"
                elif hasattr(self.posterior, name):
                    hint = f". Ask its posterior: release.posterior.{name}"
            raise AttributeError(f"A release has no attribute {name!r}{hint}")

    def _display(self) -> Display:
        # The kinds of files know releases; a release turns to them only to be shown or saved.
        from discreet.release_file.facts import declared_rows, facts

        headings, rows = declared_rows(self.value)
        return Display("Release", list(facts(self)), headings, rows, ["Ask its posterior; save(path) writes the file."])

    @property
    def meaning(self) -> str:
        """How much the release can change what is thought about one record, or about one person, in one sentence."""
        return meaning(self.guarantee, self.unit)

    @property
    def plugin(self) -> P:
        """The released posterior that takes noisy statistics, repaired, for exact ones, as the paper does."""
        return self.value

    def to_datatree(self, *arguments: Any, **settings: Any) -> Any:
        """As ``posterior.to_datatree``: draws as an ``xarray.DataTree``, whose attributes say what was released."""
        from discreet.release_file.document import release_to_json

        tree = cast("Any", self.posterior).to_datatree(*arguments, **settings)
        digest = release_to_json(cast("Any", self))["digest"]
        tree.attrs |= {"guarantee": str(self.guarantee), "mechanism": self.mechanism.name, "digest": digest}
        tree["posterior"].attrs |= tree.attrs
        return tree

    def map(self, function: Callable[[P], Q]) -> Release[Q]:
        """Post-processing: apply a function that does not see the private records. The guarantee stays as it is."""
        if not callable(function):
            raise ModelError("map applies a function to the value: write release.map(function).")
        return cast("Release[Q]", replace(cast("Any", self), value=function(self.value)))

    def combine(self, other: Release[Q]) -> Release[tuple[P, Q]]:
        """Composition: both results together. The guarantees add, whether or not the records were the same."""
        if not isinstance(other, Release):
            raise ModelError("Only releases can be combined; this is none.")
        if self.neighbours is not other.neighbours or self.unit != other.unit:
            raise ModelError("Releases under different notions of neighbouring data cannot be combined; keep them apart.")
        return Release(
            value=(self.value, other.value),
            guarantee=self.guarantee.compose(other.guarantee),
            neighbours=self.neighbours,
            mechanism=MechanismRecord("combination", {"first": self.mechanism.name, "second": other.mechanism.name}),
            caveats=tuple(dict.fromkeys(self.caveats + other.caveats)),
            receipts=self.receipts + other.receipts,
            software=self.software,
            unit=self.unit,
        )

    def update(self, data: Any, *, missing: str | None = None, progress: Callable[[int], None] | None = None) -> Release[P]:
        """The release with records of one's own added, exactly, to be asked or saved like any other.

        It keeps guarantee and receipts, which are about the steward's records, and says how many nothing protects.
        """
        added = self.map(lambda posterior: add_records(posterior, data, missing=missing, progress=progress))
        return added.with_own_caveat()

    def with_prior(self, prior: PriorLike) -> Release[P]:
        """The release with a prior of one's own, to be asked or saved like any other: ``"jeffreys"``, ``BDeu(10)`` and so on.

        It keeps guarantee and receipts, since noisy counts do not depend on the prior, and says that this one is not the
        steward's. Where the prior is a public posterior, records that are in both releases count twice.
        """
        changed = self.map(lambda posterior: change_prior(posterior, prior))
        if cast("Any", changed.value).prior == cast("Any", self.value).prior:
            return self
        kept = (each for each in self.caveats if each.name not in (HOLDERS_PRIOR.name, PRIOR_RELEASE.name))
        return replace(changed, caveats=(*kept, HOLDERS_PRIOR, *prior_caveats(prior)))

    def with_own_caveat(self) -> Release[P]:
        """The release, saying how many records of its holder it has, if any."""
        caveat = own_caveat(self.value)
        if caveat is None:
            return self
        kept = tuple(each for each in self.caveats if each.name != OWN_RECORDS)
        return replace(self, caveats=(*kept, caveat))

    def to_html(self, *, file: str = "release.json") -> str:
        """The release as one HTML page that answers questions offline; ``file`` is how its examples call the release file.

        Write it with ``Path("clinic.html").write_text(release.to_html(), encoding="utf-8")``.
        """
        # As above: a release turns to its page when somebody wants to see it.
        from discreet.page.document import make_page

        return make_page(self, check_path(file))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the release file, whole or not at all; a file that exists stays, unless it is to be overwritten.

        The release was charged when it was made. Where it cannot be saved it is still here: save it to another place.
        """
        # As above: a release turns to its files when it needs them.
        from discreet.release_file.document import save

        try:
            save(cast("Any", self), Path(check_path(path)), overwrite=overwrite)
        except FormatError as error:
            error.add_note("The release itself is still in memory: save it to another place, it was charged when it was made.")
            raise
