"""Where nodes stand: arrows point down, nothing touches, and arrows that pass a layer pass between its boxes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.networks import networks
from support.structures import ALARM_PARENTS, binary

from discreet.page.layout import lay_out

SIZE = (200.0, 60.0)
NUMBER = r"-?\d+\.\d"


def laid(network):
    return lay_out(network.parents, dict.fromkeys(network.nodes, SIZE))


def overlaps(one, other):
    beside = one.x < other.x + other.width and other.x < one.x + one.width
    return beside and one.y < other.y + other.height and other.y < one.y + one.height


@given(networks(max_nodes=9, max_levels=2))
def test_arrows_point_down_and_boxes_do_not_touch(network):
    layout = laid(network)
    for node, parents in network.parents.items():
        assert all(layout.boxes[parent].y < layout.boxes[node].y for parent in parents)
    boxes = list(layout.boxes.values())
    assert not any(overlaps(one, other) for place, one in enumerate(boxes) for other in boxes[:place])
    assert min(box.x for box in boxes) >= -1e-6
    assert max(box.x + box.width for box in boxes) <= layout.width + 1e-6
    assert max(box.y + box.height for box in boxes) <= layout.height + 1e-6
    assert sorted((parent, child) for parent, child, _ in layout.arrows) == sorted(
        (parent, child) for child, parents in network.parents.items() for parent in parents
    )


@given(networks(max_nodes=9, max_levels=2))
def test_an_arrow_runs_straight_through_a_layer_and_touches_no_box(network):
    layout = laid(network)
    for _, _, path in layout.arrows:
        straight = re.findall(rf"({NUMBER}) ({NUMBER})V({NUMBER})", path)
        for across, top, bottom in ((float(each) for each in part) for part in straight):
            crossed = [box for box in layout.boxes.values() if box.x < across < box.x + box.width]
            assert not any(box.y < bottom and top < box.y + box.height for box in crossed)


def test_an_arrow_begins_at_its_parent_and_ends_at_its_child():
    layout = laid(binary(3, {1: [0], 2: [0, 1]}))
    for parent, child, path in layout.arrows:
        numbers = [float(each) for each in re.findall(NUMBER, path)]
        above, below = layout.boxes[parent], layout.boxes[child]
        assert numbers[:2] == pytest.approx([above.x + above.width / 2, above.y + above.height], abs=0.1)
        assert numbers[-2:] == pytest.approx([below.x + below.width / 2, below.y], abs=0.1)


def test_well_known_graphs_have_few_crossings_and_no_great_width():
    """A star of a hundred leaves is folded into layers instead of one line of a hundred boxes."""
    star = laid(binary(101, {leaf: [0] for leaf in range(1, 101)}))
    assert star.width < 18 * 230
    alarm = laid(binary(37, ALARM_PARENTS))
    assert alarm.width < 10 * 230


@given(st.integers(1, 30))
def test_a_chain_is_a_straight_line(length):
    layout = laid(binary(length, {node: [node - 1] for node in range(1, length)}))
    assert {round(box.x, 3) for box in layout.boxes.values()} == {0.0}
