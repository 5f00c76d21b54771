"""Combinations that are declared impossible, through the command and its files."""

import json

from support.impossible import MALE_MOTHER, NETWORK, RECORDS

import discreet as library

WORDS = ["--network", "network.json", "--ledger", "ward.ledger", "--cap", "1", "--epsilon", "0.5"]


def test_a_release_of_possible_records_knows_the_zeros_and_of_others_costs_nothing(discreet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    library.write_network(NETWORK, "network.json")
    MALE_MOTHER.write_csv("wrong.csv")
    refused = discreet("release", "wrong.csv", *WORDS, "-o", "wrong.json")
    assert refused.code == 4
    assert "sex=male, pregnant=yes; sex=female, pregnant=no, ward=birth" in " ".join(refused.err.split())
    assert library.Ledger("ward.ledger").spent == 0
    RECORDS.write_csv("right.csv")
    assert discreet("release", "right.csv", *WORDS, "-o", "right.json").code == 0
    assert "impossible" in discreet("show", "right.json").out
    assert discreet("show", "right.json", "--json").json["impossible"][0] == {"sex": "male", "pregnant": "yes"}
    shown = discreet("show", "right.json", "pregnant", "--plugin", "--json").json["table"]
    assert [(cell["mean"], cell["lower"], cell["upper"]) for cell in shown[:2]] == [(1, 1, 1), (0, 0, 0)]
    updated = discreet("update", "right.json", "wrong.csv", "-o", "updated.json")
    assert updated.code == 4
    assert "or leave out those that have one" in updated.err
    assert json.loads((tmp_path / "right.json").read_text())["network"]["impossible"]
