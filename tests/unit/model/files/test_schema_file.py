"""Table Schema files: what they say is what is declared, and what they do not say is not guessed."""

import json

import pytest

import discreet as dc
from discreet.errors import FormatError, ModelError
from discreet.model.files.network_file import network_from_json, network_to_json
from discreet.model.files.schema_file import parse_schema, schema_to_json
from discreet.model.reading import Reading

FILE = {
    "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
    "title": "Patients",
    "missingValues": ["", {"value": "NA", "label": "not asked"}],
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120, "required": True},
         "cuts": [25, "35"]},
        {
            "name": "sex",
            "title": "Sex at birth",
            "categories": [{"value": "f", "label": "female", "spellings": ["female", "w"]}, {"value": "m"}],
            "other": "?",
            "fold": True,
            "column": "SEX",
        },
        {"name": "grade", "type": "integer", "categories": [1, 2, 3], "categoriesOrdered": True,
         "missingValues": ["9"], "missing": "none"},
        {"name": "dose", "type": "number", "constraints": {"minimum": 0.5, "maximum": 80}},
        {"name": "asthma", "type": "boolean", "trueValues": ["Y"], "falseValues": ["N"]},
        {"name": "seen", "type": "date", "cuts": ["2020-01-01"], "includes": "upper", "bins": ["before", "after"]},
        {"name": "ward", "constraints": {"enum": ["A", "B"]}},
        {"name": "room"},
    ],
}  # fmt: skip


def test_a_file_is_read_as_it_says():
    schema = parse_schema(json.dumps(FILE))
    age, sex, grade, dose, asthma, seen, ward, room = schema.columns
    assert schema.title == "Patients"
    assert age.cuts == ("25", "35")
    assert age.missing_values == ("", "NA")
    assert (age.minimum, age.maximum) == ("0", "120")
    assert sex.categories[0] == dc.Category("f", "female", ("female", "w"))
    assert sex.column == "SEX"
    assert sex.fold
    assert grade.levels == ("1", "2", "3", "none")
    assert grade.ordered
    assert grade.missing_values == ("9",)
    assert dose.bounds() == (0.5, 80.0)
    assert dose.is_numeric
    assert asthma.variable().reading.spellings == (("N", "false"), ("Y", "true"))
    assert seen.levels == ("before", "after")
    assert ward.levels == ("A", "B")
    assert [sentence[:6] for sentence in schema.unfinished] == ["'room'"]
    assert room.levels == ()


def test_what_is_written_is_read_back(tmp_path):
    schema = parse_schema(json.dumps(FILE))
    dc.write_schema(schema, tmp_path / "x.schema.json")
    assert dc.read_schema(tmp_path / "x.schema.json") == schema
    assert json.loads((tmp_path / "x.schema.json").read_text())["fields"][7] == {
        "name": "room",
        "type": "string",
        "categories": [],
        "missingValues": ["", "NA"],
        "open": schema.column("room").unfinished,
    }


def test_numbers_are_written_so_that_nobody_rounds_them():
    fields = schema_to_json(parse_schema(json.dumps(FILE)))["fields"]
    assert fields[0]["cuts"] == ["25", "35"]
    assert fields[0]["constraints"] == {"minimum": 0, "maximum": 120}
    assert fields[3]["constraints"] == {"minimum": "0.5", "maximum": 80}
    assert fields[2]["categories"] == [1, 2, 3]


def change(**entries):
    return {"fields": [{"name": "x", **entries}]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "no schema"),
        ({}, "no 'fields'"),
        ({"fields": []}, "at least one column"),
        ({"fields": {}}, "must be a list"),
        ({"fields": ["x"]}, "must be an object"),
        ({"fields": [{"type": "string"}]}, "has no 'name'"),
        ({"fields": [{"name": ""}]}, "needs a name"),
        ({"fields": [{"name": "x"}], "foreignKeys": []}, "unknown entry 'foreignKeys'"),
        ({"resources": []}, "another kind of file"),
        ({"format": "discreet-network"}, "another kind of file"),
        (change(catgories=["a"]), "unknown entry 'catgories'.*'categories'"),
        (change(format="email"), "a format of its own"),
        (change(constraints={"pattern": "a*"}), "unknown entry 'pattern'"),
        (change(constraints={"enum": ["a"]}, categories=["a"]), "keep one of them"),
        (change(categories=[True, False]), "text or a number"),
        (change(categories=[{"label": "a"}]), "has no 'value'"),
        (change(type="geopoint"), "The type of 'x'"),
        (change(type="number", cuts=["2", "1"]), "out of order"),
        (change(fold=1), "true or false"),
        (change(title=3), "'title'"),
        (change(missingValues="NA"), "must be a list"),
        (change(type="integer", decimalChar=","), "unknown entry 'decimalChar'"),
        (change(categories=[str(number) for number in range(100_000)]), "more than 10,000 levels"),
    ],
)
def test_what_is_wrong_or_not_understood_is_refused(tmp_path, content, message):
    path = tmp_path / "x.schema.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError, match=message) as caught:
        dc.read_schema(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"fields": [{"name": "x", "name": "y"}]}', "twice"),
        ('{"fields": [{"name": "x", "cuts": [NaN]}]}', "NaN"),
        ('{"fields": ' + "[" * 100_000, "nested too deeply|not JSON"),
        ("id,age\n4711,33\n", "no schema"),
    ],
)
def test_strict_json_is_read_strictly_and_records_are_never_quoted(text, message):
    with pytest.raises(FormatError, match=message) as caught:
        parse_schema(text)
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize("said", [{"categories": ["m", "f"]}, {"constraints": {"enum": [True]}}, {"categories": [True]}])
def test_categories_of_a_boolean_contradict_it_and_are_not_passed_over(said):
    with pytest.raises(FormatError, match=r"boolean|text or a number"):
        parse_schema(json.dumps({"fields": [{"name": "sex", "type": "boolean", **said}]}))
    both = {"name": "sex", "type": "boolean", "constraints": {"enum": [True, False]}}
    assert parse_schema(json.dumps({"fields": [both]})).column("sex").levels == ("false", "true")


