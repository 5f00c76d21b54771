"""The small writer of YAML against a reader of YAML."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.optional import need

from discreet.interop.yaml_text import write_yaml

ODD = ["yes", "null", "1e3", "2026-11-18", "12:30", "- x", "# x", "a: b", "'", '"', "\\", "\\n", "{x}", "[", "&a", "*a", "!x",
       "%", "@", "", " x ", "~", "0x1f", "| x", "> x", "é ü 漢 😀", "a\tb", "x #y"]  # fmt: skip


def read(entries):
    return need("yaml").safe_load(write_yaml(entries))


@pytest.mark.parametrize("text", ODD)
def test_a_text_stays_a_text(text):
    said = text.replace("\t", "\\t")  # escaped, as everywhere where names are shown
    assert read({"a": text, "b": {"c": [text, "z"]}}) == {"a": said, "b": {"c": [said, "z"]}}


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=30), min_size=1, max_size=40))
def test_long_texts_keep_their_words(words):
    text = "Begin " + " ".join(words) + " and so on, until it is too long for one line, which it is by now, surely."
    from discreet.display import printable

    found = read({"a": text, "z": 1})
    assert found["z"] == 1
    assert found["a"].split() == printable(text).split()


def test_paragraphs_and_lines_are_kept_apart():
    found = read({"a": "One.\n\n" + "two " * 60 + "\n\nThree."})["a"]
    assert [part.split()[0] for part in found.split("\n\n")] == ["One.", "two", "Three."]
    assert max(map(len, found.splitlines())) <= 110


@pytest.mark.parametrize(
    "value", ["1", "1/2", "1/3", "2/3", "1e-6", "1e-10", "1e-30", "123456789", "1e15", "0.1", "9.9999999999999"]
)
def test_numbers_are_numbers_and_never_below(value):
    exact = Fraction(value)
    written = write_yaml({"a": exact}).split()[1]
    assert Fraction(written) >= exact
    assert Fraction(written) <= exact * (1 + Fraction(1, 10**11))
    found = read({"a": exact})["a"]
    assert type(found) is float
    assert found == pytest.approx(float(exact), rel=1e-11)


def test_whole_numbers_stay_whole():
    assert read({"tier": 3}) == {"tier": 3}
