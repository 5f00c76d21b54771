"""What is remembered from batch to batch changes no code: a value is read as it would be by itself."""

import polars as pl
import pytest

from discreet import SchemaColumn
from discreet.data import batch_reader
from discreet.data.batch_reader import BatchReader
from discreet.data.reading import GAP
from discreet.model.read_value import read_value

AGE = SchemaColumn("age", "integer", cuts=["25", "45"], minimum="17", maximum="90", missing_values=["", "-9"], other="odd")
WORK = SchemaColumn("work", categories=["private", "state"], fold=True)
AGES = [["17", "25", None, "25.0", "17"] * 3, ["25", "44", "44", "44", "-9", "-9"], ["word", "word", None, None], ["1e2"] * 9]
WORDS = [["state"] * 4, [" STATE", " STATE", "state", None, None, None], ["police"] * 5 + ["private"] * 5, ["state", "a", "b"]]


@pytest.mark.parametrize("most", [1, 3, 2**16])
@pytest.mark.parametrize(
    ("column", "batches"),
    [(AGE, AGES), (WORK, WORDS), (AGE, [[17, 17, 30, 30], [30, 91, 91, None, None, -9, -9], [5], [30, 30]])],
    ids=["texts of numbers", "texts", "whole numbers"],
)
def test_every_batch_is_read_as_if_it_were_the_only_one(monkeypatch, most, column, batches):
    monkeypatch.setattr(batch_reader, "MOST_KNOWN", most)
    variable = column.variable()
    reader = BatchReader(variable)
    for batch in batches:
        codes = [read_value(variable, value) for value in batch]
        found = reader.read(pl.Series("raw", batch))
        assert found.to_list() == [GAP if code is None else code for code in codes]
        assert found.name == "raw"


def test_a_value_that_was_met_before_is_not_read_again(monkeypatch):
    read, read_columns = [], batch_reader.read_columns

    def spy(frame, columns):
        read.extend(frame["value"].to_list())
        return read_columns(frame, columns)

    monkeypatch.setattr(batch_reader, "read_columns", spy)
    reader = BatchReader(AGE.variable())
    for _ in range(3):
        reader.read(pl.Series("raw", ["17", "25", None, None, "17", "25"]))
    assert sorted(map(str, read)) == ["17", "25", "None"]
