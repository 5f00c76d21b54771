"""The map of the house in docs/develop/map.md: all of it is there, and all that is there is on it."""

import re

import pytest
from support.recipes import DEVELOP, ROOT, tool

SOURCE = ROOT / "src" / "discreet"
MAP = (DEVELOP / "map.md").read_text("utf-8")
PAGES = [*sorted(DEVELOP.glob("*.md")), ROOT / "CONTRIBUTING.md"]
STEPS = ["declare", "encode", "count", "measure", "publish", "wrap", "write", "believe", "ask", "show"]


def rooms(source=SOURCE):
    """Folders and files of the package."""
    return {f"{path.name}/" if path.is_dir() else path.name for path in source.iterdir() if path.suffix != ".typed"} - {
        "__pycache__/"
    }


def named(text):
    """Files and folders that a page names. The files of recipes are not there: they are to be made."""
    made = set(re.findall(r"^`([\w/.]+\.py)`$", text, re.MULTILINE))
    return set(re.findall(r"`((?:[\w-]+/)*[\w-]+(?:/|\.py|\.json|\.md|\.toml|\.txt))`", text)) - made


def missing(text):
    return {name for name in named(text) if not (ROOT / name).exists() and not (SOURCE / name).exists()}


def rows(text=MAP):
    """Step, room and whether it sees records, of each line of the table."""
    return re.findall(r"^\| (\w+) \| `([\w.]+/?)` \| (\w+) \|", text, re.MULTILINE)


def test_every_room_is_on_the_map():
    assert rooms() - named(MAP) == set()
    assert {room for room in rooms() if room.endswith("/")} <= {room for _, room, _ in rows()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_and_folder_that_is_named_exists(page):
    assert missing(page.read_text("utf-8")) == set()


def test_the_steps_are_those_of_the_line_and_in_its_order():
    drawn = re.findall(r"\w+", next(line for line in MAP.splitlines() if line.startswith(" declare ->")))
    told = list(dict.fromkeys(step for step, _, _ in rows() if step != "beside"))
    assert drawn == told == STEPS


def test_the_map_says_the_same_as_the_check_of_the_layers_about_who_sees_records():
    layers = tool("check_layers")
    says = {room.removesuffix("/").removesuffix(".py"): sees for _, room, sees in rows()}
    assert {room for room, sees in says.items() if sees == "yes"} == layers.PRIVATE
    assert {room for room, sees in says.items() if sees == "no"} == layers.THIRD_PARTY


def test_a_room_that_is_missing_and_one_too_many_are_noticed(tmp_path):
    (tmp_path / "cellar").mkdir()
    assert rooms(tmp_path) - named(MAP) == {"cellar/"}
    assert missing("see `measure/no_such_file.py` and `cellar/`") == {"measure/no_such_file.py", "cellar/"}
    assert missing("see `measure/laws.py` and `src/discreet/kernel/publish.py`") == set()
