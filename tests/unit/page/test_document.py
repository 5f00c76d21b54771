"""The file: scripts that are put together by leaving out imports, names that cannot end a block, a room that is bounded."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from support.pages import ABOUT, known_network

from discreet import DirichletPosterior, Network, QueryError, Variable
from discreet.page.document import SCRIPTS, bundle, write_page
from discreet.page.payload import network_part, subject
from discreet.page.room import find_room

ALL = {name for scripts in SCRIPTS.values() for name in scripts}
FOLDER = Path(str(files("discreet.page") / "script"))
TOP = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (?:\[([^\]]+)\]|(\w+))", re.MULTILINE)


def top_names(text):
    return [name.strip() for many, one in TOP.findall(text) for name in (many.split(",") if many else [one])]


def source(name):
    return (FOLDER / f"{name}.js").read_text(encoding="utf-8")


def test_every_script_is_in_a_page_after_those_that_it_imports():
    assert {path.stem for path in FOLDER.glob("*.js")} == ALL
    for scripts in SCRIPTS.values():
        for place, name in enumerate(scripts):
            imported = re.findall(r'^import .* from "\./(\w+)\.js";$', source(name), re.MULTILINE)
            assert set(imported) <= set(scripts[:place]), name


def test_no_two_scripts_use_the_same_name_and_no_import_is_left():
    """They share one scope in the page."""
    for page, scripts in SCRIPTS.items():
        names = [name for script in scripts for name in top_names(source(script))]
        assert sorted(names) == sorted(set(names))
        assert not re.search(r"^(import|export) ", bundle(page), re.MULTILINE)
    assert top_names("const a = 1;\nexport async function b() {}\n  const c = 2;") == ["a", "b"]


def test_what_one_script_imports_another_exports():
    export = re.compile(r"^export (?:async )?(?:function|const) (\w+)", re.MULTILINE)
    exported = {script: set(export.findall(source(script))) for script in ALL}
    for script in sorted(ALL):
        for names, other in re.findall(r'^import \{ ([^}]*) \} from "\./(\w+)\.js";$', source(script), re.MULTILINE):
            assert set(names.split(", ")) <= exported[other], f"{script} imports from {other}"


def test_scripts_never_read_text_as_html_or_code():
    reading = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
    forbidden = re.compile(rf"{reading}|fetch\(|XMLHttpRequest|sendBeacon|WebSocket|import\(")
    assert forbidden.search("x.innerHTML = name")
    for script in sorted(ALL):
        code = re.sub(r'import\("\./\w+\.js"\)', "", source(script))  # types in comments
        assert not forbidden.search(code), script


@pytest.mark.parametrize("name", ["</script>", "<!--", "]]>", "a\u2028b", "&amp;"])
def test_a_name_cannot_end_the_block_that_it_stands_in(name):
    network = Network([Variable(name, ["x", "y"])])
    text = write_page({**ABOUT, "subject": subject(network), **network_part(DirichletPosterior(network), 64)})
    block = text.split('<script type="application/json" id="release">')[1].split("</script>")[0]
    assert json.loads(block)["nodes"][0]["name"] == name
    assert not set("<>&\u2028") & set(block)


def test_the_room_of_a_page_is_bounded():
    assert find_room(known_network("asia")[0]).draws == 1000
    assert 500 <= find_room(known_network("alarm")[0]).draws < 1000
    assert find_room(known_network("hailfinder")[0]).draws == 200
    pigs = find_room(known_network("pigs")[0])
    assert (pigs.draws, pigs.wide) == (94, None)
    water = find_room(known_network("water")[0])
    assert (water.draws, water.wide) == (64, None)
    link = find_room(known_network("link")[0])
    assert "too many for a browser" in link.wide
    with pytest.raises(QueryError, match=r"547,158 probabilities.*discreet report"):
        find_room(known_network("mildew")[0])


def test_a_release_of_something_else_has_no_page(clinic_release):
    with pytest.raises(QueryError, match="made of releases"):
        clinic_release.combine(clinic_release).to_html()
    with pytest.raises(QueryError, match="made of releases"):
        clinic_release.map(lambda value: 3).to_html()
