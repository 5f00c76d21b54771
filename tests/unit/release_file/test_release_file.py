import json
import os
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from support.bits import SeededBits
from support.optional import need

from discreet import BDeu, FormatError, Fourier, Laplace, Ledger, Network, Variable, load, naive_bayes, release
from discreet.release_file.document import FORMAT, VERSION, digest

SCHEMA = Path(__file__).parents[3] / "docs" / "release.schema.json"
NETWORK = Network([Variable("a", ["no", "yes"]), Variable("b [x]", ["0", "1", "é"])], {"b [x]": ["a"]})
DATA = pl.DataFrame({"a": ["yes", "no", "yes"], "b [x]": ["0", "é", "1"]})


def made(**options):
    return release(DATA, NETWORK, Laplace("1/2"), ledger=Ledger.unlimited(), _bits=SeededBits(1), **options)


@pytest.fixture
def content(tmp_path):
    made().save(tmp_path / "x.json")
    return json.loads((tmp_path / "x.json").read_text("utf-8"))


def reload(tmp_path, content, *, sign=True):
    if sign:
        content["digest"] = digest(content)
    (tmp_path / "y.json").write_text(json.dumps(content), encoding="utf-8")
    return load(tmp_path / "y.json")


@pytest.mark.parametrize("prior", [None, BDeu(2), made().plugin], ids=["learned", "bdeu", "posterior"])
@pytest.mark.parametrize("updated", [False, True])
def test_release_files_follow_the_published_schema(tmp_path, prior, updated):
    jsonschema = need("jsonschema")
    one = made(**({"prior": prior} if prior is not None else {}))
    if updated:
        one = one.map(lambda posterior: posterior.update(DATA))
    one.save(tmp_path / "x.json")
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    saved = json.loads((tmp_path / "x.json").read_text("utf-8"))
    validator.validate(saved)
    assert not validator.is_valid({**saved, "rows": "3"})
    assert not validator.is_valid({**saved, "surprise": 1})


def test_a_release_of_parities_follows_the_published_schema(tmp_path):
    jsonschema = need("jsonschema")
    network = naive_bayes("y", ["a", "b"])
    frame = pl.DataFrame({node: ["0", "1", "1"] for node in network.nodes})
    release(frame, network, Fourier("1"), ledger=Ledger.unlimited()).save(tmp_path / "x.json")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    saved = json.loads((tmp_path / "x.json").read_text("utf-8"))
    validator.validate(saved)
    assert not validator.is_valid({**saved, "statistics": {**saved["statistics"], "repair": "magic"}})


def test_the_file_holds_no_exact_count(content):
    exact = {"a": [[1, 2]], "b [x]": [[0, 0, 1], [1, 1, 0]]}
    assert content["statistics"]["tables"] != exact
    assert "own" not in content


def test_a_gzipped_release_can_be_loaded(tmp_path):
    import gzip

    made().save(tmp_path / "x.json")
    (tmp_path / "x.json.gz").write_bytes(gzip.compress((tmp_path / "x.json").read_bytes()))
    assert load(tmp_path / "x.json.gz").guarantee == made().guarantee


def test_a_smaller_epsilon_than_the_noise_supports_is_not_believed(tmp_path, content):
    content["guarantee"]["epsilon"] = "1/100"
    with pytest.raises(FormatError, match="does not fit its guarantee"):
        reload(tmp_path, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: _with_guarantee(c, {"kind": "approximate", "epsilon": "1/2", "delta": "3/2"}), "delta below 1"),
        (lambda c: _with_guarantee(c, {"kind": "renyi", "epsilon": "1/2"}), "The guarantee is of a kind that is not known"),
        (lambda c: c["mechanism"]["parameters"].update(delta="1/9"), "The mechanism has an unknown entry 'delta'"),
        (lambda c: c["mechanism"].update(parameters={}), "The mechanism has no 'epsilon'"),
        (lambda c: c["mechanism"].update(name="magic"), "not known to this version. Update discreet"),
        (lambda c: c.update(neighbours="add-remove"), "a notion of neighbouring data that is not known"),
        (lambda c: c["receipts"][0].update(number=0), "A receipt must be a whole number of at least 1"),
        (lambda c: c["receipts"][0].update(guarantee={"kind": "pure", "epsilon": "1/4"}), "do not pay for its guarantee"),
        (lambda c: c.update(receipts=[]), "The receipts must be at least 1"),
        (lambda c: c.update(caveats=[{"name": "x"}]), "A caveat has no 'text'"),
        (lambda c: c.update(prior={"kind": "flat"}), "The prior in the release file is not one that is known"),
        (lambda c: c["prior"].update(strength=-1.0), "The prior must be a number greater than zero"),
        (lambda c: c["prior"].update(spread=True), "The prior must be a number greater than zero"),
        (lambda c: c["prior"].update(centre="2"), "The prior must be a number greater than zero"),
        (lambda c: c["prior"].pop("spread"), "The prior has no 'spread'"),
        (lambda c: c.update(prior={"kind": "symmetric", "weight": -1.0}), "The prior must be a number greater than zero"),
    ],
)
def test_the_message_names_the_part_that_is_wrong(tmp_path, content, change, message):
    change(content)
    with pytest.raises(FormatError) as caught:
        reload(tmp_path, content)
    assert message in str(caught.value)


