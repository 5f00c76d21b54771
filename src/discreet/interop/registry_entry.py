"""An entry of the Differential Privacy Deployments Registry, filled from a release and its receipts.

The registry (opendp/deployments-registry-data, its schema of July 2026) is a public list of who publishes what with which
guarantee. What a release knows stands in the entry; what only the steward knows is left to her and marked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from discreet.display import listed
from discreet.errors import FormatError, of_kind
from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, balance, decimal
from discreet.interop.yaml_text import Entries, write_yaml
from discreet.output_file import write_atomically
from discreet.posterior.added_records import OWN_RECORDS
from discreet.release_file.document import release_to_json
from discreet.release_file.facts import NEIGHBOURS
from discreet.release_file.kinds import kind_of
from discreet.releases import Release
from discreet.unit import Unit, UnitKind

__all__ = ["BLANK", "blanks", "registry_entry", "write_registry_entry"]

BLANK = "TO FILL IN"
"""Begins what the steward has to write."""
_COLUMNS = 30
"""Columns that an entry names; the release file has all."""

_HEAD = f"""\
url_slug: {BLANK}
# An entry for the Differential Privacy Deployments Registry (github.com/opendp/deployments-registry-data), tier 3.
# What stands here follows from the release file. Replace every "{BLANK}" by what only you know, and read the rest:
# you publish it. Then give the file a name of small letters, digits and underscores, and propose it there. The first
# line must stay the first, without quotation marks: scripts/update_slug.py of the registry fills it in.
"""


def write_registry_entry(release: Release[Any], path: str | os.PathLike[str], *, overwrite: bool = False) -> tuple[str, ...]:
    """Write an entry for the registry of deployments, as YAML, and return the names of what is left to fill in."""
    entry = registry_entry(release)
    rest = {name: value for name, value in entry.items() if name != "url_slug"}
    write_atomically(path, _HEAD + write_yaml(rest), overwrite=overwrite)
    return tuple(blanks(entry))


def blanks(entries: Entries, within: str = "") -> Iterator[str]:
    """Names of the entries that are the steward's to write, wholly or in part, with dots between the levels."""
    for name, value in entries.items():
        if isinstance(value, Mapping):
            yield from blanks(value, f"{within}{name}.")
        elif BLANK in (value if isinstance(value, str) else str(value)):
            yield within + name


def registry_entry(release: Release[Any]) -> Entries:
    """The entry as plain values, in the order of the registry's schema."""
    if not isinstance(release, Release):
        raise FormatError(f"{of_kind(release)} is no release: load a release file with discreet.load.")
    facts = kind_of(release).describe(release.value)
    return {
        "url_slug": BLANK,
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": _basic(release, facts),
            "dp_variant": _variant(release, facts),
            "privacy_loss": _loss(release),
            "deployment_model": _model(release),
            "accounting": _accounting(release),
            "implementation": _implementation(release, facts),
            "administrative": _administrative(release),
        },
    }


def _basic(release: Release[Any], facts: dict[str, Any]) -> Entries:
    noisy, model = "noise" in facts or bool(release.parts), release.value.model
    held = "statistics with noise, from which the posterior of its parameters follows" if noisy else "drawn parameters"
    held = f"{len(release.parts)} release files, each with {held}" if release.parts else held
    about = f"{facts['rows']:,} {release.unit.noun}s and {len(model.kind.rows(model)):,} declared columns"
    return {
        "name": f"{BLANK}: what the data product is called",
        "data_curators": [f"{BLANK}: who publishes it"],
        "intended_use": f"{BLANK}: what it is for",
        "data_product_type": "Summary statistics" if noisy else "Machine learning model",
        "data_product_region": f"{BLANK}: which region the records are about, or whose laws apply",
        "description": _paragraphs(
            f"{BLANK}: what the records are about.",
            f"A release file of {release.software} about {about}. It holds the declared model (of the kind: "
            f"{model.kind.plural}) with {held}, the guarantee, the receipts of the ledger, and what to beware of.",
        ),
        "publication_date": f"{BLANK}: YYYY-MM-DD; the charge was made at {release.receipts[-1].at}",
        "data_product_sector": f"{BLANK}: Technology, Healthcare, Education, Government, Energy or Finance",
    }


def _variant(release: Release[Any], facts: dict[str, Any]) -> Entries:
    model, noun = release.value.model, release.unit.noun
    names = listed([_code(row[0]) for row in model.kind.rows(model)], _COLUMNS)
    return {
        "variant_name": _VARIANTS[type(release.guarantee)],
        "data_domain": f"Tables about {facts['rows']:,} {noun}s with the declared columns {names}. Every value is one of the "
        "levels, or a number that is taken to the nearer of the bounds, which the release file lists for the column. A table "
        "with anything else is refused.",
        "unprotected_quantities": _paragraphs(
            f"The number of {noun}s, {facts['rows']:,}, is published exactly.",
            "The declaration is public: the columns with their levels or bounds, the model, and the prior. So is that all "
            "values in the records fit it.",
            *(each.text for each in release.caveats if each.name == OWN_RECORDS),
            f"{BLANK}: whether anything else about the records was published without noise",
        ),
    }


_VARIANTS: dict[type[Guarantee], str] = {PureDP: "Pure DP", ZCDP: "Zero-concentrated DP", ApproxDP: "Approximate DP"}
_SUMS: dict[type[Guarantee], str] = {PureDP: "epsilons add", ZCDP: "rhos add", ApproxDP: "epsilons and deltas add"}


