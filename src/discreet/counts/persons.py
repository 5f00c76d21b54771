"""Counts of persons: every record counts with its share of a person, in exact integers.

A record whose person has r records counts 1 / r. In parts of lcm(1, ..., most) of a person that is a whole number, so records
with the same share are counted together, as always, and the sums are weighted at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from discreet.arrays import Integers, WholeNumbers
from discreet.counts.families import FamilyCounter, check_possible
from discreet.counts.moments import Moments, add_batch, no_moments
from discreet.data.fixed_point import fixed_point_batches
from discreet.data.persons import RandomBytes, read_person_codes, read_persons
from discreet.errors import DataError
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.model.tables import Countable, TableSet
from discreet.unit import Unit

_MOST_PARTS = 2**61
"""Counts of so many leave room for the noise in 64-bit integers."""

__all__ = ["person_family_counts", "person_moments", "person_table_counts"]


def person_family_counts(
    data: Any,
    network: Network,
    unit: Unit,
    random_bytes: RandomBytes,
    *,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Integers]:
    """Count every family in parts of persons: ``unit.parts`` of them are one person.

    Claim:      replacing one person, with any number of records, by another moves the tables, in persons, no further than
                replacing one record moves those of ``family_counts``, in every norm; so too their margins, contrasts and
                parities with any weights, which are linear in them. Proof: a person adds sum_i v(r_i) / k over k records
                that count, v(r) being the tables of one record: a point of the convex hull H of all v(r). A norm of p - q is
                convex in p and in q, so its largest value over H x H is attained where both are v(r) and v(r').
                Each table sums to the number of persons.                                          [GUARANTEES 13.1]
    Requires:   as ``family_counts``; ``rows`` is a number of persons. Records that do not count are looked at all the same:
                what is not declared is refused whoever's it is.
    Checked by: tests/audit/test_person_worlds.py::test_no_output_is_likelier_than_epsilon_allows
                tests/audit/test_person_worlds.py::test_a_person_moves_every_norm_no_further_than_a_record
                tests/unit/counts/test_persons.py::test_counts_equal_a_sum_over_persons
    """
    return _count_all(data, network, unit, random_bytes, missing, rows, progress)


def person_table_counts(
    data: Any,
    tables: TableSet,
    unit: Unit,
    random_bytes: RandomBytes,
    *,
    missing: str | None = None,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Integers]:
    """Count tables of any nodes in parts of persons, in one pass: ``unit.parts`` of them are one person.

    Claim:      as ``person_family_counts``: a table of any nodes is linear in the records, too.    [GUARANTEES 13.1]
    Requires:   as ``person_family_counts``.
    Checked by: tests/unit/counts/test_tables.py::test_tables_of_persons_equal_the_families_of_a_network
    """
    return _count_all(data, tables, unit, random_bytes, missing, rows, progress)


def _count_all(
    data: Any,
    network: Countable,
    unit: Unit,
    random_bytes: RandomBytes,
    missing: str | None,
    rows: int | None,
    progress: Callable[[int], None] | None,
) -> dict[str, Integers]:
    records = read_person_codes(data, network, unit, random_bytes, missing=missing, progress=progress)
    if len(records.shares) * unit.parts > _MOST_PARTS:
        raise DataError("The table has too many records for counts of 64 bits. Take the average of fewer records of a person.")
    counters: dict[int, FamilyCounter] = {}
    for codes, shares in records.with_shares(records.held, lambda part: len(part[network.nodes[0]])):
        for share in np.unique(shares).tolist():
            chosen = {node: column[shares == share] for node, column in codes.items()}
            counters.setdefault(share, FamilyCounter(network)).add(chosen)
    found = {share: counter.tables() for share, counter in counters.items()}
    for tables in found.values():
        check_possible(tables, network)
    names = [family.node for family in network.families]
    total = {name: _weigh({share: tables[name] for share, tables in found.items()}, unit) for name in names}
    _check_persons(int(total[names[0]].sum()), unit, rows)
    return total


def person_moments(
    data: Any,
    model: LinearModel,
    unit: Unit,
    random_bytes: RandomBytes,
    *,
    rows: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Moments:
    """Add up the moments in parts of persons: ``unit.parts`` of them are one person.

    Claim:      replacing one person, with any number of records, by another moves the moments, in persons, no further than
                replacing one record moves those of ``moments``, in every norm, by the proof of ``person_family_counts``; and
                what a person adds is a positive matrix with the trace of one record at the most, as an average of such.
                                                                                                   [GUARANTEES 13.1]
    Requires:   as ``moments``; ``rows`` is a number of persons.
    Checked by: tests/audit/test_person_worlds.py::test_a_person_moves_the_moments_no_further_than_a_record
                tests/unit/counts/test_persons.py::test_moments_equal_a_sum_over_persons
    """
    records = read_persons(data, [column.name for column in model.columns], unit, random_bytes)
    batches = fixed_point_batches(records.held, model.columns, model.resolution, progress=progress)
    found: dict[int, Moments] = {}
    for steps, shares in records.with_shares(batches, len):
        for share in np.unique(shares).tolist():
            found[share] = add_batch(found.get(share, no_moments(model)), steps[shares == share], model)
    parts = sum(unit.parts // share * each.rows for share, each in found.items() if share)
    persons = _check_persons(parts, unit, rows)
    kind = np.int64 if unit.parts == 1 else object  # parts of persons may leave 64 bits
    sums = _weigh({share: each.sums.astype(kind) for share, each in found.items()}, unit)
    products = _weigh({share: each.products.astype(kind) for share, each in found.items()}, unit)
    return Moments(persons, sums, products, model.resolution, unit.parts)


def _weigh(found: Mapping[int, WholeNumbers], unit: Unit) -> WholeNumbers:
    """Sums over records, by their shares, put together in parts of persons."""
    weighed = [unit.parts // share * sums for share, sums in found.items() if share]
    return np.asarray(sum(weighed[1:], weighed[0]))


def _check_persons(parts: int, unit: Unit, expected: int | None) -> int:
    """The number of persons, which must be whole, and the one that is expected."""
    persons, rest = divmod(parts, unit.parts)
    if rest:
        raise RuntimeError("The shares of a person do not sum to one; this is a defect of discreet.")
    if expected is not None and expected != persons:
        raise DataError("The table does not have the declared number of persons. Correct the number, or look for damage.")
    return persons
