"""How large networks are looked at: a node with its neighbours, the whole from afar, by name; the answer stays in sight."""

import pytest
from support.pages import Guessed, known_network, page_of
from support.seeing import faults

import discreet as dc


@pytest.fixture(scope="module")
def large():
    """Win95pts, with 76 nodes, and its page."""
    network, _ = known_network("win95pts")
    return network, page_of(Guessed(network), count=64)[1]


def view(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def shown(page):
    return {monitor.get_attribute("data-node") for monitor in page.locator(".monitor:visible").all()}


def blanket(network, node):
    """The node, its parents, its children and their parents."""
    children = [child for child, parents in network.parents.items() if node in parents]
    return {node, *network.parents[node], *children, *(other for child in children for other in network.parents[child])}


def overlaps(boxes):
    return [
        (one, other)
        for place, one in enumerate(boxes)
        for other in boxes[:place]
        if one["x"] < other["x"] + other["width"] and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]
    ]  # fmt: skip


@pytest.mark.parametrize("width", [390, *(pytest.param(width, marks=pytest.mark.slow) for width in (1280, 3840))])
def test_a_large_network_opens_at_a_node_and_its_neighbours_and_a_title_goes_on_to_the_next(large, visit, width):
    network, text = large
    page = visit(text, viewport={"width": width, "height": 900}).ready()
    asked = page.get_by_label("Node to ask about").locator("option:checked").inner_text()
    assert shown(page) == blanket(network, asked)
    following = network.parents[asked][0]
    page.get_by_role("button", name=f"Ask about {following}", exact=True).click()
    assert shown(page) == blanket(network, following)
    assert overlaps([monitor.bounding_box() for monitor in page.locator(".monitor:visible").all()]) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    view(page, "Graph")
    assert shown(page) == set(network.nodes)


@pytest.mark.slow
def test_neighbours_have_no_box_upon_another_whatever_node_is_asked_about(large, visit):
    """Parents stand above and children below, also where they are too many for one row."""
    network, text = large
    page = visit(text, viewport={"width": 1000, "height": 900}).ready()
    for node in network.nodes:
        page.get_by_label("Node to ask about").select_option(label=node)
        boxes = {each.get_attribute("data-node"): each.bounding_box() for each in page.locator(".monitor:visible").all()}
        assert boxes.keys() == blanket(network, node)
        assert overlaps(list(boxes.values())) == []
        assert all(boxes[parent]["y"] < boxes[node]["y"] for parent in network.parents[node])
        assert page.locator("path.arrow").count() == sum(
            len(network.parents[each]) for each in network.nodes if each == node or node in network.parents[each]
        )
        own = len(network.parents[node]) + sum(node in parents for parents in network.parents.values())
        assert page.locator("path.arrow:not(.aside)").count() == own


@pytest.mark.slow
def test_the_whole_of_a_large_network_fits_and_shows_names_alone(large, visit):
    network, text = large
    page = visit(text, viewport={"width": 1280, "height": 900}).ready()
    view(page, "Graph")
    assert page.locator(".bar:visible").count() > 0
    page.get_by_role("button", name="Fit to the window").click()
    frame = page.locator(".frame")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight")
    assert page.locator(".bar:visible").count() == 0
    assert page.locator(".title:visible").count() == len(network.nodes)
    for _ in range(9):
        page.get_by_role("button", name="Larger").click()
    assert page.locator(".bar:visible").count() > 0


def test_nodes_are_found_by_a_part_of_their_names_in_the_list_and_among_tables(large, visit):
    network, text = large
    page = visit(text).ready()
    expected = {node for node in network.nodes if "prt" in node.lower()}
    for name, found in (("List", ".monitor:visible"), ("Tables", "details:visible")):
        view(page, name)
        assert page.locator(found).count() == len(network.nodes)
        page.get_by_label("Find a node").fill("PRT")
        assert {each.get_attribute("data-node") for each in page.locator(found).all()} == expected
    view(page, "Neighbours")
    assert not page.get_by_label("Find a node").is_visible()
    assert shown(page) == blanket(network, page.get_by_label("Node to ask about").locator("option:checked").inner_text())


def test_a_small_network_has_neither_neighbours_nor_a_search(clinic_page, visit):
    page = visit(clinic_page).ready()
    assert page.get_by_label("View").get_by_role("button").all_inner_texts() == ["Graph", "List", "Tables"]
    assert not page.get_by_label("Find a node").is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_answer_stays_in_sight_while_the_page_is_scrolled(clinic_page, visit, width):
    page = visit(clinic_page, viewport={"width": width, "height": 844}).ready()
    page.evaluate("window.scrollTo(0, 900)")
    box = page.locator(".sentence").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] < 844 * 0.45


@pytest.mark.slow
def test_letters_in_the_graph_grow_with_the_screen(large, visit):
    """Of neighbours they are at least 0.8 times as large as those of the page, which are 25 by 16 of the usual."""
    page = visit(large[1], viewport={"width": 3840, "height": 2160}).ready()
    level = page.locator(".level:visible").first
    assert level.bounding_box()["height"] / level.evaluate("each => each.offsetHeight") >= 0.8 * 25 / 16


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_the_views_of_a_large_network(large, visit, scheme):
    page = visit(large[1], color_scheme=scheme, viewport={"width": 1280, "height": 900}).ready()
    for name in ("Neighbours", "List", "Tables", "Graph"):
        view(page, name)
        assert faults(page) == [], name
    page.get_by_role("button", name="Fit to the window").click()
    assert faults(page) == []


def test_the_page_says_which_synthetic_records_to_draw(clinic_page, visit):
    aside = visit(clinic_page).ready().get_by_label("About this release")
    assert "discreet sample clinic.json --datasets 20 --rows 1000 -o synthetic.csv" in aside.inner_text()
    assert "join the results with dc.combine" in aside.inner_text()


def test_the_page_of_a_point_does_not_speak_of_sets_that_nobody_can_draw(visit):
    network = dc.Network([dc.Variable("rain", ["no", "yes"])])
    page = visit(page_of(dc.PointPosterior(network, {"rain": [[0.5, 0.5]]}))[1]).ready()
    assert "--datasets" not in page.get_by_label("About this release").inner_text()
