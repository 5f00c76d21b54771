import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.networks import networks, records, table

from discreet.counts import family_counts, family_sensitivity


def count_by_hand(rows, network):
    """The slowest and plainest way: one record, one cell at a time."""
    tables = {family.node: np.zeros(family.shape, dtype=np.int64) for family in network.families}
    for row in rows:
        for family in network.families:
            tables[family.node][tuple(network.level_index(member, row[member]) for member in family.members)] += 1
    return {node: cells.reshape(-1, cells.shape[-1]) for node, cells in tables.items()}


@given(st.data())
def test_tables_equal_a_count_record_by_record(data):
    network = data.draw(networks())
    rows = data.draw(records(network))
    counted = family_counts(table(rows, network), network)
    expected = count_by_hand(rows, network)
    assert list(counted) == list(network.nodes)
    for node in network.nodes:
        assert counted[node].dtype == np.int64
        np.testing.assert_array_equal(counted[node], expected[node])
        assert counted[node].sum() == len(rows)


@given(st.data())
def test_replacing_one_record_moves_at_most_two_cells_per_family(data):
    network = data.draw(networks())
    rows = data.draw(records(network))
    index = data.draw(st.integers(0, len(rows) - 1))
    other = data.draw(records(network, 1, 1))
    before = family_counts(table(rows, network), network)
    after = family_counts(table([*rows[:index], *other, *rows[index + 1 :]], network), network)
    moved = {node: int(np.abs(before[node] - after[node]).sum()) for node in network.nodes}
    assert all(distance in (0, 2) for distance in moved.values())
    assert sum(moved.values()) <= family_sensitivity(network)


@given(networks())
def test_the_sensitivity_is_attained_on_every_graph(network):
    """Replacing a record by one that differs everywhere moves every table: a smaller noise scale would not be private."""
    first = [{variable.name: variable.levels[0] for variable in network.variables}]
    last = [{variable.name: variable.levels[-1] for variable in network.variables}]
    before, after = (family_counts(table(rows, network), network) for rows in (first, last))
    moved = sum(int(np.abs(before[node] - after[node]).sum()) for node in network.nodes)
    assert moved == family_sensitivity(network) == 2 * len(network.nodes)
