from __future__ import annotations

import json

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.errors import FormatError
from discreet.model.files.bif import format_bif, parse_bif, parse_bif_network
from discreet.model.files.network_file import network_from_json, network_to_json, read_tables, write_network
from discreet.model.files.strict_json import parse_json
from discreet.model.network import Network
from discreet.model.variable import Variable

WORDS = [
    "table",
    "default",
    "property",
    "network",
    "probability",
    "|",
    "a b",
    '"',
    "\\",
    '\\"',
    "//",
    "/*",
    "{",
    "0.5",
    "-",
    ";",
    "é",
]
TEXTS = st.one_of(
    st.sampled_from(WORDS),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.text(' "\\/,;|(){}[]ab', min_size=1),
).filter(str.strip)
ONE_LINE = TEXTS.filter(lambda text: "\n" not in text)


@st.composite
def networks_with_tables(draw, texts):
    """A network with odd names and levels, and a distribution in every row."""
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    variables = [Variable(name, draw(st.lists(texts, min_size=2, max_size=4, unique=True))) for name in names]
    parents = {name: draw(st.lists(st.sampled_from(names[:index]), unique=True)) for index, name in enumerate(names) if index}
    network = Network(draw(st.permutations(variables)), parents)
    weights = {}
    for family in network.families:
        count = family.cells
        drawn = np.array(draw(st.lists(st.floats(1e-9, 1), min_size=count, max_size=count)))
        table = drawn.reshape(family.configurations, family.levels)
        weights[family.node] = table / table.sum(axis=1, keepdims=True)
    return network, weights


def assert_same(read, written):
    assert read[0] == written[0]
    assert list(read[1]) == list(written[0].nodes)
    for node in read[1]:
        np.testing.assert_array_equal(read[1][node], written[1][node])


@given(networks_with_tables(TEXTS))
def test_json_reads_back_what_was_written(written):
    network = written[0]
    assert network_from_json(parse_json(json.dumps(network_to_json(network)))) == network


@given(networks_with_tables(ONE_LINE))
def test_bif_reads_back_what_was_written(written):
    assert_same(parse_bif(format_bif(*written)), written)
    assert parse_bif_network(format_bif(written[0])) == written[0]


@settings(max_examples=25)
@given(networks_with_tables(ONE_LINE), st.permutations(["one.json", "two.bif", "three.json.gz", "four.bif.gz"]))
def test_any_chain_of_files_gives_back_the_network(tmp_path_factory, written, names):
    folder = tmp_path_factory.mktemp("chain")
    read = written
    for name in names:
        write_network(read[0], folder / name, read[1])
        read = read_tables(folder / name)
    assert_same(read, written)


VALID = r"""// a comment
network "n" { property "p = (1, 2)" ; }
variable a { type discrete [ 2 ] { "x y", <5 }; property q ; }
variable "b c" { type discrete[3] { p q r }; }
probability ( a ) { table 0.25, 7.5e-1; }
probability ( "b c" | a ) { default 0.2 0.3 0.5; ("x y") .1, /* rest */ .2, .7; }
"""
MARKS = [*'{}[]()|,;"/\\*\n\0', " ", "0", "1e", "-1", "nan", "variable", "probability", "table", "a", "é", "\ud800"]


def test_the_text_that_is_damaged_below_is_valid():
    network, tables = parse_bif(VALID)
    assert tables["b c"].tolist() == [[0.1, 0.2, 0.7], [0.2, 0.3, 0.5]]
    assert network.parents["b c"] == ("a",)


def read_or_refuse(parse, text):
    """Nothing but a FormatError may come out of a damaged text; what is accepted is a whole network."""
    try:
        network, tables = parse(text)
    except FormatError:
        return
    for family in network.families:
        assert tables[family.node].shape == (family.configurations, family.levels)
        np.testing.assert_allclose(tables[family.node].sum(axis=1), 1)


EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from(["", *MARKS])), min_size=1, max_size=4)


def edited(text, edits):
    for position, removed, inserted in edits:
        start = position % (len(text) + 1)
        text = text[:start] + inserted + text[start + removed :]
    return text


@given(EDITS)
def test_a_damaged_bif_text_is_read_or_refused(edits):
    read_or_refuse(parse_bif, edited(VALID, edits))


def test_a_bif_text_cut_anywhere_is_refused():
    whole = VALID.rstrip()
    for length in range(len(whole)):
        try:
            parse_bif(whole[:length])
        except FormatError:
            continue
        raise AssertionError(f"the first {length} characters were accepted")


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
@example("variable v " + "{" * 5000)
def test_garbage_is_refused(text):
    read_or_refuse(parse_bif, text)


@given(st.binary(max_size=200), st.sampled_from(["x.bif", "x.json", "x.bif.gz", "x"]), st.booleans())
def test_a_file_of_garbage_is_refused(tmp_path_factory, content, name, packed):
    path = tmp_path_factory.mktemp("garbage") / name
    path.write_bytes((b"\x1f\x8b\x08\x00" if packed else b"") + content)
    read_or_refuse(read_tables, path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "levels", "parents", "format", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)
NODES = st.sampled_from(["a", "b", "c"])
NEARLY = st.fixed_dictionaries(
    {
        "format": st.just("discreet-network") | JSON,
        "version": st.just(1) | JSON,
        "variables": JSON
        | st.lists(st.fixed_dictionaries({"name": NODES | JSON, "levels": st.lists(NODES, max_size=3) | JSON}), max_size=3),
        "parents": st.dictionaries(NODES, st.lists(NODES, max_size=2) | JSON, max_size=2) | JSON,
    }
)


@given(JSON | NEARLY)
def test_any_json_object_is_a_network_or_refused(obj):
    try:
        network = network_from_json(obj)
    except FormatError:
        return
    assert network_from_json(network_to_json(network)) == network


@given(EDITS)
def test_damaged_json_is_read_or_refused(edits):
    network, _ = parse_bif(VALID)
    try:
        network_from_json(parse_json(edited(json.dumps(network_to_json(network)), edits)))
    except FormatError:
        return