def _loss(release: Release[Any]) -> Entries:
    guarantee, unit = release.guarantee, release.unit
    budgets: dict[str, Fraction] = {
        name: getattr(guarantee, name) for name in ("epsilon", "delta", "rho") if hasattr(guarantee, name)
    }
    exactly = ", ".join(f"{name} = {decimal(budget)}" for name, budget in budgets.items())
    units = {UnitKind.RECORD: "Record", UnitKind.PERSON: "Person", UnitKind.ROWS_AT_MOST: f"Any {unit.most} records"}
    adjacent = f"Two tables are adjacent where {NEIGHBOURS[release.neighbours]}."
    return {
        "privacy_unit": units[unit.kind],
        "privacy_unit_details": _paragraphs(adjacent, _contribution(unit)),
        "privacy_parameters": budgets,
        "privacy_parameters_details": _paragraphs(f"Exactly: {exactly}. {release.meaning}", guarantee.remark or ""),
    }


def _contribution(unit: Unit) -> str:
    match unit.kind:
        case UnitKind.PERSON:
            return f"The column {_code(unit.column or '')} tells persons apart. Protected is {unit}."
        case UnitKind.ROWS_AT_MOST:
            return f"Protected is {unit}; how many records somebody has is not hidden."
    return f"{BLANK}: whether one person can have several records, and so is protected less"


def _model(release: Release[Any]) -> Entries:
    paid = release.receipts[-1]
    made = f"One file, made once. Budget of the data set at the time: {balance(paid.spent, paid.cap, paid.delta)}."
    who = "One steward holds the records, adds the noise and publishes the file."
    if release.parts:
        made = f"One file, made once of {len(release.parts)} releases without any further budget."
        who = "Each steward holds some of the records, adds noise and publishes a file; the files were put together then."
    return {
        "model_name": "Central",
        "model_name_details": who,
        "actors": _paragraphs(
            "The steward sees the records. Whoever has the release file is an adversary against whom the guarantee holds, "
            "whatever else is known to him and however much he computes.",
            f"{BLANK}: who the steward is, who else sees the records, and why they are trusted",
        ),
        "release_type": "One release",
        "release_type_details": _paragraphs(made, f"{BLANK}: whether more will be published about the same records"),
        "data_source_type": f"{BLANK}: Static, or Dynamic where new records come in over time",
        "data_source_type_details": "The release is of the records as they were at the charge.",
        "access_type": "Non-interactive",
        "access_type_details": "Questions are answered from the file alone, by whoever has it. None reaches the records.",
    }


def _accounting(release: Release[Any]) -> Entries:
    return {
        "post_processing": "All that is computed from the file: the posterior of the parameters given the published numbers "
        "and the law of the noise, answers, predictions and synthetic records. None of it sees a record.",
        "composition": _paragraphs(
            _composition(release),
            *(f"Receipt: {each}." for each in release.receipts),
        ),
    }


def _composition(release: Release[Any]) -> str:
    sums = (
        "A ledger adds up all charges to one data set, in exact fractions, before any noise is drawn: "
        f"{_SUMS[type(release.guarantee)]}."
    )
    if not release.parts:
        return f"Sequential. The guarantee is that of everything in the file together. {sums}"
    if release.value.released.overlap:
        return f"Sequential: persons may be in several of the releases, and their budgets add up. Within each: {sums}"
    each = "; ".join(f"release {number}: {part.guarantee}" for number, part in enumerate(release.parts, 1))
    return (
        f"Parallel: nobody is in two of the releases, and the guarantee is the weakest of theirs ({each}). Within each: {sums}"
    )


def _implementation(release: Release[Any], facts: dict[str, Any]) -> Entries:
    parameters = ", ".join(f"{name} {value}" for name, value in release.mechanism.parameters.items())
    noise = f" Noise: {facts['noise']}." if "noise" in facts else ""
    noise += "".join(
        f" Release {place}: mechanism {_code(part.mechanism.name)}." for place, part in enumerate(release.parts, 1)
    )
    return {
        "preprocessing_and_hyperparameter_tuning": _paragraphs(
            "The software takes columns, levels, bounds, model and prior from a declaration and never off the records. What "
            "was chosen from records for a part of the budget is named in the notes.",
            f"{BLANK}: where the declaration comes from, whether anybody looked at the records for it, or to choose "
            "parameters, and whether that was paid for",
        ),
        "mechanisms": _paragraphs(
            f"The mechanism {_code(release.mechanism.name)} of {release.software} ({parameters}).{noise}",
            "Floating point: between records and published numbers there are only integers and fractions. Noise is drawn "
            "exactly, from bits of the operating system's generator, and no seed can be given.",
            "Timing: the release is made once and nobody asks it; how long it took is not hidden.",
            f"{BLANK}: how the records are kept, who has access, and on what machine the release was made",
        ),
        "justification": f"{BLANK}: why this unit, this budget and this mechanism; who decided, and what was tested",
    }


def _administrative(release: Release[Any]) -> Entries:
    digest = release_to_json(release)["digest"]
    return {
        "sources": _paragraphs(
            f"{BLANK}: where the release file, and what was written about it, can be found", f"Digest of the file: {digest}"
        ),
        "notes": _paragraphs(*(f"{each.label.capitalize()}: {each.text}" for each in release.caveats)) or "None.",
        "registry_authors": [f"{BLANK}: who wrote this entry"],
    }


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _code(name: str) -> str:
    """A name as it is: the registry renders texts as Markdown, and names come from anybody."""
    return f"`{name.replace('`', chr(39))}`"
