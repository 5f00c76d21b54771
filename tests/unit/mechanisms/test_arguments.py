"""What may be written for a mechanism, a ledger and a prior, and what is refused with advice."""

from fractions import Fraction

import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet.cli import options
from discreet.conversion import epsilon_of_rho
from discreet.mechanisms.arguments import SUBJECTS, as_ledger, as_mechanism, named_mechanism, subject_of
from discreet.mechanisms.subject import STATISTICS
from discreet.model import declaration
from discreet.model.convert import as_model
from discreet.model.declaration import ModelKind
from discreet.model.prior import PRIORS

NETWORK = dc.naive_bayes("y", ["a"])
RECORDS = pl.DataFrame({"y": ["0", "1"] * 20, "a": ["1", "0"] * 20})
LINE = dc.LinearModel({"x": (0, 1)}, ("t", (0, 1)))
FOR_NETWORKS, FOR_LINES = subject_of(NETWORK), subject_of(LINE)
HALF, DELTA = Fraction(1, 2), Fraction(1, 10**6)


def test_every_kind_of_model_has_a_subject_and_a_statistic():
    kinds = [kind for kind in vars(declaration).values() if isinstance(kind, ModelKind)]
    assert [subject.kind for subject in SUBJECTS] == [statistic.kind for statistic in STATISTICS] == kinds
    assert (FOR_NETWORKS.kind.plural, FOR_LINES.kind.plural) == ("networks", "linear models")


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.kind.plural)
def test_every_mechanism_of_a_subject_needs_a_statistic_of_its_kind(subject):
    made = [named_mechanism(word, "0.5", DELTA, subject) for word in subject.words]
    for mechanism in (*made, *subject.candidates(HALF, DELTA)):
        assert mechanism.statistic.kind is subject.kind


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.kind.plural)
def test_every_word_makes_a_mechanism_that_keeps_the_budget(subject):
    for word in subject.words:
        guarantee = named_mechanism(word, "0.5", DELTA, subject).guarantee
        if isinstance(guarantee, dc.ZCDP):
            assert epsilon_of_rho(guarantee.rho, DELTA) <= HALF
        else:
            assert guarantee.epsilon == HALF


def test_the_command_knows_the_same_words_as_the_library():
    assert tuple(FOR_NETWORKS.words) == options._NETWORK_WORDS
    assert tuple(FOR_LINES.words) == options._LINEAR_WORDS
    assert [subject.kind.plural for subject in SUBJECTS] == list(options._DECLARED_BY)
    assert options._PRIORS == PRIORS


def test_a_release_by_word_is_charged_its_epsilon():
    ledger = dc.Ledger.unlimited()
    made = dc.release(RECORDS, NETWORK, "Laplace", epsilon="0.5", ledger=ledger)
    assert (made.mechanism.name, made.guarantee) == ("laplace", dc.PureDP("0.5"))
    assert [charge.guarantee for charge in ledger.history()] == [dc.PureDP("0.5")]


def test_without_a_mechanism_the_best_one_is_taken():
    made = dc.release(RECORDS, NETWORK, epsilon="0.5", ledger=dc.Ledger.unlimited())
    assert "automatic-choice" in [caveat.name for caveat in made.caveats]


def test_a_line_has_words_of_its_own():
    table = pl.DataFrame({"x": [0.1, 0.9] * 20, "t": [0.2, 0.7] * 20})
    made = dc.release(table, LINE, epsilon="1", ledger=dc.Ledger.unlimited())
    assert made.mechanism.name == "regression-moments"
    with pytest.raises(dc.ModelError, match=r"'laplace' here\. It is for networks"):
        dc.release(table, LINE, "laplace", epsilon="1", ledger=dc.Ledger.unlimited())


def test_a_mechanism_has_one_epsilon():
    laplace = dc.Laplace("0.5")
    assert as_mechanism(laplace, None, None, FOR_NETWORKS) is laplace
    with pytest.raises(dc.BudgetError, match="given twice"):
        as_mechanism(laplace, "0.5", None, FOR_NETWORKS)
    with pytest.raises(dc.BudgetError, match="needs a budget: add epsilon="):
        as_mechanism("laplace", None, None, FOR_NETWORKS)
    with pytest.raises(dc.ModelError, match="'1/2' is no mechanism"):
        as_mechanism("1/2", None, None, FOR_NETWORKS)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("laplas", "Did you mean 'laplace'"),
        ("gaussian", "ledger with a delta"),
        ("regression-moments", "It is for linear models"),
        (dc.Laplace, r'write Laplace\("0.5"\)'),
        ("0.5", r"^'0\.5' is no mechanism\. Write epsilon='0\.5' for the best one, or one such as Laplace\('0\.5'\)\.$"),
        (0.5, "such as Laplace"),
        (None, "is not a mechanism"),
        (dc.PureDP("1"), "is not a mechanism"),
    ],
)
def test_what_is_no_mechanism_is_refused_uncharged(given, advice):
    ledger = dc.Ledger.unlimited()
    epsilon = "0.5" if isinstance(given, str) else None
    with pytest.raises((dc.ModelError, dc.BudgetError), match=advice):
        dc.release(RECORDS, NETWORK, given, epsilon=epsilon, ledger=ledger)
    assert ledger.history() == []


