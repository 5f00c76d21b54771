from __future__ import annotations

import copy
from fractions import Fraction

import polars as pl
import pytest

from discreet import LinearModel, read_linear_model
from discreet.errors import FormatError
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json

GOOD = """
# Public: nobody needed the records to write this.
radius = 3
noise = 0.25

[features]
age = [16, 90]
"hours per week" = [0, 99]

[target]
income = [0, 150_000]
"""
MODEL = LinearModel({"age": (16, 90), "hours per week": (0, 99)}, ("income", (0, 150_000)), radius=3, noise="0.25")


def written(folder, text, name="model.toml"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_toml_file_declares_a_model(tmp_path):
    assert read_linear_model(written(tmp_path, GOOD)) == MODEL


def test_every_option_can_be_declared(tmp_path):
    text = GOOD.replace("radius = 3", 'radius = "1/3"\nintercept = false\nresolution = 10') + "\n[precision]\nage = 2\n"
    found = read_linear_model(written(tmp_path, text + '"hours per week" = 0.5\n'))
    assert (found.intercept, found.resolution, found.radius) == (False, 10, Fraction(1, 3))
    assert found.precisions == (2, Fraction(1, 2))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("radius = 3", "raduis = 3", "unknown entry 'raduis'. Did you mean 'radius'"),
        ("[target]", "[aim]", "has no 'target'"),
        ("[features]", "[feature]", "has no 'features'"),
        ("income = [0, 150_000]", "income = [0, 150_000]\nwealth = [0, 1]", "must have one entry"),
        ("age = [16, 90]", "age = [90, 16]", "lower bound of 'age'"),
        ("age = [16, 90]", "age = [nan, 90]", "'age' must be finite"),
        ("age = [16, 90]", "age = 16", "'age' needs two bounds"),
        ("age = [16, 90]", "age = [16, 90", "not valid TOML"),
        ("age = [16, 90]", "age = [16, 90]\nage = [1, 2]", "not valid TOML"),
        ("noise = 0.25", "noise = -1", "noise must be"),
        ("noise = 0.25", "noise = 1979-05-27", "noise must be"),
        ("[features]", "features = 3\n[other]", "unknown entry 'other'|must be a table"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_name(tmp_path, old, new, message):
    assert old in GOOD
    with pytest.raises(FormatError, match=message) as caught:
        read_linear_model(written(tmp_path, GOOD.replace(old, new)))
    assert str(caught.value).startswith(str(tmp_path / "model.toml"))


@pytest.mark.parametrize("name", ["records.csv", "records.parquet", "model.toml", "model"])
def test_records_given_by_mistake_are_refused_and_not_quoted(tmp_path, name):
    frame = pl.DataFrame({"secret": ["Sapphire", "Ruby"], "income": [4711, 815]})
    for path in (tmp_path / f"as-csv-{name}", tmp_path / f"as-parquet-{name}"):
        (frame.write_csv if "as-csv" in path.name else frame.write_parquet)(path)
        with pytest.raises(FormatError) as caught:
            read_linear_model(path)
        assert "Sapphire" not in str(caught.value)
        assert "4711" not in str(caught.value)
        assert caught.value.__cause__ is None


def test_a_key_value_file_of_records_is_not_quoted_either(tmp_path):
    with pytest.raises(FormatError, match="not valid TOML") as caught:
        read_linear_model(written(tmp_path, "name = Sapphire\n"))
    assert "Sapphire" not in str(caught.value)


def test_files_that_are_missing_empty_binary_or_of_another_kind_are_refused(tmp_path):
    for text in (b"", b"\x00\x01\x02", b"\xff\xfe", b'{"features": {}}', b"network x {}"):
        with pytest.raises(FormatError):
            read_linear_model(written(tmp_path, text))
    with pytest.raises(FormatError, match="cannot be read"):
        read_linear_model(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "discreet-network"}, "not a linear model"),
        ({"version": 2}, "version"),
        ({"version": True}, "version"),
        ({"features": {}}, "must be a list"),
        ({"features": [{"name": "x", "bounds": [0, 1]}] * 2}, "declared twice"),
        ({"features": [{"name": "x", "bounds": [1, 0]}]}, "lower bound"),
        ({"features": [{"name": "x"}]}, "has no 'bounds'"),
        ({"precision": ["1", "1"]}, "do not fit"),
        ({"precision": ["1", "1", "zero"]}, "precision"),
        ({"precision": [1, 1, 1]}, "must be a text"),
        ({"radius": 3}, "must be a text"),
        ({"radius": "-3"}, "radius"),
        ({"intercept": "yes"}, "intercept"),
        ({"resolution": 99}, "resolution"),
        ({"extra": 1}, "unknown entry"),
    ],
)
def test_a_damaged_json_form_is_a_format_error(change, message):
    with pytest.raises(FormatError, match=message):
        linear_model_from_json(copy.deepcopy(linear_model_to_json(MODEL)) | change)


def test_a_file_says_whether_the_prior_is_learned():
    content = linear_model_to_json(MODEL)
    assert content["precision"] is None
    assert linear_model_from_json(content) == MODEL
    declared = linear_model_to_json(MODEL.declare_prior())
    assert declared["precision"] == ["1", "1", "1"]
    assert linear_model_from_json(declared) == MODEL.declare_prior()