def test_an_edit_is_noticed(tmp_path, content):
    content["statistics"]["tables"]["a"][0][0] += 1
    with pytest.raises(FormatError, match="damaged or edited"):
        reload(tmp_path, content, sign=False)


def _with_epsilon(content, epsilon):
    content["guarantee"].update(epsilon=epsilon)
    content["receipts"][0]["guarantee"].update(epsilon=epsilon)
    content["mechanism"]["parameters"].update(epsilon=epsilon)
    content["statistics"]["noise"].update(scale=str(2 * len(NETWORK.nodes) / Fraction(epsilon)))


def _with_guarantee(content, guarantee):
    content["guarantee"] = content["receipts"][0]["guarantee"] = guarantee


FAULTS = {
    "a version that is a truth value": lambda c: c.update(version=True),
    "no receipt": lambda c: c.update(receipts=[]),
    "a receipt for less": lambda c: c["receipts"][0]["guarantee"].update(epsilon="1/4"),
    "a guarantee of another kind": lambda c: c.update(guarantee={"kind": "zcdp", "rho": "1/2"}),
    "a guarantee and a receipt of another kind": lambda c: (
        c.update(guarantee={"kind": "zcdp", "rho": "1/2"}),
        c["receipts"][0].update(guarantee={"kind": "zcdp", "rho": "1/2"}),
    ),
    "a delta of one": lambda c: _with_guarantee(c, {"kind": "approximate", "epsilon": "1/2", "delta": "1"}),
    "a parameter too many": lambda c: c["mechanism"]["parameters"].update(delta="1/9"),
    "a parameter too few": lambda c: c["mechanism"].update(parameters={}),
    "a parameter that is no text": lambda c: c["mechanism"]["parameters"].update(epsilon=0.5),
    "a guarantee of no kind": lambda c: c["guarantee"].update(kind=["pure"]),
    "a guarantee with a delta too many": lambda c: c["guarantee"].update(delta="1/9"),
    "a receipt above its cap": lambda c: c["receipts"][0].update(cap="1/4"),
    "a cap without what was spent": lambda c: c["receipts"][0].update(cap="1", spent=None),
    "a receipt for more than was spent": lambda c: c["receipts"][0].update(spent="1/4"),
    "a receipt for more than was spent within a cap": lambda c: c["receipts"][0].update(spent="1/4", cap="1/3"),
    "a receipt with a delta but no cap": lambda c: c["receipts"][0].update(delta="1/9"),
    "a receipt with a delta of one": lambda c: c["receipts"][0].update(delta="1", cap="1"),
    "noise beyond floats": lambda c: _with_epsilon(c, "1/1" + "0" * 500),
    "a second receipt": lambda c: c["receipts"].append(c["receipts"][0]),
    "statistics of another kind": lambda c: c["statistics"].update(kind="parities"),
    "statistics of no kind": lambda c: c["statistics"].update(kind=["parities"]),
    "the mechanism of other statistics": lambda c: c["mechanism"].update(name="laplace-maximal"),
    "a model besides the network": lambda c: c.update(model={}),
    "no network": lambda c: c.pop("network"),
    "a mechanism with another epsilon": lambda c: c["mechanism"]["parameters"].update(epsilon="1/4"),
    "a prior of texts": lambda c: c.update(prior={"kind": "tables", "tables": {"a": [["1", "1"]], "b [x]": [["1"] * 3] * 2}}),
    "a prior beyond floats": lambda c: c.update(
        prior={"kind": "tables", "tables": {"a": [[10**400, 1]], "b [x]": [[1] * 3] * 2}}
    ),
    "own records that sum by wrapping around": lambda c: c.update(
        own={"rows": 4, "tables": {"a": [[2**61, 2**61]], "b [x]": [[2**61] * 3, [2**61] * 3]}}
    ),
    "another format": lambda c: c.update(format="something"),
    "a later version": lambda c: c.update(version=2),
    "no rows": lambda c: c.update(rows=0),
    "rows as text": lambda c: c.update(rows="3"),
    "rows as truth": lambda c: c.update(rows=True),
    "an entry too many": lambda c: c.update(extra=1),
    "an entry too few": lambda c: c.pop("caveats"),
    "an unknown mechanism": lambda c: c["mechanism"].update(name="magic"),
    "unknown neighbours": lambda c: c.update(neighbours="add-remove"),
    "a table too few": lambda c: c["statistics"]["tables"].pop("a"),
    "a table too many": lambda c: c["statistics"]["tables"].update(z=[[1, 2]]),
    "a row too many": lambda c: c["statistics"]["tables"]["a"].append([1, 2]),
    "a ragged table": lambda c: c["statistics"]["tables"]["b [x]"][0].pop(),
    "a float": lambda c: c["statistics"]["tables"]["a"][0].__setitem__(0, 1.5),
    "a truth value": lambda c: c["statistics"]["tables"]["a"][0].__setitem__(0, True),
    "a huge count": lambda c: c["statistics"]["tables"]["a"][0].__setitem__(0, 2**63),
    "a negative epsilon": lambda c: c["guarantee"].update(epsilon="-1"),
    "an epsilon of zero": lambda c: c["guarantee"].update(epsilon="0"),
    "a cycle": lambda c: c["network"]["parents"].update(a=["b [x]"]),
    "a scale that was not paid for": lambda c: c["statistics"]["noise"].update(scale="7"),
    "a scale that is larger than it was": lambda c: c["statistics"]["noise"].update(scale="9"),
    "another noise": lambda c: c["statistics"]["noise"].update(law="gaussian"),
    "a negative prior": lambda c: c["prior"].update(weight=-1.0),
    "an unknown prior": lambda c: c["prior"].update(kind="flat"),
    "own records without a number": lambda c: c.update(own={"rows": 0, "tables": c["statistics"]["tables"]}),
    "own records that do not sum": lambda c: c.update(own={"rows": 5, "tables": {"a": [[1, 2]], "b [x]": [[1] * 3] * 2}}),
    "a caveat without text": lambda c: c.update(caveats=[{"name": "x"}]),
    "a receipt without a number": lambda c: c["receipts"][0].update(number=0),
    "endless text": lambda c: c.update(software="x" * 10_000),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_is_refused_even_with_a_fitting_digest(tmp_path, content, fault):
    FAULTS[fault](content)
    with pytest.raises(FormatError):
        reload(tmp_path, content)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "NaN",
        '{"format": "discreet-release"}',
        "[" * 100_000,
        '{"rows": ' + "9" * 10_000 + "}",
        '{"a": 1, "a": 2}',
    ],
    ids=["empty", "cut", "list", "null", "nan", "bare", "deep", "long number", "twice"],
)
def test_hostile_text_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(FormatError):
        load(tmp_path / "x.json")


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(FormatError):
            load(path)


