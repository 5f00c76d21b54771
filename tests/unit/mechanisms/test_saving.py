"""A release that goes into a file: a place that will not do is found while it costs nothing."""

import pytest
from support.bits import FailingBits
from support.mechanisms import DATA, NETWORK

import discreet
from discreet import FormatError, Laplace, Ledger
from discreet.kernel.publish import ChargeNote
from discreet.output_file import OutputFile


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger", cap="2")


def test_a_release_is_saved_where_it_is_wanted_and_returned(ledger, tmp_path):
    made = discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / "out.json")
    assert discreet.load(tmp_path / "out.json").receipts == made.receipts


@pytest.mark.parametrize("name", ["out.json", "folder", "nowhere/out.json", "ledger"])
def test_a_release_into_a_file_that_exists_costs_nothing(ledger, tmp_path, name):
    (tmp_path / "out.json").write_text("mine")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError):
        discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / name, _bits=FailingBits())
    assert ledger.history() == []
    assert (tmp_path / "out.json").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "ledger", "out.json"]


def test_what_is_there_is_said_with_what_to_do_next(ledger, tmp_path):
    (tmp_path / "out.json").write_text("mine")
    with pytest.raises(FormatError, match=r"exists, so nothing was charged\. Choose another name, or move that file away"):
        discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / "out.json")
    with pytest.raises(FormatError, match="The path of a file is a text"):
        discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger, save=True)


def test_what_is_there_is_found_before_the_records_are_read(ledger, tmp_path):
    (tmp_path / "out.json").write_text("mine")
    with pytest.raises(FormatError, match="exists"):
        discreet.release(tmp_path / "no-such.csv", NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / "out.json")


def test_what_is_paid_for_and_cannot_be_put_in_its_place_is_kept(ledger, tmp_path, monkeypatch):
    write = OutputFile.write

    def write_elsewhere_only(file, content):
        if file._target.name == "out.json":
            raise FormatError("The place is gone.")
        write(file, content)

    monkeypatch.setattr(OutputFile, "write", write_elsewhere_only)
    with pytest.raises(FormatError, match="The place is gone") as caught:
        discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / "out.json")
    (note,) = (note for note in caught.value.__notes__ if isinstance(note, ChargeNote))
    (kept,) = tmp_path.glob("discreet-release-*.json")
    assert str(kept) in note
    assert discreet.load(kept).receipts[0].number == 1


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_a_name_that_the_ledger_uses_beside_itself_costs_nothing(ledger, tmp_path, ending):
    """SQLite would remove such a file with the next charge, whatever it holds."""
    with pytest.raises(FormatError, match="belongs to the ledger"):
        discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / f"ledger{ending}", _bits=FailingBits())
    assert ledger.history() == []
