"""Columns that are declared, columns that are open, and what is made of them."""

import pickle

import pytest

import discreet as dc
from discreet.errors import FormatError, ModelError, QueryError

AGE = dc.SchemaColumn("age", "integer", cuts=["25", "35"], minimum=0, maximum=120, other="(other)", missing="unknown")
INCOME = dc.SchemaColumn("income", categories=[dc.Category("low", "at most 50K", ("<=50K",)), "high"], fold=True)
SMOKER = dc.SchemaColumn("smoker", "boolean")
VISIT = dc.SchemaColumn("visit", "date", cuts=["2020-01-01"], includes="upper", bins=["before", "since"])
WEIGHT = dc.SchemaColumn("weight", "number", minimum="30.5", maximum=250)
HEIGHT = dc.SchemaColumn("height", "number", minimum=100, maximum=220)
SCHEMA = dc.Schema([AGE, INCOME, SMOKER, VISIT])


def test_cuts_make_levels_that_say_which_end_belongs_to_them():
    assert AGE.levels == ("[0, 25)", "[25, 35)", "[35, 120]", "(other)", "unknown")
    assert dc.SchemaColumn("a", "number", cuts=["25", "35"], includes="upper").levels == ("<=25", "(25, 35]", ">35")
    assert dc.SchemaColumn("a", "number", cuts=["25", "35"]).levels == ("<25", "[25, 35)", ">=35")
    assert VISIT.levels == ("before", "since")
    assert SMOKER.levels == ("false", "true")


def test_an_open_column_says_what_to_add():
    schema = dc.Schema([AGE, dc.SchemaColumn("ward"), dc.SchemaColumn("dose", "number"), dc.SchemaColumn("born", "date")])
    ward, dose, born = schema.unfinished
    assert ward == '\'ward\' has no levels: add categories, such as "categories": ["no", "yes"], or leave the column out.'
    assert "'dose'" in dose
    assert "cuts" in dose
    assert "minimum" in dose
    assert "'born'" in born
    assert "2020-01-01" in born
    assert SCHEMA.unfinished == []
    assert "one level" in dc.SchemaColumn("x", categories=["only"]).unfinished


@pytest.mark.parametrize(
    "make", [dc.Network, dc.chain_network, dc.complete_network, lambda schema: dc.naive_bayes(schema, "age")]
)
def test_nothing_is_made_of_an_unfinished_schema(make):
    with pytest.raises(ModelError, match="unfinished: 'ward' has no levels: add categories"):
        make(dc.Schema([AGE, dc.SchemaColumn("ward")]))


def test_a_column_with_bounds_alone_is_no_node():
    with pytest.raises(ModelError, match="'weight' has bounds and no levels: add cuts"):
        dc.Network(dc.Schema([AGE, WEIGHT]))


def test_networks_are_made_of_a_schema():
    network = dc.Network(SCHEMA, {"income": ["age", "smoker"]})
    assert network.nodes == ("age", "income", "smoker", "visit")
    assert network.parents["income"] == ("age", "smoker")
    assert dc.naive_bayes(SCHEMA, "income").parents == {
        "income": (), "age": ("income",), "smoker": ("income",), "visit": ("income",),
    }  # fmt: skip
    assert dc.Network.from_edges(SCHEMA, [("age", "income")]).parents["income"] == ("age",)


def test_templates_know_a_chain_a_tree_and_a_complete_graph():
    assert dict(dc.chain_network(SCHEMA).parents) == {
        "age": (), "income": ("age",), "smoker": ("income",), "visit": ("smoker",),
    }  # fmt: skip
    assert dict(dc.tree_network(SCHEMA, "income").parents) == {
        "income": (), "age": ("income",), "smoker": ("income",), "visit": ("age",),
    }  # fmt: skip
    assert dc.complete_network(SCHEMA).parents["visit"] == ("age", "income", "smoker")
    with pytest.raises(ModelError, match=r"no column 'incme'.*'income'"):
        dc.naive_bayes(SCHEMA, "incme")
    with pytest.raises(ModelError, match="a schema, or of a list"):
        dc.chain_network(["age"])
    with pytest.raises(ModelError, match="branches"):
        dc.tree_network(SCHEMA, "income", branches=0)


def test_linear_models_take_their_bounds_from_a_schema():
    model = dc.LinearModel.from_schema(dc.Schema([AGE, WEIGHT, HEIGHT]), target="weight", features=["age", "height"])
    assert [(column.name, column.low, column.high) for column in model.columns] == [
        ("age", 0, 120), ("height", 100, 220), ("weight", 30.5, 250),
    ]  # fmt: skip
    assert [each.name for each in dc.LinearModel.from_schema(dc.Schema([AGE, WEIGHT, HEIGHT]), "weight").features] == [
        "height"
    ]
    with pytest.raises(ModelError, match="'income' has no bounds"):
        dc.LinearModel.from_schema(SCHEMA, "income", ["age"])


def test_a_linear_model_takes_no_code_of_a_gap_for_a_number():
    coded = dc.SchemaColumn("dose", "number", minimum=0, maximum=9, missing_values=["-1"])
    with pytest.raises(ModelError, match="numbers that mean missing"):
        dc.LinearModel.from_schema(dc.Schema([coded, WEIGHT]), "weight", ["dose"])


def test_a_question_may_name_a_raw_value():
    network = dc.Network(SCHEMA)
    assert network.level_index("age", 30) == network.level_index("age", "[25, 35)") == 1
    assert network.level_index("income", "<=50k ") == 0
    for value in (500, "thirty", None):  # whoever asks means a level, not whatever else there is
        with pytest.raises(QueryError, match="no level"):
            network.level_index("age", value)
    assert network.level_index("age", "(other)") == 3


