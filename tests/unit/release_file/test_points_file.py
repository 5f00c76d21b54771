"""What a reader of draws and points must notice: a law that costs more than was paid, and numbers that no draw can be."""

import copy
import json
from pathlib import Path

import polars as pl
import pytest
from support.optional import need

from discreet import FormatError, Ledger, MapPoint, Network, Sampler, Variable, release
from discreet.release_file.document import digest, release_from_json, release_to_json

NETWORK = Network([Variable("a", list("01")), Variable("b", list("xyz"))], {"b": ["a"]})
RECORDS = pl.DataFrame({"a": list("0110"), "b": list("xyzx")})
PURE = {"epsilon": "1", "draws": "50"}
CANDIDATES = [{"a": [[p, 1 - p]], "b": [[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]]} for p in (0.2, 0.6)]


def content(mechanism):
    return release_to_json(release(RECORDS, NETWORK, mechanism, ledger=Ledger.unlimited()))


FILES = {
    "draws": content(Sampler("1", draws=2)),
    "concentrated": content(Sampler("1", draws=50, delta="1e-6")),
    "renyi": content(Sampler("1", delta="1e-6", truncated=False)),
    "point": content(MapPoint("1")),
    "candidate": content(MapPoint("1", candidates=CANDIDATES)),
}


def changed(name, change):
    edited = copy.deepcopy(FILES[name])
    change(edited)
    return {**edited, "digest": digest(edited)}


def statistics(**entries):
    return lambda file: file["statistics"].update(entries)


def split(value):
    return lambda file: file["statistics"]["splits"]["b"][0][0].__setitem__(0, value)


def parameter(**entries):
    return lambda file: file["mechanism"]["parameters"].update(entries)


@pytest.mark.parametrize("name", FILES)
def test_an_untouched_file_is_read(name):
    assert release_from_json(changed(name, lambda file: None)).posterior.network == NETWORK


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("draws", statistics(temper="1"), "does not fit"),
        ("draws", statistics(temper="2", floor="2147483647/4294967296"), "floor and ceiling"),
        ("draws", statistics(floor="1/4294967296"), "does not fit"),
        ("draws", statistics(floor="1/3"), "multiple"),
        ("draws", statistics(floor="1/2"), "multiple"),
        ("draws", statistics(floor=None), "does not fit"),
        ("draws", statistics(temper=1), "text"),
        ("draws", split(0), "floor and ceiling"),
        ("draws", split(2**32), "floor and ceiling"),
        ("draws", split(0.5), "floor and ceiling"),
        ("draws", split(True), "floor and ceiling"),
        ("draws", lambda file: file["statistics"]["splits"]["b"].pop(), "same number"),
        ("draws", lambda file: file["statistics"]["splits"]["b"][0].pop(), "wrong shape"),
        ("draws", lambda file: file["statistics"]["splits"].update(a=[], b=[]), "no draws"),
        ("draws", parameter(draws="1"), "does not fit"),
        ("draws", parameter(epsilon="2"), "does not fit"),
        ("concentrated", statistics(temper="1"), "does not fit"),
        ("concentrated", parameter(rho="1"), "does not fit"),
        ("concentrated", lambda file: file.update(mechanism={"name": "sampler", "parameters": PURE}), "fit"),
        ("renyi", statistics(temper="1"), "does not fit"),
        ("renyi", parameter(delta="1/10"), "does not fit"),
        ("renyi", lambda file: file["prior"].update(weight=0.9), "does not fit"),
        ("renyi", lambda file: file["prior"].update(weight=1e308), "does not fit"),
        ("renyi", lambda file: file["prior"].update(weight=1e-320), "does not fit"),
        ("candidate", lambda file: file["statistics"]["tables"].update(a=[[0.0, 1.0]]), "zero"),
        ("renyi", statistics(temper="1/1" + "0" * 900), "does not fit"),
        ("draws", statistics(temper="1/1" + "0" * 900), "does not fit"),
        ("point", statistics(exponent="1/1" + "0" * 900), "does not fit"),
        ("point", statistics(exponent="100"), "does not fit"),
        ("point", statistics(floor=None), "does not fit"),
        ("point", split(1), "floor and ceiling"),
        ("point", lambda file: [table.append(table[0]) for table in file["statistics"]["splits"].values()], "does not fit"),
        ("point", parameter(epsilon="3"), "does not fit"),
        ("candidate", parameter(epsilon="3"), "does not fit"),
        ("candidate", statistics(candidates=1), "at least 2"),
        ("candidate", statistics(tables={"a": [[0.5, 0.5]], "b": [["x", 1, 1]]}), "number"),
        ("candidate", lambda file: file["mechanism"].update(name="map"), "not those of its mechanism"),
    ],
)
def test_an_edited_file_is_refused(name, change, problem):
    with pytest.raises(FormatError, match=problem):
        release_from_json(changed(name, change))


@pytest.mark.parametrize("name", FILES)
def test_files_of_draws_and_points_follow_the_published_schema(name):
    jsonschema = need("jsonschema")
    schema = json.loads((Path(__file__).parents[3] / "docs" / "release.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(json.loads(json.dumps(FILES[name])))
    wrong = changed(name, statistics(kind="parities"))
    assert not validator.is_valid(wrong)
