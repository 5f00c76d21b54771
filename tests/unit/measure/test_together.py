"""What several stewards published: kept apart, and added up where one table is wanted."""

import numpy as np
import pytest
from support.measurements import noisy_counts

from discreet import ModelError, Network, Variable
from discreet.measure.together import PublishedTogether

PAIR = Network([Variable("y", list("01")), Variable("x", list("01"))], {"x": ["y"]})
OTHER = Network([Variable("y", list("01")), Variable("x", list("01"))])


def published(network, first, scale, rows):
    tables = {"x": np.arange(first, first + 4).reshape(2, 2)}
    return noisy_counts(network, tables, scale, rows)


ONE, TWO = published(PAIR, 1, 2, 10), published(PAIR, 3, 5, 18)
BOTH = PublishedTogether(PAIR, (ONE, TWO))


def test_records_tables_and_updates_of_all_releases_add_up():
    assert BOTH.rows == 28
    assert BOTH.scale == 5
    for family in PAIR.families:
        np.testing.assert_allclose(BOTH.update(family), ONE.update(family) + TWO.update(family))
        np.testing.assert_allclose(BOTH.table(family), ONE.table(family) + TWO.table(family))


def test_nothing_is_not_put_together():
    with pytest.raises(ModelError, match="published of one network"):
        PublishedTogether(PAIR, ())


def test_what_was_published_of_another_network_is_refused():
    with pytest.raises(ModelError, match="published of one network"):
        PublishedTogether(OTHER, (ONE, TWO))