def test_an_oversized_file_is_refused_without_reading_it(tmp_path):
    path = tmp_path / "x.json"
    with path.open("wb") as stream:
        stream.truncate(2**33)  # sparse: eight gigabytes of nothing
    with pytest.raises(FormatError, match="more than"):
        load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    made().save(path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FormatError, match="No space left"):
        made().save(path, overwrite=True)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_saving_into_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(FormatError, match="cannot be written"):
        made().save(tmp_path / "missing" / "x.json")


def test_a_deeply_nested_file_with_any_digest_is_refused(tmp_path):
    deep = '{"format": "discreet-release", "version": 1, "caveats": ' + "[" * 980 + "]" * 980
    rest = ["software", "guarantee", "neighbours", "mechanism", "receipts", "rows", "network", "prior", "statistics", "digest"]
    (tmp_path / "x.json").write_text(deep + "".join(f', "{key}": 1' for key in rest) + "}")
    with pytest.raises(FormatError):
        load(tmp_path / "x.json")


def test_any_epsilon_that_can_be_charged_can_be_saved_and_loaded(tmp_path):
    for epsilon in ("1e35", "1" * 59 + "/" + "1" + "0" * 58, "123456789.123456789123456789"):
        one = release(DATA, NETWORK, Laplace(epsilon), ledger=Ledger.unlimited(), _bits=SeededBits(1))
        one.save(tmp_path / "x.json", overwrite=True)
        assert load(tmp_path / "x.json").guarantee == one.guarantee


def test_a_release_after_many_charges_of_odd_size_can_be_loaded(tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="1")
    for prime in (1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117, 1000121, 1000133, 1000151, 1000159):
        one = release(DATA, NETWORK, Laplace(f"1/{prime}"), ledger=ledger)
    one.save(tmp_path / "x.json")
    assert load(tmp_path / "x.json").receipts == one.receipts


def test_added_records_are_mentioned_however_they_were_added(tmp_path):
    made().map(lambda posterior: posterior.update(DATA)).save(tmp_path / "x.json")
    caveats = {caveat.name: caveat.text for caveat in load(tmp_path / "x.json").caveats}
    assert "3 records" in caveats["own-records"]


def test_the_format_has_a_version():
    assert (FORMAT, VERSION) == ("discreet-release", 1)
