"""Releases that protect persons: what they say, what they cost, and what is refused before anything is charged."""

import polars as pl
import pytest
from support.bits import SeededBits
from support.persons import person_frame, persons_of
from support.small_worlds import graphs

from discreet import (
    Auto,
    DataError,
    Fourier,
    Gaussian,
    KNorm,
    Laplace,
    Ledger,
    LinearModel,
    MapPoint,
    ModelError,
    PureDP,
    RegressionMoments,
    RegressionSampler,
    Sampler,
    Unit,
    load,
    release,
)
from discreet.guarantee import ZCDP, Neighbours

NETWORK = list(graphs(2))[-1]
PERSONS = persons_of(NETWORK)
FRAME = person_frame(NETWORK, PERSONS)
MODEL = LinearModel({"x": (0, 10)}, ("y", (-5, 5)), radius=2, noise="1/3")
LINES = pl.DataFrame({"id": [1, 1, 2, 3], "x": [1.0, 2.0, 3.0, 4.0], "y": [0.0, 1.0, 2.0, 3.0]})
NOISE = [Laplace("1"), KNorm("1"), Fourier("1"), Gaussian(rho="1"), Auto("1")]
DRAWS = [Sampler("1"), MapPoint("1")]
AVERAGE = {"person": "id", "rows_per_person": "average"}


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger", "100", delta="1e-6")


@pytest.mark.parametrize("mechanism", [*NOISE, *DRAWS], ids=lambda m: m.name)
def test_every_mechanism_protects_persons_by_one_record_of_each(mechanism, ledger, tmp_path):
    made = release(FRAME, NETWORK, mechanism, ledger=ledger, person="id", save=tmp_path / "r.json")
    assert made.neighbours is Neighbours.REPLACE_PERSON
    assert made.unit == Unit.person("id")
    assert load(tmp_path / "r.json").unit == made.unit
    assert "persons" in made.caveats[0].text
    assert "one-record" not in {caveat.name for caveat in made.caveats}
    assert ledger.history()[0].purpose.endswith("; protects one person, represented by one record")


@pytest.mark.parametrize("mechanism", NOISE, ids=lambda m: m.name)
def test_noisy_counts_of_averages_are_of_whole_persons(mechanism, ledger, tmp_path):
    made = release(FRAME, NETWORK, mechanism, ledger=ledger, save=tmp_path / "r.json", **AVERAGE)
    assert made.plugin.released.rows == len(PERSONS)
    assert all(abs(int(each.numbers.max())) < 27720 for each in made.plugin.released.measurements)
    assert load(tmp_path / "r.json").unit == Unit.person("id", "average")
    assert made.receipts[0].guarantee == mechanism.guarantee or mechanism.name == "auto"


@pytest.mark.parametrize("mechanism", DRAWS, ids=lambda m: m.name)
def test_averages_are_refused_where_nobody_has_proved_what_they_cost(mechanism, ledger):
    with pytest.raises(ModelError, match='Use rows_per_person="one"'):
        release(FRAME, NETWORK, mechanism, ledger=ledger, **AVERAGE)
    assert ledger.history() == []


def test_moments_of_averages_are_released_and_draws_of_them_refused(ledger):
    for mechanism in (RegressionMoments("1"), RegressionMoments("1", "1e-7")):
        made = release(LINES, MODEL, mechanism, ledger=ledger, **AVERAGE)
        assert made.plugin.released.rows == 3
    assert release(LINES, MODEL, RegressionSampler("1"), ledger=ledger, person="id").unit.noun == "person"
    with pytest.raises(ModelError, match="no regression-sampler release of averages"):
        release(LINES, MODEL, RegressionSampler("1"), ledger=ledger, **AVERAGE)
    assert len(ledger.history()) == 3


