from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

from discreet.errors import FormatError
from discreet.model.files.network_file import network_from_json, network_to_json, read_network, read_tables, write_network
from discreet.model.network import Network
from discreet.model.variable import Variable

NETWORK = Network([Variable("a", ["x", "y"]), Variable("b c", ["p", "q", "r"])], {"b c": ["a"]})
TABLES = {"a": np.array([[0.1, 0.9]]), "b c": np.array([[0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3]])}


def declaration(**changes):
    return {**network_to_json(NETWORK), **changes}


def test_the_json_of_a_network_is_as_documented():
    assert network_to_json(NETWORK) == {
        "format": "discreet-network",
        "version": 1,
        "variables": [{"name": "a", "levels": ["x", "y"]}, {"name": "b c", "levels": ["p", "q", "r"]}],
        "parents": {"b c": ["a"]},
    }


def test_json_reads_back_to_the_same_network():
    assert network_from_json(json.loads(json.dumps(network_to_json(NETWORK)))) == NETWORK


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (None, "must be an object"),
        ([], "must be an object"),
        ({}, "has no 'format'"),
        (declaration(format="other"), "not a network"),
        (declaration(format=["discreet-network"]), "not a network"),
        (declaration(version=2), "upgrade"),
        (declaration(version=True), "upgrade"),
        (declaration(version=1.0), "upgrade"),
        (declaration(tables={}), "unknown entry 'tables'"),
        (declaration(parent={}), "unknown entry 'parent'. Did you mean 'parents'?"),
        (declaration(**{"k" * 10_000: 1}), "unknown entry 'kkk"),
        (declaration(variables={}), "The variables must be a list"),
        (declaration(variables=[]), "at least one variable"),
        (declaration(variables=["a"]), "A variable must be an object"),
        (declaration(variables=[{"name": "a"}]), "A variable has no 'levels'"),
        (declaration(variables=[{"name": "a", "levels": ["x", "y"], "unit": "m"}]), "unknown entry 'unit'"),
        (declaration(variables=[{"name": 1, "levels": ["x", "y"]}]), "name of a variable must be a text"),
        (declaration(variables=[{"name": "a", "levels": "xy"}]), "levels of 'a' must be a list"),
        (declaration(variables=[{"name": "a", "levels": ["x", 1]}]), "level of 'a' must be a text"),
        (declaration(variables=[{"name": "a", "levels": ["x", "x"]}]), "declares level 'x' more than once"),
        (declaration(variables=[{"name": "a", "levels": ["x", "y"]}] * 2), "Two variables are called 'a'"),
        (declaration(parents=[]), "parents of a network must be an object"),
        (declaration(parents={"a": "b c"}), "parents of 'a' must be a list"),
        (declaration(parents={"a": [1]}), "A parent must be a text"),
        (declaration(parents={"a": ["z" * 10_000]}), "A parent must be a text of at most 1,000"),
        (declaration(parents={1: ["a"]}), "A node must be a text"),
        (declaration(parents={"a": ["z"]}), "'a' has the parent 'z', which is not declared"),
        (declaration(parents={"a": ["b c"], "b c": ["a"]}), "cycle"),
    ],
)
def test_a_wrong_object_is_refused_with_the_reason(obj, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        network_from_json(obj)


def test_a_file_without_parents_is_a_network_without_edges(tmp_path):
    variables = [{"name": name, "levels": ["x", "y"]} for name in "ab"]
    content = {"format": "discreet-network", "version": 1, "variables": variables}
    path = tmp_path / "net.json"
    path.write_text(json.dumps(content))
    assert read_network(path) == Network([Variable(name, ["x", "y"]) for name in "ab"])
    path.write_text(json.dumps(content | {"tables": {"a": [[0.5, 0.5]], "b": [[0.1, 0.9]]}}))
    assert read_tables(path)[1]["b"].tolist() == [[0.1, 0.9]]
    path.write_text(json.dumps(content | {"parent": {"b": ["a"]}}))  # edges must not get lost by a slip of the pen
    with pytest.raises(FormatError, match=r"unknown entry 'parent'\. Did you mean 'parents'\?"):
        read_network(path)
    with pytest.raises(FormatError, match="has no 'parents'"):  # a release file is written by us, and always says it
        network_from_json(content)


@pytest.mark.parametrize("name", ["net.json", "net.json.gz", "net.bif", "net.bif.gz", "NET.JSON", "net.BIF.GZ"])
def test_a_written_file_reads_back_with_and_without_tables(tmp_path, name):
    path = tmp_path / name
    write_network(NETWORK, path)
    assert read_network(path) == NETWORK
    with pytest.raises(FormatError, match="no probabilities"):
        read_tables(path)
    write_network(NETWORK, str(path), TABLES)
    assert read_network(str(path)) == NETWORK
    network, tables = read_tables(path)
    assert network == NETWORK
    assert list(tables) == ["a", "b c"]
    assert all(np.array_equal(tables[node], TABLES[node]) for node in tables)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", ["json", "bif"])
def test_the_same_network_gives_the_same_bytes_packed_when_the_name_says_so(tmp_path, suffix):
    write_network(NETWORK, tmp_path / f"plain.{suffix}", TABLES)
    write_network(NETWORK, tmp_path / f"one.{suffix}.gz", TABLES)
    write_network(NETWORK, tmp_path / f"two.{suffix}.gz", TABLES)
    packed = (tmp_path / f"one.{suffix}.gz").read_bytes()
    assert packed == (tmp_path / f"two.{suffix}.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # no time stamp
    assert gzip.decompress(packed) == (tmp_path / f"plain.{suffix}").read_bytes()


@pytest.mark.parametrize("kind", ["json", "bif"])
def test_a_file_of_any_other_name_is_known_by_its_content(tmp_path, kind):
    write_network(NETWORK, tmp_path / f"net.{kind}", TABLES)
    other = (tmp_path / f"net.{kind}").rename(tmp_path / "net.txt")
    assert read_tables(other)[0] == NETWORK


@pytest.mark.parametrize("name", ["net", "net.txt", "net.gz", "net.xml.gz"])
def test_a_file_of_unknown_kind_is_not_written(tmp_path, name):
    with pytest.raises(FormatError, match=r"must end in \.json or \.bif"):
        write_network(NETWORK, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["net.json", "net.bif"])
def test_wrong_tables_are_not_written(tmp_path, name):
    with pytest.raises(FormatError, match=r"cannot be written.*no probabilities for 'b c'"):
        write_network(NETWORK, tmp_path / name, {"a": [[0.1, 0.9]]})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "tables of a network must be an object"),
        ({"a": [[0.1, 0.9]]}, "no probabilities for 'b c'"),
        ({"a": 1, "b c": [[0.2, 0.3, 0.5]] * 2}, "table of 'a' must be a list"),
        ({"a": [1], "b c": [[0.2, 0.3, 0.5]] * 2}, "A row of the table of 'a' must be a list"),
        ({"a": [["0.1", 0.9]], "b c": [[0.2, 0.3, 0.5]] * 2}, "must hold numbers only"),
        ({"a": [[True, False]], "b c": [[0.2, 0.3, 0.5]] * 2}, "must hold numbers only"),
        ({"a": [[10**400, 0]], "b c": [[0.2, 0.3, 0.5]] * 2}, "not a table of numbers"),
        ({"a": [[0.1, 0.9]], "b c": [[0.2, 0.3, 0.5]]}, "it must be (2, 3)"),
        ({"a": [[0.1, 0.9]], "b c": [[0.2, 0.3, 0.5], [0.2, 0.8]]}, "not a table of numbers"),
        ({"a": [[0.1, 0.9]], "b c": [[0.2, 0.3, 0.5], [0.2, 0.3, 0.6]]}, "'b c' in configuration (a=y)"),
        ({"a": [[0.1, 0.9]], "b c": [[0.2, 0.3, 0.5]] * 2, "d": [[1]]}, "'d', which is not a node"),
    ],
)
@pytest.mark.parametrize("read", [read_network, read_tables])
def test_wrong_tables_in_a_file_are_refused_with_its_name(tmp_path, read, tables, message):
    path = tmp_path / "net.json"
    path.write_text(json.dumps(declaration(tables=tables)))
    with pytest.raises(FormatError, match=rf"net\.json: .*{re.escape(message)}"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[]", b'{"format": NaN}', b"[" * 100_000])
def test_a_damaged_json_file_is_refused_with_its_name(tmp_path, content):
    path = tmp_path / "net.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"net\.json: "):
        read_network(path)


def test_a_missing_file_is_a_format_error(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_network(tmp_path / "missing.json")
