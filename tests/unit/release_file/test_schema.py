"""The published schema is generated from the shapes; it accepts what the reader reads, and finds what no shape allows."""

import copy
import json

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.files import SCHEMA, content_of
from support.optional import need
from support.recipes import even_shares

import discreet as dc
from discreet.errors import DiscreetError
from discreet.release_file import kinds
from discreet.release_file.document import digest, release_from_json, release_text
from discreet.release_file.measurements import OWN_COUNTS
from discreet.release_file.moments import OWN_MOMENTS
from discreet.release_file.schema import release_schema, schema_text

NETWORK = dc.Network([dc.Variable("a", list("01")), dc.Variable("b", list("01"))], {"b": ["a"]})
RECORDS = pl.DataFrame({"a": list("0110"), "b": list("0111")})
PERSONS = RECORDS.with_columns(id=pl.Series([1, 1, 2, 3]))
MODEL = dc.LinearModel({"x": (-1, 1)}, ("y", (-1, 1)), radius=2, noise="1/3")
POINTS = pl.DataFrame({"x": np.linspace(-1, 1, 9), "y": np.linspace(-1, 1, 9)})
CANDIDATES = [{"a": [[p, 1 - p]], "b": [[0.5, 0.5], [0.3, 0.7]]} for p in (0.2, 0.6)]
TABLES = dc.TablePrior(NETWORK, {"a": [[1, 2]], "b": [[1, 2], [3, 4]]})


def made(mechanism, about=NETWORK, records=RECORDS, **options):
    return dc.release(records, about, mechanism, ledger=dc.Ledger.unlimited(), _bits=SeededBits(1), **options)


def learned(form, **given):
    variables, ledger = list(NETWORK.variables), dc.Ledger.unlimited()
    return dc.learn(RECORDS, variables, epsilon="1", ledger=ledger, form=form, _bits=SeededBits(1), **given)


def picked(**given):
    """A graph of columns that are so wide that pairs are picked."""
    columns = {name: [str(level % size) for level in range(60)] for name, size in (("a", 12), ("b", 15), ("c", 2))}
    variables = [dc.Variable(name, sorted(set(column))) for name, column in columns.items()]
    ledger = dc.Ledger.unlimited()
    return dc.learn(pl.DataFrame(columns), variables, epsilon="1", ledger=ledger, form="dag", _bits=SeededBits(1), **given)


FILES = {
    "family-counts": made(dc.Laplace("1")),
    "own counts": made(dc.Laplace("1"), prior=dc.BDeu(2)).update(RECORDS),
    "maximal-counts": made(dc.Laplace("1", tables="maximal", consistent=True), prior=TABLES),
    "parities": made(dc.Fourier("1")),
    "blocks": made(dc.KNorm("1")),
    "margins": made(dc.Gaussian(rho="1")),
    "laplace-margins": made(even_shares()("1")),
    "draws": made(dc.Sampler("1", draws=2)),
    "point": made(dc.MapPoint("1")),
    "candidate": made(dc.MapPoint("1", candidates=CANDIDATES)),
    "moments": made(dc.RegressionMoments("1"), MODEL, POINTS),
    "own moments": made(dc.RegressionMoments("1"), MODEL, POINTS).update(POINTS),
    "persons": made(dc.Laplace("1"), records=PERSONS, person="id"),
    "averages of persons": made(dc.KNorm("1"), records=PERSONS, person="id", rows_per_person="average"),
    "several records": made(dc.Laplace("1"), rows_at_most=3),
    "regression-draws": made(dc.RegressionSampler("1"), MODEL, POINTS),
    "fused": dc.fuse(made(dc.Laplace("1")), made(dc.KNorm("1"))),
    "own counts of fused": dc.fuse(made(dc.Laplace("1")), made(dc.KNorm("1")), overlap=True).update(RECORDS),
    "grown-pairs": learned("dag").release,
    "grown-picks": picked().release,
    "grown-picks, zero-concentrated": picked(delta="1e-6").release,
    "learned tree": made(dc.KNorm("1"), learned("tree")),
    "learned tree, zero-concentrated": made(dc.Gaussian(rho="1"), learned("tree", delta="1e-6")),
    "learned graph with a prior": made(dc.KNorm("1"), learned("dag")),
}


@pytest.fixture(scope="module")
def validator():
    made = need("jsonschema").Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    made.check_schema(made.schema)
    return made


def test_the_published_schema_is_the_one_that_the_shapes_make():
    assert SCHEMA.read_text("utf-8") == schema_text(), "run: make schema"
    assert json.loads(schema_text()) == release_schema()


