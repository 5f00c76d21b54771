"""Before the charge: whatever could keep a release from its file, or from its place, is found while it costs nothing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, SeededBits
from support.mechanisms import DATA, EVERY, NETWORK
from support.regressions import line_model, line_records

import discreet
from discreet import Auto, FormatError, Fourier, Gaussian, KNorm, Laplace, Ledger, MapPoint, Network, Sampler, Variable
from discreet.guarantee import Caveat, PureDP
from discreet.kernel.publish import ChargeNote
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler
from discreet.mechanisms.pipeline import prepare
from discreet.output_file import OutputFile
from discreet.release_file import document as release_file
from discreet.release_file.document import release_text

every_mechanism = pytest.mark.parametrize(("mechanism", "data", "public"), EVERY.values(), ids=EVERY)
FOR_NETWORKS = [
    Laplace("1/2"), Laplace("1/2", tables="maximal", consistent=True), Fourier("1/2"), KNorm("1/2"), Gaussian(rho="1/50"),
    Auto("1/2"), Auto("1/2", "1e-6"), Sampler("1/2"), Sampler("1/2", draws=40, delta="1e-6"), MapPoint("1/2"),
]  # fmt: skip
FOR_LINES = [RegressionMoments("1/2"), RegressionMoments("1/2", "1e-6"), RegressionSampler("1/2"), RegressionSampler(10**6)]


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


def charged(ledger):
    """What the ledger itself has on file."""
    (charge,) = ledger.history()
    return charge.guarantee


@pytest.mark.parametrize("mechanism", FOR_NETWORKS, ids=lambda each: each.name)
def test_a_release_states_what_was_charged(mechanism, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="2", delta="1e-5")
    release = mechanism.release(DATA, NETWORK, ledger=ledger)
    assert release.guarantee == release.receipts[0].guarantee == charged(ledger)


@pytest.mark.parametrize("mechanism", FOR_LINES, ids=lambda each: f"{each.name}-{each.epsilon}")
def test_a_release_of_a_line_states_what_was_charged(mechanism, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap=2 * 10**6, delta="1e-5")
    release = mechanism.release(line_records(20), line_model(radius=1, noise="1/2"), ledger=ledger)
    assert release.guarantee == release.receipts[0].guarantee == charged(ledger)
    if mechanism.epsilon == 10**6:
        assert release.guarantee.epsilon < mechanism.epsilon  # draws that are not tempered cost less


def test_a_release_states_its_receipt_whatever_was_intended(ledger):
    prepared = prepare(DATA, NETWORK, Laplace("1/2"), ledger=ledger)
    receipt = ledger.check(PureDP(Fraction(1, 4)))
    made = replace(prepared, charge_and_draw=lambda: (prepared.stand_in, receipt)).publish()
    assert (made.guarantee, made.receipts) == (PureDP(Fraction(1, 4)), (receipt,))