@pytest.mark.parametrize("size", [1000, 10**9])
def test_with_little_noise_averages_come_out_as_they_are(size):
    made = release(FRAME, NETWORK, Laplace(size), ledger=Ledger.unlimited(), **AVERAGE)
    found = made.plugin.released.measurements[0].numbers
    assert found.tolist() == [len(PERSONS) / 2] * 2  # this world is symmetric


def test_persons_with_one_record_each_get_the_release_that_records_get():
    """With the same noise: of whole numbers of persons the finer grid shows nothing."""
    single = [person for person in PERSONS if len(person) == 1] * 50
    frame = person_frame(NETWORK, single)
    plain = release(frame, NETWORK, Laplace("1000"), ledger=Ledger.unlimited())
    for words in ({"person": "id"}, AVERAGE):
        made = release(frame, NETWORK, Laplace("1000"), ledger=Ledger.unlimited(), **words)
        for one, two in zip(plain.plugin.released.measurements, made.plugin.released.measurements, strict=True):
            assert one.numbers.tolist() == two.numbers.tolist()
            assert one.law == two.law


def test_several_records_are_charged_for_exactly(ledger, tmp_path):
    made = release(FRAME, NETWORK, Laplace("0.3"), ledger=ledger, rows_at_most=3, save=tmp_path / "r.json")
    assert made.guarantee == PureDP("0.9") == made.receipts[0].guarantee
    assert ledger.spent == PureDP("0.9").epsilon
    again = load(tmp_path / "r.json")
    assert again.unit == Unit.rows_at_most(3)
    assert again.plugin.released.measurements[0].law.scale == 4 / PureDP("0.3").epsilon
    assert "How many these are is not protected" in again.caveats[1].text
    gaussian = Gaussian(rho="0.1")
    made = release(FRAME, NETWORK, gaussian, ledger=ledger, rows_at_most=3)
    assert made.guarantee == ZCDP(9 * gaussian.guarantee.rho)


@pytest.mark.parametrize("words", [{"person": "id"}, AVERAGE])
def test_a_record_of_nobody_costs_nothing(words, ledger):
    frame = FRAME.with_columns(pl.when(pl.col("id") == "p0").then(None).otherwise("id").alias("id"))
    with pytest.raises(DataError, match="whose it is"):
        release(frame, NETWORK, Laplace("1"), ledger=ledger, **words)
    assert ledger.history() == []


def test_the_expected_number_is_that_of_persons(ledger):
    release(FRAME, NETWORK, Laplace("1"), ledger=ledger, rows=len(PERSONS), **AVERAGE)
    with pytest.raises(DataError, match="number of persons"):
        release(FRAME, NETWORK, Laplace("1"), ledger=ledger, rows=FRAME.height, **AVERAGE)
    assert len(ledger.history()) == 1


def test_a_ledger_for_a_unit_needs_no_words(ledger):
    made = release(FRAME, NETWORK, Laplace("1"), ledger=ledger.for_unit(Unit.person("id")))
    assert made.unit == Unit.person("id")


def test_neither_identities_nor_the_number_of_records_are_in_a_release(ledger, tmp_path):
    names = [f"secret{number}" for number in range(FRAME.height)]
    frame = FRAME.with_columns(pl.Series("id", names[:1] * 40 + names[40:]))
    made = release(frame, NETWORK, Laplace("1"), ledger=ledger, save=tmp_path / "r.json", _bits=SeededBits(1), **AVERAGE)
    told = (tmp_path / "r.json").read_text() + repr(made) + str(ledger.history())
    assert "secret" not in told
    assert f'"rows": {frame["id"].n_unique()}' in told


def test_releases_of_different_units_are_not_combined(ledger):
    one = release(FRAME, NETWORK, Laplace("1"), ledger=ledger, person="id")
    two = release(FRAME, NETWORK, Laplace("1"), ledger=ledger, **AVERAGE)
    with pytest.raises(ModelError, match="different notions"):
        one.combine(two)
    assert one.combine(one).unit == one.unit
    assert one.map(lambda value: value).unit == one.unit
