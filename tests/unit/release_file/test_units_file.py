"""The unit in a release file: there where it is not one record, checked against the rest, and believed only if it fits."""

import copy

import polars as pl
import pytest
from support.bits import SeededBits
from support.files import content_of

import discreet as dc
from discreet.errors import FormatError
from discreet.release_file.document import digest, release_from_json, release_text

NETWORK = dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("01"))], {"b": ["a"]})
RECORDS = pl.DataFrame({"a": list("0110"), "b": list("0111"), "id": [1, 1, 2, 3]})


def made(mechanism=None, **options):
    ledger = dc.Ledger.unlimited()
    return dc.release(RECORDS, NETWORK, mechanism or dc.Laplace("1/4"), ledger=ledger, _bits=SeededBits(1), **options)


PERSON, AVERAGE = {"person": "id"}, {"person": "id", "rows_per_person": "average", "average_of": 3}
GROUP = {"rows_at_most": 3}


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        (PERSON, {"kind": "person", "column": "id", "rows": "one", "most": 1}),
        (AVERAGE, {"kind": "person", "column": "id", "rows": "average", "most": 3}),
        (GROUP, {"kind": "rows-at-most", "most": 3}),
    ],
)
def test_a_file_names_its_unit_and_is_read_as_it_was(options, unit):
    release = made(**options)
    content = content_of(release)
    assert content["unit"] == unit
    again = release_from_json(content)
    assert again.unit == release.unit
    assert release_text(again) == release_text(release)


def test_a_file_about_records_says_nothing_of_units():
    assert "unit" not in content_of(made())


FAULTS = {
    "a unit taken away": (PERSON, lambda c: c.pop("unit"), "does not fit its neighbours"),
    "neighbours of records": (PERSON, lambda c: c.update(neighbours="replace-one"), "does not fit its neighbours"),
    "a unit put there": ({}, lambda c: c.update(unit={"kind": "rows-at-most", "most": 2}), "does not fit its neighbours"),
    "another kind": (PERSON, lambda c: c["unit"].update(kind="household"), "not known to this version"),
    "one that is an average": (PERSON, lambda c: c["unit"].update(most=3), "contradicts itself"),
    "an average of one": (AVERAGE, lambda c: c["unit"].update(most=1), "contradicts itself"),
    "too large an average": (AVERAGE, lambda c: c["unit"].update(most=21), "from 1 to 20"),
    "no column": (PERSON, lambda c: c["unit"].update(column=""), "contradicts itself"),
    "a smaller group": (GROUP, lambda c: c["unit"].update(most=2), "does not fit its guarantee"),
    "a larger group": (GROUP, lambda c: c["unit"].update(most=4), "does not fit its guarantee"),
    "an endless group": (GROUP, lambda c: c["unit"].update(most=5000), "is none"),
    "a further entry": (PERSON, lambda c: c["unit"].update(name="x"), "unknown entry"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_unit_that_does_not_fit_is_refused(fault):
    options, change, message = FAULTS[fault]
    content = copy.deepcopy(content_of(made(**options)))
    change(content)
    content["digest"] = digest(content)
    with pytest.raises(FormatError, match=message):
        release_from_json(content)


def test_a_group_with_an_approximate_guarantee_is_refused():
    ledger = dc.Ledger.unlimited()
    made_so = dc.release(RECORDS, NETWORK, dc.Sampler("1", delta="1e-6", truncated=False), ledger=ledger, _bits=SeededBits(1))
    content = copy.deepcopy(content_of(made_so))
    content.update(unit={"kind": "rows-at-most", "most": 2}, neighbours="replace-rows")
    content["digest"] = digest(content)
    with pytest.raises(FormatError, match="does not fit its unit"):
        release_from_json(content)