def test_a_network_file_may_refer_to_a_schema_beside_it(tmp_path):
    schema = parse_schema(json.dumps(FILE)).select(["age", "sex", "ward"])
    dc.write_schema(schema, tmp_path / "clinic.schema.json")
    network = {"format": "discreet-network", "version": 1, "schema": "clinic.schema.json", "parents": {"age": ["sex"]}}
    (tmp_path / "clinic.json").write_text(json.dumps(network))
    assert dc.read_network(tmp_path / "clinic.json") == dc.Network(schema, {"age": ["sex"]})
    (tmp_path / "clinic.json").write_text(json.dumps({**network, "nodes": ["age", "sex"]}))
    assert dc.read_network(tmp_path / "clinic.json").nodes == ("age", "sex")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"schema": "../secret.json"}, "same folder"),
        ({"schema": "/etc/passwd"}, "same folder"),
        ({"schema": "records.csv"}, "same folder"),
        ({"schema": "absent.json"}, "cannot be read"),
        ({"schema": "x.json", "variables": []}, "keep one"),
        ({"schema": "x.json", "nodes": ["nobody"]}, "no column 'nobody'"),
        ({"schema": "x.json"}, "unfinished"),
    ],
)
def test_a_reference_leads_nowhere_else(tmp_path, entries, message):
    (tmp_path / "x.json").write_text(json.dumps(FILE))
    (tmp_path / "n.json").write_text(json.dumps({"format": "discreet-network", "version": 1, "parents": {}, **entries}))
    with pytest.raises(FormatError, match=message):
        dc.read_network(tmp_path / "n.json")


def test_readings_survive_in_network_files(tmp_path):
    network = dc.naive_bayes(parse_schema(json.dumps(FILE)).select(["ward", "age", "sex", "grade", "asthma", "seen"]), "ward")
    dc.write_network(network, tmp_path / "n.json")
    assert dc.read_network(tmp_path / "n.json") == network
    assert network_from_json(network_to_json(network)) == network


def test_a_network_without_readings_is_written_as_before():
    network = dc.Network([dc.Variable("a", ["x", "y"])])
    assert network_to_json(network)["variables"] == [{"name": "a", "levels": ["x", "y"]}]


def test_a_damaged_reading_is_a_format_error():
    network = network_to_json(dc.Network(parse_schema(json.dumps(FILE)).select(["age"])))
    reading = network["variables"][0]["reading"]
    for entries in ({"kind": "words"}, {"cuts": ["35", "25"]}, {"other": "nobody"}, {"seed": 1}, {"spellings": [["a", "b"]]}):
        network["variables"][0]["reading"] = {**reading, **entries}
        with pytest.raises(FormatError):
            network_from_json(network)


def test_a_schema_is_told_from_a_network(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(FILE))
    with pytest.raises(FormatError, match="a schema, not a network"):
        dc.read_network(tmp_path / "x.json")
    with pytest.raises(FormatError, match=r"ends in \.json"):
        dc.write_schema(parse_schema(json.dumps(FILE)), tmp_path / "x.toml")


def test_labels_survive_in_network_files_and_make_no_other_network(tmp_path):
    column = dc.SchemaColumn("q1", categories=[dc.Category("1", "none"), dc.Category("2", "2")], title="trust")
    network = dc.Network(dc.Schema([column]))
    dc.write_network(network, tmp_path / "n.json")
    read = dc.read_network(tmp_path / "n.json").variable("q1")
    assert (read.shown_name, read.shown_levels) == ("q1 (trust)", ("1 (none)", "2"))
    plain = dc.Network(dc.Schema([dc.SchemaColumn("q1", categories=["1", "2"])]))
    assert network == plain
    assert hash(network) == hash(plain)


@pytest.mark.parametrize("labels", [(("3", "much"),), (("1", "none"), ("1", "little"))])
def test_labels_are_of_levels_and_each_has_one(labels):
    with pytest.raises(ModelError, match=r"no level|two labels"):
        dc.Variable("q1", ["1", "2"], Reading(labels=labels))
