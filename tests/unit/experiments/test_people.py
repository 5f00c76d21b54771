"""Made-up people to practise on: the same every time, raw where offices are raw, and described by their codebook."""

from pathlib import Path

import polars as pl
import pytest

from discreet import FormatError, declare, misfits
from discreet.experiments.people import CODEBOOK, TABLE, people, write_people


def test_people_are_the_same_every_time_and_like_the_probabilities_that_were_made_up():
    frame = people(2000)
    assert frame.equals(people(2000))
    assert frame.schema["age"] == frame.schema["hours"] == pl.Int64
    assert frame["age"].is_between(17, 90).all()
    assert frame["age"].n_unique() > 60
    rich = frame.filter(pl.col("income") == ">50K")
    graduates = [each["education"].eq("university").mean() for each in (rich, frame)]
    assert graduates[0] > graduates[1] + 0.1


def test_the_codebook_describes_every_column_so_that_every_record_fits(tmp_path):
    write_people(tmp_path)
    schema = declare(tmp_path / TABLE, tmp_path / CODEBOOK)
    assert schema.unfinished == []
    assert misfits(tmp_path / TABLE, schema).fits
    assert schema.column("age").levels[:2] == ("[17, 25)", "[25, 35)")


def test_files_that_are_there_stay(tmp_path):
    Path(tmp_path / CODEBOOK).write_text("mine")
    with pytest.raises(FormatError, match="exists"):
        write_people(tmp_path)
    assert not (tmp_path / TABLE).exists()
    write_people(tmp_path, overwrite=True)
    assert (tmp_path / CODEBOOK).read_text() != "mine"
