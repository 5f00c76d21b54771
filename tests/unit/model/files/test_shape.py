"""Every shape reads what it writes, and its schema accepts exactly what it reads.

But for two things that a schema has no words for: 1.0 is an integer to it, and a number may be larger than any float.
"""

import json
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.optional import need

from discreet import FormatError
from discreet.model.files.plain_shapes import Constant, FractionText, Integer, Number, OneOf, Table, Text, Truth
from discreet.model.files.shape import FRACTION, Entry, ListOf, MapOf, Object, OrNull, Shared, Tagged


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Person:
    name: str
    age: int


@dataclass(frozen=True)
class Dog:
    colour: Colour


PERSON = Object(
    {"name": Text(5), "age": Entry(Integer(0), "The age of {}")}, Person, {"kind": Constant("person")}, named_by="name"
)
DOG = Object({"colour": OneOf.of(Colour)}, Dog, {"kind": Constant("dog"), "version": Constant(1)})
BEING = Tagged("kind", (PERSON, DOG), "{} is of no kind that is known.")

SHAPES = {
    "text": (Text(3), ["", "abc"]),
    "fraction": (FractionText(), [Fraction(1, 2), Fraction(3)]),
    "integer": (Integer(1), [1, 2**62 - 1]),
    "bounded integer": (Integer(-2, 2), [-2, 2]),
    "number": (Number(), [0.0, -1.5]),
    "positive number": (Number(positive=True), [0.5]),
    "truth": (Truth(), [True, False]),
    "constant": (Constant(1), [1]),
    "choice": (OneOf(("no", "yes")), ["no", "yes"]),
    "enum": (OneOf.of(Colour), list(Colour)),
    "table": (Table(Integer(0, 9), 2), [[], [[]], [[1, 2], [3]]]),
    "table that is not empty": (Table(Number(), 1, least=1), [[1.5]]),
    "or null": (OrNull(FRACTION), [None, Fraction(1, 3)]),
    "list": (ListOf(Text(3), least=1), [("a", "b")]),
    "map": (MapOf(Shared("truth", Truth()), least=1), [{"a": True}]),
    "object": (PERSON, [Person("Ada", 36)]),
    "tagged": (BEING, [Person("Ada", 36), Dog(Colour.RED)]),
    "nested": (
        ListOf(Object({"who": BEING, "tables": MapOf(Table(Integer(0), 1))})),
        [({"who": Dog(Colour.BLUE), "tables": {}},)],
    ),
}
WORDS = ["kind", "version", "name", "age", "colour", "person", "dog", "red", "Ada", "a", "no", "1/2", "0/1", "3", "01", "abcd"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10) | st.sampled_from([2**62, 10**30, 0.5, -1.5]) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=6,
)


def validator(shape):
    shared = {}
    schema = {**shape.schema(shared), "$defs": shared}
    return need("jsonschema").Draft202012Validator(schema)


def is_read(shape, content):
    try:
        shape.read(content, "It")
    except FormatError:
        return False
    return True


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_written_is_read_and_follows_the_schema(name):
    shape, values = SHAPES[name]
    for value in values:
        written = json.loads(json.dumps(shape.write(value)))
        assert shape.read(written, "It") == value
        validator(shape).validate(written)


def near_misses(content):
    """Everything that differs from the content in one place."""
    yield from (None, True, 0, -1, 11, 0.5, "", "x", "red", "toolong", [], [[]], ["x"], {}, 2**62, 10**30)
    if isinstance(content, dict):
        yield {**content, "extra": 1}
        for key, value in content.items():
            yield {other: each for other, each in content.items() if other != key}
            yield from ({**content, key: other} for other in near_misses(value))
    if isinstance(content, list):
        yield [*content, "x"]
        for place, value in enumerate(content):
            yield content[:place] + content[place + 1 :]
            yield from ([*content[:place], other, *content[place + 1 :]] for other in near_misses(value))


@pytest.mark.parametrize("name", SHAPES)
def test_the_schema_accepts_exactly_what_is_read(name):
    shape, values = SHAPES[name]
    check, seen = validator(shape), set()
    for value in values:
        for content in near_misses(json.loads(json.dumps(shape.write(value)))):
            seen.add(is_read(shape, content))
            assert check.is_valid(content) == is_read(shape, content), content
    assert False in seen


@given(st.sampled_from(sorted(SHAPES)), JSON)
def test_the_schema_and_the_reader_agree_on_anything(name, content):
    shape, _ = SHAPES[name]
    assert validator(shape).is_valid(content) == is_read(shape, content)


@pytest.mark.parametrize("content", [1.0, True, np.int64(1)], ids=["float", "truth", "numpy"])
def test_only_a_whole_number_is_an_integer(content):
    assert not is_read(Integer(0), content)
    assert not is_read(Table(Integer(0), 1), [1, content])
    assert not is_read(Constant(1), content)


@pytest.mark.parametrize("content", [float("nan"), float("inf"), 10**400, True, "1"])
def test_only_what_a_float_can_hold_is_a_number(content):
    assert not is_read(Number(), content)
    assert not is_read(Table(Number(), 1), [1, content])


def test_arrays_are_written_as_lists():
    table = Table(Integer(0), 2)
    assert table.write(np.array([[1, 2], [3, 4]])) == table.write(((1, 2), (3, 4))) == [[1, 2], [3, 4]]
    assert all(type(value) is int for row in table.write(np.array([[1]])) for value in row)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "person", "name": "Ada", "age": -1}, "The age of 'Ada' must be a whole number of at least 0"),
        ({"kind": "person", "name": "Ada"}, "A being has no 'age'"),
        ({"kind": "person", "name": "Ada", "age": 1, "agee": 1}, "unknown entry 'agee'. Did you mean 'age'?"),
        ({"kind": "dog", "version": 2, "colour": "red"}, "A being must say 1"),
        ({"kind": "dog", "version": 1, "colour": "green"}, "A being must be one of: red, blue"),
        ({"kind": ["dog"]}, "A being is of no kind that is known"),
        (None, "A being is of no kind that is known"),
    ],
)
def test_a_message_says_what_is_wrong(content, message):
    with pytest.raises(FormatError) as caught:
        BEING.read(content, "A being")
    assert message in str(caught.value)


def test_a_refusal_stands_for_whatever_is_wrong_and_keeps_what_was_read_to_itself():
    entry = Entry(FRACTION, refusal="Ask the steward.")
    for content in ("secret", 1, None):
        with pytest.raises(FormatError, match=r"^Ask the steward\.$") as caught:
            entry.read(content, "It")
        assert caught.value.__context__ is None


def test_a_message_never_quotes_a_value():
    hostile = "{0.__class__} 4711"
    for shape, _ in SHAPES.values():
        for content in (hostile, [hostile], [[hostile]], {"kind": "person", "name": "Ada", "age": hostile}):
            with pytest.raises(FormatError) as caught:
                shape.read(content, "It")
            assert "4711" not in str(caught.value)


def test_what_no_option_is_made_of_is_not_written():
    with pytest.raises(FormatError, match="cannot be saved"):
        BEING.write("Ada")


def test_a_shared_shape_stands_once_in_the_schema():
    shared = {}
    schema = Object({"one": FRACTION, "two": OrNull(FRACTION)}).schema(shared)
    assert list(shared) == ["fraction"]
    assert json.dumps(schema).count("#/$defs/fraction") == 2
    assert "pattern" not in json.dumps(schema)