def test_a_question_may_name_a_declared_code_for_missing_and_nothing_that_is_just_absent():
    trust = dc.SchemaColumn("trust", "integer", categories=[1, 2], missing="no answer", missing_values=["", "-9", "NA"])
    network = dc.Network(dc.Schema([trust]))
    assert {network.level_index("trust", value) for value in (-9, "-9", -9.0, "NA", "no answer")} == {2}
    for value in (None, float("nan"), "", " ", -8):
        with pytest.raises(QueryError, match="no level"):
            network.level_index("trust", value)


def test_columns_that_lack_the_same_are_named_in_one_sentence():
    schema = dc.Schema([dc.SchemaColumn("a"), dc.SchemaColumn("b"), dc.SchemaColumn("c", "number"), dc.SchemaColumn("d")])
    strings, numbers = schema.to_add
    assert strings.startswith("'a', 'b', 'd': each has no levels: add categories")
    assert numbers == schema.column("c").unfinished
    with pytest.raises(ModelError, match=r"'a', 'b', 'd': each has no levels.*'c' has neither"):
        schema.check_finished()


def test_a_schema_shows_itself_and_can_be_copied():
    assert "age     integer  [0, 25), [25, 35)" in repr(SCHEMA)
    assert pickle.loads(pickle.dumps(SCHEMA)) == SCHEMA
    network = dc.Network(SCHEMA)
    assert pickle.loads(pickle.dumps(network)) == network
    assert SCHEMA.select(["income", "age"]).names == ("income", "age")
    with pytest.raises(ModelError, match=r"no column 'agge'.*'age'"):
        SCHEMA.column("agge")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "number", "cuts": ["35", "25"]}, "out of order"),
        ({"type": "number", "cuts": ["25", "25.0"]}, "out of order"),
        ({"type": "number", "cuts": ["25"], "maximum": 25}, "between its minimum and its maximum"),
        ({"type": "number", "cuts": ["25"], "minimum": 30}, "between its minimum and its maximum"),
        ({"type": "number", "cuts": ["old"]}, "no number"),
        ({"type": "number", "cuts": ["0.1234567890123456789"]}, "too many digits"),
        ({"type": "date", "cuts": ["2023-02-29"]}, "no date"),
        ({"type": "number", "minimum": 5, "maximum": 5}, "below its maximum"),
        ({"type": "number", "minimum": "low", "maximum": 5}, "bound that is no number"),
        ({"cuts": ["1"]}, "has cuts or bounds and is a string"),
        ({"type": "integer", "cuts": ["1"], "categories": [1, 2]}, "categories beside cuts"),
        ({"type": "integer", "categories": ["01", "02"]}, "codes such as 01 are of the type string"),
        ({"type": "number", "categories": ["1", "1.0"]}, "the same number"),
        ({"type": "integer", "categories": [1, 200], "maximum": 9, "minimum": 0}, "category outside"),
        ({"categories": ["a", "a"]}, "more than once"),
        ({"categories": ["yes", "YES"], "fold": True}, "reads 'YES' as 'YES' and as 'yes'"),
        ({"categories": ["a", "NA"], "missing_values": ["NA"]}, "as missing, too"),
        ({"categories": [dc.Category("a", spellings=("b",)), "b"]}, "reads 'b' as"),
        ({"type": "number", "cuts": ["1"], "bins": ["low"]}, "it has 2 bins"),
        ({"type": "number", "cuts": ["1"], "bins": ["low", "high"], "other": "low"}, "one of its bins"),
        ({"type": "integer", "categories": [dc.Category("1", spellings=("one",)), 2]}, "have no spellings"),
        ({"type": "decimal"}, "The type of 'x'"),
        ({"includes": "both"}, "'lower' or its 'upper'"),
        ({"other": " "}, "not empty"),
        ({"fold": "yes"}, "true or false"),
        ({"categories": "ab"}, "are a list"),
        ({"categories": [str(number) for number in range(100_000)]}, "more than 10,000 levels"),
        ({"type": "number", "cuts": [str(number) for number in range(5000)]}, "1,000 cuts"),
    ],
)
def test_a_column_that_contradicts_itself_is_refused(options, message):
    with pytest.raises(ModelError, match=message):
        dc.SchemaColumn("x", **options)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "at least one column"),
        ([AGE, AGE], "declared twice"),
        ([AGE, dc.SchemaColumn("years", "integer", cuts=["5"], column="age")], "read twice"),
        (["age"], "list of SchemaColumn"),
    ],
)
def test_a_schema_that_contradicts_itself_is_refused(columns, message):
    with pytest.raises(ModelError, match=message):
        dc.Schema(columns)


def test_a_network_reads_no_column_twice_and_bif_has_no_place_for_readings(tmp_path):
    once = dc.Variable("age", AGE.levels, AGE.variable().reading)
    again = dc.Variable("years", ["a", "b"], dc.Reading(column="age"))
    with pytest.raises(ModelError, match="one column"):
        dc.Network([once, again])
    with pytest.raises(FormatError, match="BIF has no place for how raw values are read"):
        dc.write_network(dc.Network(SCHEMA), tmp_path / "x.bif")


def test_a_schema_in_the_place_of_a_network_needs_a_target():
    with pytest.raises(ModelError, match=r"A schema has no graph.*target='income'"):
        dc.plan(SCHEMA, rows=1000, epsilon="1")
    with pytest.raises(ModelError, match="target is for a schema"):
        dc.plan(dc.Network(SCHEMA), rows=1000, epsilon="1", target="income")
    assert len(dc.plan(SCHEMA, rows=1000, epsilon="1", target="income").plans) > 2
