"""Kinds that do not exist: a point of a network with another guarantee, and a linear model, each in one Kind."""

import json
from fractions import Fraction

import pytest
from support.files import SCHEMA, content_of
from support.optional import need

from discreet import FormatError, Ledger, Network, PointPosterior, Release, Variable, load
from discreet.guarantee import ZCDP, ApproxDP, Neighbours, PureDP
from discreet.kernel.publish import charge_and_draw
from discreet.model.files.plain_shapes import Constant, Number
from discreet.model.files.shape import Entry, Object
from discreet.model.files.strict_json import json_object
from discreet.model.prior import UNIFORM
from discreet.release_file import kinds
from discreet.release_file.document import read_posterior
from discreet.release_file.kind import FileTerms, Kind, approximate_budget, pure_epsilon, zcdp_rho
from discreet.release_file.networks import NUMBERS, network_entries, network_from_entries
from discreet.release_file.schema import release_schema
from discreet.releases import MechanismRecord

NETWORK = Network([Variable("a", ["no", "yes"])], {})
RHO = Fraction(1, 10)


POINT_STATISTICS = Object({"tables": NUMBERS}, constants={"kind": Constant("invented-point")})
SLOPE_STATISTICS = Object({"slope": Entry(Number(), "The slope")}, constants={"kind": Constant("slope")})


def read_point(entries, terms):
    zcdp_rho(terms)
    network, _ = network_from_entries(entries)
    statistics = POINT_STATISTICS.read(entries["statistics"], "The statistics")
    return PointPosterior(network, statistics["tables"])


POINT = Kind(
    statistics=POINT_STATISTICS,
    mechanisms={"pointed": ("rho",)},
    entries=("network", "prior"),
    holds=lambda value: isinstance(value, PointPosterior),
    write=lambda value: {
        "rows": 7,
        **network_entries(value.network, UNIFORM),
        "statistics": POINT_STATISTICS.write(value),
    },
    read=read_point,
    describe=lambda value: {"rows": 7},
)


def read_slope(entries, terms):
    zcdp_rho(terms)
    json_object(entries["model"], "The model", ("response",))
    return SLOPE_STATISTICS.read(entries["statistics"], "The statistics")["slope"]


SLOPE = Kind(
    statistics=SLOPE_STATISTICS,
    mechanisms={"sloped": ("rho",)},
    entries=("model",),
    holds=lambda value: isinstance(value, float),
    write=lambda value: {"rows": 7, "model": {"response": "y"}, "statistics": SLOPE_STATISTICS.write({"slope": value})},
    read=read_slope,
    describe=lambda value: {"rows": 7, "slope": value},
)


@pytest.fixture(autouse=True)
def more_kinds(monkeypatch):
    monkeypatch.setattr(kinds, "KINDS", (*kinds.KINDS, POINT, SLOPE))


def made(value, mechanism, rho=RHO):
    _, receipt = charge_and_draw(lambda bits: None, ZCDP(RHO), Ledger.unlimited(), "test")
    record = MechanismRecord(mechanism, {"rho": str(rho)})
    return Release(value, ZCDP(RHO), Neighbours.REPLACE_ONE, record, (), (receipt,), "test")


def test_a_network_release_may_hold_another_posterior(tmp_path):
    made(PointPosterior(NETWORK, {"a": [[0.25, 0.75]]}), "pointed").save(tmp_path / "x.json")
    loaded = load(tmp_path / "x.json")
    assert loaded.guarantee == loaded.receipts[0].guarantee == ZCDP(RHO)
    assert loaded.posterior.mean("a").tolist() == [[0.25, 0.75]]
    assert read_posterior(tmp_path / "x.json").query("a").probability.tolist() == [0.25, 0.75]


def test_a_release_may_be_about_something_else_than_a_network(tmp_path):
    made(1.5, "sloped").save(tmp_path / "x.json")
    assert load(tmp_path / "x.json").value == 1.5
    with pytest.raises(FormatError, match="not about a network"):
        read_posterior(tmp_path / "x.json")


def test_a_new_kind_is_in_the_schema_by_its_declaration(tmp_path):
    one = made(PointPosterior(NETWORK, {"a": [[0.25, 0.75]]}), "pointed")
    validator = need("jsonschema").Draft202012Validator(release_schema())
    validator.validate(content_of(one))
    assert not validator.is_valid({**content_of(one), "statistics": {"kind": "invented-point", "slope": 1.5}})
    assert not need("jsonschema").Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).is_valid(content_of(one))


def test_what_a_kind_does_not_accept_is_not_written(tmp_path):
    for wrong in (made(1.5, "sloped", rho=2 * RHO), made(1.5, "pointed"), made("text", "sloped")):
        with pytest.raises(FormatError):
            wrong.save(tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def terms(guarantee, **parameters) -> FileTerms:
    return FileTerms(guarantee, MechanismRecord("any", parameters), 1)


def test_the_mechanism_must_have_been_given_what_is_promised():
    half, small = Fraction(1, 2), Fraction(1, 10**6)
    assert pure_epsilon(terms(PureDP(half), epsilon="1/2")) == half
    assert zcdp_rho(terms(ZCDP(half), rho="1/2")) == half
    both = {"epsilon": "1/2", "delta": "1/1000000"}
    assert approximate_budget(terms(ApproxDP(half, small), **both)) == (half, small)
    for read, guarantee, given in [
        (pure_epsilon, PureDP(half), {"epsilon": "1"}),
        (pure_epsilon, PureDP(half), {}),
        (pure_epsilon, ZCDP(half), {"epsilon": "1/2"}),
        (zcdp_rho, PureDP(half), {"rho": "1/2"}),
        (zcdp_rho, ZCDP(half), {"rho": "2/5"}),
        (approximate_budget, PureDP(half), both),
        (approximate_budget, ApproxDP(half, small), {**both, "delta": "1/1000"}),
        (approximate_budget, ApproxDP(half, small), {**both, "epsilon": "1/3"}),
    ]:
        with pytest.raises(FormatError):
            read(terms(guarantee, **given))


def test_no_two_kinds_share_a_name():
    names = [kind.name for kind in kinds.KINDS]
    assert len(set(names)) == len(names)
