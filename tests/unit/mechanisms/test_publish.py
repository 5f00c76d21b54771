"""From records to a release: everything in its order, and what cannot work costs nothing."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from support.bits import FailingBits, SeededBits
from support.mechanisms import DATA, EVERY, FOR_LINES, FOR_NETWORKS, LINE, NETWORK, POINTS
from support.regressions import line_records

from discreet import JEFFREYS, Ledger, MapPoint, ModelError, PureDP, TablePrior, naive_bayes
from discreet.counts import families as counting
from discreet.counts import moments as adding
from discreet.guarantee import Caveat
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.subject import RecordStatistic
from discreet.model.declaration import ModelKind
from discreet.model.prior import UNIFORM


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger", cap="2", delta="1e-5")


@pytest.fixture
def seen(monkeypatch):
    """What happens, in its order."""
    events = []

    def watch(owner, name, event):
        original = getattr(owner, name)

        def watched(*given, **options):
            events.append(event)
            return original(*given, **options)

        monkeypatch.setattr(owner, name, watched)

    watch(Ledger, "check", "asked")
    watch(counting, "code_batches", "counted")
    watch(adding, "fixed_point_batches", "counted")
    watch(Ledger, "charge", "charged")
    watch(SeededBits, "read", "drawn")
    return events


every_mechanism = pytest.mark.parametrize(("mechanism", "data", "model"), EVERY.values(), ids=EVERY)


@every_mechanism
def test_everything_happens_in_its_order(mechanism, data, model, ledger, seen):
    mechanism.release(data, model, ledger=ledger, _bits=SeededBits(1))
    assert list(dict.fromkeys(seen)) == ["asked", "counted", "charged", "drawn"]
    assert seen.count("counted") == seen.count("charged") == 1


@every_mechanism
def test_a_wrong_pair_is_told_before_anything_is_read(mechanism, data, model, ledger, seen):
    kind, others, other = ("networks", "linear models", LINE) if model is NETWORK else ("linear models", "networks", NETWORK)
    advice = rf"is for {kind}, not for {others}\. Use \w+\("
    with pytest.raises(ModelError, match=advice):
        mechanism.release("no-such-file.csv", other, ledger=ledger, _bits=FailingBits())
    found = mechanism.statistic.count(data, model, missing=None, rows=None, progress=None)
    with pytest.raises(ModelError, match=advice):
        mechanism.prepare_found(found, other, ledger=ledger, _bits=FailingBits())
    with pytest.raises(ModelError, match="A str is no model"):
        mechanism.release("no-such-file.csv", "network.bif", ledger=ledger, _bits=FailingBits())
    assert seen == ["counted"]


@pytest.mark.parametrize("given", [{"prior": JEFFREYS}, {"prior": "uniform"}, {"missing": "no"}], ids=str)
@pytest.mark.parametrize("mechanism", FOR_LINES.values(), ids=FOR_LINES)
def test_what_a_line_declares_itself_is_not_given_again(mechanism, given, ledger, seen):
    with pytest.raises(ModelError, match="not for linear models: these declare their own prior and take no gaps"):
        mechanism.release("no-such-file.csv", LINE, ledger=ledger, **given, _bits=FailingBits())
    assert seen == []


OLD = Caveat("old", "The urn is old.")


class Urn:
    """A model of a kind that there is not."""

    kind: ClassVar = ModelKind("urns", True, ("urn",), lambda urn: [("an urn",)], lambda urn: {}, lambda urn: (OLD,))


def refuse_negative(balls, urn):
    if balls < 0:
        raise ValueError("No urn holds fewer balls than none.")


BALLS = RecordStatistic(Urn.kind, lambda data, urn, **_: len(data), refuse_negative, 'Drawing("1")')


@dataclass(frozen=True, slots=True)
class Drawing(Mechanism):
    """A mechanism for it: what it prepares is told, and not to be published."""

    name: ClassVar[str] = "drawing"
    guarantee: ClassVar[PureDP] = PureDP("1")
    statistic: ClassVar[RecordStatistic] = BALLS

    def plan(self, urn, rows):
        raise NotImplementedError

    def check(self, urn, prior=UNIFORM):
        pass

    def _prepare(self, balls, urn, ledger, prior, bits):
        return Told((balls, urn, ledger))


class Told(tuple):
    """What was prepared, and what is to be said about it."""

    __slots__ = ()

    def beware(self, *caveats):
        return Told((*self, *caveats))


def test_a_further_kind_of_model_goes_the_same_way(ledger, seen):
    urn = Urn()
    assert Drawing().prepare("red", urn, ledger=ledger) == (3, urn, ledger, OLD)
    assert seen == ["asked"]
    with pytest.raises(ValueError, match="fewer balls than none"):
        Drawing().prepare_found(-1, urn, ledger=ledger)
    with pytest.raises(ModelError, match="A Drawing is for urns, not for networks"):
        Drawing().prepare("red", NETWORK, ledger=ledger)
    with pytest.raises(ModelError, match="A MapPoint is for networks, not for urns"):
        MapPoint("1").prepare("red", urn, ledger=ledger)
    with pytest.raises(ModelError, match="not for urns: these declare their own prior"):
        Drawing().prepare("red", urn, ledger=ledger, prior=JEFFREYS)


@pytest.mark.parametrize("mechanism", FOR_NETWORKS.values(), ids=FOR_NETWORKS)
def test_a_prior_that_does_not_fit_is_told_before_anything_is_read(mechanism, ledger, seen):
    prior = TablePrior(naive_bayes("y", ["z"]), {"y": [[1, 1]], "z": [[1, 1], [1, 1]]})
    with pytest.raises(ModelError):
        mechanism.release("no-such-file.csv", NETWORK, ledger=ledger, prior=prior, _bits=FailingBits())
    assert seen == []


@pytest.mark.parametrize("mechanism", FOR_NETWORKS.values(), ids=FOR_NETWORKS)
@pytest.mark.parametrize("columns", [2, 3])
def test_a_prior_of_ones_own_making_costs_nothing(mechanism, columns, ledger):
    """It could not be saved, and its tables may have any shape."""

    class Own:
        def concentration(self, family):
            return np.ones((family.configurations, columns))

    with pytest.raises(ModelError, match="TablePrior"):
        mechanism.release(DATA, NETWORK, ledger=ledger, prior=Own(), _bits=FailingBits())
    assert ledger.spent == 0


WRONG = {
    "floats": lambda tables: {node: table.astype(float) for node, table in tables.items()},
    "negative": lambda tables: {**tables, "x": tables["x"] + np.array([[9, -9], [0, 0]])},
    "another total": lambda tables: {**tables, "x": tables["x"] + 1},
    "another shape": lambda tables: {**tables, "x": tables["x"].T[:1]},
    "a table too few": lambda tables: {"y": tables["y"]},
    "a table too many": lambda tables: {**tables, "z": tables["x"]},
    "no records": lambda tables: {node: 0 * table for node, table in tables.items()},
    "sums that wrap around": lambda tables: {node: table * 0 + 2**62 for node, table in tables.items()},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("mechanism", FOR_NETWORKS.values(), ids=FOR_NETWORKS)
def test_what_cannot_be_counts_costs_nothing(mechanism, change, ledger):
    counts = change(counting.family_counts(DATA, NETWORK))
    with pytest.raises(ValueError, match="A release needs"):
        mechanism.prepare_found(counts, NETWORK, ledger=ledger, prior=UNIFORM, _bits=FailingBits())
    assert ledger.spent == 0


OTHERS = {
    "another resolution": lambda found: replace(found, resolution=12),
    "other columns": lambda found: replace(found, sums=found.sums[1:], products=found.products[1:, 1:]),
    "floats": lambda found: replace(found, products=found.products.astype(float)),
    "no records": lambda found: replace(found, rows=0),
    "records in another kind of number": lambda found: replace(found, rows=np.int64(20)),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("mechanism", FOR_LINES.values(), ids=FOR_LINES)
def test_moments_of_another_model_cost_nothing(mechanism, change, ledger):
    found = change(adding.moments(line_records(20), LINE))
    with pytest.raises(ValueError, match=r"another model|64-bit|one record"):
        mechanism.prepare_found(found, LINE, ledger=ledger, _bits=FailingBits())
    assert ledger.spent == 0


def test_candidates_that_are_all_the_same_are_told_before_anything_is_read(ledger, seen):
    with pytest.raises(ModelError, match="all the same"):
        MapPoint("1/2", candidates=POINTS[:1] * 2).release("no-such-file.csv", NETWORK, ledger=ledger)
    assert seen == []


def test_mechanisms_have_no_room_for_misspelt_fields():
    for mechanism in (*FOR_NETWORKS.values(), *FOR_LINES.values()):
        assert not hasattr(mechanism, "__dict__")
