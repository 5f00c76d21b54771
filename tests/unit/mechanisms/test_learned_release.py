"""A release goes on from a learned graph: both guarantees, all receipts, and all that was measured."""

import json

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, FormatError, ModelError
from discreet.learning.graphs import prepare_graph
from discreet.release_file.document import digest
from tests.support.bits import SeededBits
from tests.support.graphs import binary, chain_records, open_ledger

RECORDS, VARIABLES = chain_records(4, 2000), binary(4)


def learn(ledger, form="tree", **given):
    return dc.learn(RECORDS, VARIABLES, epsilon="0.5", ledger=ledger, form=form, **given)


@pytest.mark.parametrize("form", ["tree", "dag"])
def test_a_release_goes_on_from_a_learned_graph(tmp_path, form):
    ledger = open_ledger(tmp_path)
    learned = learn(ledger, form)
    release = dc.release(RECORDS, learned, epsilon="0.7", ledger=ledger)
    assert release.guarantee == dc.PureDP("1.2")
    assert [receipt.number for receipt in release.receipts] == [1, 2]
    assert "learned-graph" in [caveat.name for caveat in release.caveats]
    assert release.value.released.learning is learned.learning
    release.save(tmp_path / "release.json")
    loaded = dc.load(tmp_path / "release.json")
    assert loaded.guarantee == release.guarantee
    assert loaded.receipts == release.receipts
    assert loaded.value.released.learning.cost == learned.learning.cost
    assert loaded.plugin.query("x1", {"x0": "1"}, interval=None)["1"] == pytest.approx(0.9, abs=0.04)
    with pytest.raises(dc.QueryError, match="learned"):
        loaded.plugin.query("x1", do={"x0": "1"})


def test_the_posterior_of_a_learned_graph_knows_the_noise_of_all_stages(tmp_path):
    ledger = open_ledger(tmp_path)
    posterior = dc.release(RECORDS, learn(ledger), epsilon="0.7", ledger=ledger).posterior
    answer = posterior.query("x1", {"x0": "1"})
    assert answer["1"] == pytest.approx(0.9, abs=0.04)
    assert (answer.upper - answer.lower > 0.005).all()


def test_earlier_measurements_sharpen_the_tables(tmp_path):
    ledger = open_ledger(tmp_path)
    learned = learn(ledger)
    followed = dc.release(RECORDS, learned, dc.KNorm("0.5"), ledger=ledger).value.released
    assert followed.earlier
    alone = dc.release(RECORDS, learned.network, dc.KNorm("0.5"), ledger=ledger).value.released
    assert followed._together.precision.sum() > alone._together.precision.sum()


def test_zero_concentrated_budgets_add_up(tmp_path):
    ledger = open_ledger(tmp_path, delta="1e-6")
    learned = learn(ledger, delta="1e-6")
    release = dc.release(RECORDS, learned, epsilon="0.5", ledger=ledger)
    assert release.mechanism.name == "gaussian"
    assert release.guarantee == dc.ZCDP(2 * learned.guarantee.rho)
    release.save(tmp_path / "release.json")
    assert dc.load(tmp_path / "release.json").guarantee == release.guarantee


def test_what_does_not_belong_together_costs_nothing(tmp_path):
    ledger = open_ledger(tmp_path)
    learned = learn(ledger)
    spent = ledger.history()
    with pytest.raises(DataError, match="other records"):
        dc.release(RECORDS[:1999], learned, epsilon="1", ledger=ledger)
    with pytest.raises(DataError, match="other records"):
        dc.release(RECORDS, learned, epsilon="1", ledger=dc.Ledger(tmp_path / "other.ledger", cap="5", dataset="other"))
    with pytest.raises(ModelError, match="protects the same"):
        dc.release(RECORDS, learned, epsilon="1", ledger=ledger, rows_at_most=3)
    with pytest.raises(ModelError, match="adds noise to counts"):
        dc.release(RECORDS, learned, dc.Sampler("1"), ledger=ledger, prior="uniform")
    assert ledger.history() == spent


def test_a_network_that_was_learned_elsewhere_is_told(tmp_path):
    ledger = open_ledger(tmp_path)
    release = dc.release(RECORDS, learn(ledger).network, epsilon="1", ledger=ledger)
    [said] = [caveat.text for caveat in release.caveats if caveat.name == "learned-graph"]
    assert "not in this release" in said


def edited(path, change):
    content = json.loads(path.read_text())
    change(content)
    content["digest"] = digest(content)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["learning"].update(choices="1/1000"),
        lambda content: content["learning"]["stages"].pop(),
        lambda content: content["receipts"].pop(0),
        lambda content: content["network"].pop("learned"),
    ],
    ids=["cheaper choices", "a stage less", "a receipt less", "a graph that was not learned"],
)
def test_a_file_whose_graph_was_not_paid_for_is_refused(tmp_path, change):
    ledger = open_ledger(tmp_path)
    dc.release(RECORDS, learn(ledger), epsilon="0.7", ledger=ledger, save=tmp_path / "release.json")
    with pytest.raises(FormatError):
        dc.load(edited(tmp_path / "release.json", change))


def test_a_directed_graph_is_a_release_without_further_cost(tmp_path):
    ledger = open_ledger(tmp_path)
    learned = learn(ledger, "dag")
    learned.release.save(tmp_path / "release.json")
    loaded = dc.load(tmp_path / "release.json")
    assert len(ledger.history()) == 1
    assert loaded.guarantee == dc.PureDP("0.5")
    np.testing.assert_allclose(loaded.posterior.mean("x2"), learned.posterior.mean("x2"))
    assert "learned" in loaded.to_html()
    with pytest.raises(FormatError, match="does not fit"):
        dc.load(edited(tmp_path / "release.json", lambda content: content["statistics"].update(scale="100")))


def test_only_a_directed_graph_has_a_posterior_before_its_release(tmp_path):
    with pytest.raises(ModelError, match="measured by its release"):
        learn(open_ledger(tmp_path)).posterior  # noqa: B018


def test_what_must_be_said_of_the_graph_is_said_of_its_release(tmp_path):
    """Scripted bits protect nobody, and how long choices take depends on the counts."""
    ledger = open_ledger(tmp_path, cap="9")
    records = chain_records(3, 200)
    learned = prepare_graph(records, binary(3), epsilon="1", form="tree", ledger=ledger, _bits=SeededBits(1)).publish()
    release = dc.release(records, learned, dc.KNorm("1"), ledger=ledger)
    assert {"scripted-bits", "timing"} <= {caveat.name for caveat in learned.caveats}
    assert {"scripted-bits", "timing"} <= {caveat.name for caveat in release.caveats}
