"""Schema files from anywhere: what is written is read back, and what is damaged is read or refused, nothing else."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import FormatError, ModelError
from discreet.model.files.schema_file import parse_schema, schema_to_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
WORDS = st.one_of(TEXTS, st.sampled_from(["yes", "Yes ", "1", "01", "1.0", "25", "0.5", "-9", "2020-01-01", "NA", "true"]))


@st.composite
def columns(draw):
    """A column of any kind, perhaps one that contradicts itself: then there is none."""
    options = draw(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["string", "integer", "number", "boolean", "date"])},
            optional={
                "categories": st.lists(
                    WORDS | st.builds(dc.Category, WORDS, TEXTS, st.lists(WORDS, max_size=2).map(tuple)), max_size=3
                ),
                "ordered": st.booleans(),
                "minimum": st.integers(-5, 5) | st.just("0.25"),
                "maximum": st.integers(6, 9) | st.floats(10, 20),
                "cuts": st.lists(st.sampled_from(["1", "2.5", "4", "2020-01-01"]), max_size=3),
                "includes": st.sampled_from(["lower", "upper"]),
                "bins": st.lists(TEXTS, max_size=3),
                "other": WORDS,
                "missing": WORDS,
                "missing_values": st.lists(WORDS | st.just(""), max_size=2),
                "fold": st.booleans(),
                "column": TEXTS,
                "true_values": st.lists(WORDS, max_size=2),
                "title": TEXTS,
            },
        )
    )
    try:
        return dc.SchemaColumn(draw(TEXTS), **options)
    except ModelError:
        return dc.SchemaColumn(draw(TEXTS), "integer", categories=[1, 2])


@given(st.lists(columns(), min_size=1, max_size=3))
def test_what_is_written_is_read_back(declared):
    try:
        schema = dc.Schema(declared)
    except ModelError:  # two of the same name
        return
    assert parse_schema(json.dumps(schema_to_json(schema))) == schema


VALID = json.dumps(
    {
        "missingValues": ["", "NA"],
        "fields": [
            {
                "name": "age",
                "type": "integer",
                "constraints": {"minimum": 0},
                "cuts": ["25"],
                "other": "?",
                "includes": "upper",
            },
            {
                "name": "sex",
                "categories": [{"value": "f", "label": "x", "spellings": ["w"]}, "m"],
                "fold": True,
                "column": "s",
            },
            {"name": "seen", "type": "date", "cuts": ["2020-01-01"], "missing": "none", "missingValues": ["9"]},
        ],
    }
)
MARKS = [
    "",
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "1",
    "-",
    "1e999",
    "NaN",
    "\\",
    "\\ud800",
    "type",
    "cuts",
    "\0",
]
EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from(MARKS)), min_size=1, max_size=4)


def read_or_refuse(text):
    """Nothing but a FormatError may come out; what is accepted is a whole schema, of which nodes can be made or not."""
    try:
        schema = parse_schema(text)
    except FormatError:
        return
    for column in schema.columns:
        if column.unfinished is None and not column.is_numeric:
            assert len(column.variable().levels) > 1


def test_the_text_that_is_damaged_below_is_valid():
    assert parse_schema(VALID).unfinished == []


@given(EDITS)
def test_a_damaged_schema_is_read_or_refused(edits):
    text = VALID
    for position, removed, inserted in edits:
        start = position % (len(text) + 1)
        text = text[:start] + inserted + text[start + removed :]
    read_or_refuse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["value", "label", "minimum", "enum"]), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = [
    "type", "categories", "constraints", "missingValues", "cuts", "includes", "bins", "other", "missing", "fold", "column",
    "title", "trueValues", "categoriesOrdered", "format",
]  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["name", *KEYS]), JSON | TEXTS, max_size=5), max_size=3))
@example([{"name": "x", "type": "number", "constraints": {"minimum": 10**400, "maximum": 10**401}}])
@example([{"name": "x", "type": "number", "constraints": {"minimum": -1e299, "maximum": 1e299}}])
@example([{"name": "x" * 5000}])
def test_nearly_a_schema_is_read_or_refused(fields):
    read_or_refuse(json.dumps({"fields": [{"name": "x", **field} for field in fields]}))
