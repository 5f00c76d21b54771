"""Counting inside the engine that holds the records: groups of families are counted jointly, and only counts come back.

Families are merged into groups, because the joint table of a group answers for every family inside it: less is counted. Where
the engine can, one pass over the records counts many groups (``data.groupings``).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.counts.groups import FamilyGroup, family_groups, marginal
from discreet.data.encoding import answer_codes
from discreet.data.engines import ask, numbered_columns
from discreet.data.groupings import RECORDS, Grouping, count_groupings, share_statements
from discreet.data.matching import check_unambiguous
from discreet.data.reading import read_columns
from discreet.errors import DataError, DomainError
from discreet.model.tables import Countable
from discreet.model.variable import Variable

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["family_counts_in_engine"]

_BASE_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "æ": "ae", "œ": "oe", "þ": "th", "ŧ": "t"}
_CHANGED = (
    "The table changed while it was being counted: two passes over it do not agree. Take a snapshot and count that, such as a "
    "copy, a transaction with repeatable read, or a fixed version of the files. A view that samples is different each time."
)


def family_counts_in_engine(
    frame: nw.LazyFrame[Any],
    network: Countable,
    *,
    missing: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, npt.NDArray[np.int64]]:
    """Count every family where the records are. ``frame`` comes from ``discreet.data.engines.engine_frame``.

    What one statement counts is one snapshot. Between several, the totals and the counts of every node that two of them share
    must agree, which finds nearly every change; one that leaves all of those as they were goes unseen, so count a snapshot.

    Claim:      the tables are those of ``family_counts`` on the same records, and no record leaves the engine: what is
                fetched is distinct combinations of values with their counts, never more than the domain allows and one.
    Requires:   the engine counts exactly and groups texts that are equal; levels that a collation might take for one
                another, such as "a" and "A", are refused here.
    Checked by: tests/engines/test_every_engine.py::test_counts_equal_those_in_memory_on_random_networks
    """
    if missing is not None and not any(missing in variable.levels for variable in network.variables):
        raise DataError(f"No variable declares the level {missing!r} for missing values. Declare it in the network.")
    numbered = {f"column_{number}": variable for number, variable in enumerate(network.variables)}
    columns = numbered_columns(frame, [variable.column for variable in network.variables])
    schema = ask(lambda: columns.collect_schema())
    types = {variable.name: schema[name] for name, variable in numbered.items()}
    for variable in network.variables:
        _check_levels(variable, types[variable.name])
    records = ask(lambda: read_columns(columns, numbered))
    groups = {_grouping(group, network, types, missing): group for group in family_groups(network)}
    # Codes are what they are; a level is how SQLite's values are written.
    levels = {name: () if variable.reading else variable.levels for name, variable in numbered.items()}
    margins: dict[str, npt.NDArray[np.int64]] = {}
    tables: dict[str, npt.NDArray[np.int64]] = {}
    done = 0
    for shared in share_statements(records, list(groups)):
        answers = count_groupings(records, shared, levels)
        # All answers are matched to the domain before any is compared: what is undeclared may have cut the others short.
        joints = _joint_tables(answers, shared, [groups[grouping] for grouping in shared], network, missing)
        for group, joint in joints:
            _check_margins(joint, group, margins)
            tables |= {family.node: marginal(joint, group, family) for family in group.families}
        done += len(shared)
        if progress is not None:
            progress(int(joints[-1][1].sum()) * done // len(groups))
    return {family.node: tables[family.node] for family in network.families}


def _check_levels(variable: Variable, dtype: nw.dtypes.DType) -> None:
    """Refuse levels that the type of a column, or the collation of a text column, could mix up.

    A collation may group "a" with "A" and show either, depending on the other records: one record could move every count.
    """
    check_unambiguous(variable)
    if dtype.is_numeric() or dtype.is_temporal() or variable.reading is not None:  # codes are grouped, not texts
        return
    seen: dict[str, str] = {}
    for level in variable.levels:
        plain = _plain(level)
        if plain in seen:
            raise DataError(
                f"The levels {seen[plain]!r} and {level!r} of {variable.name!r} differ only in capitals, accents or spaces, "
                "which a database may ignore. Recode one of them in the query, or export the table to a file and release that."
            )
        seen[plain] = level


def _plain(level: str) -> str:
    """What is left of a text for a collation that ignores capitals, accents, kinds of kana and outer spaces."""
    letters = (letter for letter in unicodedata.normalize("NFKD", level.casefold()) if not unicodedata.combining(letter))
    kana = (chr(ord(letter) - 0x60) if "\u30a1" <= letter <= "\u30f6" else letter for letter in letters)
    return "".join(_BASE_LETTERS.get(letter, letter) for letter in kana).strip()


def _grouping(group: FamilyGroup, network: Countable, types: dict[str, nw.dtypes.DType], missing: str | None) -> Grouping:
    """What the engine is asked for a group: numbered columns, and how many answers may be declared."""
    keys = tuple(f"column_{network.nodes.index(node)}" for node in group.nodes)
    allowed = math.prod(_spellings(network.variable(node), types[node], missing) for node in group.nodes)
    return Grouping(keys, allowed)


def _joint_tables(
    answers: Sequence[pl.DataFrame],
    groupings: Sequence[Grouping],
    groups: Sequence[FamilyGroup],
    network: Countable,
    missing: str | None,
) -> list[tuple[FamilyGroup, npt.NDArray[np.int64]]]:
    if not any(answer.height for answer in answers):
        raise DataError("The table has no records. It needs at least one.")
    return [
        (group, _joint_table(answer, grouping, group, network, missing))
        for answer, grouping, group in zip(answers, groupings, groups, strict=True)
    ]


def _joint_table(
    answer: pl.DataFrame, grouping: Grouping, group: FamilyGroup, network: Countable, missing: str | None
) -> npt.NDArray[np.int64]:
    """The joint table of a group, with one axis per node."""
    joint = np.zeros(group.shape, dtype=np.int64)
    if answer.height == 0:  # cut short by another group, whose answer is refused
        return joint
    variables = [network.variable(node) for node in group.nodes]
    counts = answer[RECORDS].to_numpy()
    declared = missing if any(missing in variable.levels for variable in variables) else None
    named = answer.select(grouping.keys).rename(dict(zip(grouping.keys, group.nodes, strict=True)))
    batches = answer_codes(named, variables, declared)
    if answer.height > grouping.allowed:
        raise DomainError(f"The columns {', '.join(map(repr, group.nodes))} hold more values than are declared.")
    places = tuple(np.concatenate([batch[node] for batch in batches]) for node in group.nodes)
    np.add.at(joint, places, counts)  # two keys may mean one cell: a null and the level that stands for it
    return joint


def _spellings(variable: Variable, dtype: nw.dtypes.DType, missing: str | None) -> int:
    """How many distinct values of a column may be declared: its levels, null and NaN for a missing one, and minus zero."""
    if variable.reading is not None:  # codes, also those of what is missing or not declared
        return variable.size + 2
    return variable.size + int(missing in variable.levels) + 2 * int(dtype.is_float())


def _check_margins(joint: npt.NDArray[np.int64], group: FamilyGroup, margins: dict[str, npt.NDArray[np.int64]]) -> None:
    """Compare a group with those before it: the number of records, and the counts of every node that was seen before."""
    for axis, node in enumerate(group.nodes):
        others = tuple(other for other in range(joint.ndim) if other != axis)
        margin = joint.sum(axis=others, dtype=np.int64)
        known = margins.setdefault(node, margin)
        any_known = next(iter(margins.values()))
        if not np.array_equal(margin, known) or margin.sum() != any_known.sum():
            raise DataError(_CHANGED)
