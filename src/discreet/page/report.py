"""What a report says: the content of a page for reading and printing, in the order in which a board asks.

Here it is found and put into words, once; ``report_html`` and ``report_markdown`` write it down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from discreet.model.network import Network
from discreet.page.answers import INTERVAL, Summary, answer, rough, rough_rows, summarise_table
from discreet.page.draws import Draws, draw_tables
from discreet.page.layout import Layout, lay_out
from discreet.page.payload import about, agreement_limit, check_shown, warnings_of
from discreet.page.room import Room, find_room, too_large
from discreet.releases import Release

__all__ = ["WEAKNESSES", "Block", "Facts", "Figure", "Graph", "Lines", "Report", "Section", "Table", "make_report", "percent"]

_MOST_ROWS = 3000
"""Rows of conditional tables that are printed; whoever needs more asks for a table by its node."""
_MOST_ASKED = 120
"""Nodes whose own probabilities are computed: each takes an elimination of all draws."""

WEAKNESSES = (
    ("The number of records is public.", "It is published exactly, and no noise hides it."),
    ("The declaration is public.", "Variables, levels, graph and prior must not have been read off the records."),
    (
        "Intervals believe the prior.",
        "They hold the truth as often as they say where it is as the prior expects; elsewhere less.",
    ),
    ("Intervals know the noise, up to approximations.", "They may be a little too wide or too narrow."),
    ("A digest is not a signature.", "It finds damage and careless edits, not a forgery: verify the steward's signature."),
    (
        "The ledger trusts its owner.",
        "Receipts say what was charged there; nobody can see from here that nothing else was published.",
    ),
)
"""What no guarantee covers and a reader should know: sentences of docs/known-weaknesses.md, each with its shortest reason."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A probability with the ends of its interval and the share of it that is privacy, where these are known."""

    probability: float
    lower: float | None = None
    upper: float | None = None
    privacy: float | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what is true of them."""

    entries: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each a paragraph, or an entry of a list."""

    texts: Sequence[str]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose columns from ``words`` on hold numbers."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int
    figures: Sequence[Figure] = ()
    """Of each row, to be drawn where there is room for a picture."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The arrows of a network, as a picture or in words."""

    network: Network
    layout: Layout


Block: TypeAlias = Facts | Lines | Table | Graph


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """All of it."""

    title: str
    lead: Sequence[str]
    sections: Sequence[Section]


def make_report(release: Release[Any], file: str, posterior: Any = None) -> Report:
    """The content of the report of a release. ``file`` is how examples call the release file."""
    posterior, said = check_shown(release) if posterior is None else posterior, about(release)
    lead = [said["lead"], f"{said['guarantee']}. {said['meaning']}"]
    digest = [("digest", said["digest"])] if said["digest"] else []
    shown = [(name, fact) for name, fact in said["facts"] if name not in ("guarantee", "it means")]
    model = list(_network(posterior, file)) if isinstance(posterior.model, Network) else list(_linear(posterior))
    sections = [
        *model,
        Section("Known weaknesses", [Lines([f"{lead} {reason}" for lead, reason in WEAKNESSES], listed=True)]),
        Section("About this release", [Facts([*shown, *digest])]),
        Section("How to go on", [Lines(_go_on(posterior, file))]),
    ]
    return Report(said["subject"], lead + warnings_of(release, posterior), sections)


def _network(posterior: Any, file: str) -> Iterator[Section]:
    network = posterior.network
    sizes = {node: (min(14.0 + 7.6 * len(node), 190.0), 26.0) for node in network.nodes}
    yield Section("The network", [Graph(network, lay_out(network.parents, sizes))])
    if too_large(network):
        yield Section(
            "Probabilities", [Lines([f"Too many to print: {network.cells:,}. `discreet show {file} NODE` has a table."])]
        )
        return
    room = find_room(network)
    draws = draw_tables(posterior, room.draws)
    chains = _Chains(posterior.chains, agreement_limit(posterior, draws.outer))
    yield Section("How probable each level is", list(_marginals(draws, room, chains)))
    yield Section("Conditional probabilities", list(_tables(draws, file, chains)))


@dataclass(frozen=True, slots=True)
class _Chains:
    """How many there are, and the R-hat above which they do not agree, if anybody can tell."""

    count: int
    limit: float | None

    def rough(self, draws: Draws, node: str) -> bool:
        """Whether they do not agree on how probable the levels of a node are."""
        return self.limit is not None and rough(draws, node, {}, self.count) > self.limit

    def rough_rows(self, draws: Draws, node: str) -> Sequence[bool]:
        """The same of each row of its table."""
        if self.limit is None or not draws.steps:
            return [False] * len(draws.mean[node])
        return [found > self.limit for found in rough_rows(draws, node, self.count).tolist()]


