"""Which rows exchange records in a step."""

import numpy as np

from discreet import Network, Variable
from discreet.chains.row_pairs import row_pairs

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


def test_nothing_is_exchanged_where_no_family_has_two_rows():
    assert row_pairs([NETWORK.family("a"), NETWORK.family("b")]) == []
