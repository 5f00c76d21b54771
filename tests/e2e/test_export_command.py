"""`discreet export` through files."""

import json

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.cli import main

NETWORK = dc.Network([dc.Variable("smoke", ["not now", "yes"]), dc.Variable("lung", ["well", "ill"])], {"lung": ["smoke"]})


@pytest.fixture
def released(tmp_path):
    records = pl.DataFrame({"smoke": ["not now", "yes"] * 100, "lung": ["well"] * 150 + ["ill"] * 50})
    release = dc.release(records, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    release.save(tmp_path / "r.json")
    return tmp_path / "r.json"


def test_a_release_becomes_a_network_file(released, tmp_path, capsys):
    assert main(["export", str(released), "--to", "bif", "-o", str(tmp_path / "x.bif")]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "'smoke=not now' is called 'not_now' in the file" in said.err
    tables = dc.read_tables(tmp_path / "x.bif")[1]
    np.testing.assert_allclose(tables["lung"], dc.load(released).posterior.mean("lung"), atol=1e-12)


@pytest.mark.slow
def test_the_end_of_the_name_says_the_format(released, tmp_path):
    for name, begin in (("x.xdsl", "<?xml"), ("x.net", "%"), ("x.xmlbif", "<?xml")):
        assert main(["export", str(released), "-o", str(tmp_path / name), "--prior", "uniform"]) == 0
        assert (tmp_path / name).read_text("utf-8").startswith(begin)


def test_a_network_file_with_probabilities_is_exported_too(tmp_path):
    dc.write_network(NETWORK, tmp_path / "n.json", {"smoke": [[0.5, 0.5]], "lung": [[0.9, 0.1], [0.7, 0.3]]})
    assert main(["export", str(tmp_path / "n.json"), "-o", str(tmp_path / "n.bif")]) == 0
    assert "differentially" not in (tmp_path / "n.bif").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--to", "xls", "-o", "x.bif"], 5, "no format of that name"),
        (["-o", "x.txt"], 5, "one of: bif, xmlbif, xdsl, net"),
        (["-o", "r.json"], 2, "also an input"),
        ([], 2, "--output"),
    ],
)
def test_wrong_words_are_answered_and_nothing_is_written(words, code, said, released, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = released.read_bytes()
    assert main(["export", str(released), *words]) == code
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json"]
    assert released.read_bytes() == before
    json.loads(before)
