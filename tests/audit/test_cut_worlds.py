"""The guarantee of private cuts, by listing everything that can happen in small worlds."""

from fractions import Fraction
from itertools import combinations_with_replacement

import polars as pl
import pytest
from support.cut_laws import cut_error, cut_sets, drawn_law, largest_log_ratio

from discreet import Ledger, PureDP, Schema, SchemaColumn, cuts
from discreet.learning import cuts as learning

MISSING = None


def tables_of(cells, rows):
    """Every table of so many records, each in a cell or in none, and where replacing one record can take it."""
    records = [*range(cells), MISSING]
    worlds = list(combinations_with_replacement(range(len(records)), rows))
    count = {world: tuple(world.count(cell) for cell in range(cells)) for world in worlds}
    for world in worlds:
        for place in range(rows):
            for record in range(len(records)):
                yield count[world], count[tuple(sorted((*world[:place], record, *world[place + 1 :])))]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_one_record_moves_the_error_of_any_cuts_by_at_most_two(number):
    """Five records in five cells or in none, all cuts, all neighbours: exactly 2, whatever the number of cuts."""
    pairs, sets = set(tables_of(5, 5)), cut_sets(5, number)
    errors = {table: [cut_error(table, each) for each in sets] for table in {table for pair in pairs for table in pair}}

    def furthest(chosen):
        return max(abs(a - b) for one, other in chosen for a, b in zip(errors[one], errors[other], strict=True))

    assert furthest(pairs) == 2
    assert furthest((one, other) for one, other in pairs if sum(one) != sum(other)) == Fraction(2 * number, number + 1)


@pytest.fixture
def law_of(monkeypatch):
    """The law of the cuts that are published of records, as the release path hands it to the kernel."""
    seen = []

    def watched(table, number, epsilon, _bits, *, whole):
        seen.append(drawn_law(table, number, epsilon, whole))
        return tuple(range(1, number + 1))

    monkeypatch.setattr(learning, "draw_cuts", watched)

    def law(records, parts, epsilon, **unit):
        column = SchemaColumn("x", "integer", minimum="0", maximum="4", missing="unknown")
        seen.clear()
        ledger = Ledger.unlimited()
        cuts(records, Schema([column]), "x", parts=parts, epsilon=epsilon, ledger=ledger, grid=["1", "2", "3"], **unit)
        assert ledger.history()[0].guarantee == PureDP(epsilon)
        return seen[0]

    return law


RECORDS = (0, 1, 2, 3, MISSING)


def worst_of_records(law_of, parts, epsilon):
    """Four records: the largest log ratio over all neighbours."""
    worlds = list(combinations_with_replacement(range(len(RECORDS)), 4))
    laws = {
        world: law_of(pl.DataFrame({"x": [RECORDS[each] for each in world]}, schema={"x": pl.Int64}), parts, epsilon)
        for world in worlds
    }
    return max(
        largest_log_ratio(laws[world], laws[tuple(sorted((*world[:place], other, *world[place + 1 :])))])
        for world in worlds
        for place in range(4)
        for other in range(len(RECORDS))
    )


@pytest.mark.parametrize("parts", [2, 3])
def test_no_cuts_are_likelier_than_epsilon_allows(law_of, parts):
    """Two-sided: what is paid for is nearly used, so that weights of twice the exponent would show."""
    worst = worst_of_records(law_of, parts, "2")
    assert 0.55 * 2 < worst <= 2 * (1 + 1e-9)


@pytest.mark.fast("2")
@pytest.mark.parametrize("parts", [2, 3])
def test_a_sensitivity_of_one_is_caught(law_of, parts, monkeypatch):
    """The same worlds with weights exp(-epsilon E / 2), as if one record moved the error by one."""
    honest = learning.draw_cuts
    monkeypatch.setattr(
        learning, "draw_cuts", lambda table, number, epsilon, *rest, **more: honest(table, number, 2 * epsilon, *rest, **more)
    )
    assert worst_of_records(law_of, parts, "2") > 2


PERSONS = [records for size in (1, 2) for records in combinations_with_replacement((0, 1, 3), size)]


def worst_of_persons(law_of, epsilon):
    """Three persons with one or two records each, represented by their average: one person is exchanged for any other."""
    worlds = list(combinations_with_replacement(range(len(PERSONS)), 3))
    laws = {}
    for world in worlds:
        rows = [(name, value) for name, person in enumerate(world) for value in PERSONS[person]]
        table = pl.DataFrame({"id": [name for name, _ in rows], "x": [value for _, value in rows]})
        laws[world] = law_of(table, 2, epsilon, person="id", rows_per_person="average", average_of=2)
    return max(
        largest_log_ratio(laws[world], laws[tuple(sorted((*world[:place], new, *world[place + 1 :])))])
        for world in worlds
        for place in range(3)
        for new in range(len(PERSONS))
    )


@pytest.mark.slow
def test_one_person_is_protected_like_one_record(law_of, monkeypatch):
    worst = worst_of_persons(law_of, "2")
    assert 0.55 * 2 < worst <= 2 * (1 + 1e-9)
    honest = learning.draw_cuts
    monkeypatch.setattr(learning, "draw_cuts", lambda *given, whole: honest(*given, whole=whole // 2))
    assert worst_of_persons(law_of, "2") > 2  # counts of half persons taken for persons