def test_every_kind_is_tried_here():
    assert {kind.name for kind in kinds.KINDS} <= FILES.keys()


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_every_kind_follows_the_schema_and_is_written_again_as_it_was(validator, name):
    content = content_of(FILES[name])
    validator.validate(content)
    assert release_text(release_from_json(content)) == release_text(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_the_shape_of_its_statistics_reads_and_writes_every_kind(name):
    statistics = content_of(FILES[name])["statistics"]
    shape = kinds.kind_named(statistics["kind"]).statistics
    assert json.loads(json.dumps(shape.write(shape.read(statistics, "The statistics")))) == statistics


def places(content, path=()):
    """Paths into a file; of a list its first item stands for all."""
    yield path
    if isinstance(content, dict):
        for key, value in content.items():
            yield from places(value, (*path, key))
    elif isinstance(content, list) and content:
        yield from places(content[0], (*path, 0))


WRONG = (None, True, -1, 1.5, 2**200, "x" * 3000, "0/1", [], {})
COMMON = ("software", "guarantee", "mechanism", "caveats", "receipts", "network", "neighbours", "rows", "format", "version")


def edits(content, skip=()):
    """The file with one thing replaced, left out or added."""
    for *way, last in (place for place in places(content) if place and place[0] not in skip):
        for change in (*WRONG, "leave out", "add"):
            edited = copy.deepcopy(content)
            inner = edited
            for step in way:
                inner = inner[step]
            if change == "leave out":
                del inner[last]
            elif change == "add" and isinstance(inner, dict):
                inner["surprise"] = 1
            else:
                inner[last] = change
            yield edited


@pytest.mark.fast("family-counts", "margins", "draws", "moments")
@pytest.mark.parametrize("name", FILES)
def test_what_the_schema_refuses_the_reader_refuses(validator, name):
    """A schema that is stricter than the reader would call a good file broken; one that refuses nothing finds nothing."""
    refused = 0
    for edited in edits(content_of(FILES[name]), () if name == "family-counts" else COMMON):  # what is alike is tried once
        edited["digest"] = digest(edited)
        if not validator.is_valid(edited):
            refused += 1
            with pytest.raises(DiscreetError):
                release_from_json(edited)
    assert refused > 30


@pytest.mark.parametrize("name", FILES)
def test_what_the_shape_of_the_statistics_refuses_the_schema_refuses(validator, name):
    statistics = content_of(FILES[name])["statistics"]
    shape = kinds.kind_named(statistics["kind"]).statistics
    published = validator.evolve(schema={**option(validator.schema, statistics["kind"]), "$defs": validator.schema["$defs"]})
    assert published.is_valid(statistics)
    for edited in edits(statistics):
        try:
            shape.read(edited, "The statistics")
        except DiscreetError:
            assert not published.is_valid(edited)


def refusal(read, *given):
    """What is said of it, where it is refused."""
    try:
        read(*given)
    except DiscreetError as error:
        return str(error)
    return None


def check_the_reader_begins_with_the_shape(content, part, shape, what):
    asked = [(edited, said) for edited in edits(content[part]) if (said := refusal(shape.read, edited, what))]
    assert len(asked) > 10
    for edited, said in asked:
        forged = {**content, part: edited}
        if part == "own" or edited.get("kind") == content[part]["kind"]:  # of no kind: there is no shape to ask
            assert refusal(release_from_json, {**forged, "digest": digest(forged)}) == said


@pytest.mark.parametrize("name", FILES)
def test_what_the_shape_of_the_statistics_refuses_the_reader_refuses_in_its_words(name):
    """So a reader looks at nothing by hand that the shape can look at."""
    content = content_of(FILES[name])
    shape = kinds.kind_named(content["statistics"]["kind"]).statistics
    check_the_reader_begins_with_the_shape(content, "statistics", shape, "The statistics")


@pytest.mark.parametrize(("name", "shape"), [("own counts", OWN_COUNTS), ("own moments", OWN_MOMENTS)])
def test_what_the_shape_of_added_records_refuses_the_reader_refuses_in_its_words(name, shape):
    check_the_reader_begins_with_the_shape(content_of(FILES[name]), "own", shape, "The added records")


def option(schema, kind):
    (found,) = (each for each in schema["properties"]["statistics"]["oneOf"] if each["properties"]["kind"] == {"const": kind})
    return found


@pytest.mark.parametrize("name", [name for name, one in FILES.items() if "noise" in content_of(one)["statistics"]])
def test_the_schema_knows_the_laws_of_the_noise(validator, name):
    content = content_of(FILES[name])
    content["statistics"]["noise"]["law"] = "uniform"
    assert not validator.is_valid(content)


def test_a_prior_may_be_a_whole_number_as_the_schema_says(validator):
    content = content_of(FILES["family-counts"])
    content["prior"] = {"kind": "symmetric", "weight": 1}
    content["digest"] = digest(content)
    validator.validate(content)
    assert release_from_json(content).value.prior == dc.Symmetric(1.0)


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.update(model=content_of(FILES["moments"])["model"]),
        lambda file: file.pop("prior"),
        lambda file: file.update(own={"rows": 1}),
        lambda file: file.update(own={"rows": 1, "tables": {}, "products": []}),
        lambda file: file["mechanism"].update(name="magic"),
        lambda file: file["network"].update(surprise=1),
        lambda file: file["network"]["variables"][0].update(levels=["0", "0"]),
        lambda file: file["guarantee"].update(epsilon="0"),
        lambda file: file["statistics"]["tables"]["a"][0].append(1.5),
    ],
)
def test_the_schema_refuses(validator, change):
    content = content_of(FILES["family-counts"])
    change(content)
    assert not validator.is_valid(content)
