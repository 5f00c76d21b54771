"""Before the charge: whatever could keep a release from its file is found while it costs nothing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.mechanisms import DATA, EVERY, NETWORK

import discreet
from discreet import FormatError, Laplace, Ledger, Network, Variable
from discreet.guarantee import Caveat
from discreet.kernel.publish import ChargeNote
from discreet.mechanisms.pipeline import prepare
from discreet.release_file import document as release_file
from discreet.release_file.document import release_text

every_mechanism = pytest.mark.parametrize(("mechanism", "data", "public"), EVERY.values(), ids=EVERY)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger", cap="2", delta="1e-5")


@every_mechanism
def test_what_is_prepared_is_not_charged(mechanism, data, public, ledger):
    prepared = prepare(data, public, mechanism, ledger=ledger, _bits=FailingBits())
    assert prepared.room > 0
    assert ledger.history() == []


@every_mechanism
def test_a_version_that_cannot_be_told_costs_nothing(mechanism, data, public, ledger, monkeypatch):
    monkeypatch.delattr("discreet.releases.__version__")
    with pytest.raises(NameError):
        discreet.release(data, public, mechanism, ledger=ledger, _bits=FailingBits())
    assert ledger.history() == []


@every_mechanism
def test_nothing_is_looked_up_after_the_charge(mechanism, data, public, ledger, monkeypatch, tmp_path):
    """The file can still be written when package and metadata have gone away with the charge."""
    charge = Ledger.charge

    def charge_and_break(*given):
        receipt = charge(*given)
        monkeypatch.delattr("discreet.releases.__version__")
        monkeypatch.setattr("importlib.metadata.version", lambda name: 1 / 0)
        return receipt

    monkeypatch.setattr(Ledger, "charge", charge_and_break)
    made = discreet.release(data, public, mechanism, ledger=ledger)
    made.save(tmp_path / "x.json")
    assert discreet.load(tmp_path / "x.json").software.startswith("discreet ")


@every_mechanism
def test_a_package_without_metadata_can_release(mechanism, data, public, ledger, monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda name: 1 / 0)
    assert discreet.release(data, public, mechanism, ledger=ledger).software == f"discreet {discreet.__version__}"


@every_mechanism
@pytest.mark.parametrize("fault", ["a caveat that is too long", "a file that is too large", "half a surrogate pair"])
def test_what_cannot_be_written_costs_nothing(mechanism, data, public, ledger, fault, monkeypatch):
    text = {"a caveat that is too long": "x" * 2001, "half a surrogate pair": "\ud800"}.get(fault, "short")
    if fault == "a file that is too large":
        monkeypatch.setattr(release_file, "SIZE_LIMIT", 200)
    prepared = prepare(data, public, mechanism, ledger=ledger, _bits=FailingBits()).beware(Caveat("fault", text))
    with pytest.raises(FormatError, match="nothing was charged"):
        prepared.publish()
    assert ledger.history() == []


@every_mechanism
def test_a_stand_in_does_not_depend_on_the_records(mechanism, data, public, ledger):
    """Only on how many there are, which is public: other records leave room for the same file."""
    others = type(data)({name: data[name][:1].to_list() * len(data) for name in data.columns})
    texts = []
    for records in (data, others):
        prepared = prepare(records, public, mechanism, ledger=ledger, _bits=FailingBits())
        receipt = replace(ledger.check(prepared.guarantee), at="2026-01-01T00:00:00Z")
        texts.append(release_text(prepared._wrap(prepared.make(prepared.stand_in), receipt)))
    assert texts[0] == texts[1]


@every_mechanism
def test_no_file_is_longer_than_its_room(mechanism, data, public, ledger):
    prepared = prepare(data, public, mechanism, ledger=ledger, _bits=SeededBits(1))
    length = len(release_text(prepared.publish()))
    assert length <= prepared.room <= 3 * length + 9000


def test_the_stand_in_is_as_long_as_the_noisiest_numbers():
    """Without a reserve for receipts: the numbers themselves fill the file."""
    network = Network([Variable(f"v{place}", [str(level) for level in range(40)]) for place in range(5)])
    data = pl.DataFrame({node: ["0"] for node in network.nodes})
    prepared = prepare(data, network, Laplace("1e-9"), ledger=Ledger.unlimited(), _bits=SeededBits(1))
    blank = len(release_text(prepared._wrap(prepared.make(prepared.stand_in), prepared.ledger.check(prepared.guarantee))))
    drawn = len(release_text(prepared.publish()))
    assert drawn <= blank <= 1.3 * drawn


@every_mechanism
def test_what_fails_after_the_charge_names_it(mechanism, data, public, ledger):
    prepared = prepare(data, public, mechanism, ledger=ledger)
    real = prepared.make
    calls = []

    def make(drawn):
        calls.append(drawn)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(drawn)

    with pytest.raises(KeyboardInterrupt) as caught:
        replace(prepared, make=make).publish()
    (charge,) = ledger.history()
    (note,) = caught.value.__notes__
    assert isinstance(note, ChargeNote)
    assert f"charge {charge.number} of data set 'default' at {charge.at}" in note
    assert str(ledger.path) in note
    assert "charged again" in note


@every_mechanism
def test_an_interruption_within_the_charge_says_where_to_look(mechanism, data, public, ledger, monkeypatch):
    """The charge is on the disk, and nobody has its receipt."""
    charge = Ledger.charge

    def charge_and_stop(*given):
        charge(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "charge", charge_and_stop)
    with pytest.raises(KeyboardInterrupt) as caught:
        discreet.release(data, public, mechanism, ledger=ledger, _bits=FailingBits())
    assert len(ledger.history()) == 1
    (note,) = caught.value.__notes__
    assert f"may have been spent before this happened: the ledger {str(ledger.path)!r}" in note


def test_a_refusal_says_nothing_of_a_charge(ledger, monkeypatch):
    def refuse(*given):
        raise discreet.BudgetError("Nothing was charged.")

    monkeypatch.setattr(Ledger, "charge", refuse)
    with pytest.raises(discreet.BudgetError) as caught:
        discreet.release(DATA, NETWORK, Laplace("1/2"), ledger=ledger)
    assert not hasattr(caught.value, "__notes__")


def test_the_choice_of_a_mechanism_is_told_by_the_file_that_was_tried(ledger):
    prepared = prepare(DATA, NETWORK, discreet.Auto("1/2"), ledger=ledger)
    assert [caveat.name for caveat in prepared.caveats] == ["automatic-choice"]
    assert prepared.publish().caveats[-1].name == "automatic-choice"


def test_a_prior_that_is_a_release_is_told_by_the_file_that_was_tried(ledger):
    first = discreet.release(DATA, NETWORK, Laplace("1"), ledger=ledger)
    prepared = prepare(DATA, NETWORK, Laplace("1"), ledger=ledger, prior=first.plugin)
    assert [caveat.name for caveat in prepared.caveats] == ["prior-release"]


def test_every_publication_is_charged(ledger):
    prepared = prepare(DATA, NETWORK, Laplace("1/4"), ledger=ledger)
    one, two = prepared.publish(), prepared.publish()
    assert ledger.spent == Fraction(1, 2)
    assert [one.receipts[0].number, two.receipts[0].number] == [1, 2]


def test_a_stand_in_is_never_what_was_counted(ledger):
    """The smallest count that a stand-in could show is further off than any noise: no file of it looks like a release."""
    prepared = prepare(DATA, NETWORK, Laplace("1/2"), ledger=ledger)
    assert all(np.unique(numbers).size == 1 and numbers.max() < -len(DATA) for numbers in prepared.stand_in)
