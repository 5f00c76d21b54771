"""How far one record moves the blocks of K-norm noise."""

from __future__ import annotations

from discreet.measure.blocks import BLOCK_SENSITIVITY

__all__ = ["block_sensitivity"]


def block_sensitivity() -> int:
    """How far replacing one record moves a bundle of groups, in the norm of its noise.

    Claim:      for every group the sum over its blocks of the largest L1 norm of a part moves by at most 2, so the largest
                over the groups does; 2 is attained. Proof: if the record's configuration stays, one block changes: the count
                does not, a sign by at most 2, a vector with a single one by at most 2 in L1 norm. If it moves from j to j',
                block j loses and block j' gains one record's block, and all parts of that have L1 norm 1.        [GUARANTEES
                10]
    Requires:   neighbours replace one record; the number of records stays.
    Checked by: tests/property/test_blocks.py::test_replacing_one_record_moves_a_group_by_at_most_two_and_two_is_attained
    """
    return BLOCK_SENSITIVITY