def _marginals(draws: Draws, room: Room, chains: _Chains) -> Iterator[Block]:
    network = draws.network
    if room.wide or len(network.nodes) > _MOST_ASKED:
        yield Lines(["Not printed for a network of this size; the tables below are what all answers follow from."])
        return
    rows, figures = [], []
    for variable in network.variables:
        found, unsure = answer(draws, variable.name, {}), chains.rough(draws, variable.name)
        for place, level in enumerate(variable.shown_levels):
            figures.append(_figure(found, (place,)))
            rows.append((variable.shown_name if place == 0 else "", level, *_words(figures[-1], unsure)))
    yield Table("", ("node", "level", *_headings(draws)), rows, 2, figures)
    if draws.steps:
        yield Lines([_split_words(draws, chains)])


def _tables(draws: Draws, file: str, chains: _Chains) -> Iterator[Block]:
    network, left = draws.network, _MOST_ROWS
    skipped = []
    for family in network.families:
        if family.configurations * family.levels > left:
            skipped.append(family.node)
            continue
        left -= family.configurations * family.levels
        found, unsure = summarise_table(draws, family.node), chains.rough_rows(draws, family.node)
        places = product(*(range(size) for size in family.shape))
        levels = [network.variable(member).shown_levels for member in family.members]
        rows = []
        for number, place in enumerate(places):
            words = [names[level] for names, level in zip(levels, place, strict=True)]
            row = divmod(number, family.levels)
            rows.append((*words, *_words(_figure(found, row), unsure[row[0]])))
        yield Table("", (*family.members, *_headings(draws)), rows, len(family.members))
    if skipped:
        yield Lines([f"Too long to print: {', '.join(skipped)}. `discreet show {file} NODE` prints one."])


def _headings(draws: Draws) -> tuple[str, ...]:
    if not draws.steps:
        return ("probability",)
    return ("probability", f"{100 * INTERVAL:.0f} % interval", *(("privacy",) if draws.inner > 1 else ()))


def _figure(found: Summary, place: tuple[int, ...]) -> Figure:
    lower, upper, privacy = (
        part if part is None else float(part[place]) for part in (found.lower, found.upper, found.privacy)
    )
    return Figure(float(found.probability[place]), lower, upper, privacy)


def _words(figure: Figure, unsure: bool) -> Iterator[str]:
    yield percent(figure.probability)
    if figure.lower is None or figure.upper is None:
        return
    yield f"{_bare(figure.lower)} to {percent(figure.upper)}{' †' if unsure else ''}"
    if figure.privacy is not None:
        yield "-" if figure.lower == figure.upper else f"{100 * figure.privacy:.0f} %"


def _split_words(draws: Draws, chains: _Chains) -> str:
    split = (
        " Privacy is the share of an interval, by variance, that noise causes; sampling causes the rest. In a picture the "
        "thick part of a whisker is what sampling leaves open, the thin part what privacy adds."
        if draws.inner > 1
        else ""
    )
    doubt = "" if chains.limit is None else " Chains do not agree on what is marked †: take that interval as rough."
    return f"Intervals come from {draws.count:,} draws.{split}{doubt}"


def _linear(posterior: Any) -> Iterator[Section]:
    headings, rows = posterior.summary(INTERVAL).table()
    blocks: list[Block] = [Table(f"Coefficients of {posterior.model.target.name}", headings, rows, 1)]
    if hasattr(posterior, "spreads"):
        parts = [(each.name, f"{each.records:,.4g}", f"{each.privacy:,.4g}") for each in posterior.spreads()]
        caption = "Why they are not known exactly: standard deviations, which add as squares"
        blocks.append(Table(caption, ("coefficient", "sampling", "privacy"), parts, 1))
    yield Section("The line", blocks)


def _go_on(posterior: Any, file: str) -> list[str]:
    if isinstance(posterior.model, Network):
        sets = (
            f"`discreet sample {file} --datasets 20 --rows 1000` draws synthetic records to analyse, each set with its own "
            "draw of the parameters; intervals computed from a single set are too narrow."
        )
        return [
            f"`discreet query {file} NODE --given OTHER=LEVEL` answers a question. No question costs anybody's privacy.",
            f"`discreet page {file} -o page.html` makes a page on which levels can be clicked.",
            *([] if posterior.without_spread is not None else [sets]),
        ]
    return [f"`discreet predict {file} records.csv` predicts; `discreet page {file} -o page.html` makes a page with a form."]


def percent(probability: float) -> str:
    """As on the page: what is possible is not rounded to impossible."""
    return f"{_bare(probability)} %"


def _bare(probability: float) -> str:
    value = 100 * probability
    if not value > 0:
        return "0"
    if value < 0.001:
        return "< 0.001"
    if value < 99.95:
        return f"{value:.{3 if value < 0.1 else 2 if value < 0.995 else 1}f}"
    if value < 99.9995:
        return f"{value:.{2 if value < 99.995 else 3}f}"
    return "> 99.999" if value < 100 else "100"
