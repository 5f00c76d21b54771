"""`discreet release` for persons: by a column, by groups, and the question that is asked where nobody has said whom."""

import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from discreet import Ledger, load

WORDS = ("--network", "clinic.bif", "--epsilon", "0.1", "--ledger", "clinic.ledger", "-o", "persons.json")
SECRET = "Sapphire-4711"


@pytest.fixture
def patients(clinic):
    frame = pl.read_csv("patients.csv")
    names = [f"{SECRET}-{number // 3}" for number in range(frame.height)]
    frame.with_columns(pl.Series("patient_id", names)).write_csv("patients.csv")
    return frame.height


def spent():
    return Ledger("clinic.ledger").history()[1:]  # the first is of the folder's making


@pytest.mark.parametrize("how", [(), ("--rows-per-person", "average"), ("--rows-per-person", "average", "--average-of", 2)])
def test_persons_are_released_and_named_in_every_place(patients, discreet, how):
    made = discreet("release", "patients.csv", *WORDS, "--person", "patient_id", *how, "--json")
    assert made.code == 0, made.err
    assert made.json["rows"] == 667
    assert made.json["unit"]["column"] == "patient_id"
    assert "one person grow" in made.err
    assert "Remark" not in made.err
    (charge,) = spent()
    assert "protects one person" in charge.purpose
    assert "protects one person" in discreet("ledger", "clinic.ledger", "--json").out
    shown = discreet("show", "persons.json")
    assert "667" in shown.out
    assert "protects" in shown.out
    assert "2,000" not in shown.out + made.err + made.out
    assert SECRET not in shown.out + made.err + made.out + Path("persons.json").read_text()
    assert load("persons.json").unit.noun == "person"


def test_several_records_are_charged_for(patients, discreet):
    made = discreet("release", "patients.csv", *WORDS, "--rows-at-most", 3, "--json")
    assert made.code == 0, made.err
    assert made.json["guarantee"] == {"kind": "pure", "epsilon": "0.3"}
    assert made.json["unit"] == {"kind": "rows-at-most", "most": 3}
    assert spent()[0].guarantee.epsilon == Fraction(3, 10)
    assert "How many these are is not protected" in made.err


def test_where_nobody_says_whom_the_release_goes_on_with_a_remark(patients, discreet):
    made = discreet("release", "patients.csv", *WORDS)
    assert made.code == 0
    assert "Remark: the guarantee is for one record." in made.err
    assert "--person COLUMN" in made.err


def test_who_says_that_every_record_is_another_person_gets_no_remark(patients, discreet):
    made = discreet("release", "patients.csv", *WORDS, "--one-row-per-person")
    assert made.code == 0
    assert "Remark" not in made.err
    assert "unit" not in json.loads(Path("persons.json").read_text())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--one-row-per-person", "--person", "patient_id"), "Leave out one of the options"),
        (("--one-row-per-person", "--rows-at-most", 2), "Leave out one of the options"),
        (("--person", "patient_id", "--rows-at-most", 2), "Leave it out beside --person"),
        (("--rows-per-person", "average"), "whose a record is: --person COLUMN"),
        (("--person", "patient_id", "--rows-per-person", "all"), "one or average"),
        (("--rows-at-most", 1), "at least 2"),
        (("--person", "patient"), "no column 'patient'"),
        (("--person", "smoke"), "cannot be a column of the model"),
        (("--person", "patient_id", "--rows-per-person", "average", "--mechanism", "sampler"), "--rows-per-person one"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_costs_nothing(patients, discreet, words, message):
    made = discreet("release", "patients.csv", *WORDS, *words)
    assert made.code != 0
    assert message in " ".join(made.err.replace("│", " ").split())
    assert spent() == []
    assert not Path("persons.json").exists()


def test_a_record_of_nobody_costs_nothing(patients, discreet):
    frame = pl.read_csv("patients.csv")
    frame.with_columns(pl.Series("patient_id", [None, *frame["patient_id"][1:]])).write_csv("patients.csv")
    made = discreet("release", "patients.csv", *WORDS, "--person", "patient_id")
    assert made.code == 4
    assert "does not say whose it is" in made.err
    assert SECRET not in made.err
    assert spent() == []
