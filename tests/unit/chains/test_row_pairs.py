"""Which rows exchange records in a step."""

import numpy as np

from discreet import Network, Variable
from discreet.chains import row_pairs as pairing
from discreet.chains.row_pairs import row_pairs, single_rows

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 2}
NETWORK = Network(
    [Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items()],
    {"c": ["a", "b"], "d": ["b"], "e": ["d", "c"]},
)


def row_levels(families):
    """Of each row its family and the levels of its parents."""
    return [
        (number, np.unravel_index(row, family.shape[:-1]))
        for number, family in enumerate(families)
        for row in range(family.configurations)
    ]


def test_pairs_of_a_step_share_no_row_and_differ_in_one_parent():
    families = NETWORK.families
    levels, generator, seen = row_levels(families), np.random.default_rng(1), set()
    for kind in 200 * row_pairs(families):
        rows = kind.draw(generator)
        assert len(np.unique(rows)) == rows.size
        for one, two in rows.T:
            assert levels[one][0] == levels[two][0]
            assert sum(left != right for left, right in zip(levels[one][1], levels[two][1], strict=True)) == 1
            seen.add((int(one), int(two)))
    apart = sum(family.configurations * sum(size - 1 for size in family.shape[:-1]) for family in families if family.parents)
    assert len(seen) == apart  # every two rows that differ in one parent are drawn some time, either way


def test_a_table_of_many_rows_moves_so_many_pairs_at_a_time_and_all_of_them_in_turn(monkeypatch):
    monkeypatch.setattr(pairing, "MOST_PAIRS", 2)
    generator = np.random.default_rng(1)
    kinds = row_pairs(NETWORK.families)
    drawn = [kind.draw(generator) for _ in range(200) for kind in kinds]
    first = sum(family.configurations for family in NETWORK.families) - NETWORK.family("e").configurations
    assert all((rows[0] >= first).sum() == 2 for rows in drawn)
    assert len({int(row) for rows in drawn for row in rows.ravel() if row >= first}) == 8


def test_nothing_is_exchanged_where_no_family_has_two_rows():
    assert row_pairs([NETWORK.family("a"), NETWORK.family("b")]) == []


def test_rows_that_move_by_themselves_are_all_drawn_in_turn_and_none_twice(monkeypatch):
    generator = np.random.default_rng(1)
    configurations = [family.configurations for family in NETWORK.families]
    assert sorted(single_rows(NETWORK.families).draw(generator)) == list(range(sum(configurations)))
    monkeypatch.setattr(pairing, "MOST_PAIRS", 2)
    rows = single_rows(NETWORK.families)
    drawn = [rows.draw(generator) for _ in range(100)]
    assert all(len(np.unique(each)) == len(each) == sum(min(2, every) for every in configurations) for each in drawn)
    assert (np.repeat(range(len(configurations)), configurations)[drawn[0]] == rows.family).all()
    assert len(np.unique(drawn)) == sum(configurations)
