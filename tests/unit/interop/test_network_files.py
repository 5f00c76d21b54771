"""Network files for other programs, read by these programs: names, order of levels and probabilities come through."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from support.optional import need

import discreet as dc
from discreet.interop.graph_libraries import from_pgmpy, from_pyagrum
from discreet.interop.network_formats import FORMATS

PGMPY_READERS = {"bif": "BIFReader", "xmlbif": "XMLBIFReader", "xdsl": "XDSLReader", "net": "NETReader"}
SINGLE = 1e-7
"""pyAgrum reads the numbers of BIF and NET files in single precision."""


def point(*declared, seed=1):
    """Three variables, the third a child of the two others, with random probabilities."""
    variables = [dc.Variable(name, levels) for name, levels in declared]
    network = dc.Network(variables, {variables[2].name: [variables[0].name, variables[1].name]})
    generator = np.random.default_rng(seed)
    tables = {each.node: generator.dirichlet(np.ones(each.levels), each.configurations) for each in network.families}
    return dc.PointPosterior(network, tables)


PLAIN = point(("rain", ["no", "yes"]), ("sprinkler", ["off", "low", "high"]), ("wet", ["dry", "damp", "wet", "soaked"]))
ODD = point(("pay & perks", ["<=50K", ">50K"]), ('the "kind"', ["a, b", "ä|ö", "(c)"]), ("property", ["0", "1"]))


def read_by_pgmpy(path, kind):
    readers = need("pgmpy.readwrite")
    return from_pgmpy(getattr(readers, PGMPY_READERS[kind])(str(path)).get_model())


def read_by_pyagrum(path, _kind):
    return from_pyagrum(need("pyagrum").loadBN(str(path)))


def difference(posterior, changed, network, tables):
    """The largest difference of a probability, after names and orders of levels were found to be what they should."""
    worst = 0.0
    for variable in posterior.network.variables:
        name = changed.get(variable.name, variable.name)
        levels = tuple(changed.get(f"{variable.name}={level}", level) for level in variable.levels)
        assert network.variable(name).levels == levels
        wanted = [changed.get(parent, parent) for parent in posterior.network.family(variable.name).parents]
        family = network.family(name)
        assert sorted(family.parents) == sorted(wanted)
        order = [family.parents.index(parent) for parent in wanted]
        table = tables[name].reshape(family.shape).transpose([*order, len(order)])
        worst = max(worst, np.abs(table.ravel() - posterior.mean(variable.name).ravel()).max())
    return worst


def end_of(kind):
    return ".bifxml" if kind == "xmlbif" else f".{kind}"  # what pyAgrum knows it by


@pytest.mark.fast("bif-odd", "net-*", "x*")
@pytest.mark.parametrize("posterior", [PLAIN, ODD], ids=["plain", "odd"])
@pytest.mark.parametrize("kind", FORMATS)
def test_pgmpy_reads_what_was_written(kind, posterior, tmp_path):
    path = tmp_path / f"network{end_of(kind)}"
    changed = dc.export(posterior, path, kind)
    assert difference(posterior, changed, *read_by_pgmpy(path, kind)) < 1e-12


@pytest.mark.parametrize("posterior", [PLAIN, ODD], ids=["plain", "odd"])
@pytest.mark.parametrize(("kind", "most"), [("bif", SINGLE), ("xmlbif", 1e-12), ("net", SINGLE)])
def test_pyagrum_reads_what_was_written(kind, most, posterior, tmp_path):
    path = tmp_path / f"network{end_of(kind)}"
    changed = dc.export(posterior, path, kind)
    assert difference(posterior, changed, *read_by_pyagrum(path, kind)) < most


def test_pyagrum_reads_xdsl_of_nodes_with_one_parent(tmp_path):
    """It takes the last of several parents for the slowest, which the makers of XDSL do not; with one there is no such
    question. Names it takes from the titles."""
    chain = dc.Network([dc.Variable("a", ["x", "y"]), dc.Variable("b c", ["u", "v", "w"])], {"b c": ["a"]})
    posterior = dc.PointPosterior(chain, {"a": [[0.25, 0.75]], "b c": [[0.125, 0.25, 0.625], [1 / 3, 1 / 3, 1 / 3]]})
    dc.export(posterior, tmp_path / "chain.xdsl")
    assert difference(posterior, {}, *read_by_pyagrum(tmp_path / "chain.xdsl", "xdsl")) < 1e-12


def test_xdsl_has_the_first_parent_slowest_and_parents_before_children(tmp_path):
    wet = ("wet", ["no", "yes"])
    network = dc.Network([dc.Variable(*wet), dc.Variable("a", ["0", "1"]), dc.Variable("b", ["0", "1"])], {"wet": ["a", "b"]})
    rows = [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]]
    posterior = dc.PointPosterior(network, {"wet": rows, "a": [[0.5, 0.5]], "b": [[0.5, 0.5]]})
    dc.export(posterior, tmp_path / "x.xdsl")
    nodes = ET.parse(tmp_path / "x.xdsl").getroot().findall("nodes/cpt")
    assert [node.get("id") for node in nodes] == ["a", "b", "wet"]
    assert nodes[2].findtext("parents") == "a b"
    assert [float(text) for text in nodes[2].findtext("probabilities").split()] == [value for row in rows for value in row]


WORDS = point(
    ("a_node", ["states = (u v);", "data", "net"]),
    ("node potential", ["label", "x y"]),
    ("states=(p q); node z", ["1", "2.5", "-3"]),
)
CAPITALS = point(("data", ["a'b", 'q"q']), ("Data", ["a;b", "{", "}"]), ("DATA", ["true", "false", "日本"]))
DIGITS = point(("0", ["0", "1"]), ("1st", ["0", "1"]), ("1e5", ["0", "1", "10"]))


@pytest.mark.fast("*net-*", "*bif-capitals", "pyagrum-bif-digits")
@pytest.mark.parametrize("posterior", [WORDS, CAPITALS, DIGITS], ids=["words", "capitals", "digits"])
@pytest.mark.parametrize(
    ("read", "kind", "most"),
    [
        *(pytest.param(read_by_pgmpy, kind, 1e-12, id=f"pgmpy-{kind}") for kind in FORMATS),
        *(pytest.param(read_by_pyagrum, kind, SINGLE, id=f"pyagrum-{kind}") for kind in FORMATS if kind != "xdsl"),
    ],
)
def test_names_that_a_reader_would_trip_over_come_through(read, kind, most, posterior, tmp_path):
    """Words of the formats in names, titles and remarks; names that differ in capitals alone; names that look like numbers."""
    path = tmp_path / f"network{end_of(kind)}"
    changed = dc.export(posterior, path, kind)
    assert difference(posterior, changed, *read(path, kind)) < most


def test_our_own_reader_reads_the_exported_bif(tmp_path):
    dc.export(PLAIN, tmp_path / "network.bif")
    assert difference(PLAIN, {}, *dc.read_tables(tmp_path / "network.bif")) == 0


def test_changed_names_are_told_apart_and_stand_in_the_file(tmp_path):
    changed = dc.export(ODD, tmp_path / "odd.bif")
    assert changed["pay & perks=<=50K"] == "at_most_50K"
    assert changed["pay & perks=>50K"] == "above_50K"
    assert changed["property"] == "xproperty"  # a word of the format
    text = (tmp_path / "odd.bif").read_text("utf-8")
    assert all(f'"{new}" was' in text for new in changed.values())
    assert dc.export(PLAIN, tmp_path / "plain.bif") == {}


def test_names_that_would_become_the_same_stay_different(tmp_path):
    levels = ["a b", "a_b", "A b", "ä b", "a  b"]
    posterior = point(("x", levels), ("y", ["0", "1"]), ("z", ["0", "1"]))
    dc.export(posterior, tmp_path / "x.bif")
    found = dc.read_tables(tmp_path / "x.bif")[0].variable("x").levels
    assert found[1] == "a_b"  # what fits stays
    assert len({level.lower() for level in found}) == len(levels)


@pytest.mark.fast("net", "x*")
@pytest.mark.parametrize("kind", FORMATS)
def test_a_name_cannot_put_anything_else_into_the_file(kind, tmp_path):
    """Line breaks, ends of comments and markup in names are words of a name, or of a remark, and nothing more."""
    hostile = "a\nvariable b {\n} --> <x/> *\r\x00\x85\u2028probability"
    posterior = point((hostile, ["0", "1\n}"]), ("y", ["0", "1"]), ("z", ["0", "1"]))
    path = tmp_path / f"x{end_of(kind)}"
    changed = dc.export(posterior, path, kind)
    assert hostile in changed
    text = path.read_text("utf-8")
    assert not re.search(r"^variable b|<x/>\s*\*\s*$", text, re.MULTILINE)
    assert difference(posterior, changed, *read_by_pgmpy(path, kind)) < 1e-12


def test_a_release_says_in_the_file_what_it_is(tmp_path):
    network = dc.Network([dc.Variable("a", ["0", "1"])])
    records = {"a": ["0", "1"] * 50}
    release = dc.release(_frame(records), network, dc.Laplace("0.5"), ledger=dc.Ledger.unlimited())
    for kind in FORMATS:
        dc.export(release, tmp_path / f"a.{kind}")
        text = (tmp_path / f"a.{kind}").read_text("utf-8")
        assert "epsilon = 0.5 (pure differential privacy)" in text
        assert "without their intervals" in text


def _frame(columns):
    import polars as pl

    return pl.DataFrame(columns)


def test_what_cannot_be_exported_is_refused_with_advice(tmp_path):
    with pytest.raises(dc.FormatError, match=r"give to=, one of: bif, xmlbif, xdsl, net"):
        dc.export(PLAIN, tmp_path / "network.txt")
    with pytest.raises(dc.FormatError, match="Did you mean 'xdsl'"):
        dc.export(PLAIN, tmp_path / "x", to="xdls")
    with pytest.raises(dc.FormatError, match="give a release or a posterior"):
        dc.export({"a": 1}, tmp_path / "x.bif")
    line = dc.LinearModel({"x": (0, 1)}, ("y", (0, 1)), radius=1, noise=1)
    made = dc.release(
        _frame({"x": [0.5] * 9, "y": [0.5] * 9}), line, "regression-moments", epsilon="1", ledger=dc.Ledger.unlimited()
    )
    with pytest.raises(dc.FormatError, match="linear model"):
        dc.export(made, tmp_path / "x.bif")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_stays_unless_it_is_to_be_overwritten(tmp_path):
    (tmp_path / "x.bif").write_text("mine")
    with pytest.raises(dc.FormatError, match="exists"):
        dc.export(PLAIN, tmp_path / "x.bif")
    assert (tmp_path / "x.bif").read_text() == "mine"
    dc.export(PLAIN, tmp_path / "x.bif", overwrite=True)
    assert (tmp_path / "x.bif").read_text().startswith("//")