def test_a_path_opens_a_ledger_that_exists_and_never_makes_one(tmp_path):
    path = tmp_path / "clinic.ledger"
    with pytest.raises(dc.LedgerError, match=r"a new one needs a cap: Ledger\(.*clinic.ledger', cap=\"1\"\)"):
        dc.release(RECORDS, NETWORK, "laplace", epsilon="0.5", ledger=path)
    assert not path.exists()
    dc.Ledger(path, cap="1")
    for given in (path, str(path)):
        dc.release(RECORDS, NETWORK, "laplace", epsilon="0.5", ledger=given)
    assert as_ledger(path).remaining == 0
    other = tmp_path / "other.ledger"
    dc.Ledger(other, cap="1", dataset="another data set")
    with pytest.raises(dc.LedgerError):
        as_ledger(other)
    assert [account.dataset for account in dc.Ledger.datasets(other)] == ["another data set"]
    for wrong in (None, 1, dc.PureDP("1")):
        with pytest.raises(dc.LedgerError, match=r"is not a ledger\. Give ledger=Ledger"):
            dc.release(RECORDS, NETWORK, "laplace", epsilon="0.5", ledger=wrong)


def test_records_and_network_in_each_others_place_are_told_so(tmp_path):
    table, declaration = tmp_path / "patients.csv", tmp_path / "clinic.json"
    RECORDS.write_csv(table)
    dc.write_network(NETWORK, declaration)
    frame = pd.DataFrame({"y": ["0"], "a": ["1"]})
    for data, network in (
        (NETWORK, RECORDS),
        (LINE, RECORDS),
        (declaration, table),
        (RECORDS, frame),
        (str(declaration), str(table)),
    ):
        with pytest.raises(dc.ModelError, match=r"in each other's place: write release\(data, network"):
            dc.release(data, network, dc.Laplace("1"), ledger=dc.Ledger.unlimited())


def test_a_column_that_is_called_kind_makes_no_model_of_a_table():
    """Of pandas it would be an attribute of the table."""
    frame = pd.DataFrame({"y": ["0", "1"], "a": ["1", "0"], "kind": ["b", "c"]})
    assert dc.release(frame, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited()).value.released.rows == 2


def test_a_model_is_read_by_the_end_of_its_name(tmp_path):
    line, network = tmp_path / "line.TOML", tmp_path / "network.json"
    line.write_text("[features]\nx = [0, 1]\n[target]\nt = [0, 1]\n")
    dc.write_network(NETWORK, network)
    assert [as_model(given) for given in (line, str(line), LINE)] == [LINE] * 3
    assert [as_model(given) for given in (network, str(network), NETWORK)] == [NETWORK] * 3
    with pytest.raises(dc.ModelError, match="is not a network"):
        as_model(7)


def test_a_prior_may_be_named():
    for word, prior in (("jeffreys", dc.JEFFREYS), ("Uniform", dc.UNIFORM), ("bdeu", dc.BDeu(1)), ("bdeu:10", dc.BDeu(10))):
        made = dc.release(RECORDS, NETWORK, dc.Laplace("1"), prior=word, ledger=dc.Ledger.unlimited())
        assert made.value.prior == prior
        assert dc.DirichletPosterior(NETWORK, word).prior == prior


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("jefreys", "Did you mean 'jeffreys'"),
        ("bdeu:none", "such as bdeu:10"),
        (0.5, "A float is not a prior"),
        (dc.BDeu, "is not a prior"),
    ],
)
def test_what_is_no_prior_is_refused_uncharged(given, advice):
    ledger = dc.Ledger.unlimited()
    with pytest.raises(dc.ModelError, match=advice):
        dc.release(RECORDS, NETWORK, dc.Laplace("1"), prior=given, ledger=ledger)
    assert ledger.history() == []


def test_a_release_as_prior_is_sent_to_its_posterior():
    made = dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    with pytest.raises(dc.ModelError, match=r"prior=release\.posterior"):
        dc.release(RECORDS, NETWORK, dc.Laplace("1"), prior=made, ledger=dc.Ledger.unlimited())
